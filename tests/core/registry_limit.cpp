// In a program of its own, because it uses up every component id there is.
#include <boost/ut.hpp>

#include <cstddef>
#include <string>

import pecs;

namespace {
struct Early {};
struct Late {};
struct Latest {};
} // namespace

int main() {
    using namespace boost::ut;

    "past the limit there is a clear error, and what exists goes on working"_test = [] {
        const auto early = pecs::id_of<Early>();
        while (pecs::component_count() != pecs::max_components)
            (void)pecs::register_component({.name = "filler." + std::to_string(pecs::component_count())});

        std::string message;
        try {
            (void)pecs::id_of<Late>();
        } catch (const pecs::component_limit& e) {
            message = e.what();
        }
        expect(message.find("Late") != std::string::npos) << message;
        expect(message.find(std::to_string(pecs::max_components)) != std::string::npos) << message;
        expect(message.find("PECS_MAX_COMPONENTS") != std::string::npos) << message;
        expect(throws<pecs::component_limit>([] { (void)pecs::register_component({.name = "one more"}); }));
        expect(not pecs::find_component("one more").has_value());
        expect(pecs::component_count() == pecs::max_components);
        expect(pecs::id_of<Early>() == early);
        expect(pecs::find_component("filler.100").has_value());
    };

    "a query that names one type too many throws each time, and others go on"_test = [] {
        pecs::world w;
        const auto e = w.spawn(Early{});
        for (int i = 0; i != 2; ++i)
            expect(throws<pecs::component_limit>(
                [&] { (void)w.query<Early, pecs::without<Latest>>().count(); }));
        expect(w.query<Early>().count() == 1_ul and w.query<Early>().first() == e and w.validate());
    };
}
