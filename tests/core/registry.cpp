#include <boost/ut.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

import pecs;

namespace {
struct First {};
struct Second {
    int value;
};
template <int> struct Numbered {
    int value;
};

template <int... I> void touch(std::integer_sequence<int, I...>, std::vector<pecs::component_id>& seen) {
    (seen.push_back(pecs::id_of<Numbered<I>>()), ...);
}

// What the refusal of a description says.
std::string refusal(const pecs::component_type& type) {
    try {
        (void)pecs::register_component(type);
    } catch (const pecs::invalid_component& e) {
        return e.what();
    }
    return "registered";
}
} // namespace

int main() {
    using namespace boost::ut;

    "a type keeps its id"_test = [] {
        const auto id = pecs::id_of<First>();
        expect(pecs::id_of<Second>() != id);
        expect(pecs::id_of<First>() == id);
        expect(pecs::component_count() >= 2_ul);
    };

    "types are found by name"_test = [] {
        const auto id = pecs::id_of<Second>();
        const std::string name{pecs::type_of(id).name};
        expect(pecs::find_component(name) == std::optional{id});
        expect(not pecs::find_component("no such type").has_value());
    };

    "a type can be made at run time"_test = [] {
        std::string name = "script.Health";
        const auto id = pecs::register_component({.name = name, .size = 8, .alignment = 4});
        name = "overwritten!!"; // the registry has its own copy
        expect(pecs::type_of(id).name == std::string_view{"script.Health"});
        expect(pecs::type_of(id).size == 8_ul and pecs::type_of(id).alignment == 4_ul);
        expect(pecs::find_component("script.Health") == std::optional{id});
        const auto marker = pecs::register_component({.name = "script.Tag"});
        expect(pecs::type_of(marker).is_tag());
    };

    "a description that makes no sense is refused and leaves nothing behind"_test = [] {
        const auto before = pecs::component_count();
        expect(refusal({}).find("no name") != std::string::npos);
        expect(refusal({.name = "x", .size = 4, .alignment = 3}).find("power of two") != std::string::npos);
        expect(refusal({.name = "x", .size = 6, .alignment = 4}).find("multiple") != std::string::npos);
        expect(
            refusal({.name = "x", .size = 4, .alignment = 4, .destroy = [](void*, std::size_t) noexcept {}})
                .find("relocate") != std::string::npos);
        expect(refusal({.name = "x", .construct = [](void*, std::size_t) {}}).find("tag") !=
               std::string::npos);
        expect(
            refusal({.name = "x", .relation = true, .rules = {.symmetric = true}}).find("has many targets") !=
            std::string::npos);
        expect(
            refusal(
                {.name = "x", .relation = true, .rules = {.acyclic = true, .many = true, .symmetric = true}})
                .find("leads back") != std::string::npos);
        expect(pecs::component_count() == before);
        (void)pecs::register_component({.name = "taken", .size = 4, .alignment = 4});
        expect(refusal({.name = "taken", .size = 4, .alignment = 4}).find("exists already") !=
               std::string::npos);
        expect(pecs::component_count() == before + 1);
    };

    "an id that was never given is an error"_test = [] {
        expect(throws<pecs::unknown_component>([] { (void)pecs::type_of(pecs::component_id{50000}); }));
    };

    "threads that meet a type at once agree on its id"_test = [] {
        std::vector<pecs::component_id> a;
        std::vector<pecs::component_id> b;
        const auto numbers = std::make_integer_sequence<int, 64>{};
        std::thread one{[&] { touch(numbers, a); }};
        std::thread two{[&] { touch(numbers, b); }};
        one.join();
        two.join();
        expect(std::ranges::equal(a, b));
        for (const auto id : a) expect(pecs::type_of(id).size == sizeof(int));
    };
}
