// New entities with two components, one by one and in bulk, into an empty world that has to grow.
#include <cstddef>
#include <vector>

#include "bench.hpp"
#include "plain.hpp"

import pecs;

namespace {

struct Position {
    float x, y, z;
};
struct Velocity {
    float x, y, z;
};
struct vectors {
    std::vector<bench::plain::handle> handles;
    std::vector<Position> positions;
    std::vector<Velocity> velocities;
};

void spawn(bench::context& context) {
    for (const std::size_t n : context.sizes({100'000, 1'000'000})) {
        auto group = context.group({.n = n});
        const auto no_vectors = [] { return vectors{}; };
        const auto no_world = [] { return pecs::world{}; };
        group.floor("push into vectors", no_vectors, [n](vectors& v) {
            for (std::size_t i = 0; i != n; ++i) {
                v.handles.push_back({static_cast<std::uint32_t>(i), 1});
                v.positions.push_back({1, 2, 3});
                v.velocities.push_back({4, 5, 6});
            }
            return v.handles.size();
        });
        group.variant("spawn", {bench::at_most(4)}, no_world, [n](pecs::world& world) {
            for (std::size_t i = 0; i != n; ++i) world.spawn(Position{1, 2, 3}, Velocity{4, 5, 6});
            return world.size();
        });
        // The bulk form against the bulk form: sized once, then filled.
        group.variant("fill vectors", no_vectors, [n](vectors& v) {
            v.handles.resize(n);
            for (std::size_t i = 0; i != n; ++i) v.handles[i] = {static_cast<std::uint32_t>(i), 1};
            v.positions.resize(n, {1, 2, 3});
            v.velocities.resize(n, {4, 5, 6});
            return v.handles.size();
        });
        group.variant("spawn_batch", {bench::at_most(1.5)}, no_world, [n](pecs::world& world) {
            world.spawn_batch(n, Position{1, 2, 3}, Velocity{4, 5, 6});
            return world.size();
        });
        group.variant("spawn_batch, initialiser", no_world, [n](pecs::world& world) {
            world.spawn_batch<Position, Velocity>(n, [](Position& p, Velocity& v) {
                p = {1, 2, 3};
                v = {4, 5, 6};
            });
            return world.size();
        });
        group.measure();
    }
}

const bench::scenario registered{"spawn", "new entities with two components", spawn};

} // namespace
