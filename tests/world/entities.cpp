// Entities come and go: handles, order, and what happens to the others.
#include <boost/ut.hpp>

#include "../support/components.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <type_traits>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
using support::Frozen;
using support::Name;
using support::Owned;
using support::Position;
using support::Tracked;
using support::Velocity;

std::vector<entity> listed(const world& w) {
    std::vector<entity> all;
    w.each_entity([&](entity e) { all.push_back(e); });
    return all;
}

/// Entities with the numbers 0, 1, 2, ... as their values.
std::vector<entity> numbered(world& w, int count) {
    std::vector<entity> all;
    for (int i = 0; i != count; ++i) all.push_back(w.spawn(Position::of(i), Name::of(i), Owned::of(i)));
    return all;
}

bool has_number(const world& w, entity e, int n) {
    return w.get<Position>(e).number() == n && w.get<Name>(e).number() == n && w.get<Owned>(e).number() == n;
}
} // namespace

int main() {
    using namespace boost::ut;

    static_assert(std::is_nothrow_move_constructible_v<world> and std::is_nothrow_move_assignable_v<world>);
    static_assert(not std::is_copy_constructible_v<world> and not std::is_copy_assignable_v<world>);

    "a new world is empty"_test = [] {
        const world w;
        expect(w.empty() and w.size() == 0_ul);
        expect(listed(w).empty());
        expect(not w.alive(pecs::null) and not w.alive(entity{0, 1}));
        expect(w.validate());
    };

    "an entity may have no components at all"_test = [] {
        world w;
        const entity e = w.spawn();
        expect(w.alive(e) and w.size() == 1_ul and not w.empty());
        expect(not w.has<Position>(e) and w.try_get<Position>(e) == nullptr);
        w.despawn(e);
        expect(not w.alive(e) and w.empty());
        expect(w.validate());
    };

    "a spawned entity has the values it was given"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1), Name::of(2), Owned::of(3), Frozen{});
        expect(w.get<Position>(e).number() == 1_i);
        expect(w.get<Name>(e).number() == 2_i);
        expect(w.get<Owned>(e).number() == 3_i);
        expect(w.has<Position, Name, Owned, Frozen>(e) and not w.has<Velocity>(e));
    };

    "the order of the arguments of spawn does not matter"_test = [] {
        world w;
        const entity a = w.spawn(Position::of(1), Name::of(2), Frozen{});
        const entity b = w.spawn(Frozen{}, Name::of(4), Position::of(3));
        expect(w.get<Position>(a).number() == 1_i and w.get<Name>(a).number() == 2_i);
        expect(w.get<Position>(b).number() == 3_i and w.get<Name>(b).number() == 4_i);
        expect(w.stats().archetypes.size() == 2_ul) << "the empty one and theirs";
    };

    "values may come from the world that they go to"_test = [] {
        world w;
        entity last = w.spawn(Name::of(7));
        for (int i = 0; i != 100; ++i) last = w.spawn(w.get<Name>(last));
        expect(w.get<Name>(last).number() == 7_i);
        expect(w.validate());
    };

    "the same steps give the same handles in every world"_test = [] {
        const auto steps = [](world& w) {
            const auto all = numbered(w, 10);
            for (const std::size_t i : {2U, 9U, 5U}) w.despawn(all[i]);
            (void)numbered(w, 5);
            return listed(w);
        };
        world a;
        world b;
        (void)b.spawn_batch(100, Frozen{});
        b = world{};
        expect(std::ranges::equal(steps(a), steps(b)));
    };

    "an index is used again, a handle never"_test = [] {
        world w;
        std::set<std::uint64_t> given;
        std::vector<entity> live;
        for (int round = 0; round != 200; ++round) {
            for (int i = 0; i != 3; ++i) {
                live.push_back(w.spawn(Frozen{}));
                expect(given.insert(live.back().bits()).second);
            }
            for (int i = 0; i != 2; ++i) {
                w.despawn(live.back());
                expect(not w.alive(live.back()));
                live.pop_back();
            }
        }
        for (const entity e : live) expect(w.alive(e));
        expect(given.size() == 600_ul and w.size() == 200_ul and w.validate());
        expect(std::ranges::max(live).index() < 203_u);
    };

    "all entities are listed, in the order of their indices"_test = [] {
        world w;
        auto all = numbered(w, 20);
        all.push_back(w.spawn());
        all.push_back(w.spawn(Frozen{}));
        w.despawn(all[3]);
        w.despawn(all[20]);
        std::erase(all, all[20]);
        std::erase(all, all[3]);
        expect(std::ranges::equal(listed(w), all) and w.size() == all.size());
        expect(std::ranges::is_sorted(all));
    };

    "a despawn leaves the values of all others alone"_test = [] {
        for (const std::size_t victim : {0U, 1U, 10U, 18U, 19U}) { // first, last, between
            world w;
            const auto all = numbered(w, 20);
            w.despawn(all[victim]);
            for (std::size_t i = 0; i != 20; ++i) {
                if (i == victim)
                    expect(not w.alive(all[i]) and w.try_get<Name>(all[i]) == nullptr);
                else
                    expect(has_number(w, all[i], static_cast<int>(i))) << i << "without" << victim;
            }
            expect(w.validate());
        }
    };

    "entities can be despawned in any order down to the last"_test = [] {
        world w;
        auto all = numbered(w, 50);
        for (std::size_t i = 0; !all.empty(); i += 17) {
            const auto at = all.begin() + static_cast<std::ptrdiff_t>(i % all.size());
            w.despawn(*at);
            all.erase(at);
            expect(w.validate() and w.size() == all.size());
            for (const entity e : all) expect(has_number(w, e, static_cast<int>(e.index())));
        }
        expect(w.empty());
    };

    "a despawn ends each component once"_test = [] {
        Tracked::forget();
        world w;
        const entity a = w.spawn(Tracked::of(1));
        const entity b = w.spawn(Tracked::of(2), Frozen{});
        const entity c = w.spawn(Tracked::of(3));
        expect(Tracked::log.alive() == 3_ul);
        w.despawn(a);
        expect(Tracked::log.alive() == 2_ul);
        expect(w.get<Tracked>(b).number() == 2_i and w.get<Tracked>(c).number() == 3_i);
        w.despawn(b);
        w.despawn(c);
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
        expect(Tracked::log.made == 3_ul and Tracked::log.copied == 0_ul)
            << "values move, they are never copied";
    };

    "clear ends every entity and every component"_test = [] {
        Tracked::forget();
        world w;
        std::vector<entity> all = numbered(w, 10);
        for (int i = 0; i != 10; ++i) all.push_back(w.spawn(Tracked::of(i)));
        for (int i = 0; i != 10; ++i) all.push_back(w.spawn(Frozen{}, Tracked::of(i)));
        w.clear();
        expect(w.empty() and listed(w).empty() and w.validate());
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
        for (const entity e : all) expect(not w.alive(e));
        w.clear();
        expect(w.validate()) << "twice is no harm";
    };

    "after clear the smallest index comes first, with a new generation"_test = [] {
        world w;
        const auto before = numbered(w, 3);
        w.clear();
        for (std::uint32_t i = 0; i != 3; ++i) expect(w.spawn(Position::of(1)) == entity{i, 2});
        expect(w.spawn() == entity{3, 1});
        expect(not w.alive(before[0]) and w.validate());
    };

    "the end of a world is the end of its components"_test = [] {
        Tracked::forget();
        {
            world w;
            for (int i = 0; i != 10; ++i) (void)w.spawn(Tracked::of(i), Position::of(i));
            for (int i = 0; i != 10; ++i) (void)w.spawn(Tracked::of(i), Name::of(i));
            expect(Tracked::log.alive() == 20_ul);
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "values stay whole while a world grows"_test = [] {
        world w;
        const auto all = numbered(w, 3000);
        for (int i = 0; i != 3000; ++i) expect(has_number(w, all[static_cast<std::size_t>(i)], i));
        expect(w.validate());
    };
}
