// Change ticks: what noting changes costs a loop that writes, and what a query for changes saves against a pass over
// everything that asks each value.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench.hpp"
#include "input.hpp"

import pecs;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float dx = 1, dy = 1;
};
struct PreciseVelocity { // the same, noted row by row
    static constexpr pecs::change_tracking tracking = pecs::change_tracking::rows;
    float dx = 1, dy = 1;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Value {
    std::uint32_t amount = 0;
    std::uint32_t version = 0; // what a program without ticks would keep
};
struct PreciseValue {
    static constexpr pecs::change_tracking tracking = pecs::change_tracking::rows;
    std::uint32_t amount = 0;
    std::uint32_t version = 0;
};

template <class Moved> std::uint64_t move_all(pecs::world& world) {
    world.query<const Position, Moved>().each([](const Position& p, Moved& v) {
        v.dx += p.x;
        v.dy += p.y;
    });
    return world.size();
}

void loops(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000})) {
        pecs::world plain;
        pecs::world tracked;
        plain.spawn_batch(n, Position{1, 1}, Velocity{}, PreciseVelocity{});
        tracked.spawn_batch(n, Position{1, 1}, Velocity{}, PreciseVelocity{});
        tracked.track<Velocity, PreciseVelocity>();
        auto group = context.group({.n = n, .drift = true});
        group.floor("write, not tracked", [&] { return move_all<Velocity>(plain); });
        group.variant("write, tracked", {bench::at_most(1.1)}, [&] { return move_all<Velocity>(tracked); });
        group.variant("write, tracked by rows", [&] { return move_all<PreciseVelocity>(tracked); });
        group.measure();
    }
}

/// The sum of what is of the newest version, by a pass over all and by a query for changes.
template <class V> std::uint64_t asked(pecs::world& world) {
    std::uint64_t sum = 0;
    world.query<const V>().each([&](const V& v) { sum += v.version != 0 ? v.amount : 0; });
    return sum;
}
template <class V> std::uint64_t changed(pecs::world& world, pecs::tick since) {
    std::uint64_t sum = 0;
    world.query<const V>().template changed<V>(since).each([&](const V& v) { sum += v.amount; });
    return sum;
}

void families(bench::context& context) {
    constexpr std::size_t children = 10;
    for (const std::size_t n : context.sizes({100'000})) { // children: 10,000 families
        pecs::world world;
        world.track<Value>();
        std::vector<pecs::entity> parents;
        for (std::size_t i = 0; i != n / children; ++i) parents.push_back(world.spawn());
        for (const pecs::entity parent : parents)
            world.spawn_batch(children, Value{7, 0}, pecs::to<ChildOf>(parent));
        const pecs::tick since = world.now();
        for (std::size_t i = 0; i < parents.size(); i += 100) // one in a hundred
            world.query<Value>().of<ChildOf>(parents[i]).each([](Value& v) { v.version = 1; });
        auto group = context.group({.n = n, .fanout = children});
        group.floor("families, ask all", [&] { return asked<Value>(world); });
        group.variant("families, changed", {bench::at_most(1)}, [&] { return changed<Value>(world, since); });
        group.measure();
    }
}

void rows(bench::context& context) {
    for (const std::size_t n : context.sizes({100'000})) {
        pecs::world world;
        world.track<PreciseValue>();
        const auto made = world.spawn_batch(n, PreciseValue{7, 0});
        const std::vector<pecs::entity> all{made.begin(), made.end()};
        const pecs::tick since = world.now();
        for (std::size_t i = 0; i < n; i += 100) world.get<PreciseValue>(all[i]).version = 1;
        auto group = context.group({.n = n});
        group.floor("rows, ask all", [&] { return asked<PreciseValue>(world); });
        group.variant("rows, changed", [&] { return changed<PreciseValue>(world, since); });
        group.measure();
    }
}

const bench::scenario registered{"ticks", "writing with change ticks, and finding what changed",
                                 [](bench::context& context) {
                                     loops(context);
                                     families(context);
                                     rows(context);
                                 }};

} // namespace
