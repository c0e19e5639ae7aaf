// Prefabs: entities to be copied. What queries see of them, what copies get and keep, and that nothing is left behind when
// one fails.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"
#include "../support/snapshot.hpp"

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::child_of;
using pecs::entity;
using pecs::prefab;
using support::caught;
using support::faults;
using support::Fragile;
using support::Frozen;
using support::Huge;
using support::mentions;
using support::Name;
using support::Owned;
using support::Position;
using support::Velocity;

struct Likes {
    static constexpr pecs::relation_rules rules{};
    int much = 1;
};
struct PartOf { // another tree, with data that has no default and cannot be copied
    static constexpr pecs::relation_rules rules{.acyclic = true};
    explicit PartOf(int n) : number{Owned::of(n)} {}
    Owned number;
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
    Fragile since{0};
};
struct InstanceOf {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::forbid};
};
struct Aims {
    entity at;
    void map_entities(const pecs::entity_map& map) { at = map(at); }
};

/// A tank whose gun, below its turret, likes and aims at the tank.
struct factory {
    pecs::world world;
    entity depot = world.spawn();
    entity tank = world.spawn(Name::of(1), Position::of(1), pecs::to<child_of>(depot));
    entity turret = world.spawn(Name::of(2), pecs::to<child_of>(tank));
    entity gun = world.spawn(Huge::of(3), Aims{tank}, pecs::to<child_of>(turret), pecs::to<Likes>(tank, {5}));
    factory() { world.make_prefab(tank); }
};

std::string dump(const pecs::world& world) {
    std::string edges;
    world.each_edge<Knows>([&](entity a, entity b, const Knows& k) {
        edges += pecs::to_string(a) + pecs::to_string(b) + std::to_string(k.since.number());
    });
    return support::snapshot<Position, Name, Huge, Frozen, Fragile, prefab>(world) +
           support::targets<child_of, Likes, InstanceOf>(world) + edges;
}
} // namespace

int main() {
    using namespace boost::ut;

    "a prefab and all below it are marked, once"_test = [] {
        factory f;
        expect(f.world.has<prefab>(f.tank) and f.world.has<prefab>(f.gun) and
               not f.world.has<prefab>(f.depot));
        f.world.make_prefab(f.tank);
        const entity antenna = f.world.spawn(pecs::to<child_of>(f.turret));
        expect(not f.world.has<prefab>(antenna));
        f.world.make_prefab(f.tank);
        expect(f.world.has<prefab>(antenna) and f.world.validate());
        f.world.despawn(f.gun);
        expect(throws<pecs::dead_entity>([&] { f.world.make_prefab(f.gun); }));
    };

    "a copy is no prefab, has no parent, and its parts refer to each other"_test = [] {
        factory f;
        const entity copy = f.world.spawn_from(f.tank);
        expect(not f.world.has<prefab>(copy) and not f.world.parent(copy));
        expect(f.world.get<Name>(copy).number() == 1_i and f.world.get<Position>(copy).number() == 1_i);
        const auto parts = f.world.descendants(copy);
        expect((parts.size() == 2_ul) >> fatal);
        for (const entity part : parts) expect(not f.world.has<prefab>(part));
        expect(bool{f.world.parent(parts[0]) == copy} and f.world.get<Name>(parts[0]).number() == 2_i);
        expect(bool{f.world.target<Likes>(parts[1]) == copy} and f.world.get<Likes>(parts[1]).much == 5_i);
        expect(bool{f.world.get<Aims>(parts[1]).at == copy});
        expect(f.world.has<prefab>(f.gun) and f.world.validate());
    };

    "values replace components of the root, or are added to it"_test = [] {
        factory f;
        const entity army = f.world.spawn();
        const entity copy = f.world.spawn_from(f.tank, Position::of(9), Velocity::of(4), Frozen{},
                                               pecs::to<child_of>(army), pecs::to<Likes>(army, Likes{8}));
        expect(f.world.get<Position>(copy).number() == 9_i and f.world.get<Velocity>(copy).number() == 4_i);
        expect(f.world.has<Frozen>(copy) and f.world.get<Name>(copy).number() == 1_i);
        expect(bool{f.world.parent(copy) == army} and bool{f.world.target<Likes>(copy) == army});
        expect(f.world.get<Likes>(copy).much == 8_i);
        expect(f.world.get<Position>(f.tank).number() == 1_i and not f.world.has<Velocity>(f.tank));
        expect(f.world.descendants(copy).size() == 2_ul and f.world.validate());
    };

    "values are taken as they are, also if they refer to the prefab"_test = [] {
        factory f;
        const entity copy = f.world.spawn_from(f.tank, pecs::to<InstanceOf>(f.tank), Aims{f.gun});
        expect(bool{f.world.target<InstanceOf>(copy) == f.tank} and
               bool{f.world.get<Aims>(copy).at == f.gun});
        expect(throws<pecs::target_in_use>([&] { f.world.despawn(f.tank); }));
        const entity below = f.world.spawn_from(f.tank, pecs::to<child_of>(f.turret));
        expect(bool{f.world.parent(below) == f.turret} and f.world.validate());
    };

    "many copies at once, each with the values"_test = [] {
        factory f;
        const entity army = f.world.spawn();
        const auto fleet =
            f.world.spawn_from_batch(f.tank, 50, Name::of(7), Frozen{}, pecs::to<child_of>(army));
        expect(fleet.size() == 50_ul and f.world.child_count(army) == 50_ul);
        for (const entity each : fleet) {
            expect(f.world.get<Name>(each).number() == 7_i and f.world.has<Frozen>(each));
            const auto parts = f.world.descendants(each);
            expect(parts.size() == 2_ul and bool{f.world.get<Aims>(parts[1]).at == each} and
                   bool{f.world.target<Likes>(parts[1]) == each});
        }
        expect(f.world.spawn_from_batch(f.tank, 0).empty() and f.world.validate());
        expect(f.world.spawn_from_batch(f.tank, 3).size() == 3_ul);
    };

    "any entity may be copied so, and any tree"_test = [] {
        pecs::world world;
        const entity plain = world.spawn(Position::of(2));
        expect(world.get<Position>(world.spawn_from(plain)).number() == 2_i);
        const entity nothing = world.spawn();
        expect(world.alive(world.spawn_from(nothing, Position::of(1))));
        const entity part = world.spawn(Name::of(1), pecs::to<Likes>(plain));
        const entity whole = world.spawn(Name::of(2), pecs::to<child_of>(plain));
        world.relate<PartOf>(part, whole, PartOf{1});
        const auto error =
            caught<pecs::unsupported_component>([&] { (void)world.spawn_from<PartOf>(whole); });
        expect(mentions(error, "PartOf"));
        // The root alone: its relation is left out, or replaced, so it need not be copied.
        expect(bool{world.target<Likes>(world.spawn_from<PartOf>(part)) == plain});
        const entity copy = world.spawn_from<PartOf>(part, pecs::to<PartOf>(plain, PartOf{4}));
        expect(bool{world.target<PartOf>(copy) == plain} and world.get<PartOf>(copy).number.number() == 4_i);
        // In another tree it is a relation like others, and must be copied.
        expect(throws<pecs::unsupported_component>([&] { (void)world.spawn_from(part); }));
        expect(world.validate());
    };

    "what cannot be copied can be given"_test = [] {
        pecs::world world;
        const entity original = world.spawn(Owned::of(1), Position::of(1));
        const entity child = world.spawn(Position::of(2), pecs::to<child_of>(original));
        const std::string before = dump(world);
        expect(throws<pecs::unsupported_component>([&] { (void)world.spawn_from(original); }));
        expect(dump(world) == before);
        const entity copy = world.spawn_from(original, Owned::of(2));
        expect(world.get<Owned>(copy).number() == 2_i and world.get<Owned>(original).number() == 1_i);
        world.add(child, Owned::of(3)); // no value is given for this one
        expect(throws<pecs::unsupported_component>([&] { (void)world.spawn_from(original, Owned::of(2)); }));
        expect(world.validate());
    };

    "a target among many is added, and its data is what was given"_test = [] {
        pecs::world world;
        const entity ann = world.spawn();
        const entity bob = world.spawn();
        const entity original = world.spawn(Position{}, pecs::to<Knows>(ann, Knows{Fragile{1}}));
        const entity part = world.spawn(pecs::to<child_of>(original), pecs::to<Knows>(original));
        const entity more = world.spawn_from(original, pecs::to<Knows>(bob, Knows{Fragile{2}}));
        expect(world.targets<Knows>(more).size() == 2_ul);
        expect(world.get<Knows>(more, ann).since.number() == 1_i and
               world.get<Knows>(more, bob).since.number() == 2_i);
        const entity other = world.spawn_from(original, pecs::to<Knows>(ann, Knows{Fragile{3}}));
        expect(world.targets<Knows>(other).size() == 1_ul and
               world.get<Knows>(other, ann).since.number() == 3_i);
        expect(world.has<Knows>(world.descendants(other)[0], other) and not world.has<Knows>(part, other));
        expect(world.validate());
    };

    "queries pass prefabs by unless they are named"_test = [] {
        factory f;
        pecs::world& world = f.world;
        const entity copy = world.spawn_from(f.tank);
        const auto plain = world.query<const Name>();
        expect(plain.count() == 2_ul and not plain.contains(f.tank) and plain.contains(copy));
        expect(throws<pecs::no_match>([&] { (void)plain.get(f.tank); }));
        std::size_t visited = 0;
        plain.each([&](entity e, const Name&) { visited += world.has<prefab>(e) ? 100U : 1U; });
        for (auto [e, name] : world.query<entity, const Name>()) visited += world.has<prefab>(e) ? 100U : 1U;
        for (auto [entities, names] : plain.columns()) visited += entities.size();
        for (auto [parent, entities, names] : plain.families<child_of>())
            visited += parent == copy ? 1U : 100U;
        expect(visited == 7_ul);
        expect(world.query<const Name, pecs::without<prefab>>().count() == 2_ul);
        expect(world.query<const Name, prefab>().count() == 2_ul);
        expect(world.query<const Name, pecs::with<prefab>>().contains(f.tank));
        expect(not world.query<const Name, pecs::with<prefab>>().contains(copy));
        expect(world.query<pecs::any_of<prefab, Position>>().count() == 4_ul);
        expect(world.query<const Name, pecs::optional<prefab>>().count() == 4_ul);
        world.query<const Name, pecs::optional<prefab>>().each([](const Name&) {});
    };

    "so do queries of a target, by depth, below an entity and of edges"_test = [] {
        factory f;
        pecs::world& world = f.world;
        using all = pecs::optional<prefab>;
        expect(world.query<>().of<child_of>(f.tank).count() == 0_ul);
        expect(world.query<all>().of<child_of>(f.tank).count() == 1_ul);
        expect(world.query<>().under<child_of>(f.depot).count() == 0_ul);
        expect(world.query<prefab>().under<child_of>(f.depot).count() == 3_ul);
        expect(world.query<>().parents_first<child_of>().count() == 1_ul);
        expect(world.query<all>().children_first<child_of>().count() == 4_ul);
        expect(world.query<>().by<child_of>().count(f.tank) == 0_ul);
        expect(world.query<all>().by<child_of>().count(f.tank) == 1_ul);
        expect(world.query<>().of<child_of>(pecs::any).empty());
        expect(bool{world.query<>().of<child_of>(pecs::none).first() == f.depot});
        world.relate<Knows>(f.gun, f.depot);
        expect(world.query<>().of<Knows>(f.depot).count() == 0_ul);
        expect(world.query<>().of<Knows>(pecs::any).count() == 0_ul);
        expect(world.query<prefab>().of<Knows>(f.depot).count() == 1_ul);
        // Verbs about trees are no queries.
        expect(world.child_count(f.tank) == 1_ul and world.descendants(f.depot).size() == 3_ul);
    };

    "and queries with exact, and those made at run time"_test = [] {
        pecs::world world;
        const entity original = world.spawn(Position{}, prefab{});
        (void)world.spawn(Position{});
        expect(world.query<Position, pecs::exact>().count() == 1_ul);
        expect(world.query<Position, prefab, pecs::exact>().count() == 1_ul);
        expect(world.query<Position, pecs::optional<prefab>, pecs::exact>().count() == 2_ul);
        auto query = world.by_id().query();
        query.with(pecs::id_of<Position>());
        expect(query.count() == 1_ul and not query.contains(original));
        query.optional(pecs::id_of<prefab>());
        expect(query.count() == 2_ul and query.contains(original));
        query.with(pecs::id_of<prefab>());
        expect(query.count() == 1_ul and bool{query.first() == original});
        auto some = world.by_id().query();
        some.any_of({pecs::id_of<prefab>(), pecs::id_of<Name>()});
        expect(some.count() == 1_ul);
    };

    "batch verbs over queries leave prefabs alone"_test = [] {
        factory f;
        const entity copy = f.world.spawn_from(f.tank);
        f.world.add_batch(f.world.query<Name>(), Frozen{});
        expect(f.world.has<Frozen>(copy) and not f.world.has<Frozen>(f.tank));
        f.world.despawn_batch(f.world.query<Name>());
        expect(f.world.alive(f.tank) and not f.world.alive(copy) and f.world.validate());
    };

    "a prefab that becomes an ordinary entity is found again"_test = [] {
        pecs::world world;
        const entity e = world.spawn(Position{});
        const auto query = world.query<Position>();
        expect(query.count() == 1_ul);
        world.make_prefab(e);
        expect(query.count() == 0_ul);
        world.remove<prefab>(e);
        expect(query.count() == 1_ul and query.contains(e));
    };

    "clones of prefabs are prefabs: variants"_test = [] {
        factory f;
        const entity variant = f.world.clone_subtree(f.tank);
        expect(f.world.has<prefab>(variant));
        f.world.get<Position>(variant) = Position::of(6);
        expect(f.world.get<Position>(f.world.spawn_from(variant)).number() == 6_i);
        expect(f.world.query<Name>().count() == 2_ul);
    };

    "dead originals and targets are refused before anything changes"_test = [] {
        factory f;
        const entity gone = f.world.spawn();
        f.world.despawn(gone);
        const std::string before = dump(f.world);
        expect(throws<pecs::dead_entity>([&] { (void)f.world.spawn_from(gone); }));
        expect(
            throws<pecs::dead_target>([&] { (void)f.world.spawn_from(f.tank, pecs::to<child_of>(gone)); }));
        expect(throws<pecs::dead_target>([&] { (void)f.world.spawn_from(f.tank, pecs::to<Knows>(gone)); }));
        expect(throws<pecs::dead_target>(
            [&] { (void)f.world.spawn_from_batch(f.tank, 2, pecs::to<Likes>(pecs::null)); }));
        f.world.query<pecs::optional<prefab>>().each([&] {
            expect(throws<pecs::world_locked>([&] { (void)f.world.spawn_from(f.tank); }));
            expect(throws<pecs::world_locked>([&] { f.world.make_prefab(f.depot); }));
        });
        expect(dump(f.world) == before and f.world.validate());
    };

    "if copying a value throws, nothing was copied"_test = [] {
        Fragile::forget();
        {
            factory f;
            f.world.add(f.turret, Fragile{1});
            f.world.relate<Knows>(f.gun, f.tank, Knows{Fragile{2}});
            const entity bob = f.world.spawn();
            const std::string before = dump(f.world);
            int attempts = 0;
            for (;; ++attempts) {
                bool failed = false;
                Fragile value{3};
                Knows edge{Fragile{4}};
                Fragile::until_throw = attempts;
                try {
                    (void)f.world.spawn_from_batch(f.tank, 3, value, pecs::to<Knows>(bob, edge));
                } catch (const std::runtime_error&) {
                    failed = true;
                }
                Fragile::until_throw = -1;
                if (not failed) break;
                expect(dump(f.world) == before and f.world.validate());
            }
            expect(attempts >= 12_i and f.world.validate());
            expect(f.world.sources<Knows>(bob).size() == 3_ul);
        }
        expect(Fragile::log.alive() == 0_ul and Fragile::log.wrong == 0_ul);
        Fragile::forget();
    };

    "if there is no memory, nothing was copied and nothing leaks"_test = [] {
        support::watched_memory memory;
        {
            pecs::world world{&memory};
            const entity army = world.spawn();
            const entity original = world.spawn(Name::of(1), Position::of(2));
            for (int i = 0; i != 20; ++i) (void)world.spawn(Position::of(i), pecs::to<child_of>(original));
            for (std::size_t successes = 0;; ++successes) {
                const std::string before = dump(world);
                faults::arm(successes, false);
                bool failed = false;
                try {
                    if (successes % 2 == 0) world.make_prefab(original);
                    (void)world.spawn_from_batch(original, 2, Velocity{}, pecs::to<Likes>(army),
                                                 pecs::to<Knows>(army));
                } catch (const std::bad_alloc&) {
                    failed = true;
                }
                faults::disarm();
                if (not failed) break;
                if (world.has<prefab>(original)) world.remove_batch<prefab>(world.query<prefab>());
                expect(dump(world) == before and world.validate());
            }
        }
        expect(memory.clean());
    };

    "the order of children is that of the prefab"_test = [] {
        pecs::world world;
        const entity original = world.spawn();
        for (int i = 0; i != 10; ++i) (void)world.spawn(Position::of(i), pecs::to<child_of>(original));
        world.make_prefab(original);
        const entity copy = world.spawn_from(original);
        int next = 0;
        for (const entity child : world.children(copy)) expect(world.get<Position>(child).number() == next++);
        expect(next == 10_i);
    };
}
