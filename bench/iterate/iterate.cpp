// position += velocity, all entities in one archetype: every way of iterating against a loop over two arrays, and
// against the same memory as flat floats, which is as fast as it gets.
#include <cstddef>
#include <span>
#include <vector>

#include "bench.hpp"

import pecs;

namespace {

struct Position {
    float x, y, z;
};
struct Velocity {
    float x, y, z;
};

void move(Position& p, const Velocity& v) {
    p.x += v.x;
    p.y += v.y;
    p.z += v.z;
}

void move_all(std::span<Position> positions, std::span<const Velocity> velocities) {
    for (std::size_t i = 0; i != positions.size(); ++i) move(positions[i], velocities[i]);
}

void iterate(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000, 1'000'000})) {
        const Position start{1, 2, 3};
        const Velocity step{0.5F, 0.25F, 0.125F};
        std::vector<Position> positions(n, start);
        const std::vector<Velocity> velocities(n, step);
        std::vector<float> flat_positions(3 * n, start.x);
        std::vector<float> flat_velocities(3 * n, step.x);
        pecs::world world;
        world.spawn_batch(n, start, step);
        const auto query = world.query<Position, const Velocity>();

        // Variants share the world: each is a group of its own, so that first runs start from the same values.
        const auto compare = [&](const char* name, std::vector<bench::limit> limits, auto run) {
            positions.assign(n, start);
            query.each([&](Position& p, const Velocity&) { p = start; });
            flat_positions.assign(3 * n, start.x);
            auto versus = context.group({.n = n, .drift = true});
            versus.floor("hand-written", [&] {
                move_all(positions, velocities);
                return positions[n / 2].x;
            });
            versus.variant("flat floats", [&] {
                for (std::size_t i = 0; i != 3 * n; ++i) flat_positions[i] += flat_velocities[i];
                return flat_positions[n / 2];
            });
            const pecs::entity middle = world.query<pecs::entity, Position>().first();
            versus.variant(name, std::move(limits), [&, middle] {
                run();
                return world.get<Position>(middle).x;
            });
            versus.measure();
        };
        compare("each", {bench::at_most(1.05), bench::at_most(1.3, "flat floats")},
                [&] { query.each(move); });
        compare("each, independent", {bench::at_most(1.05)}, [&] { query.each(pecs::independent, move); });
        compare("columns", {bench::at_most(1.05)}, [&] {
            for (auto [entities, p, v] : query.columns()) move_all(p, v);
        });
        compare("range-for", {bench::at_most(1.2)}, [&] {
            for (auto [p, v] : query) move(p, v);
        });
    }
}

const bench::scenario registered{"iterate", "position += velocity over one archetype", iterate};

} // namespace
