// Sparse components through every verb of a world: the same results and errors as for columns, and no row moves.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
using support::caught;
using support::Fragile;
using support::mentions;
using support::Owned;
using support::Position;
using support::Tracked;

struct Heat {
    static constexpr auto storage = pecs::component_storage::sparse;
    Tracked value;
};
struct Fixed {
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    int value = 0;
};
struct Brittle {
    static constexpr auto storage = pecs::component_storage::sparse;
    Fragile value;
};
struct Lonely {
    static constexpr auto storage = pecs::component_storage::sparse;
    Owned value;
};
struct Marked {
    static constexpr auto storage = pecs::component_storage::sparse;
};
struct Link {
    static constexpr auto storage = pecs::component_storage::sparse;
    entity to;
    void map_entities(const pecs::entity_map& map) { to = map(to); }
};

Heat heat(int n) { return {Tracked::of(n)}; }

} // namespace

int main() {
    using namespace boost::ut;

    "adding and removing a sparse component moves no row"_test = [] {
        world w;
        const entity a = w.spawn(Position::of(1));
        const entity b = w.spawn(Position::of(2));
        const Position* const where = &w.get<Position>(a);
        const std::size_t archetypes = w.stats().archetypes.size();
        w.add(a, heat(7), Marked{});
        w.add(b, Fixed{3});
        expect(&w.get<Position>(a) == where and w.stats().archetypes.size() == archetypes);
        expect(w.get<Heat>(a).value.number() == 7_i and w.has<Heat, Marked, Position>(a));
        expect(not w.has<Heat>(b) and w.try_get<Heat>(b) == nullptr and w.get<Fixed>(b).value == 3_i);
        w.remove<Heat, Marked>(a);
        expect(&w.get<Position>(a) == where and not w.has<Heat>(a) and not w.has<Marked>(a));
        expect(w.validate());
    };

    "sparse and other components go together in every verb"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1), heat(2), Marked{});
        w.exchange<Position, Marked>(e, Fixed{4}, support::Velocity::of(3));
        expect(not w.has<Position>(e) and not w.has<Marked>(e) and w.has<Fixed, support::Velocity, Heat>(e));
        w.set(e, heat(9), Position::of(5));
        expect(w.get<Heat>(e).value.number() == 9_i and w.get<Position>(e).number() == 5_i);
        w.add<Marked>(e);
        expect(w.has<Marked>(e));
        const auto reach = w.access<Heat>();
        expect(reach[e].value.number() == 9_i and reach.try_get(pecs::null) == nullptr);
        expect(std::as_const(w).get<Fixed>(e).value == 4_i);
        w.despawn(e);
        expect(not w.has<Heat>(e) and w.try_get<Heat>(e) == nullptr and w.validate());
        const entity next = w.spawn(); // takes over the index
        expect(next.index() == e.index() and not w.has<Heat>(next) and not w.has<Marked>(next));
    };

    "errors are those of columns, and change nothing"_test = [] {
        Tracked::forget();
        {
            world w;
            const entity e = w.spawn(Position::of(1), heat(2));
            const entity bare = w.spawn();
            const entity dead = w.spawn();
            w.despawn(dead);
            const auto twice = caught<pecs::duplicate_component>([&] { w.add(e, heat(3)); });
            expect(bool{twice.which() == e} and mentions(twice, "Heat"));
            expect(throws<pecs::duplicate_component>([&] { w.add(e, support::Velocity{}, heat(3)); }));
            expect(throws<pecs::duplicate_component>([&] { w.add(e, Position{}, Fixed{}); }));
            expect(throws<pecs::missing_component>([&] { w.remove<Heat>(bare); }));
            expect(throws<pecs::missing_component>([&] { w.remove<Position, Fixed>(e); }));
            expect(throws<pecs::missing_component>([&] { w.exchange<Fixed>(e, Marked{}); }));
            expect(throws<pecs::missing_component>([&] { (void)w.get<Heat>(bare); }));
            expect(throws<pecs::dead_entity>([&] { w.add(dead, heat(1)); }));
            expect(throws<pecs::dead_entity>([&] { w.remove<Heat>(dead); }));
            expect(throws<pecs::dead_entity>([&] { w.set(dead, heat(1)); }));
            expect(throws<pecs::dead_entity>([&] { (void)w.get<Heat>(dead); }));
            expect(w.has<Position, Heat>(e) and not w.has<support::Velocity>(e) and not w.has<Fixed>(e));
            expect(w.get<Heat>(e).value.number() == 2_i and w.validate());
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "sparse components do not change while a query iterates, but for their values"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1), Fixed{1});
        w.query<const Position>().each([&](const Position&) {
            expect(throws<pecs::world_locked>([&] { w.add(e, heat(1)); }));
            expect(throws<pecs::world_locked>([&] { w.remove<Fixed>(e); }));
            expect(throws<pecs::world_locked>([&] { w.set(e, heat(1)); }));
            w.set(e, Fixed{8});
        });
        expect(w.get<Fixed>(e).value == 8_i);
    };

    "stable values keep their address as long as the entity has them"_test = [] {
        world w;
        const entity e = w.spawn(Fixed{5});
        const Fixed* const address = &w.get<Fixed>(e);
        std::vector<entity> others;
        for (int i = 0; i != 500; ++i) others.push_back(w.spawn(Fixed{i}));
        w.add(e, Position::of(1));
        for (const entity other : others) w.despawn(other);
        w.shrink();
        w.set(e, Fixed{6});
        expect(&w.get<Fixed>(e) == address and address->value == 6_i);
    };

    "batches: of new entities, of lists and of queries"_test = [] {
        Tracked::forget();
        {
            world w;
            const auto made = w.spawn_batch(10, Position::of(1), heat(4), Marked{});
            const std::vector<entity> list(made.begin(), made.end());
            expect(w.query<const Heat, pecs::with<Marked>>().count() == 10_ul);
            const auto fresh = w.spawn_batch<Heat, Fixed>(3);
            const std::vector<entity> defaults(fresh.begin(), fresh.end());
            expect(w.get<Heat>(defaults[2]).value.number() == 0_i);
            int next = 0;
            const auto more =
                w.spawn_batch<Fixed, Position>(5, [&](Fixed& f, Position&) { f.value = next++; });
            const std::vector<entity> filled(more.begin(), more.end());
            expect(w.get<Fixed>(filled[4]).value == 4_i);
            w.remove_batch<Heat, Position>(list);
            expect(w.query<const Heat>().count() == 3_ul and w.query<const Position>().count() == 5_ul);
            w.add_batch(w.query<pecs::with<Marked>>(), heat(5));
            w.set_batch(list, heat(6), Fixed{2}, Position::of(3));
            expect(w.get<Heat>(list[9]).value.number() == 6_i and w.get<Fixed>(list[0]).value == 2_i);
            w.exchange_batch<Marked>(w.query<pecs::with<Marked>>(), support::Frozen{});
            expect(w.query<pecs::with<Marked>>().count() == 0_ul);
            expect(w.query<pecs::with<support::Frozen>>().count() == 10_ul);
            w.despawn_batch(w.query<const Heat, const Position>());
            expect(w.size() == 8_ul and w.validate());
            expect(throws<pecs::repeated_entity>([&] {
                const std::vector<entity> same{filled[0], filled[0]};
                w.add_batch(same, heat(1));
            }));
            expect(throws<pecs::duplicate_component>([&] {
                const std::vector<entity> some{filled[0], defaults[0]};
                w.add_batch(some, heat(1));
            }));
            expect(not w.has<Heat>(filled[0]) and w.validate());
            w.clear();
            expect(w.query<const Heat>().count() == 0_ul and w.validate());
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "a copy that throws in a batch leaves nothing behind"_test = [] {
        Fragile::forget();
        {
            world w;
            const auto made = w.spawn_batch(5, Position::of(1));
            const std::vector<entity> list(made.begin(), made.end());
            for (int good = 0; good != 6; ++good) {
                const Brittle value{Fragile::of(1)};
                Fragile::until_throw = good;
                expect(throws<std::runtime_error>([&] { w.add_batch(list, support::Velocity{}, value); }) or
                       good > 5);
                Fragile::until_throw = -1;
                expect(w.query<const Brittle>().count() == 0_ul and
                       w.query<support::Velocity>().count() == 0_ul);
                Fragile::until_throw = good;
                expect(throws<std::runtime_error>([&] { (void)w.spawn_batch(5, Position{}, value); }) or
                       good > 5);
                Fragile::until_throw = -1;
                expect(w.size() == 5_ul and w.validate());
            }
        }
        expect(Fragile::log.alive() == 0_ul and Fragile::log.wrong == 0_ul);
    };

    "whichever allocation fails, nothing is lost"_test = [] {
        Tracked::forget();
        const auto survives = [](auto act) {
            for (std::size_t successes = 0;; ++successes) {
                support::watched_memory memory;
                bool failed = false;
                {
                    world w{&memory};
                    const entity e = w.spawn(Position::of(1));
                    const std::vector<entity> list{e, w.spawn(Position::of(2)), w.spawn()};
                    support::faults::arm(successes, true);
                    try {
                        act(w, e, list);
                    } catch (const std::bad_alloc&) {
                        failed = true;
                    }
                    support::faults::disarm();
                    expect(w.validate());
                    if (failed) {
                        expect(w.size() == 3_ul and w.query<const Heat>().count() == 0_ul);
                        expect(w.query<const Fixed>().count() == 0_ul and w.has<Position>(e));
                        expect(w.enabled(e) and w.query<const Position>().count() == 2_ul);
                    }
                }
                expect(memory.clean());
                if (!failed) return;
            }
        };
        survives([](world& w, entity e, const auto&) { w.add(e, heat(1), Fixed{1}); });
        survives([](world& w, entity e, const auto&) { w.set(e, heat(1), Fixed{1}, support::Frozen{}); });
        survives([](world& w, entity e, const auto&) { w.exchange<Position>(e, heat(1), Fixed{2}); });
        survives([](world& w, entity, const auto&) { (void)w.spawn(heat(1), Fixed{1}, Marked{}); });
        survives([](world& w, entity, const auto&) { (void)w.spawn_batch(70, heat(1), Fixed{1}, Marked{}); });
        survives([](world& w, entity, const auto& list) {
            w.add_batch(list, heat(1), support::Frozen{}, Fixed{1});
        });
        survives([](world& w, entity, const auto& list) { w.set_batch(list, heat(1), Fixed{1}); });
        survives([](world& w, entity, const auto& list) { w.disable_batch(list); });
        survives([](world& w, entity e, const auto&) { w.disable<Position>(e); });
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "types made at run time can be sparse, too"_test = [] {
        world w;
        const auto score = pecs::register_component(
            {.name = "sparse score", .size = 4, .alignment = 4, .storage = pecs::component_storage::sparse});
        const std::vector<pecs::component_id> ids{pecs::id_of<Position>(), score, pecs::id_of<Marked>()};
        const entity e = w.by_id().spawn(ids);
        expect(w.by_id().has(e, score) and w.has<Marked>(e) and
               *static_cast<int*>(w.by_id().get(e, score)) == 0_i);
        const int seven = 7;
        w.by_id().set(e, score, &seven);
        expect(*static_cast<const int*>(w.by_id().get(e, score)) == 7_i);
        expect(throws<pecs::duplicate_component>([&] { w.by_id().add(e, score, &seven); }));
        w.by_id().remove(e, score);
        expect(not w.by_id().has(e, score) and w.by_id().try_get(e, score) == nullptr);
        expect(throws<pecs::missing_component>([&] { w.by_id().remove(e, score); }));
        w.by_id().add(e, score);
        expect(w.by_id().query().with(score).count() == 1_ul and w.validate());
        expect(throws<pecs::invalid_component>([] {
            (void)pecs::register_component(
                {.name = "sparse relation", .relation = true, .storage = pecs::component_storage::sparse});
        }));
    };

    "recorded commands treat sparse components like others"_test = [] {
        Tracked::forget();
        {
            world w;
            const entity e = w.spawn(Position::of(1));
            auto later = w.record();
            const entity fresh = later.spawn(heat(1), Marked{}, Position::of(2));
            later.add(e, heat(2), Fixed{3});
            later.add(e, heat(4), support::Velocity{}); // is there
            later.remove<Fixed>(e);
            later.remove<Fixed>(e); // is not there
            later.set(e, heat(5));
            later.add(fresh, Fixed{6});
            const entity never = later.spawn(heat(7));
            later.despawn(never);
            const auto failed = w.apply(later, pecs::on_failure::report);
            expect(failed.size() == 2_ul);
            expect(failed[0].reason == pecs::command_failure::duplicate_component);
            expect(failed[1].reason == pecs::command_failure::missing_component);
            expect(w.get<Heat>(e).value.number() == 5_i and not w.has<Fixed>(e) and
                   not w.has<support::Velocity>(e));
            expect(w.has<Marked>(fresh) and w.get<Heat>(fresh).value.number() == 1_i);
            expect(w.get<Fixed>(fresh).value == 6_i and not w.alive(never) and w.validate());
            later.add(e, Marked{});
            later.clear();
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "copies have copies of sparse components, in which handles follow"_test = [] {
        world w;
        const entity root = w.spawn(heat(1), Marked{});
        const entity child = w.spawn(Link{root}, pecs::to<pecs::child_of>(root));
        const entity copy = w.clone_subtree(root);
        const entity below = w.descendants(copy)[0];
        expect(w.get<Heat>(copy).value.number() == 1_i and w.has<Marked>(copy));
        expect(bool{w.get<Link>(below).to == copy} and bool{w.get<Link>(child).to == root});
        const entity other = w.spawn_from(root, heat(8), Fixed{2});
        expect(w.get<Heat>(other).value.number() == 8_i and w.get<Fixed>(other).value == 2_i);
        expect(w.get<Heat>(root).value.number() == 1_i and w.validate());
        w.add(child, Lonely{});
        expect(throws<pecs::unsupported_component>([&] { (void)w.clone_subtree(root); }));
        expect(w.size() == 6_ul and w.validate());
    };
}
