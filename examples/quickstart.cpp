// The program of the README: entities, a query that moves them, a loop that shows them.
#include <cstdio>

import pecs;

struct Position {
    float x, y;
};
struct Velocity {
    float dx, dy;
};

int main() {
    pecs::world world;
    world.spawn(Position{0, 0}, Velocity{1, 2});
    world.spawn_batch(2, Position{5, 5}, Velocity{0, 1});

    world.query<Position, const Velocity>().each(
        [](Position& p, const Velocity& v) { p.x += v.dx, p.y += v.dy; });

    for (auto [e, p] : world.query<pecs::entity, const Position>())
        std::printf("%u: %g %g\n", e.index(), p.x, p.y);
}

/* Output:
0: 1 2
1: 5 6
2: 5 6
*/
