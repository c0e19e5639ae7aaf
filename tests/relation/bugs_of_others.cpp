// Bugs that other libraries had in their relations. Each test is named after what must hold, and says whose bug it was.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::to;
using pecs::world;
using support::Frozen;
using support::Name;
using support::Position;
using support::Tracked;
using support::Velocity;
using support::watched_memory;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    static constexpr pecs::relation_rules rules{};
};
struct Owes {
    static constexpr pecs::relation_rules rules{};
    int number_ = 0;
    static Owes of(int n) { return {n}; }
    [[nodiscard]] int number() const { return number_; }
};

/// All entities that a query visits, in ascending order; one that it visits twice comes twice.
template <class Query> std::vector<entity> visited(const Query& query) {
    std::vector<entity> found;
    query.each([&](entity e, auto&&...) { found.push_back(e); });
    std::ranges::sort(found);
    return found;
}
} // namespace

int main() {
    using namespace boost::ut;

    // ark#263: with two relations, the storage of a dead target was used again and still listed for the old one.
    "an entity is visited once, also where the rows of a dead target are used again"_test = [] {
        world w;
        const entity bank = w.spawn();
        for (int round = 0; round != 20; ++round) {
            const entity friend_ = w.spawn();
            std::vector<entity> mine;
            for (int i = 0; i != 5; ++i)
                mine.push_back(w.spawn(Name::of(i), to<Likes>(friend_), to<Owes>(bank, Owes::of(i))));
            expect(std::ranges::equal(visited(w.query<const Name, const Owes>().of<Likes>(friend_)), mine))
                << round;
            expect(std::ranges::equal(visited(w.query<const Name>().of<Likes>(friend_).of<Owes>(bank)), mine))
                << round;
            expect(std::ranges::equal(visited(w.query<const Name>().of<Likes>(pecs::any)), mine)) << round;
            w.despawn(friend_);
            expect(w.validate());
            const auto debtors = visited(w.query<const Owes>().of<Owes>(bank));
            expect(debtors.size() == static_cast<std::size_t>(5 * (round + 1))) << round;
            expect(std::ranges::adjacent_find(debtors) == debtors.end()) << round;
            expect(w.query<>().of<Likes>(pecs::any).empty()) << round;
        }
    };

    // ark#259: the list of targets after a removal lacked those that were to stay.
    "an entity with two targets can lose either and keeps the other"_test = [] {
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const entity first = w.spawn(Name::of(1), to<Likes>(a), to<Owes>(b, Owes::of(10)));
        const entity second = w.spawn(Name::of(2), to<Likes>(a), to<Owes>(b, Owes::of(20)));
        const entity third = w.spawn(Name::of(3), to<Likes>(b), to<Owes>(a, Owes::of(30)));
        w.unrelate<Likes>(first);
        expect(not w.has<Likes>(first) and w.target<Owes>(first) == b and w.validate());
        w.unrelate<Owes>(second);
        expect(not w.has<Owes>(second) and w.target<Likes>(second) == a and w.validate());
        w.despawn(a);
        expect(w.validate());
        expect(not w.has<Likes>(second) and w.has<Name>(second));
        expect(not w.has<Owes>(third) and w.target<Likes>(third) == b);
        expect(w.get<Owes>(first).number() == 10_i and w.get<Name>(third).number() == 3_i);
    };

    // ark#243: tables that a loop made moved the one that it held a pointer to.
    "batches that make many families and archetypes lose no data"_test = [] {
        world w;
        std::vector<entity> targets;
        for (int i = 0; i != 200; ++i) targets.push_back(w.spawn());
        std::vector<entity> sources;
        for (std::size_t i = 0; i != 200; ++i) {
            const int n = static_cast<int>(i);
            sources.push_back(w.spawn(Name::of(n), Tracked::of(n), to<Likes>(targets[i])));
            if (i % 2 == 0) w.add(sources.back(), Position::of(n));
            if (i % 3 == 0) w.relate<Owes>(sources.back(), targets[199 - i], Owes::of(n));
        }
        const auto whole = [&](std::size_t i) {
            const int n = static_cast<int>(i);
            const entity e = sources[i];
            return w.get<Name>(e).number() == n && w.get<Tracked>(e).number() == n &&
                   w.target<Likes>(e) == targets[i] && (i % 2 != 0 || w.get<Position>(e).number() == n) &&
                   (i % 3 != 0 || (w.get<Owes>(e).number() == n && w.target<Owes>(e) == targets[199 - i]));
        };
        w.add_batch(w.query<Name>().of<Likes>(pecs::any), Velocity::of(1), Frozen{});
        expect(w.validate());
        w.remove_batch<Frozen>(w.query<>().of<Likes>(pecs::any));
        w.exchange_batch<Velocity>(sources, Frozen{});
        expect(w.validate());
        for (std::size_t i = 0; i != sources.size(); ++i)
            expect(whole(i) and w.has<Frozen>(sources[i]) and not w.has<Velocity>(sources[i])) << i;
    };

    // Ark.jl#477: storage that was used again was missing in the caches of queries.
    "queries find entities in rows and archetypes that are used again"_test = [] {
        world w;
        const auto names = w.query<const Name>();
        const auto liking = w.query<const Name>().of<Likes>(pecs::any);
        for (int round = 0; round != 10; ++round) {
            const entity target = w.spawn();
            const auto of_target = w.query<const Name>().of<Likes>(target);
            for (int i = 0; i != 7; ++i) (void)w.spawn(Name::of(i), to<Likes>(target));
            expect(names.count() == 7_ul and liking.count() == 7_ul and of_target.count() == 7_ul) << round;
            expect(std::ranges::equal(visited(names), visited(liking))) << round;
            expect(std::ranges::equal(visited(liking), visited(of_target))) << round;
            expect(w.source_count<Likes>(target) == 7_ul) << round;
            w.despawn_batch(of_target);
            expect(names.empty() and liking.empty() and of_target.empty() and w.alive(target)) << round;
            w.despawn(target);
            if (round % 3 == 2) w.shrink();
            expect(w.validate()) << round;
        }
    };

    // Ark.jl#497: a filter knew its parent by the index alone.
    "a query for a dead target does not match the sources of its successor"_test = [] {
        world w;
        const entity dead = w.spawn();
        (void)w.spawn(Name::of(1), to<ChildOf>(dead));
        const auto children = w.query<const Name>().of<ChildOf>(dead);
        auto dynamic = w.by_id().query();
        dynamic.of(pecs::id_of<ChildOf>(), dead);
        expect(children.count() == 1_ul and dynamic.count() == 1_ul);
        w.despawn(dead);
        entity heir =
            w.spawn(); // the indices of the dead are used again, the last one first or the first one
        if (heir.index() != dead.index()) heir = w.spawn();
        expect(fatal(heir.index() == dead.index() and heir != dead));
        const entity child = w.spawn(Name::of(2), to<ChildOf>(heir));
        expect(children.empty() and children.count() == 0_ul and not children.first());
        expect(dynamic.empty() and not dynamic.contains(child) and not children.contains(child));
        expect(not w.has<ChildOf>(child, dead) and w.has<ChildOf>(child, heir));
        expect(w.source_count<ChildOf>(dead) == 0_ul and w.source_count<ChildOf>(heir) == 1_ul);
        w.each_source<ChildOf>(dead, [](entity) { expect(false); });
        expect(w.validate());
    };

    // Ark.jl#606: the second target that died had moved meanwhile.
    "two targets of one family may die in the same call"_test = [] {
        for (const bool swapped : {false, true}) {
            world w;
            const entity a = w.spawn();
            const entity b = w.spawn();
            const entity c = w.spawn();
            std::vector<entity> both;
            for (int i = 0; i != 4; ++i)
                both.push_back(w.spawn(Name::of(i), to<Likes>(a), to<Owes>(b, Owes::of(i))));
            const entity half = w.spawn(Name::of(9), to<Likes>(a), to<Owes>(c, Owes::of(9)));
            const std::array<entity, 2> dying{swapped ? b : a, swapped ? a : b};
            w.despawn_batch(dying);
            expect(w.validate());
            for (int i = 0; i != 4; ++i) {
                const entity e = both[static_cast<std::size_t>(i)];
                expect(not w.has<Likes>(e) and not w.has<Owes>(e) and w.get<Name>(e).number() == i);
            }
            expect(not w.has<Likes>(half) and w.target<Owes>(half) == c);
            expect(w.get<Owes>(half).number() == 9_i and w.query<Name>().count() == 5_ul);
        }
    };

    // jecs#327: what a cascade created was not seen by the loop that carried it out.
    "entities that a cascade moves to new archetypes lose all their dying targets"_test = [] {
        world w;
        const entity root = w.spawn();
        std::vector<entity> tree{root};
        std::vector<entity> fans;
        for (std::size_t i = 0; i != 40; ++i) tree.push_back(w.spawn(to<ChildOf>(tree[i / 2])));
        for (std::size_t i = 0; i != 40; ++i) {
            const int n = static_cast<int>(i);
            fans.push_back(w.spawn(Name::of(n), to<Likes>(tree[i]), to<Owes>(tree[40 - i], Owes::of(n))));
            if (i % 2 == 0) w.add(fans.back(), Position::of(n)); // its archetype without targets is new
            if (i % 5 == 0) w.relate<ChildOf>(fans.back(), tree[i]);
        }
        w.despawn(root);
        expect(w.validate());
        for (const entity e : tree) expect(not w.alive(e));
        for (std::size_t i = 0; i != fans.size(); ++i) {
            expect(w.alive(fans[i]) == (i % 5 != 0)) << i;
            if (!w.alive(fans[i])) continue;
            expect(not w.has<Likes>(fans[i]) and not w.has<Owes>(fans[i])) << i;
            expect(w.get<Name>(fans[i]).number() == static_cast<int>(i)) << i;
        }
        expect(w.size() == 32_ul);
    };

    // jecs#339, #340, #325: archetypes that were destroyed stayed in edges, in records and in caches.
    "archetypes that come and go leave nothing behind"_test = [] {
        watched_memory memory;
        world w{&memory};
        const auto liking = w.query<const Name>().of<Likes>(pecs::any);
        std::size_t steady = 0;
        for (int round = 0; round != 300; ++round) {
            const entity a = w.spawn();
            const entity b = w.spawn();
            const entity e = w.spawn(Name::of(round), to<Likes>(a));
            w.relate<Owes>(e, b, Owes::of(round));
            w.add(e, Position::of(round));
            w.unrelate<Likes>(e);
            w.relate<ChildOf>(e, a);
            w.remove<Name>(e);
            expect(liking.empty());
            w.despawn(a);
            w.despawn(b);
            w.shrink();
            if (round == 10) steady = memory.bytes();
            if (round > 10) expect(memory.bytes() == steady) << round;
            if (round % 50 == 0) expect(w.validate() and w.stats().archetypes.size() == 1_ul) << round;
        }
    };

    // HypEcs#11: a loop went forward over rows that moved up to fill the gaps behind it.
    "every source of a dead target is dealt with, however many there are"_test = [] {
        for (const int count : {1, 2, 3, 7, 8, 9, 63, 64, 65, 1000}) {
            world w;
            const entity liked = w.spawn();
            const entity parent = w.spawn();
            for (int i = 0; i != count; ++i) {
                (void)w.spawn(Name::of(i), to<Likes>(liked));
                (void)w.spawn(Position::of(i), to<ChildOf>(parent));
            }
            w.despawn(liked);
            expect(w.validate() and w.query<>().of<Likes>(pecs::any).empty()) << count;
            expect(w.query<Name>().count() == static_cast<std::size_t>(count)) << count;
            w.despawn(parent);
            expect(w.validate() and w.query<Position>().empty()) << count;
            const entity again = w.spawn();
            w.relate_batch<Likes>(w.query<Name>(), again);
            w.unrelate_batch<Likes>(w.query<Name>().of<Likes>(again));
            expect(w.query<>().of<Likes>(again).empty() and w.validate()) << count;
            w.despawn_batch(w.query<Name>());
            expect(w.size() == 1_ul and w.validate()) << count;
        }
    };

    // HypEcs#10: what was remembered for a target was never forgotten.
    "asking for ever new targets does not take memory"_test = [] {
        watched_memory memory;
        world w{&memory};
        std::size_t steady = 0;
        std::size_t found = 0;
        for (int round = 0; round != 20'000; ++round) {
            const entity target = w.spawn();
            (void)w.spawn(Position::of(round), to<Likes>(target));
            found += w.query<const Position>().of<Likes>(target).count();
            w.despawn_batch(w.query<>().of<Likes>(target));
            w.despawn(target);
            if (round == 100) steady = memory.bytes();
        }
        expect(found == 20'000_ul and memory.bytes() == steady) << memory.bytes() << steady;
        expect(w.validate());
    };

    // flecs#2128: archetypes were given back that a cached query still knew.
    "queries that were made before a shrink work after it"_test = [] {
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const auto names = w.query<const Name>();
        const auto of_a = w.query<const Name>().of<Likes>(a);
        const auto of_both = w.query<const Name>().of<Owes>(b).of<Likes>(a);
        const auto none = w.query<const Name>().of<Likes>(pecs::none);
        auto dynamic = w.by_id().query();
        dynamic.of(pecs::id_of<Likes>(), a);
        const auto counts = [&] {
            return std::array{names.count(), of_a.count(), of_both.count(), none.count(), dynamic.count()};
        };
        for (int round = 0; round != 5; ++round) {
            (void)w.spawn(Name::of(1), to<Likes>(a));
            const entity two = w.spawn(Name::of(2), to<Likes>(a), to<Owes>(b));
            (void)w.spawn(Name::of(3));
            expect(counts() == std::array<std::size_t, 5>{3, 2, 1, 1, 2}) << round;
            w.shrink();
            expect(counts() == std::array<std::size_t, 5>{3, 2, 1, 1, 2}) << round;
            w.despawn(two);
            w.shrink();
            expect(counts() == std::array<std::size_t, 5>{2, 1, 0, 1, 1}) << round;
            w.despawn_batch(w.query<Name>());
            w.shrink();
            expect(counts() == std::array<std::size_t, 5>{} and w.validate()) << round;
        }
    };

    // flecs#800: setting a parent that is below the child did not end.
    "a parent that descends from the child is refused"_test = [] {
        world w;
        std::vector<entity> line{w.spawn()};
        for (std::size_t i = 0; i != 1000; ++i) line.push_back(w.spawn(to<ChildOf>(line[i])));
        for (const std::size_t below : {0UL, 1UL, 2UL, 500UL, 1000UL}) {
            const auto error =
                support::caught<pecs::relation_cycle>([&] { w.relate<ChildOf>(line[0], line[below]); });
            expect(error.which() == line[0] and not w.has<ChildOf>(line[0]) and w.validate()) << below;
        }
        w.relate<ChildOf>(line[500], line[0]);
        expect(throws<pecs::relation_cycle>([&] { w.relate<ChildOf>(line[499], line[499]); }));
        w.relate<ChildOf>(line[499], line[1000]);
        expect(w.target<ChildOf>(line[499]) == line[1000] and w.validate());
    };
}
