// Resources: one value per type in a world. How long each lives and where, what is thrown, and what queries see of them.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::res;
using support::caught;
using support::faults;
using support::Fragile;
using support::Huge;
using support::mentions;
using support::Name;
using support::Owned;
using support::Position;
using support::Tracked;
using support::Velocity;

struct Clock {
    double step = 0;
    int ticks = 0;
};
struct Score {
    int points = 0;
};
struct Absent {};
struct Empty {};

/// Can neither be copied nor moved.
struct Guarded {
    explicit Guarded(int n) : number{n} {}
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    std::mutex mutex;
    int number;
};

/// Writes down when it ends.
template <int N> struct Ending {
    explicit Ending(std::string& where) : log{&where} {}
    Ending(Ending&& other) noexcept : log{std::exchange(other.log, nullptr)} {}
    Ending& operator=(Ending&&) = delete;
    ~Ending() {
        if (log != nullptr) *log += std::to_string(N) + ' ';
    }
    std::string* log;
};

template <int N> struct Numbered {
    int number = N;
};
template <int... N> bool all_numbered(pecs::world& world, std::integer_sequence<int, N...>) {
    (world.emplace_resource<Numbered<N>>(), ...);
    return ((world.resource<Numbered<N>>().number == N) and ...);
}
} // namespace

int main() {
    using namespace boost::ut;

    "a resource is there from its making to its removal"_test = [] {
        pecs::world world;
        expect(not world.has_resource<Clock>() and world.try_resource<Clock>() == nullptr);
        Clock& made = world.emplace_resource<Clock>(0.5, 3);
        expect(made.step == 0.5_d and &world.resource<Clock>() == &made);
        expect(world.try_resource<Clock>() == &made and world.has_resource<Clock>());
        world.resource<Clock>().ticks = 4;
        expect(world.resource<Clock>().ticks == 4_i);
        world.remove_resource<Clock>();
        expect(not world.has_resource<Clock>() and world.try_resource<Clock>() == nullptr);
    };

    "setting replaces the value, and there is one per type"_test = [] {
        pecs::world world;
        world.set_resource(Clock{1, 1});
        world.set_resource(Score{2});
        expect(world.set_resource(Clock{3, 3}).ticks == 3_i);
        expect(world.resource<Clock>().ticks == 3_i and world.resource<Score>().points == 2_i);
        expect(world.stats().resources == 2_ul);
    };

    "what is missing is named, with the remedy"_test = [] {
        pecs::world world;
        const auto asked = caught<pecs::missing_resource>([&] { (void)world.resource<Absent>(); });
        expect(mentions(asked, "Absent") and mentions(asked, "set_resource") and
               mentions(asked, "try_resource"));
        const auto removed = caught<pecs::missing_resource>([&] { world.remove_resource<Absent>(); });
        expect(mentions(removed, "Absent"));
        const pecs::world& seen = world;
        expect(throws<pecs::missing_resource>([&] { (void)seen.resource<Absent>(); }));
        expect(throws<pecs::error>([&] { (void)seen.resource<const Absent>(); }));
    };

    "a const world gives const values, and so does a const type"_test = [] {
        pecs::world world;
        world.set_resource(Score{7});
        const pecs::world& seen = world;
        static_assert(std::is_same_v<decltype(seen.resource<Score>()), const Score&>);
        static_assert(std::is_same_v<decltype(seen.try_resource<Score>()), const Score*>);
        static_assert(std::is_same_v<decltype(world.resource<const Score>()), const Score&>);
        static_assert(std::is_same_v<decltype(world.try_resource<const Score>()), const Score*>);
        expect(seen.resource<Score>().points == 7_i and seen.has_resource<Score>());
        expect(&world.resource<const Score>() == &world.resource<Score>());
    };

    "types that cannot be copied, cannot move, have no data or want much room"_test = [] {
        pecs::world world;
        expect(world.set_resource(Owned::of(5)).number() == 5_i);
        Guarded& guarded = world.emplace_resource<Guarded>(9);
        expect(guarded.mutex.try_lock());
        guarded.mutex.unlock();
        expect(world.resource<Guarded>().number == 9_i);
        world.emplace_resource<Empty>();
        expect(world.has_resource<Empty>());
        Huge& huge = world.set_resource(Huge::of(3));
        expect(reinterpret_cast<std::uintptr_t>(&huge) % alignof(Huge) == 0_ul and huge.number() == 3_i);
        expect(world.emplace_resource<int>(4) == 4_i and *world.try_resource<int>() == 4_i);
    };

    "an address lasts until the resource is removed or replaced"_test = [] {
        pecs::world world;
        Clock* const clock = &world.set_resource(Clock{1, 2});
        (void)world.spawn_batch(1000, Position{});
        expect(all_numbered(world, std::make_integer_sequence<int, 100>{}));
        world.clear();
        world.shrink();
        world.compact();
        expect(world.try_resource<Clock>() == clock and clock->ticks == 2_i);
        pecs::world moved{std::move(world)};
        expect(moved.try_resource<Clock>() == clock);
        pecs::world assigned;
        assigned.set_resource(Score{1});
        assigned = std::move(moved);
        expect(assigned.try_resource<Clock>() == clock and not assigned.has_resource<Score>());
        expect(assigned.stats().resources == 101_ul);
    };

    "worlds do not share resources"_test = [] {
        pecs::world one;
        pecs::world other;
        one.set_resource(Score{1});
        expect(not other.has_resource<Score>());
        other.set_resource(Score{2});
        expect(one.resource<Score>().points == 1_i and other.resource<Score>().points == 2_i);
    };

    "resources end after the entities, the newest first"_test = [] {
        std::string ended;
        {
            pecs::world world;
            world.emplace_resource<Ending<1>>(ended);
            world.emplace_resource<Ending<2>>(ended);
            world.emplace_resource<Ending<3>>(ended);
            world.emplace_resource<Ending<4>>(ended);
            (void)world.spawn(Ending<0>{ended});
            world.remove_resource<Ending<2>>();
            expect(ended == "2 ");
            world.emplace_resource<Ending<1>>(ended); // is the newest now
            expect(ended == "2 1 ");
        }
        expect(ended == "2 1 0 1 4 3 ") << ended;
    };

    "if a constructor throws, the old value stays"_test = [] {
        Fragile::forget();
        {
            pecs::world world;
            Fragile* const old = &world.emplace_resource<Fragile>(1);
            Fragile::until_throw = 0;
            expect(throws<std::runtime_error>([&] { world.emplace_resource<Fragile>(2); }));
            Fragile::until_throw = -1;
            expect(world.try_resource<Fragile>() == old and old->number() == 1_i);
            expect(world.stats().resources == 1_ul);
            world.remove_resource<Fragile>();
            Fragile::until_throw = 0;
            expect(throws<std::runtime_error>([&] { world.emplace_resource<Fragile>(2); }));
            expect(not world.has_resource<Fragile>());
        }
        expect(Fragile::log.alive() == 0_ul and Fragile::log.wrong == 0_ul);
        Fragile::forget();
    };

    "if there is no memory, nothing changes and nothing leaks"_test = [] {
        support::watched_memory memory;
        Tracked::forget();
        {
            pecs::world world{&memory};
            world.emplace_resource<Score>(1);
            for (std::size_t successes = 0;; ++successes) {
                faults::arm(successes, false);
                bool failed = false;
                try {
                    world.emplace_resource<Tracked>(5);
                    world.emplace_resource<Numbered<1000>>();
                } catch (const std::bad_alloc&) {
                    failed = true;
                }
                faults::disarm();
                if (not failed) break;
                expect(world.resource<Score>().points == 1_i and not world.has_resource<Numbered<1000>>());
            }
            expect(world.resource<Tracked>().number() == 5_i);
            expect(world.stats().bytes_reserved >= world.stats().bytes_used);
        }
        expect(memory.clean() and Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
        Tracked::forget();
    };

    "a new value may be made from the old one"_test = [] {
        pecs::world world;
        world.set_resource(Name::of(1));
        world.emplace_resource<Name>(world.resource<Name>());
        expect(world.resource<Name>().number() == 1_i);
        world.set_resource(world.resource<Name>());
        expect(world.resource<Name>().number() == 1_i);
    };

    "a constructor may use the world"_test = [] {
        struct Level {
            explicit Level(pecs::world& world) : boss{world.spawn(Position::of(1))} {
                world.emplace_resource<Numbered<2000>>();
                world.emplace_resource<Numbered<2001>>();
            }
            entity boss;
        };
        pecs::world world;
        world.emplace_resource<Level>(world);
        expect(world.alive(world.resource<Level>().boss) and world.has_resource<Numbered<2001>>());
        expect(world.stats().resources == 3_ul);
    };

    "a query hands the resource to every row"_test = [] {
        pecs::world world;
        for (int i = 0; i != 10; ++i) (void)world.spawn(Position::of(0), Velocity::of(i));
        for (int i = 0; i != 3; ++i) (void)world.spawn(Position::of(0), Velocity::of(i), Name::of(i));
        world.set_resource(Clock{2, 0});
        world.set_resource(Score{});
        const auto query = world.query<Position, const Velocity, res<const Clock>, res<Score>>();
        static_assert(std::is_same_v<decltype(query.get(entity{}).c), const Clock&>);
        query.each([](Position& p, const Velocity& v, const Clock& clock, Score& score) {
            p.x += v.x * static_cast<float>(clock.step);
            ++score.points;
        });
        expect(world.resource<Score>().points == 13_i and query.count() == 13_ul);
        query.each(pecs::independent,
                   [](entity, Position&, const Velocity&, const Clock&, Score& score) { ++score.points; });
        for (auto [p, v, clock, score] : query) {
            expect(p.x == v.x * 2);
            score.points += clock.ticks + 1;
        }
        expect(world.resource<Score>().points == 39_i);
        std::size_t rows = 0;
        for (auto [entities, positions, velocities, clock, score] : query.columns()) {
            static_assert(std::is_same_v<decltype(clock), const Clock&>);
            static_assert(std::is_same_v<decltype(score), Score&>);
            rows += entities.size();
            expect(&score == &world.resource<Score>() and positions.size() == velocities.size());
        }
        expect(rows == 13_ul);
        expect(query.get(query.first()).d.points == 39_i);
        std::vector<float> order;
        query.each_sorted(
            [](const Position&, const Velocity& v, const Clock&, Score&) { return -v.x; },
            [&](const Position&, const Velocity& v, const Clock&, Score&) { order.push_back(v.x); });
        expect(order.size() == 13_ul and order.front() == 9.0_f);
    };

    "with relations, too"_test = [] {
        pecs::world world;
        world.set_resource(Score{1});
        const entity one = world.spawn(Position::of(1));
        const entity two = world.spawn(Position::of(2));
        (void)world.spawn_batch(3, Velocity::of(1), pecs::to<pecs::child_of>(one));
        (void)world.spawn_batch(4, Velocity::of(2), pecs::to<pecs::child_of>(two));
        int sum = 0;
        const auto count = [&](const Velocity&, const Score& score) { sum += score.points; };
        const auto query = world.query<const Velocity, res<const Score>>();
        query.of<pecs::child_of>(one).each(count);
        expect(sum == 3_i);
        query.parents_first<pecs::child_of>().each(count);
        query.under<pecs::child_of>(two).each(count);
        expect(sum == 14_i);
        query.by<pecs::child_of>().each(two, count);
        expect(sum == 18_i);
        for (auto [parent, entities, velocities, score] : query.families<pecs::child_of>())
            sum += score.points * static_cast<int>(entities.size());
        query.families<pecs::child_of>().each(
            [&](entity, auto entities, auto, const Score&) { sum += static_cast<int>(entities.size()); });
        expect(sum == 32_i);
        world.query<res<Score>, const Velocity, pecs::up<pecs::child_of, const Position>>().each(
            [&](Score& score, const Velocity&, const Position&) { ++score.points; });
        expect(world.resource<Score>().points == 8_i);
    };

    "a missing resource is found out before anything is visited"_test = [] {
        pecs::world world;
        (void)world.spawn(Position{});
        const auto query = world.query<const Position, res<Absent>>();
        int visited = 0;
        const auto visit = [&](auto&&...) { ++visited; };
        expect(throws<pecs::missing_resource>([&] { query.each(visit); }));
        expect(throws<pecs::missing_resource>([&] {
            for (auto row : query) visit(row);
        }));
        expect(throws<pecs::missing_resource>([&] {
            for (auto row : query.columns()) visit(row);
        }));
        expect(throws<pecs::missing_resource>([&] { (void)query.single(); }));
        expect(visited == 0_i and query.count() == 1_ul and query.contains(query.first()));
        (void)world.spawn(Position{}); // nothing is left locked
        world.emplace_resource<Absent>();
        query.each(visit);
        expect(visited == 2_i);
        world.remove_resource<Absent>();
        expect(throws<pecs::missing_resource>([&] { query.each(visit); }));
        // Even if nothing matches: the same program does not fail today and work tomorrow.
        world.clear();
        expect(throws<pecs::missing_resource>([&] { query.each(visit); }));
    };

    "an optional resource may be missing"_test = [] {
        pecs::world world;
        (void)world.spawn(Position{});
        const auto query = world.query<const Position, pecs::optional<res<const Score>>>();
        query.each([](const Position&, const Score* score) { expect(score == nullptr); });
        world.set_resource(Score{3});
        query.each([](const Position&, const Score* score) { expect(score->points == 3_i); });
        for (auto [entities, positions, score] : query.columns()) expect(score->points == 3_i);
    };

    "a query on a const world reads resources"_test = [] {
        pecs::world world;
        (void)world.spawn(Position::of(1));
        world.set_resource(Score{3});
        const pecs::world& seen = world;
        int sum = 0;
        seen.query<const Position, res<const Score>>().each(
            [&](const Position& p, const Score& score) { sum += p.number() + score.points; });
        expect(sum == 4_i);
    };

    "in a loop, resources can be written but neither made nor removed"_test = [] {
        pecs::world world;
        (void)world.spawn(Position{});
        world.set_resource(Score{1});
        world.query<const Position>().each([&](const Position&) {
            world.resource<Score>() = Score{2};
            expect(throws<pecs::world_locked>([&] { world.set_resource(Score{3}); }));
            expect(throws<pecs::world_locked>([&] { world.emplace_resource<Clock>(); }));
            expect(throws<pecs::world_locked>([&] { world.remove_resource<Score>(); }));
        });
        expect(world.resource<Score>().points == 2_i and not world.has_resource<Clock>());
    };

    "a term for a resource asks nothing of entities, not even with exact"_test = [] {
        pecs::world world;
        (void)world.spawn();
        (void)world.spawn(Position{});
        (void)world.spawn(Position{}, Velocity{});
        world.set_resource(Score{});
        expect(world.query<res<Score>>().count() == 3_ul);
        expect(world.query<Position, res<Score>, pecs::exact>().count() == 1_ul);
        world.add_batch(world.query<Position, res<Score>>(), Name{});
        expect(world.query<Name>().count() == 2_ul);
    };

    "many threads read at once"_test = [] {
        pecs::world world;
        (void)world.spawn_batch(100, Position{});
        world.set_resource(Score{2});
        std::vector<int> sums(4);
        std::vector<std::thread> threads;
        for (int& sum : sums)
            threads.emplace_back([&world, &sum] {
                const pecs::world& seen = world;
                for (int i = 0; i != 10; ++i)
                    seen.query<const Position, res<const Score>>().each(
                        [&](const Position&, const Score& score) { sum += score.points; });
                if (seen.has_resource<Clock>()) sum = -1;
            });
        for (std::thread& thread : threads) thread.join();
        for (const int sum : sums) expect(sum == 2000_i);
    };
}
