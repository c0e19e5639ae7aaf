// The snippets of docs/cheatsheet.md, in the order of the page.
#include <boost/ut.hpp>

#include <array>
#include <cstddef>
#include <memory_resource>
#include <string>

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
struct Camera {
    int lens = 0;
};
struct Clock {
    float step = 0;
};
struct Frozen {};
struct Burning {};
// clang-format off
struct DockedTo { static constexpr pecs::relation_rules rules{}; };
struct PartOf { static constexpr pecs::relation_rules rules = pecs::hierarchy; };
struct Needs { static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::forbid}; };
struct Likes { static constexpr pecs::relation_rules rules{.many = true}; int much = 1; };
struct Lit { static constexpr auto storage = pecs::component_storage::sparse; float heat = 0; };
// clang-format on
} // namespace

int main() {
    using namespace boost::ut;

    "entities and components"_test = [] {
        pecs::world world;
        int seen = 0;
        // clang-format off
const auto e = world.spawn(Position{1, 2}, Velocity{});
if (world.alive(e)) ++seen;
world.add(e, Health{10});
world.remove<Health>(e);
world.add<Health, Frozen>(e);
world.set(e, Health{5});
world.exchange<Frozen>(e, Burning{});
world.get<Position>(e).x += 1;
if (Health* health = world.try_get<Health>(e)) seen += health->points;
if (world.has<Position, Velocity>(e)) ++seen;
pecs::entity nobody = pecs::null;
expect(e.bits() != nobody.bits() and pecs::to_string(e) == "0v1");
auto position = world.access<const Position>();
expect(position[e].x == 2.0_f);
world.each_entity([&](pecs::entity each) { seen += each == e; });
expect(world.size() == 1_ul and seen == 8_i);
world.despawn(e);
world.clear();
        // clang-format on
        expect(world.empty());
    };

    "queries"_test = [] {
        pecs::world world;
        const auto e = world.spawn(Position{}, Velocity{1, 0}, Burning{});
        world.spawn(Position{5, 0}, Health{1}, Frozen{});
        world.spawn(Camera{35});
        int seen = 0;
        // clang-format off
world.query<Position, const Velocity>().each([](Position& p, const Velocity& v) { p.x += v.dx; });
world.query<Position>().each([&](pecs::entity who, Position& p) { p.x += who == e; });
for (auto [p, v] : world.query<Position, const Velocity>()) p.x += v.dx;
for (auto [who, p] : world.query<pecs::entity, const Position>()) seen += who == e && p.x == 3;
for (auto [entities, ps, vs] : world.query<Position, const Velocity>().columns())
    for (std::size_t i = 0; i != entities.size(); ++i) ps[i].x += vs[i].dx;
seen += static_cast<int>(world.query<Position, pecs::with<Burning>, pecs::without<Frozen>>().count());
seen += static_cast<int>(world.query<pecs::any_of<Burning, Frozen>>().count());
world.query<Position, pecs::optional<Health>>().each([](Position& p, Health* h) { p.x += h != nullptr; });
seen += static_cast<int>(world.query<Position, Velocity, pecs::exact>().count());
world.query<const Position>().each_sorted([](const Position& p) { return p.x; }, [&](const Position&) { ++seen; });
expect(world.query<Health>().count() == 1_ul and !world.query<Health>().empty());
expect(static_cast<bool>(world.query<Health>().first()));
auto [only] = world.query<const Camera>().single();
world.query<Position>().each(pecs::independent, [](Position& p) { p.x *= 2; });
        // clang-format on
        expect(only.lens == 35_i and seen == 6_i) << seen;
        expect(world.get<Position>(e).x == 8.0_f);
    };

    "relations"_test = [] {
        pecs::world world;
        const auto port = world.spawn(Position{7, 0}, Burning{});
        const auto moon = world.spawn(Position{9, 0});
        world.spawn(Position{}, pecs::to<PartOf>(moon), pecs::to<Needs>(port));
        int seen = 0;
        // clang-format off
const auto ship = world.spawn(Position{}, pecs::to<DockedTo>(port));
for (auto [p] : world.query<Position>().of<DockedTo>(port)) p.x += 1;
{
const auto docked = world.query<const Position>().by<DockedTo>();
docked.each(port, [&](const Position&) { ++seen; });
}
for (auto [station, ships, ps] : world.query<const Position>().families<DockedTo>())
    seen += station == port && ships.size() == ps.size();
seen += static_cast<int>(world.query<>().of<DockedTo>(pecs::any).count());
seen += static_cast<int>(world.query<>().of<DockedTo>(pecs::none).count());
for (auto [mine, its] : world.query<Position, pecs::at_target<DockedTo, const Position>>()) mine.x += its.x;
world.query<>().of<DockedTo>(pecs::having<const Position, pecs::with<Burning>>).each([&](const Position&) { ++seen; });
world.each_source<DockedTo>(port, [&](pecs::entity) { ++seen; });
seen += static_cast<int>(world.source_count<DockedTo>(port));
world.relate<DockedTo>(ship, moon);
expect(world.target<DockedTo>(ship) == moon);
world.unrelate<DockedTo>(ship);
        // clang-format on
        expect(seen == 9_i and world.get<Position>(ship).x == 8.0_f) << seen;
    };

    "trees"_test = [] {
        pecs::world world;
        const auto ship = world.spawn(Position{}, Velocity{1, 1});
        const auto tower = world.spawn();
        const auto tank = world.spawn(Position{});
        std::size_t seen = 0;
        // clang-format off
const auto gun = world.spawn(Position{}, pecs::to<pecs::child_of>(ship));
world.reparent(gun, tower);
world.reparent(gun, pecs::null);
world.reparent(gun, ship);
expect(world.parent(gun) == ship);
for (const pecs::entity part : world.children(ship)) seen += part == gun;
seen += world.descendants(ship).size();
for (const pecs::entity above : world.ancestors(gun)) seen += above == ship;
world.query<Position, pecs::up<pecs::child_of, const Velocity>>().parents_first<pecs::child_of>()
     .each([](Position& p, const Velocity& v) { p.x += v.dx; });
seen += world.query<Position>().under<pecs::child_of>(ship).count();
world.add(ship, pecs::name{"ship"});
world.add(gun, pecs::name{"gun"});
expect(world.find("ship/gun") == gun and world.path_of(gun) == "ship/gun");
world.place_first(gun);
seen += world.ordered_children(ship).size();
expect(world.alive(world.clone(gun)) and world.alive(world.clone_subtree(ship)));
world.make_prefab(tank);
expect(world.alive(world.spawn_from(tank, Position{3, 4})));
        // clang-format on
        expect(seen == 5_ul) << seen;
    };

    "many targets"_test = [] {
        pecs::world world;
        const auto ann = world.spawn();
        const auto bob = world.spawn();
        std::size_t seen = 0;
        // clang-format off
world.relate<Likes>(ann, bob);
for (const pecs::entity who : world.targets<Likes>(ann)) seen += who == bob;
seen += world.sources<Likes>(bob).size();
world.get<Likes>(ann, bob).much = 2;
world.unrelate<Likes>(ann, bob);
world.relate_batch<Likes>(world.query<const Position>(), bob, Likes{3});
        // clang-format on
        expect(seen == 2_ul and !world.has<Likes>(ann));
    };

    "many at once, later, beside"_test = [] {
        pecs::world world;
        const auto port = world.spawn();
        const auto moon = world.spawn();
        const auto e = world.spawn(Health{1}, pecs::to<DockedTo>(port));
        // clang-format off
world.spawn_batch(100, Position{}, Velocity{1, 0});
world.add_batch(world.query<const Health>(), Frozen{});
world.remove_batch<Frozen>(world.query<Frozen>());
world.despawn_batch(world.query<Frozen>());
world.relate_batch<DockedTo>(world.query<>().of<DockedTo>(port), moon);
expect(world.target<DockedTo>(e) == moon);
auto later = world.record();
later.despawn(e);
world.apply(later);
world.set_resource(Clock{0.5F});
expect(world.resource<Clock>().step == 0.5_f);
for (auto [p, clock] : world.query<Position, pecs::res<const Clock>>()) p.x += clock.step;
        // clang-format on
        expect(world.size() == 102_ul);
    };

    "beside the archetypes"_test = [] {
        pecs::world world;
        const auto e = world.spawn(Health{1}, Lit{});
        // clang-format off
world.disable(e);
expect(world.query<Health>().empty() and world.query<Health, pecs::disabled_too>().count() == 1_ul);
world.enable(e);
world.disable<Health>(e);
expect(!world.enabled<Health>(e));
        // clang-format on
        expect(world.query<Health>().empty() and world.query<const Lit>().count() == 1_ul);
    };

    "what has changed"_test = [] {
        pecs::world world;
        const auto parent = world.spawn();
        const auto e = world.spawn(Position{});
        int told = 0;
        // clang-format off
const auto added = world.observe<Health>(pecs::on_add, [&](pecs::entity who, Health& h) { told += who == e && h.points > 0; });
const auto gone = world.observe<Health>(pecs::on_remove, [&](pecs::entity who) { told += who == e; });
const auto moved = world.observe<PartOf>(pecs::on_relate, [&](pecs::entity, pecs::entity before, pecs::entity now) { told += before != now; });
world.track<Health>();
world.track<PartOf>();
const pecs::tick since = world.now();
expect(world.query<const Health>().changed<Health>(since).empty());
expect(world.query<>().changed<PartOf>(since).empty());
world.add(e, Health{1});
world.relate<PartOf>(e, parent);
expect(world.query<const Health>().changed<Health>(since).count() == 1_ul);
expect(world.query<const Health>().added<Health>(since).count() == 1_ul);
expect(world.query<>().changed<PartOf>(since).count() == 1_ul);
world.remove<Health>(e);
        // clang-format on
        expect(told == 3_i);
    };

    "errors, memory, tools"_test = [] {
        std::pmr::unsynchronized_pool_resource pool;
        pecs::world world;
        const auto e = world.spawn();
        std::string message;
        // clang-format off
try {
    world.get<Position>(e).x = 1;
} catch (const pecs::error& error) {
    message = error.what();
}
pecs::world pooled{&pool};
world.reserve<Position, Velocity>(1000);
world.shrink();
world.compact();
expect(world.stats().bytes_reserved > 0_ul);
const auto mana = pecs::register_component({.name = "mana", .size = 4, .alignment = 4});
world.by_id().add(e, mana);
expect(world.by_id().query().with(mana).count() == 1_ul);
world.by_id().remove_batch(world.by_id().query().with(mana), mana);
        // clang-format on
        expect(!message.empty() and pooled.empty());
    };
}
