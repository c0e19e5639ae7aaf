// The snippets of docs/enabling.md.
#include <boost/ut.hpp>

#include <vector>

import pecs;

namespace {
struct Engine {
    int power;
};
struct Flooded {};
} // namespace

int main() {
    using namespace boost::ut;

    "the smallest example"_test = [] {
        pecs::world world;
        const auto door = world.spawn();
        const auto ship = world.spawn(Engine{5});
        // clang-format off
        world.disable(door);                 // no query sees it
        world.disable<Engine>(ship);         // queries that require an Engine do not see the ship
        world.enable(door);
        if (!world.enabled<Engine>(ship)) world.enable<Engine>(ship);
        // clang-format on
        expect(world.query<>().count() == 2_ul and world.query<Engine>().count() == 1_ul);

        const std::vector<pecs::entity> list{door};
        world.add(ship, Flooded{});
        world.disable_batch(list);
        world.disable_batch<Engine>(world.query<const Engine, pecs::with<Flooded>>());
        world.enable_batch(world.query<pecs::disabled_too>()); // the term lets a query see what is disabled
        expect(world.enabled(door));
    };

    "what is disabled is unseen"_test = [] {
        pecs::world world;
        const auto door = world.spawn();
        const auto ship = world.spawn(Engine{5});
        world.disable(door);
        world.disable<Engine>(ship);
        expect(world.query<>().count() == 1_ul and world.query<Engine>().empty());
        expect(not world.enabled(door) and not world.enabled<Engine>(ship));
    };
}
