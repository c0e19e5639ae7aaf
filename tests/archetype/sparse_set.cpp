// The sparse set itself: places, packed and stable values, pages that come and go, and what failures leave behind.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <random>
#include <vector>

import pecs;
import pecs.archetype;

namespace {
using pecs::detail::sparse_set;
using pecs::entity;
using support::Tracked;
using support::watched_memory;

struct Packed {
    static constexpr auto storage = pecs::component_storage::sparse;
    Tracked value;
};
struct Stable {
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    Tracked value;
};
struct Mark {
    static constexpr auto storage = pecs::component_storage::sparse;
};
struct alignas(256) Wide {
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    int value;
};

template <class T> void insert(sparse_set& set, entity e, int n) {
    set.reserve(e);
    pecs::detail::construct<T>(set.next_cell(), Tracked::of(n));
    set.insert(e);
}
template <class T> int number(const sparse_set& set, entity e) {
    return reinterpret_cast<const T*>(set.find(e))->value.number();
}

template <class T> void random_set(std::uint64_t seed) {
    using namespace boost::ut;
    Tracked::forget();
    watched_memory memory;
    {
        sparse_set set{pecs::id_of<T>(), &memory};
        std::map<entity, int> model;
        std::mt19937_64 random{seed};
        for (int step = 0; step != 3000; ++step) {
            const entity e{static_cast<std::uint32_t>(random() % 3000), 1};
            if (model.contains(e)) {
                expect(set.erase(e));
                model.erase(e);
            } else {
                insert<T>(set, e, step);
                model[e] = step;
            }
            if (step % 500 == 499) set.shrink();
            if (step % 100 == 0) expect(set.valid()) << "seed" << seed;
        }
        expect(set.size() == model.size());
        for (const auto& [e, n] : model) expect(number<T>(set, e) == n);
        set.clear();
        expect(set.size() == 0_ul and set.valid());
    }
    expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    expect(memory.blocks() == 0_ul);
}

} // namespace

int main() {
    using namespace boost::ut;

    "an entity is found by its whole handle"_test = [] {
        sparse_set set{pecs::id_of<Packed>(), std::pmr::get_default_resource()};
        insert<Packed>(set, {7, 2}, 5);
        expect(set.contains({7, 2}) and not set.contains({7, 1}) and not set.contains({7, 3}));
        expect(not set.contains({8, 2}) and not set.contains({70000, 1}) and not set.contains(pecs::null));
        expect(number<Packed>(set, {7, 2}) == 5_i);
        expect(not set.erase({7, 1}) and set.erase({7, 2}) and set.size() == 0_ul and set.valid());
    };

    "the last one fills the place of one that goes"_test = [] {
        sparse_set set{pecs::id_of<Packed>(), std::pmr::get_default_resource()};
        for (std::uint32_t i = 0; i != 4; ++i) insert<Packed>(set, {i, 1}, static_cast<int>(i));
        set.erase({1, 1});
        expect(bool{set.entities()[1] == entity{3, 1}} and set.place({3, 1}) == 1_u);
        expect(number<Packed>(set, {3, 1}) == 3_i and set.valid());
    };

    "stable values stay where they are, whatever comes, goes, or is given back"_test = [] {
        sparse_set set{pecs::id_of<Stable>(), std::pmr::get_default_resource()};
        insert<Stable>(set, {5, 1}, 5);
        const void* const address = set.find({5, 1});
        for (std::uint32_t i = 10; i != 1000; ++i) insert<Stable>(set, {i, 1}, static_cast<int>(i));
        expect(set.find({5, 1}) == address);
        for (std::uint32_t i = 10; i != 1000; ++i) set.erase({i, 1});
        set.shrink();
        expect(set.find({5, 1}) == address and number<Stable>(set, {5, 1}) == 5_i and set.valid());
        const std::size_t small = set.bytes();
        for (std::uint32_t i = 10; i != 1000; ++i) insert<Stable>(set, {i, 1}, static_cast<int>(i));
        expect(set.bytes() > small * 4 and set.valid());
    };

    "a set that is empty gives its values' memory back, and takes it again"_test = [] {
        Tracked::forget();
        watched_memory memory;
        {
            sparse_set set{pecs::id_of<Packed>(), &memory};
            const std::size_t before = memory.bytes();
            for (std::uint32_t i = 0; i != 100; ++i) insert<Packed>(set, {i, 1}, static_cast<int>(i));
            for (std::uint32_t i = 0; i != 100; ++i) expect(set.erase({i, 1}));
            expect(memory.bytes() > before);
            set.shrink();
            expect(memory.bytes() == before and set.valid());
            insert<Packed>(set, {7, 2}, 70);
            expect(number<Packed>(set, {7, 2}) == 70_i and set.size() == 1_ul and set.valid());
        }
        expect(memory.clean() and Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "a tag takes no bytes for values"_test = [] {
        sparse_set set{pecs::id_of<Mark>(), std::pmr::get_default_resource()};
        for (std::uint32_t i = 0; i != 100; ++i) {
            set.reserve({i, 1});
            set.insert({i, 1});
        }
        expect(set.find({3, 1}) != nullptr and set.find({300, 1}) == nullptr);
        set.erase({3, 1});
        expect(set.find({3, 1}) == nullptr and set.size() == 99_ul and set.valid());
    };

    "values are as aligned as their type asks"_test = [] {
        sparse_set set{pecs::id_of<Wide>(), std::pmr::get_default_resource()};
        for (std::uint32_t i = 0; i != 100; ++i) {
            set.reserve({i, 1});
            expect(reinterpret_cast<std::uintptr_t>(set.next_cell()) % 256 == 0_ul);
            set.insert({i, 1});
        }
    };

    "pages come with entities and go with them"_test = [] {
        watched_memory memory;
        sparse_set set{pecs::id_of<Mark>(), &memory};
        const auto add = [&](std::uint32_t i) { set.reserve({i, 1}), set.insert({i, 1}); };
        add(0);
        const std::size_t one = set.bytes();
        for (std::uint32_t i = 0; i != 20; ++i) add(100'000 + 1000 * i);
        expect(set.bytes() > one + 20 * 2000);
        for (std::uint32_t i = 0; i != 20; ++i) set.erase({100'000 + 1000 * i, 1});
        expect(set.valid());
        set.shrink();
        expect(set.bytes() <= one and set.contains({0, 1}) and set.valid());
    };

    "random entities come and go"_test = [] {
        for (std::uint64_t seed = 1; seed != 6; ++seed) {
            random_set<Packed>(seed);
            random_set<Stable>(seed);
        }
    };

    "a failed allocation changes nothing"_test = [] {
        Tracked::forget();
        for (std::size_t successes = 0;; ++successes) {
            watched_memory memory;
            sparse_set set{pecs::id_of<Stable>(), &memory};
            for (std::uint32_t i = 0; i != 64; ++i) insert<Stable>(set, {i, 1}, static_cast<int>(i));
            support::faults::arm(successes, true);
            bool failed = false;
            try {
                set.reserve({90'000, 1}, 200);
            } catch (const std::bad_alloc&) {
                failed = true;
            }
            support::faults::disarm();
            expect(set.valid() and set.size() == 64_ul);
            insert<Stable>(set, {90'000, 1}, 7);
            expect(number<Stable>(set, {90'000, 1}) == 7_i and number<Stable>(set, {63, 1}) == 63_i);
            if (!failed) break;
        }
        expect(Tracked::log.alive() == 0_ul);
    };
}
