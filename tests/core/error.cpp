// Messages are part of the interface: each names what it is about and what to do.
#include <boost/ut.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

import pecs;

namespace {
struct Position {
    float x, y;
};

bool mentions(const std::exception& e, std::string_view words) {
    return std::string_view{e.what()}.find(words) != std::string_view::npos;
}
} // namespace

int main() {
    using namespace boost::ut;
    const pecs::entity e{7, 2};
    const pecs::component_id position = pecs::id_of<Position>();

    "every error can be caught as pecs::error and as std::runtime_error"_test = [&] {
        expect(throws<pecs::error>([&] { throw pecs::dead_entity{e}; }));
        expect(throws<std::runtime_error>([&] { throw pecs::missing_component{e, position}; }));
        expect(throws<pecs::component_error>([&] { throw pecs::duplicate_component{e, position}; }));
    };

    "a dead entity is named"_test = [&] {
        const pecs::dead_entity dead{e};
        expect(mentions(dead, "7v2") and mentions(dead, "alive()")) << dead.what();
        expect(dead.which() == e);
    };

    "the null entity gets a message of its own"_test = [] {
        expect(mentions(pecs::dead_entity{pecs::null}, "null entity"));
    };

    "errors about a component name entity, component and remedy"_test = [&] {
        const pecs::missing_component missing{e, position};
        expect(mentions(missing, "7v2") and mentions(missing, "Position") and mentions(missing, "try_get"))
            << missing.what();
        expect(missing.which() == e and missing.component() == position);
        const pecs::duplicate_component twice{e, position};
        expect(mentions(twice, "7v2") and mentions(twice, "Position") and mentions(twice, "set()"))
            << twice.what();
        expect(twice.which() == e and twice.component() == position);
    };

    "errors about component types name the type or its id"_test = [] {
        expect(mentions(pecs::component_limit{"Position"}, "'Position'"));
        expect(mentions(pecs::invalid_component{"Position", "it is wrong"}, "it is wrong"));
        const pecs::unknown_component unknown{pecs::component_id{999}};
        expect(mentions(unknown, "999") and unknown.which() == pecs::component_id{999});
        expect(mentions(pecs::missing_component{pecs::entity{1, 1}, pecs::component_id{999}}, "#999"));
    };

    "a component type that cannot do what is asked is named"_test = [&] {
        const pecs::unsupported_component unsupported{position, "cannot be copied"};
        expect(mentions(unsupported, "Position") and mentions(unsupported, "cannot be copied"))
            << unsupported.what();
        expect(unsupported.which() == position);
        expect(mentions(pecs::unsupported_component{pecs::component_id{999}, "x"}, "#999"));
    };

    "an entity that is listed twice is named"_test = [&] {
        const pecs::repeated_entity twice{e};
        expect(mentions(twice, "7v2") and mentions(twice, "twice")) << twice.what();
        expect(twice.which() == e);
    };

    "a limit is named, with what it limits"_test = [] {
        const pecs::capacity_exceeded full{"entities", 1000};
        expect(mentions(full, "entities") and mentions(full, "1000") and mentions(full, "despawn"))
            << full.what();
    };

    "a locked world says when it can be changed"_test = [] {
        const pecs::world_locked locked;
        expect(mentions(locked, "structure") and mentions(locked, "after the loop")) << locked.what();
    };

    "errors can be copied, as an exception must be"_test = [&] {
        const pecs::missing_component missing{e, position};
        const pecs::error base = missing;
        expect(std::string_view{base.what()} == missing.what());
        pecs::error other = pecs::dead_entity{e};
        other = base;
        expect(std::string_view{other.what()} == missing.what());
    };
}
