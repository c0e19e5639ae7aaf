// New targets for many entities at once: by list and by query, without moving what need not move; and the cycles that are
// refused.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"
#include "../support/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <random>
#include <span>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::to;
using pecs::world;
using support::caught;
using support::faults;
using support::Fragile;
using support::Frozen;
using support::mentions;
using support::Name;
using support::Position;
using support::Tracked;
using support::watched_memory;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    static constexpr pecs::relation_rules rules{};
};
struct Orbits {
    static constexpr pecs::relation_rules rules{};
    int value = 1;
    [[nodiscard]] int number() const { return value; }
};
/// Its default may throw, and counts.
struct Breaks {
    static constexpr pecs::relation_rules rules{};
    Fragile value;
    [[nodiscard]] int number() const { return value.number(); }
};

std::string dump(const world& w) {
    return support::snapshot<Position, Name, Frozen, Tracked, Orbits, Breaks>(w) +
           support::targets<ChildOf, Likes, Orbits, Breaks>(w);
}

template <class E, class F> E refused(const world& w, F f) {
    using namespace boost::ut;
    const std::string before = dump(w);
    const auto alive = Tracked::log.alive() + Fragile::log.alive();
    const E error = caught<E>(f);
    expect(dump(w) == before) << error.what();
    expect(w.validate()) << error.what();
    expect(Tracked::log.alive() + Fragile::log.alive() == alive) << error.what();
    return error;
}

/// Targets, and entities with and without relations to them, in several archetypes.
struct mixture {
    world w;
    std::vector<entity> targets;
    std::vector<entity> all;

    mixture() : mixture{std::pmr::get_default_resource()} {}
    explicit mixture(std::pmr::memory_resource* memory) : w{memory} {
        for (int i = 0; i != 8; ++i) targets.push_back(w.spawn());
        for (std::size_t i = 0; i != 90; ++i) {
            const int n = static_cast<int>(i);
            all.push_back(w.spawn(Name::of(n), Tracked::of(n)));
            if (i % 2 == 0) w.relate<Likes>(all[i], targets[i * 5 % 7]);
            if (i % 3 == 0) w.relate<Orbits>(all[i], targets[i * 3 % 7], Orbits{n});
            if (i % 5 == 0) w.add(all[i], Position::of(n));
            if (i % 7 == 0) w.relate<ChildOf>(all[i], targets[i % 4]);
        }
    }
};

/// Calls `change` for worlds of which one allocation fails, each time another; nothing of a failed call may be seen.
template <class Change> std::size_t survives_faults(Change change, bool tight = true) {
    using namespace boost::ut;
    std::string expected;
    {
        mixture m;
        change(m);
        expected = dump(m.w);
    }
    std::size_t runs = 0;
    for (bool failed = true; failed; ++runs) {
        Tracked::forget();
        watched_memory memory;
        {
            mixture m{&memory};
            if (tight) m.w.compact(); // no room is left anywhere
            const std::string before = dump(m.w);
            const auto alive = Tracked::log.alive();
            faults::arm(runs, runs % 2 == 0);
            try {
                change(m);
                faults::disarm();
            } catch (const std::bad_alloc&) {
                faults::disarm();
                expect(m.w.validate()) << "run" << runs;
                expect(dump(m.w) == before and Tracked::log.alive() == alive) << "run" << runs;
                change(m);
            }
            failed = faults::happened();
            expect(dump(m.w) == expected and m.w.validate()) << "run" << runs;
        }
        expect(memory.clean() and Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul) << runs;
    }
    return runs;
}
} // namespace

int main() {
    using namespace boost::ut;

    "a list of entities gets a target as each of them would"_test = [] {
        for (const unsigned seed : {1U, 2U, 3U, 4U}) {
            mixture many;
            mixture one;
            std::mt19937 random{seed};
            std::ranges::shuffle(many.all, random);
            const auto list = std::span<const entity>{many.all}.first(60);
            many.w.relate_batch<Orbits>(list, many.targets[1]);
            for (const entity e : list) one.w.relate<Orbits>(e, one.targets[1]);
            expect(many.w.validate() and dump(many.w) == dump(one.w));
            many.w.relate_batch<Likes>(list.subspan(20), many.targets[7]);
            for (const entity e : list.subspan(20)) one.w.relate<Likes>(e, one.targets[7]);
            expect(many.w.validate() and dump(many.w) == dump(one.w));
            many.w.unrelate_batch<Orbits>(list);
            for (const entity e : list) one.w.unrelate<Orbits>(e);
            expect(many.w.validate() and dump(many.w) == dump(one.w));
            expect(many.w.spawn() == one.w.spawn());
        }
    };

    "a query gets a target as each of its entities would"_test = [] {
        mixture many;
        mixture one;
        many.w.relate_batch<Likes>(many.w.query<Name>(), many.targets[3]);
        for (const entity e : one.all) one.w.relate<Likes>(e, one.targets[3]);
        expect(many.w.validate() and dump(many.w) == dump(one.w));
        expect(many.w.source_count<Likes>(many.targets[3]) == many.all.size());
        many.w.relate_batch<Orbits>(many.w.query<Position>(), many.targets[7]);
        for (const entity e : one.all)
            if (one.w.has<Position>(e)) one.w.relate<Orbits>(e, one.targets[7]);
        expect(many.w.validate() and dump(many.w) == dump(one.w));
        many.w.relate_batch<ChildOf>(many.w.query<>().of<Orbits>(pecs::any), many.targets[0]);
        for (const entity e : one.all)
            if (one.w.has<Orbits>(e)) one.w.relate<ChildOf>(e, one.targets[0]);
        expect(many.w.validate() and dump(many.w) == dump(one.w));
    };

    "nothing is related to nothing"_test = [] {
        mixture m;
        const std::string before = dump(m.w);
        m.w.relate_batch<Likes>({}, m.targets[0]);
        m.w.relate_batch<Likes>(m.w.query<>().of<Likes>(m.all[0]), m.targets[0]);
        m.w.unrelate_batch<Likes>({});
        m.w.unrelate_batch<Likes>(m.w.query<>().of<Likes>(m.all[0]));
        m.w.relate_batch<Likes>(m.w.query<>().of<Likes>(m.targets[5]), m.targets[5]);
        expect(dump(m.w) == before and m.w.validate());
    };

    "a family that gets a target which nothing has keeps its rows"_test = [] {
        Tracked::forget();
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const entity c = w.spawn();
        std::vector<entity> mine;
        for (int i = 0; i != 100; ++i) {
            mine.push_back(w.spawn(Tracked::of(i), Name::of(i), to<Orbits>(a, Orbits{i})));
            (void)w.spawn(Tracked::of(-i), Name::of(-i), to<Orbits>(b, Orbits{-i}));
        }
        std::vector<const void*> before;
        for (const entity e : mine) before.push_back(&w.get<Tracked>(e));
        const std::size_t moved = Tracked::log.moved;
        w.relate_batch<Orbits>(w.query<>().of<Orbits>(a), c);
        expect(Tracked::log.moved == moved and w.validate());
        for (std::size_t i = 0; i != mine.size(); ++i) {
            expect(&w.get<Tracked>(mine[i]) == before[i] and w.target<Orbits>(mine[i]) == c);
            expect(w.get<Orbits>(mine[i]).value == static_cast<int>(i));
        }
        expect(w.source_count<Orbits>(a) == 0_ul and w.source_count<Orbits>(c) == 100_ul);
        w.relate_batch<Orbits>(w.query<>().of<Orbits>(c), a); // and back
        expect(Tracked::log.moved == moved and w.source_count<Orbits>(a) == 100_ul and w.validate());
    };

    "families with several relations are handed over, too"_test = [] {
        Tracked::forget();
        world w;
        std::vector<entity> targets;
        for (int i = 0; i != 6; ++i) targets.push_back(w.spawn());
        std::vector<entity> mine;
        for (std::size_t i = 0; i != 40; ++i)
            mine.push_back(w.spawn(Tracked::of(static_cast<int>(i)), to<Likes>(targets[0]),
                                   to<Orbits>(targets[1 + i % 3])));
        const std::size_t moved = Tracked::log.moved;
        w.relate_batch<Likes>(w.query<>().of<Likes>(targets[0]), targets[5]);
        expect(Tracked::log.moved == moved and w.validate());
        for (std::size_t i = 0; i != mine.size(); ++i) {
            expect(w.target<Likes>(mine[i]) == targets[5] and
                   w.target<Orbits>(mine[i]) == targets[1 + i % 3]);
            expect(w.get<Tracked>(mine[i]).number() == static_cast<int>(i));
        }
        w.relate_batch<Orbits>(w.query<>().of<Likes>(targets[5]), targets[4]); // three families become one
        expect(w.validate() and w.query<>().of<Orbits>(targets[4]).of<Likes>(targets[5]).count() == 40_ul);
        for (std::size_t i = 0; i != mine.size(); ++i)
            expect(w.get<Tracked>(mine[i]).number() == static_cast<int>(i));
        expect(Tracked::log.wrong == 0_ul);
    };

    "families merge where the target has sources already"_test = [] {
        Tracked::forget();
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const entity c = w.spawn();
        std::vector<entity> mine;
        for (int i = 0; i != 30; ++i)
            mine.push_back(w.spawn(Tracked::of(i), Name::of(i),
                                   to<Orbits>(i % 3 == 0   ? a
                                              : i % 3 == 1 ? b
                                                           : c,
                                              Orbits{i})));
        w.relate_batch<Orbits>(w.query<>().of<Orbits>(a), b);
        expect(w.validate() and w.source_count<Orbits>(b) == 20_ul and w.source_count<Orbits>(a) == 0_ul);
        w.relate_batch<Orbits>(w.query<>().of<Orbits>(pecs::any),
                               a); // two families, into one that is not there
        expect(w.validate() and w.source_count<Orbits>(a) == 30_ul);
        for (std::size_t i = 0; i != mine.size(); ++i) {
            const int n = static_cast<int>(i);
            expect(w.get<Tracked>(mine[i]).number() == n and w.get<Name>(mine[i]).number() == n);
            expect(w.get<Orbits>(mine[i]).value == n and w.target<Orbits>(mine[i]) == a);
        }
        expect(Tracked::log.alive() == 30_ul and Tracked::log.wrong == 0_ul);
        w.despawn(b);
        w.despawn(c);
        expect(w.source_count<Orbits>(a) == 30_ul and w.validate());
    };

    "a handed-over family grows, moves and ends like any other"_test = [] {
        Tracked::forget();
        {
            world w;
            std::vector<entity> targets;
            for (int i = 0; i != 10; ++i) targets.push_back(w.spawn());
            for (int i = 0; i != 50; ++i)
                (void)w.spawn(Tracked::of(i), to<Likes>(targets[static_cast<std::size_t>(i % 4)]));
            for (std::size_t round = 0; round != 60; ++round) {
                const entity from = targets[round % 10];
                const entity next = targets[(round + 4) % 10];
                w.relate_batch<Likes>(w.query<>().of<Likes>(from), next);
                expect(w.source_count<Likes>(from) == 0_ul and w.validate());
                (void)w.spawn(Tracked::of(1), to<Likes>(next));
                if (round % 20 == 7) w.compact();
                if (round % 20 == 17) w.shrink();
                if (round % 6 == 5) w.despawn(w.query<>().of<Likes>(pecs::any).first());
                expect(w.validate());
            }
            expect(w.query<Tracked>().count() == 100_ul);
            w.despawn_batch(targets);
            expect(w.query<>().of<Likes>(pecs::any).empty() and w.query<Tracked>().count() == 100_ul);
            expect(w.validate() and Tracked::log.alive() == 100_ul);
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "a way that would lead back is refused, and shown"_test = [] {
        world w;
        const entity a = w.spawn(Name::of(1));
        const entity b = w.spawn(Name::of(2), to<ChildOf>(a));
        const entity c = w.spawn(Name::of(3), to<ChildOf>(b), Frozen{});
        const entity d = w.spawn(Name::of(4));
        const auto name = [](entity e) { return pecs::to_string(e); };
        const std::string loop = name(a) + " -> " + name(c) + " -> " + name(b) + " -> " + name(a);
        const auto check = [&](auto f) {
            const auto error = refused<pecs::relation_cycle>(w, f);
            expect(error.which() == a and error.component() == pecs::id_of<ChildOf>()) << error.what();
            expect(mentions(error, loop) and mentions(error, "ChildOf")) << error.what();
        };
        check([&] { w.relate<ChildOf>(a, c); });
        check([&] { w.relate<ChildOf>(a, c, ChildOf{}); });
        check([&] { w.by_id().relate(a, pecs::id_of<ChildOf>(), c); });
        check([&] { w.relate_batch<ChildOf>(std::array{d, a}, c); });
        check([&] { w.relate_batch<ChildOf>(w.query<Name>().of<ChildOf>(pecs::none), c); });
        // The new target itself is among the entities.
        for (const bool by_query : {false, true}) {
            const auto error = refused<pecs::relation_cycle>(w, [&] {
                if (by_query)
                    w.relate_batch<ChildOf>(w.query<Name, Frozen>(), c);
                else
                    w.relate_batch<ChildOf>(std::array{d, c}, c);
            });
            expect(error.which() == c and mentions(error, name(c) + " -> " + name(c))) << error.what();
        }
        // Other entities of the same archetype and of the same parent are no obstacle.
        const entity sibling = w.spawn(Name::of(5), to<ChildOf>(a));
        w.relate<ChildOf>(b, sibling);
        w.relate_batch<ChildOf>(std::array{d, c}, sibling);
        expect(w.target<ChildOf>(c) == sibling and w.target<ChildOf>(d) == sibling and w.validate());
        const auto error =
            refused<pecs::relation_cycle>(w, [&] { w.relate_batch<ChildOf>(w.query<>().of<ChildOf>(a), b); });
        expect(error.which() == sibling) << error.what();
    };

    "a long way is shown by its beginning, a short one in full"_test = [] {
        for (const int length : {1, 2, 7, 8, 9, 30}) { // entities besides the first
            world w;
            const entity first = w.spawn();
            std::vector<entity> line{first};
            for (int i = 0; i != length; ++i) line.push_back(w.spawn(to<ChildOf>(line.back())));
            const auto error =
                refused<pecs::relation_cycle>(w, [&] { w.relate<ChildOf>(first, line.back()); });
            expect(mentions(error, pecs::to_string(first) + " -> " + pecs::to_string(line.back())));
            expect(mentions(error, "-> " + pecs::to_string(first))) << error.what();
            expect(mentions(error, "...") == (length > 8)) << length << error.what();
        }
    };

    "misuse changes nothing"_test = [] {
        mixture m;
        const entity gone = m.w.spawn();
        m.w.despawn(gone);
        const std::array repeated{m.all[1], m.all[2], m.all[1]};
        const std::array dead{m.all[1], gone, m.all[2]};
        expect(refused<pecs::repeated_entity>(m.w, [&] {
                   m.w.relate_batch<Likes>(repeated, m.targets[0]);
               }).which() == m.all[1]);
        expect(refused<pecs::repeated_entity>(m.w, [&] {
                   m.w.relate_batch<ChildOf>(repeated, m.targets[0]);
               }).which() == m.all[1]);
        m.w.relate_batch<Likes>(std::array{m.all[1], m.all[2]}, m.targets[0]);
        expect(refused<pecs::repeated_entity>(m.w, [&] { m.w.unrelate_batch<Likes>(repeated); }).which() ==
               m.all[1]);
        expect(refused<pecs::dead_entity>(m.w, [&] { m.w.unrelate_batch<Likes>(dead); }).which() == gone);
        expect(refused<pecs::dead_entity>(m.w, [&] {
                   m.w.relate_batch<Likes>(dead, m.targets[0]);
               }).which() == gone);
        (void)refused<pecs::dead_target>(m.w, [&] { m.w.relate_batch<Likes>(m.all, gone); });
        (void)refused<pecs::dead_target>(m.w,
                                         [&] { m.w.relate_batch<Likes>(m.w.query<Name>(), pecs::null); });
        (void)refused<pecs::missing_component>(m.w, [&] { m.w.unrelate_batch<Likes>(m.all); });
        (void)refused<pecs::missing_component>(m.w, [&] { m.w.unrelate_batch<Likes>(m.w.query<Name>()); });
    };

    "a default or a copy that throws changes nothing"_test = [] {
        for (int successes = 0; successes != 95; ++successes) {
            mixture m;
            for (std::size_t i = 0; i != 20; ++i) m.w.relate<Breaks>(m.all[i * 2], m.targets[i % 3]);
            for (const bool by_query : {false, true}) {
                const std::string before = dump(m.w);
                const auto alive = Fragile::log.alive();
                Fragile::until_throw = successes;
                bool thrown = false;
                try {
                    if (by_query)
                        m.w.relate_batch<Breaks>(m.w.query<Name>(), m.targets[7]);
                    else
                        m.w.relate_batch<Breaks>(m.all, m.targets[6]);
                } catch (const std::runtime_error&) {
                    thrown = true;
                }
                Fragile::until_throw = -1;
                expect(m.w.validate()) << successes;
                if (thrown)
                    expect(dump(m.w) == before and Fragile::log.alive() == alive) << successes;
                else
                    expect(Fragile::log.alive() == 90_ul) << successes;
            }
        }
        expect(Fragile::log.alive() == 0_ul and Fragile::log.wrong == 0_ul);
    };

    "a failed allocation changes nothing"_test = [] {
        const auto runs = [](auto change) { expect(survives_faults(change) > 1_ul); };
        runs([](mixture& m) { m.w.relate_batch<Likes>(m.all, m.targets[7]); });
        runs([](mixture& m) { m.w.relate_batch<Likes>(m.w.query<Name>(), m.targets[7]); });
        runs([](mixture& m) { m.w.relate_batch<Likes>(m.w.query<Name>(), m.targets[1]); });
        runs([](mixture& m) { m.w.relate_batch<Orbits>(m.w.query<>().of<Orbits>(pecs::any), m.targets[7]); });
        runs([](mixture& m) { m.w.relate_batch<ChildOf>(m.all, m.targets[7]); });
        runs([](mixture& m) { m.w.relate_batch<ChildOf>(m.w.query<Name>(), m.targets[0]); });
        runs([](mixture& m) { m.w.unrelate_batch<Likes>(m.w.query<>().of<Likes>(pecs::any)); });
        runs([](mixture& m) { m.w.relate<Orbits>(m.all[1], m.targets[7], Orbits{9}); });
        runs([](mixture& m) { m.w.relate<Orbits>(m.all[0], m.targets[7]); });
        runs([](mixture& m) { m.w.by_id().relate(m.all[6], pecs::id_of<Likes>(), m.targets[7]); });
        runs([](mixture& m) {
            (void)m.w.spawn(Name::of(1), to<Likes>(m.targets[7]), to<Orbits>(m.targets[7]));
        });
        runs([](mixture& m) { (void)m.w.spawn_batch(20, Tracked::of(1), to<Likes>(m.targets[0])); });
        runs([](mixture& m) { m.w.add_batch(m.w.query<>().of<Likes>(m.targets[0]), Frozen{}); });
        expect(survives_faults([](mixture& m) { m.w.compact(); }, false) > 10_ul);
        expect(survives_faults([](mixture& m) { m.w.shrink(); }, false) > 10_ul);
    };
}
