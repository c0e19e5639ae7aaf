// Bytes per entity after shrink(): what a world holds against what its entities need.
#include <cstddef>

#include "bench.hpp"

import pecs;

namespace {

struct Position {
    float x, y, z;
};
struct Velocity {
    float x, y, z;
};

void memory(bench::context& context) {
    for (const std::size_t n : context.sizes({100'000, 1'000'000})) {
        pecs::world world;
        for (std::size_t i = 0; i != n; ++i) world.spawn(Position{}, Velocity{});
        const auto per_entity = [&] {
            return static_cast<double>(world.stats().bytes_reserved) / static_cast<double>(n);
        };
        constexpr double needed =
            sizeof(Position) + sizeof(Velocity) + sizeof(pecs::entity) + 16; // and its record
        context.value("grown", {.n = n, .bytes = per_entity(), .ratio = per_entity() / needed});
        world.shrink();
        context.value("after shrink",
                      {.n = n, .bytes = per_entity(), .ratio = per_entity() / needed, .limit = 1.1});
    }
}

const bench::scenario registered{"memory", "bytes per entity with 24 bytes of components", memory};

} // namespace
