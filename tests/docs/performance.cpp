// The snippets of docs/performance.md.
#include <boost/ut.hpp>

#include <cstddef>
#include <vector>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0, z = 0;
};
struct Velocity {
    float dx = 0, dy = 0, dz = 0;
};
struct Target {
    pecs::entity who;
};
struct Burning {
    float since = 0;
};
struct Health {
    int value = 100;
};
} // namespace

int main() {
    using namespace boost::ut;

    "hot loop"_test = [] {
        pecs::world world;
        world.spawn_batch(9, Position{}, Velocity{1, 2, 3});
        world.query<Position, const Velocity>().each(
            [](Position& p, const Velocity& v) { p.x += v.dx, p.y += v.dy, p.z += v.dz; });
        expect(world.get<Position>(world.query<Position>().first()).z == 3.0_f);
    };

    "following entities"_test = [] {
        pecs::world world;
        const pecs::entity goal = world.spawn(Position{5, 0, 0});
        world.spawn(Position{}, Target{goal});
        auto position = world.access<const Position>(); // outside of the loop
        world.query<Velocity, const Target>().each(
            [&](Velocity& v, const Target& t) { v.dx = position[t.who].x; });
        expect(position[goal].x == 5.0_f);
    };

    "changing many"_test = [] {
        pecs::world world;
        world.spawn_batch(100, Health{});
        std::vector<pecs::entity> hit;
        for (auto [e, health] : world.query<pecs::entity, const Health>())
            if (e.index() % 2 == 0) hit.push_back(e);
        world.add_batch(hit, Burning{});                     // after the loop, in one go
        world.remove_batch<Burning>(world.query<Burning>()); // whole archetypes: several times faster still
        expect(hit.size() == 50_ul and world.query<Burning>().empty());
    };
}
