// The ways to go through a query, and what is promised about them: the same rows, the same order, a locked structure.
#include <boost/ut.hpp>

#include "../support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;

struct Position {
    float x, y;
};
struct Velocity {
    float dx, dy;
};
struct Depth {
    int value;
};
struct Frozen {};

void fill(world& w) {
    for (int i = 0; i != 7; ++i) w.spawn(Position{static_cast<float>(i), 0}, Velocity{1, 2});
    for (int i = 7; i != 10; ++i) w.spawn(Position{static_cast<float>(i), 0}, Velocity{1, 2}, Depth{-i});
    for (int i = 10; i != 14; ++i) w.spawn(Position{static_cast<float>(i), 0}, Frozen{});
}

std::vector<float> xs(world& w) {
    std::vector<float> all;
    w.query<const Position>().each([&](const Position& p) { all.push_back(p.x); });
    return all;
}
} // namespace

int main() {
    using namespace boost::ut;

    "a loop over one world inside of a loop over another locks both"_test = [] {
        world a;
        world b;
        fill(a);
        fill(b);
        const auto locked = [](world& w) {
            try {
                (void)w.spawn(Frozen{});
                return false;
            } catch (const pecs::world_locked&) {
                return true;
            }
        };
        int seen = 0;
        for (auto [p] : a.query<Position>()) {
            expect(locked(a) and not locked(b));
            b.query<const Position>().each([&](const Position&) {
                expect(locked(a) and locked(b));
                for (auto [q] : a.query<Position>()) { // hides b, which hides a
                    expect(locked(a) and locked(b));
                    seen += q.x >= 0 ? 1 : 0;
                    break;
                }
                expect(locked(a) and locked(b));
            });
            expect(locked(a) and not locked(b));
            p.x += 1;
            if (++seen > 40) break;
        }
        expect(not locked(a) and not locked(b) and seen > 40_i);
    };

    "loops over different worlds nest 64 deep, and are told beyond that"_test = [] {
        std::vector<world> worlds(80);
        for (world& w : worlds) fill(w);
        const auto nest = [&](const auto& self, std::size_t depth) -> void {
            if (depth == worlds.size()) return;
            worlds[depth].query<const Position>().each([&](const Position&) { self(self, depth + 1); });
        };
        const auto error = support::caught<pecs::capacity_exceeded>([&] { nest(nest, 0); });
        expect(support::mentions(error, "loops"));
        for (world& w : worlds) expect(w.alive(w.spawn(Frozen{}))) << "nothing stays locked";
    };

    "a loop by hand keeps its end, and is told if it does not"_test = [] {
        world w;
        (void)w.spawn_batch(3, Position{1, 0});
        (void)w.spawn_batch(2, Position{1, 0}, Frozen{});
        const auto query = w.query<const Position>();
        int rows = 0;
        auto end = query.end();
        for (auto it = query.begin(); it != end; ++it) rows += static_cast<int>((*it).a.x);
        expect(rows == 5_i);
        const auto error = support::caught<pecs::error>([&] {
            for (auto it = query.begin(); it != query.end(); ++it) ++rows;
        });
        expect(support::mentions(error, "another end") and rows == 8_i);
    };

    "each, range-for and columns see the same rows in the same order"_test = [] {
        world w;
        fill(w);
        std::vector<std::uint64_t> a;
        std::vector<std::uint64_t> b;
        std::vector<std::uint64_t> c;
        w.query<Position, const Velocity>().each(
            [&](entity e, Position&, const Velocity&) { a.push_back(e.bits()); });
        for (auto [e, p, v] : w.query<entity, Position, const Velocity>()) b.push_back(e.bits());
        for (auto [entities, positions, velocities] : w.query<Position, const Velocity>().columns()) {
            expect(entities.size() == positions.size() and positions.size() == velocities.size());
            for (const entity e : entities) c.push_back(e.bits());
        }
        expect(a.size() == 10_ul and a == b and b == c);
    };

    "range-for writes through its references"_test = [] {
        world w;
        fill(w);
        for (auto [p, v] : w.query<Position, const Velocity>()) p.y += v.dy;
        float sum = 0;
        for (auto [p] : w.query<const Position>()) sum += p.y;
        expect(sum == 20.0_f);
    };

    "columns are writable spans, and the first one of an archetype begins on a cache line"_test = [] {
        world w;
        fill(w);
        for (auto [entities, positions] : w.query<Position>().columns()) {
            expect(reinterpret_cast<std::uintptr_t>(positions.data()) % 64 == 0_ul);
            for (Position& p : positions) p.x = 1;
        }
        for (const float x : xs(w)) expect(x == 1.0_f);
        std::size_t absent = 0;
        for (auto [entities, depth] : w.query<pecs::optional<const Depth>>().columns())
            absent += depth.empty() ? 1U : 0U;
        expect(absent == 2_ul);
    };

    "the promise to touch only arguments changes nothing but speed"_test = [] {
        world w;
        fill(w);
        w.query<Position, const Velocity>().each(pecs::independent,
                                                 [](Position& p, const Velocity& v) { p.y += v.dy; });
        w.query<Position, pecs::optional<Depth>>().each(pecs::independent, [](Position& p, Depth* d) {
            if (d != nullptr) p.y += 100;
        });
        float sum = 0;
        for (auto [p] : w.query<const Position>()) sum += p.y;
        expect(sum == 320.0_f);
    };

    "a callback may read other rows of a column that it writes"_test = [] {
        world w;
        for (int i = 0; i != 9; ++i) w.spawn(Position{static_cast<float>(i), 0});
        // A running sum: each row needs the one before, as it was just written.
        const Position* before = nullptr;
        w.query<Position>().each([&](Position& p) {
            if (before != nullptr) p.x += before->x;
            before = &p;
        });
        expect(xs(w).back() == 36.0_f);
    };

    "each_sorted goes by a key, and equal keys keep their order"_test = [] {
        world w;
        for (int i = 0; i != 12; ++i) w.spawn(Position{static_cast<float>(i), 0}, Depth{i % 3});
        std::vector<float> order;
        w.query<const Position, const Depth>().each_sorted(
            [](const Position&, const Depth& d) { return -d.value; },
            [&](const Position& p, const Depth&) { order.push_back(p.x); });
        expect(order == std::vector<float>{2, 5, 8, 11, 1, 4, 7, 10, 0, 3, 6, 9});
        order.clear();
        w.query<const Position>().each_sorted([](entity e, const Position&) { return ~e.index(); },
                                              [&](entity, const Position& p) { order.push_back(p.x); });
        expect(order.front() == 11.0_f and order.back() == 0.0_f);
    };

    "count, empty, first and contains"_test = [] {
        world w;
        expect(w.query<Position>().empty());
        fill(w);
        const auto q = w.query<const Position, Frozen>();
        expect(q.count() == 4_ul and not q.empty());
        const entity e = q.first();
        expect(w.has<Frozen>(e) and w.get<Position>(e).x == 10.0_f);
        expect(q.contains(e));
        expect(not q.contains(w.query<Depth>().first()) and not q.contains(pecs::null));
        w.despawn(e);
        expect(not q.contains(e) and q.count() == 3_ul);
    };

    "get gives the row of one entity, if it matches"_test = [] {
        world w;
        const entity a = w.spawn(Position{1, 2}, Velocity{3, 4});
        const entity b = w.spawn(Position{5, 6});
        const auto q = w.query<Position, const Velocity>();
        auto [p, v] = q.get(a);
        p.x = v.dx;
        expect(w.get<Position>(a).x == 3.0_f);
        expect(throws<pecs::no_match>([&] { (void)q.get(b); }));
        w.despawn(a);
        expect(throws<pecs::dead_entity>([&] { (void)q.get(a); }));
    };

    "single wants exactly one"_test = [] {
        world w;
        const auto q = w.query<Position>();
        expect(throws<pecs::not_single>([&] { (void)q.single(); }));
        w.spawn(Position{1, 2});
        auto [p] = q.single();
        expect(p.y == 2.0_f);
        w.spawn(Position{}, Frozen{});
        std::string message;
        try {
            (void)q.single();
        } catch (const pecs::not_single& e) {
            message = e.what();
            expect(e.found() == 2_ul);
        }
        expect(message.find("found 2") != std::string::npos) << message;
    };

    "structure cannot change during a loop, and can after it, however it ended"_test = [] {
        world w;
        fill(w);
        const std::size_t before = w.size();
        w.query<Position>().each([&](Position&) {
            expect(throws<pecs::world_locked>([&] { w.spawn(Position{}); }));
            expect(throws<pecs::world_locked>([&] { w.clear(); }));
        });
        for (auto [e, p] : w.query<entity, Position>()) {
            expect(throws<pecs::world_locked>([&] { w.despawn(e); }));
            expect(throws<pecs::world_locked>([&] { w.add(e, Depth{}); }));
            break;
        }
        for (auto [entities] : w.query<Frozen>().columns())
            expect(throws<pecs::world_locked>([&] { w.remove<Frozen>(entities[0]); }));
        expect(throws<std::runtime_error>(
            [&] { w.query<Position>().each([](Position&) { throw std::runtime_error{"stop"}; }); }));
        try {
            for (auto [p] : w.query<Position>())
                if (p.x >= 0) throw std::runtime_error{"stop"};
        } catch (const std::runtime_error&) {
        }
        expect(w.size() == before and w.validate());
        w.spawn(Position{});
        expect(w.size() == before + 1);
    };

    "values may be set and other worlds changed during a loop"_test = [] {
        world w;
        world other;
        fill(w);
        w.query<const Position>().each([&](entity e, const Position& p) {
            w.set(e, Position{p.x, 5});
            other.spawn(p);
        });
        expect(other.size() == 14_ul and w.get<Position>(w.query<Position>().first()).y == 5.0_f);
    };

    "loops nest"_test = [] {
        world w;
        fill(w);
        std::size_t pairs = 0;
        for (auto [a] : w.query<const Position>())
            for (auto [b] : w.query<const Position>()) pairs += a.x < b.x ? 1U : 0U;
        expect(pairs == 91_ul);
        w.query<const Position>().each([&](const Position&) {
            for (auto [d] : w.query<const Depth>()) (void)d;
            expect(throws<pecs::world_locked>([&] { w.spawn(); })); // the outer loop still runs
        });
        w.spawn();
    };
}
