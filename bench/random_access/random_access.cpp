// The value of a component by handle, in random order: index -> record (generation checked) -> array.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench.hpp"
#include "input.hpp"
#include "plain.hpp"

import pecs;

namespace {

struct Position {
    float x, y, z;
};
struct Velocity {
    float x, y, z;
};

void random_access(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000, 1'000'000})) {
        bench::plain::table table;
        pecs::world world;
        std::vector<bench::plain::handle> handles;
        std::vector<pecs::entity> entities;
        for (std::size_t i = 0; i != n; ++i) {
            const auto x = static_cast<float>(i % 256);
            handles.push_back(table.insert({x, 0, 0}, {}));
            entities.push_back(world.spawn(Position{x, 0, 0}, Velocity{}));
        }
        bench::shuffle(handles);
        bench::shuffle(entities);

        auto group = context.group({.n = n});
        group.floor("hand-written", [&] {
            double sum = 0;
            for (const auto [index, generation] : handles) {
                if (index >= table.records.size() || table.records[index].generation != generation) continue;
                sum += static_cast<double>(table.positions[table.records[index].row].x);
            }
            return sum;
        });
        group.variant("get", {bench::known_miss(bench::at_most(1.3), 2.8)}, [&] {
            double sum = 0;
            for (const pecs::entity e : entities) sum += static_cast<double>(world.get<Position>(e).x);
            return sum;
        });
        group.variant("accessor", {bench::known_miss(bench::at_most(1.15), 1.8)}, [&] {
            double sum = 0;
            const auto position = world.access<const Position>();
            for (const pecs::entity e : entities) sum += static_cast<double>(position[e].x);
            return sum;
        });
        group.measure();
    }
}

const bench::scenario registered{"random_access", "one component of shuffled entities", random_access};

} // namespace
