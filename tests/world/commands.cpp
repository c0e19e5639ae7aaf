// Changes that are recorded now and applied later: what becomes of them, what fails, and what memory they take.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/memory.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::command_failure;
using pecs::command_kind;
using pecs::entity;
using pecs::on_failure;
using pecs::world;
using support::Frozen;
using support::Huge;
using support::Name;
using support::Owned;
using support::Position;
using support::Tracked;
using support::Velocity;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Aims {
    static constexpr pecs::relation_rules rules{};
    int power = 7;
};
struct Holds {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::forbid};
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
    int years = 3;
};
struct Needs {
    static constexpr pecs::relation_rules rules{.acyclic = true, .many = true};
};
struct Big {
    std::byte bytes[40'000];
};
} // namespace

int main() {
    using namespace boost::ut;

    "nothing happens before apply, everything in it"_test = [] {
        world w;
        const entity a = w.spawn(Position::of(1));
        const entity b = w.spawn(Position::of(2), Frozen{});
        auto later = w.record();
        const entity c = later.spawn(Name::of(3), Frozen{});
        later.add(a, Velocity::of(4), Owned::of(5));
        later.remove<Frozen>(b);
        later.set(b, Position::of(6));
        later.exchange<Name>(c, Velocity::of(7));
        later.despawn(a);
        later.add<Huge>(b);
        expect(later.size() == 7_ul and !later.empty());
        expect(w.size() == 2_ul and !w.alive(c) and !w.has<Velocity>(a) and w.has<Frozen>(b));
        expect(w.apply(later).empty());
        expect(later.empty() and w.size() == 2_ul);
        expect(!w.alive(a) and w.alive(c));
        expect(!w.has<Frozen>(b) and w.get<Position>(b).number() == 6_i and w.has<Huge>(b));
        expect(w.has<Frozen>(c) and !w.has<Name>(c) and w.get<Velocity>(c).number() == 7_i);
        expect(w.validate());
    };

    "a loop may record what it must not do"_test = [] {
        world w;
        for (int i = 0; i != 100; ++i) w.spawn(Position::of(i));
        auto later = w.record();
        w.query<const Position>().each([&](entity e, const Position& p) {
            if (p.number() % 2 == 0)
                later.despawn(e);
            else
                later.spawn(Velocity::of(p.number()), pecs::to<Aims>(e));
        });
        w.apply(later);
        expect(w.query<Position>().count() == 50_ul and w.query<Velocity>().count() == 50_ul);
        w.query<entity, const Velocity>().each([&](entity e, const Velocity& v) {
            expect(w.get<Position>(w.target<Aims>(e)).number() == v.number());
        });
        expect(w.validate());
    };

    "applying in a loop throws, and loses nothing"_test = [] {
        world w;
        const entity e = w.spawn(Position{});
        auto later = w.record();
        later.add(e, Name::of(1));
        w.query<const Position>().each([&](const Position&) {
            expect(throws<pecs::world_locked>([&] { w.apply(later); }));
            expect(throws<pecs::world_locked>([&] { (void)w.record(); }));
        });
        expect(later.size() == 1_ul and !w.has<Name>(e));
        w.apply(later);
        expect(w.get<Name>(e).number() == 1_i);
    };

    "several commands on one entity are one move, and the last value counts"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1));
        auto later = w.record();
        Tracked::forget();
        later.add(e, Tracked::of(1));
        later.set(e, Tracked::of(2));
        later.remove<Tracked>(e);
        later.remove<Position>(e);
        later.add(e, Tracked::of(3), Position::of(9));
        later.set(e, Tracked::of(4));
        const std::size_t before = Tracked::log.moved;
        w.apply(later);
        expect(Tracked::log.moved - before == 1_ul); // from the recorder to its row
        expect(w.get<Tracked>(e).number() == 4_i and w.get<Position>(e).number() == 9_i);
        expect(Tracked::log.alive() == 1_ul and Tracked::log.wrong == 0_ul);
    };

    "new rows are in the order of recording, whichever of them later commands touch"_test = [] {
        world w;
        auto later = w.record();
        std::vector<entity> made;
        for (int i = 0; i != 200; ++i) {
            if (i % 2 == 0)
                made.push_back(later.spawn(Position::of(i), Velocity{}));
            else
                made.push_back(later.spawn(Velocity{}, Position::of(i))); // the same set in another order
        }
        std::vector<entity> expected;
        for (std::size_t i = 0; i != made.size(); ++i) {
            if (i % 7 == 3)
                later.despawn(made[i]);
            else if (i % 7 == 5)
                later.add(made[i], Frozen{});
            else if (i % 7 == 6)
                later.set(made[i], Position::of(-1));
            if (i % 7 != 3 && i % 7 != 5) expected.push_back(made[i]);
        }
        w.apply(later);
        std::vector<entity> plain;
        w.query<entity, const Position, pecs::without<Frozen>>().each([&](entity e, const Position& at) {
            const auto i = static_cast<std::size_t>(std::ranges::find(made, e) - made.begin());
            expect(that % at.number() == (i % 7 == 6 ? -1 : static_cast<int>(i)));
            plain.push_back(e);
        });
        expect(std::ranges::equal(plain, expected));
        expect(w.query<pecs::with<Frozen>>().count() == 28_ul);
        expect(w.validate());
    };

    "what a despawn makes moot never reaches the world"_test = [] {
        world w;
        const entity e = w.spawn();
        auto later = w.record();
        Tracked::forget();
        const entity never = later.spawn(Tracked::of(1));
        later.add(e, Tracked::of(2));
        later.set(never, Tracked::of(3));
        later.despawn(never);
        later.despawn(e);
        const std::size_t before = Tracked::log.moved;
        w.apply(later);
        expect(Tracked::log.moved == before and Tracked::log.alive() == 0_ul);
        expect(w.empty() and !w.alive(never) and w.validate());
        const entity next = w.spawn();
        expect(next != never and next != e);
    };

    "values that are never applied are destroyed"_test = [] {
        Tracked::forget();
        world w;
        {
            auto later = w.record();
            later.spawn(Tracked::of(1), Name::of(1));
            later.clear();
            expect(later.empty() and Tracked::log.alive() == 0_ul);
            later.spawn(Tracked::of(2));
            auto moved = std::move(later);
            later = w.record();
            later.spawn(Tracked::of(3));
            moved.spawn(Tracked::of(4));
            later = std::move(moved);
            expect(later.size() == 2_ul and Tracked::log.alive() == 2_ul);
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul and w.empty());
        expect(w.spawn() != pecs::null and w.validate());
    };

    "handles of a recorder are of use at once, also in values and as targets"_test = [] {
        struct Partner {
            entity who;
        };
        world w;
        auto later = w.record();
        const entity a = later.spawn();
        const entity b = later.spawn(Partner{a}, pecs::to<ChildOf>(a));
        later.relate<Aims>(a, b);
        later.relate<Knows>(b, a);
        const entity direct = w.spawn(Position{}); // meanwhile
        expect(direct != a and direct != b);
        w.apply(later);
        expect(w.get<Partner>(b).who == a and w.target<ChildOf>(b) == a and w.target<Aims>(a) == b);
        expect(w.has<Knows>(b, a) and w.get<Aims>(a).power == 7_i and w.size() == 3_ul and w.validate());
    };

    "the same recording gives the same handles, and indices are used again"_test = [] {
        const auto play = [](bool swapped) {
            world w;
            std::vector<pecs::commands> two;
            two.push_back(w.record());
            two.push_back(w.record());
            std::vector<std::vector<entity>> made(2);
            for (int round = 0; round != 10; ++round) {
                for (int i = 0; i != 2; ++i) { // one thread may be before the other
                    const auto k = static_cast<std::size_t>(swapped ? 1 - i : i);
                    for (int n = 0; n != 70; ++n) made[k].push_back(two[k].spawn(Position::of(n)));
                }
                w.apply(two);
                w.despawn_batch(w.query<Position>());
            }
            for (const auto& list : made)
                for (const entity e : list) expect(e.index() < 400_u);
            return made;
        };
        expect(bool{play(false) == play(true)});
    };

    "direct verbs and several recorders never give the same handle"_test = [] {
        world w;
        auto a = w.record();
        auto b = w.record();
        std::vector<entity> all;
        for (int i = 0; i != 100; ++i) {
            all.push_back(a.spawn());
            if (i % 3 == 0) all.push_back(w.spawn());
            if (i % 2 == 0) all.push_back(b.spawn());
            if (i == 40) w.reserve(10);
            if (i == 50) {
                auto c = w.record();
                all.push_back(c.spawn());
            }
            if (i % 20 == 0)
                w.spawn_batch<Position>(5, [&](entity e, Position&) {
                    all.push_back(e);
                    all.push_back(b.spawn());
                });
        }
        pecs::commands both[] = {std::move(a), std::move(b)};
        w.apply(both);
        std::vector<entity> sorted = all;
        std::ranges::sort(sorted);
        expect(std::ranges::adjacent_find(sorted) == sorted.end());
        std::size_t alive = 0;
        for (const entity e : all) alive += w.alive(e) ? 1 : 0;
        expect(alive == all.size() - 1 and w.size() == alive and w.validate());
    };

    "a cleared world still takes what was recorded"_test = [] {
        world w;
        const entity old = w.spawn(Position{});
        auto later = w.record();
        const entity e = later.spawn(Position::of(1), pecs::to<ChildOf>(old));
        const entity f = later.spawn(Position::of(2));
        w.clear();
        expect(w.validate());
        expect(w.apply(later, on_failure::report).size() == 1_ul);
        expect(!w.alive(e) and w.get<Position>(f).number() == 2_i and w.size() == 1_ul and w.validate());
    };

    "relations are recorded like anything else"_test = [] {
        world w;
        const entity ship = w.spawn();
        const entity other = w.spawn();
        const entity gun = w.spawn(pecs::to<ChildOf>(ship), pecs::to<Aims>(ship, Aims{1}));
        auto later = w.record();
        later.relate<Aims>(gun, other); // keeps the data
        later.relate<ChildOf>(gun, other);
        later.relate<Knows>(gun, ship, Knows{5});
        later.relate<Knows>(gun, other);
        later.unrelate<Knows>(gun, ship);
        later.unrelate<Aims>(gun);
        later.relate<Aims>(gun, ship); // new data
        expect(w.apply(later, on_failure::report).empty());
        expect(w.target<Aims>(gun) == ship and w.get<Aims>(gun).power == 7_i);
        expect(w.target<ChildOf>(gun) == other);
        expect(!w.has<Knows>(gun, ship) and w.get<Knows>(gun, other).years == 3_i and w.validate());
        later.relate<Aims>(gun, other, Aims{2});
        later.relate<Aims>(gun, ship);
        w.apply(later);
        expect(w.target<Aims>(gun) == ship and w.get<Aims>(gun).power == 2_i);
    };

    "the rules of relations hold in the middle of a recording"_test = [] {
        world w;
        const entity parent = w.spawn();
        const entity e = w.spawn();
        auto later = w.record();
        later.relate<ChildOf>(e, parent);
        const entity child = later.spawn(pecs::to<ChildOf>(e));
        later.despawn(parent); // takes both along
        later.add(e, Position{});
        later.add(child, Position{});
        const auto failed = w.apply(later, on_failure::report);
        expect(failed.size() == 2_ul and w.empty() and w.validate());
        expect(failed[0].which == e and failed[0].kind == command_kind::add);
        expect(failed[1].which == child and failed[1].reason == command_failure::dead_entity);
    };

    "what cannot be done is left out, and reported if asked for"_test = [] {
        world w;
        const entity dead = w.spawn();
        w.despawn(dead);
        const entity e = w.spawn(Position{});
        const entity f = w.spawn(pecs::to<ChildOf>(e), pecs::to<Holds>(e), pecs::to<Needs>(e));
        const auto record = [&](pecs::commands& later) {
            later.add(dead, Name::of(1));
            later.add(e, Name::of(1), Position{});
            later.remove<Velocity, Frozen>(e);
            later.relate<ChildOf>(e, f);
            later.relate<Needs>(e, f);
            later.relate<Aims>(e, dead);
            later.unrelate<Knows>(e);
            later.unrelate<Needs>(f, f);
            later.despawn(e); // f holds it, but dies with it: not forbidden
            later.despawn(e);
        };
        auto later = w.record();
        record(later);
        const auto failed = w.apply(later, on_failure::report);
        expect(fatal(failed.size() == 9_ul));
        const command_failure reasons[] = {
            command_failure::dead_entity,       command_failure::duplicate_component,
            command_failure::missing_component, command_failure::relation_cycle,
            command_failure::relation_cycle,    command_failure::dead_target,
            command_failure::missing_component, command_failure::missing_component,
            command_failure::dead_entity};
        for (std::size_t i = 0; i != 9; ++i) expect(failed[i].reason == reasons[i]) << i;
        expect(failed[1].component == pecs::id_of<Position>() and failed[1].kind == command_kind::add);
        expect(failed[0].message() == pecs::dead_entity{dead}.what());
        expect(failed[1].message() == pecs::duplicate_component{e, pecs::id_of<Position>()}.what());
        expect(failed[7].message() == pecs::missing_component{f, pecs::id_of<Needs>(), f}.what());
        expect(throws<pecs::dead_target>([&] { failed[5].raise(); }));
        expect(w.empty() and w.validate());
        later.add(e, Position{});
        expect(w.apply(later).empty()); // ignored
    };

    "a death that a relation forbids fails"_test = [] {
        world w;
        const entity e = w.spawn();
        const entity holder = w.spawn(pecs::to<Holds>(e));
        auto later = w.record();
        later.despawn(e);
        later.add(e, Position{});
        const auto failed = w.apply(later, on_failure::report);
        expect(fatal(failed.size() == 1_ul));
        expect(failed[0].reason == command_failure::target_in_use and failed[0].other == holder);
        expect(w.has<Position>(e));
    };

    "values of components that are there change in place, the last one counts, whatever comes between"_test =
        [] {
            Tracked::forget();
            world w;
            const entity e = w.spawn(Tracked::of(1), Position::of(1));
            const entity f = w.spawn(Tracked::of(2), Position::of(2));
            auto later = w.record();
            const auto change = [&] {
                later.set(e, Tracked::of(3));
                later.set(f, Position::of(4), Tracked::of(4));
                later.set(e, Tracked::of(5), Position::of(5));
                later.remove<Tracked>(f);
                later.add(f, Tracked::of(6));
                later.set(e, Position::of(7));
                w.apply(later);
                expect(w.get<Tracked>(e).number() == 5_i and w.get<Position>(e).number() == 7_i);
                expect(w.get<Tracked>(f).number() == 6_i and w.get<Position>(f).number() == 4_i);
            };
            change();
            const Tracked* const before = &w.get<Tracked>(e);
            change();
            expect(&w.get<Tracked>(e) == before and Tracked::log.alive() == 2_ul and
                   Tracked::log.wrong == 0_ul);
            expect(w.validate());
        };

    "if a failure throws, nothing has changed and all is still recorded"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1));
        auto later = w.record();
        later.set(e, Position::of(5));
        const entity made = later.spawn(Name::of(2), pecs::to<ChildOf>(e));
        later.add(e, Name::of(3));
        later.remove<Velocity>(e);
        later.add(e, Owned::of(4));
        expect(throws<pecs::missing_component>([&] { w.apply(later, on_failure::throws); }));
        expect(later.size() == 5_ul and w.size() == 1_ul and !w.has<Name>(e) and w.validate());
        expect(w.get<Position>(e).number() == 1_i);
        w.add(e, Velocity{});
        w.apply(later, on_failure::throws);
        expect(w.get<Name>(made).number() == 2_i and w.get<Owned>(e).number() == 4_i and later.empty());
        expect(w.get<Position>(e).number() == 5_i);
    };

    "behind the death of a target, a failure that throws keeps what follows"_test = [] {
        world w;
        const entity parent = w.spawn();
        const entity child = w.spawn(pecs::to<ChildOf>(parent));
        const entity e = w.spawn();
        auto later = w.record();
        later.add(e, Name::of(1));
        later.despawn(parent);
        later.set(e, Name::of(2));
        later.add(child, Position{});
        later.add(e, Position{});
        expect(throws<pecs::dead_entity>([&] { w.apply(later, on_failure::throws); }));
        expect(later.size() == 3_ul and !w.alive(child) and w.get<Name>(e).number() == 1_i);
        w.apply(later);
        expect(w.get<Name>(e).number() == 2_i and w.has<Position>(e) and w.validate());
    };

    "recorders are applied in the order of the list, each once"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(0));
        pecs::commands list[] = {w.record(), w.record(), w.record()};
        list[2].set(e, Position::of(3));
        const entity made = list[0].spawn(Name::of(1));
        list[1].set(e, Position::of(2));
        list[1].set(made, Name::of(2));
        w.apply(list);
        expect(w.get<Position>(e).number() == 3_i and w.get<Name>(made).number() == 2_i);
        expect(w.apply(std::span<pecs::commands>{}).empty());
    };

    "commands of another world are refused"_test = [] {
        world w;
        world other;
        world moved; // a recorder must not outlive its world
        auto later = other.record();
        const entity e = later.spawn();
        expect(throws<pecs::foreign_commands>([&] { w.apply(later); }));
        expect(later.size() == 1_ul);
        moved = std::move(other);
        moved.apply(later);
        expect(moved.alive(e));
    };

    "entities with the same types, named in another order, get their own values"_test = [] {
        world w;
        pecs::commands later = w.record();
        std::vector<entity> made;
        for (int i = 0; i != 6; ++i)
            made.push_back(i % 2 == 0 ? later.spawn(Position::of(i), Name::of(i), Velocity::of(i))
                                      : later.spawn(Velocity::of(i), Position::of(i), Name::of(i)));
        w.apply(later);
        for (int i = 0; i != 6; ++i) {
            const entity e = made[static_cast<std::size_t>(i)];
            expect(w.get<Position>(e).number() == i and w.get<Velocity>(e).number() == i);
            expect(w.get<Name>(e).number() == i);
        }
        expect(w.size() == 6_ul and w.validate());
    };

    "values of any size and alignment"_test = [] {
        world w;
        auto later = w.record();
        for (int round = 0; round != 3; ++round) {
            std::vector<entity> made;
            for (int i = 0; i != 200; ++i) {
                made.push_back(later.spawn(Huge::of(i), Name::of(i)));
                if (i % 50 == 0) later.add(made.back(), Big{});
            }
            w.apply(later);
            for (int i = 0; i != 200; ++i)
                expect(w.get<Huge>(made[static_cast<std::size_t>(i)]).number() == i and
                       w.get<Name>(made[static_cast<std::size_t>(i)]).number() == i);
        }
        expect(w.validate());
    };

    "recording and applying again and again takes no memory"_test = [] {
        support::watched_memory worlds;
        support::watched_memory recorders;
        {
            world w{&worlds};
            const entity parent = w.spawn();
            std::vector<entity> kept;
            for (int i = 0; i != 200; ++i)
                kept.push_back(w.spawn(Position::of(i), pecs::to<ChildOf>(parent)));
            auto later = w.record(&recorders);
            std::vector<entity> made(300);
            const auto round = [&] {
                for (const entity e : kept) {
                    later.add(e, Velocity::of(1), Owned{});
                    later.set(e, Position::of(2));
                }
                for (entity& e : made) {
                    e = later.spawn(Huge::of(2), Frozen{});
                    later.relate<Aims>(e, parent);
                }
                w.apply(later);
                for (const entity e : kept) later.exchange<Velocity, Owned>(e, Frozen{});
                for (const entity e : kept) later.remove<Frozen>(e);
                for (const entity e : made) later.despawn(e);
                w.apply(later);
            };
            for (int i = 0; i != 3; ++i) round();
            const std::size_t before = worlds.allocations() + recorders.allocations();
            for (int i = 0; i != 5; ++i) round();
            expect(worlds.allocations() + recorders.allocations() == before);
            expect(w.size() == 201_ul and w.validate());
        }
        expect(worlds.clean() and recorders.clean());
    };

    "if memory runs out, the world is sound, and no value is lost or doubled"_test = [] {
        for (std::size_t successes = 0;; ++successes) {
            Tracked::forget();
            support::watched_memory memory;
            bool done = false;
            {
                world w{&memory};
                const entity a = w.spawn(Position::of(1));
                const entity b = w.spawn(pecs::to<ChildOf>(a));
                auto later = w.record(&memory);
                support::faults::arm(successes, true);
                try {
                    const entity c = later.spawn(Tracked::of(1), pecs::to<Knows>(a), pecs::to<ChildOf>(b));
                    const entity d = later.spawn(Name{}, Tracked::of(2));
                    later.relate<Aims>(c, d);
                    later.add(a, Tracked::of(3));
                    later.add(b, Tracked::of(4), Position{});
                    later.relate<Aims>(b, c);
                    w.apply(later);
                    done = true;
                } catch (const std::bad_alloc&) {
                }
                support::faults::disarm();
                expect(w.validate()) << successes;
                w.apply(later);
                expect(w.validate()) << successes;
                if (done) expect(w.size() == 4_ul and Tracked::log.alive() == 4_ul);
            }
            expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul and memory.clean());
            if (done) break;
        }
    };
}
