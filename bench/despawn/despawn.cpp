// The end of all entities: one by one, as a list, and at once.
#include <cstddef>
#include <cstdint>
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
struct hand_written {
    bench::plain::table table;
    std::vector<bench::plain::handle> handles;
};
struct with_world {
    pecs::world world;
    std::vector<pecs::entity> entities;
};

void despawn(bench::context& context) {
    for (const std::size_t n : context.sizes({100'000, 1'000'000})) {
        const auto make_table = [n] {
            hand_written made;
            for (std::size_t i = 0; i != n; ++i)
                made.handles.push_back(made.table.insert({1, 2, 3}, {4, 5, 6}));
            made.table.free.reserve(n);
            return made;
        };
        const auto make_world = [n] {
            with_world made;
            const auto all = made.world.spawn_batch(n, Position{1, 2, 3}, Velocity{4, 5, 6});
            made.entities.assign(all.begin(), all.end());
            return made;
        };

        auto one_by_one = context.group({.n = n});
        one_by_one.floor("swap-remove", make_table, [](hand_written& state) {
            for (const auto handle : state.handles) state.table.erase(handle);
            return state.table.handles.size();
        });
        one_by_one.variant("despawn", {bench::at_most(3)}, make_world, [](with_world& state) {
            for (const pecs::entity e : state.entities) state.world.despawn(e);
            return state.world.size();
        });
        one_by_one.variant("despawn_batch, list", make_world, [](with_world& state) {
            state.world.despawn_batch(state.entities);
            return state.world.size();
        });
        one_by_one.measure();

        auto at_once = context.group({.n = n});
        struct wide_record {
            std::uint32_t archetype, row, family, generation;
        };
        const auto make_records = [n] { return std::vector<wide_record>(n, wide_record{1, 2, 3, 4}); };
        at_once.floor("renew records", make_records, [](std::vector<wide_record>& records) {
            std::uint32_t next = 0;
            for (wide_record& record : records) record = {~0U, ++next, 0, record.generation + 1};
            bench::keep(records);
            return std::size_t{0};
        });
        at_once.variant("clear", {bench::at_most(3)}, make_world, [](with_world& state) {
            state.world.clear();
            return state.world.size();
        });
        at_once.variant("despawn_batch, query", make_world, [](with_world& state) {
            state.world.despawn_batch(state.world.query<Position>());
            return state.world.size();
        });
        at_once.measure();
    }
}

const bench::scenario registered{"despawn", "the end of all entities", despawn};

} // namespace
