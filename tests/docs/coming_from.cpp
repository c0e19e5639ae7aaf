// The right-hand sides of docs/coming_from.md.
#include <boost/ut.hpp>

#include <cstddef>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float dx = 0, dy = 0;
};
struct Health {
    int points = 0;
};
struct Global {
    float x = 0;
};
struct Clock {
    float step = 0;
};
struct Frozen {};
struct Burning {};
// clang-format off
struct DockedTo { static constexpr pecs::relation_rules rules{}; int berth = 0; };
struct DiesWith { static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::cascade}; };
// clang-format on
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};
} // namespace

int main() {
    using namespace boost::ut;

    "entities and components"_test = [] {
        // clang-format off
pecs::world world;
const auto e = world.spawn(Position{1, 2});
world.add(e, Velocity{1, 0});
world.set(e, Velocity{1, 0});
world.remove<Velocity>(e);
if (world.has<Velocity>(e)) world.remove<Velocity>(e);
expect(world.get<Position>(e).x == 1.0_f and world.try_get<Position>(e) != nullptr);
expect(!world.has<Position, Velocity>(e));
world.add(e, Frozen{});
world.remove<Frozen>(e);
world.add(e, Frozen{});
world.exchange<Frozen>(e, Burning{});
world.set_resource(Clock{});
expect(world.resource<Clock>().step == 0.0_f);
expect(world.alive(world.clone(e)));
const auto id = pecs::id_of<Position>();
expect(world.by_id().get(e, id) == world.try_get<Position>(e));
world.despawn(e);
        // clang-format on
        expect(!world.alive(e));
    };

    "queries and batches"_test = [] {
        pecs::world world;
        std::size_t seen = 0;
        const auto f = [&](Position&, const Velocity&) { ++seen; };
        // clang-format off
world.spawn_batch(100, Position{}, Velocity{});
world.query<Position, const Velocity>().each(f);
for (auto [e, p, v] : world.query<pecs::entity, Position, const Velocity>()) seen += world.alive(e) && p.x == v.dx;
for (auto [pos, vel] : world.query<Position, const Velocity>()) seen += pos.x == vel.dx;
for (auto [entities, p, v] : world.query<Position, const Velocity>().columns()) seen += entities.size() + p.size() - v.size();
seen += world.query<Position, pecs::without<Frozen>>().count();
seen += world.query<Position, pecs::exact>().count();
seen += world.query<Position, pecs::with<Burning>, pecs::without<Frozen>>().count();
seen += world.query<pecs::any_of<Burning, Frozen>>().count();
seen += world.query<pecs::optional<const Health>>().count();
world.add_batch(world.query<const Position>(), Frozen{});
world.despawn_batch(world.query<Frozen>());
world.spawn(Health{3});
auto [only] = world.query<const Health>().single();
        // clang-format on
        expect(seen == 600_ul and only.points == 3_i) << seen;
    };

    "relations and trees"_test = [] {
        pecs::world world;
        const auto port = world.spawn();
        const auto ship = world.spawn(pecs::name{"ship"}, Global{1});
        const auto tank = world.spawn();
        const auto ann = world.spawn();
        const auto e = world.spawn(pecs::name{"gun"}, Position{}, Global{});
        std::size_t seen = 0;
        // clang-format off
world.relate<DockedTo>(e, port);
world.relate<DockedTo>(e, port, DockedTo{4});
expect(world.target<DockedTo>(e) == port and world.get<DockedTo>(e).berth == 4_i);
seen += world.query<Position>().of<DockedTo>(port).count();
seen += world.query<Position>().of<DockedTo>(pecs::any).count();
world.relate<Likes>(e, ann);
world.relate<DiesWith>(e, port);
world.reparent(e, ship);
expect(world.parent(e) == ship);
for (const pecs::entity child : world.children(ship)) seen += child == e;
for (const pecs::entity child : world.children(e)) seen += child == e;
for (const pecs::entity above : world.ancestors(e)) seen += above == ship;
seen += world.descendants(ship).size();
world.query<Global, pecs::up<pecs::child_of, const Global>>().parents_first<pecs::child_of>()
     .each([](Global& mine, const Global& parent) { mine.x += parent.x; });
expect(world.find("ship/gun") == e and world.path_of(e) == "ship/gun");
world.make_prefab(tank);
expect(world.alive(world.spawn_from(tank)));
expect(world.alive(world.spawn(Position{}, pecs::to<pecs::child_of>(ship))));
world.set_resource(Clock{});
for (auto [p, clock] : world.query<Position, pecs::res<const Clock>>()) p.x += clock.step;
auto later = world.record();
later.despawn(e);
world.apply(later);
        // clang-format on
        expect(seen == 5_ul and !world.alive(e)) << seen;
    };
}
