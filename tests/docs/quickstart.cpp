// The snippets of docs/quickstart.md; the whole program there is examples/quickstart.cpp.
#include <boost/ut.hpp>

#include <cstddef>
#include <cstdio>

import pecs;

namespace {
struct Position {
    float x, y;
};
struct Velocity {
    float dx, dy;
};
} // namespace

int main() {
    using namespace boost::ut;

    "going on"_test = [] {
        pecs::world world;
        // clang-format off
const auto ship = world.spawn(Position{1, 2});
world.add(ship, Velocity{0, 1});
world.get<Position>(ship).x = 10;
if (world.has<Velocity>(ship)) world.remove<Velocity>(ship);

const auto gun = world.spawn(Position{0, 1}, pecs::to<pecs::child_of>(ship));
for (auto [at] : world.query<const Position>().of<pecs::child_of>(ship)) std::printf("a gun at %g %g\n", at.x, at.y);
world.despawn(ship);
const bool sunk = !world.alive(gun);
        // clang-format on
        expect(sunk);
    };

    "recording"_test = [] {
        pecs::world world;
        world.spawn(Position{0, 6});
        world.spawn(Position{0, 4});
        // clang-format off
auto later = world.record();
world.query<const Position>().each([&](pecs::entity e, const Position& p) {
    if (p.y > 5) later.despawn(e);
});
world.apply(later);
        // clang-format on
        expect(world.size() == 1_ul);
    };
}
