// What a user writes, whole: two components, a spawn, a query loop, a relation query. Only its compilation is measured.
import pecs;

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};

float step(pecs::world& world) {
    const pecs::entity sun = world.spawn(Position{0, 0}, Velocity{1, 2});
    world.spawn(Position{1, 0}, Velocity{0, 1}, pecs::to<ChildOf>(sun));
    world.query<Position, const Velocity>().each([](Position& p, const Velocity& v) {
        p.x += v.x;
        p.y += v.y;
    });
    float sum = 0;
    world.query<const Position>().of<ChildOf>(sun).each([&](const Position& p) { sum += p.x; });
    return sum;
}
