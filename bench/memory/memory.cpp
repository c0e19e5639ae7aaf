// The memory of a world: bytes per entity, and per target of a relation, against what programs without relations keep.
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "bench.hpp"

#include "../representations.hpp"

import pecs;

namespace {

using bench::ChildOf;
using bench::Value;

struct Position {
    float x, y, z;
};
struct Velocity {
    float x, y, z;
};

void entities(bench::context& context) {
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

class counting_resource final : public std::pmr::memory_resource {
public:
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        bytes_ += bytes;
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        bytes_ -= bytes;
        std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::size_t bytes_ = 0;
};

struct Near {
    static constexpr pecs::relation_rules rules{};
};

// Everything but the rows, by the world's own account and by that of its memory.
struct overhead {
    double stats;
    double allocated;
};

overhead overhead_of(const pecs::world& world, const counting_resource& memory) {
    const pecs::world_stats stats = world.stats();
    double rows = 0;
    for (const pecs::archetype_stats& one : stats.archetypes) {
        if (one.entities == 0) continue;
        const std::size_t row_bytes = one.bytes_used / one.entities;
        rows += static_cast<double>(one.rows_reserved * row_bytes);
    }
    return {static_cast<double>(stats.bytes_reserved) - rows, static_cast<double>(memory.bytes()) - rows};
}

// A world with as many children as there could be parents, who share one or have one each; as it grew and compacted.
std::pair<overhead, overhead> overheads(std::size_t n, bool shared) {
    counting_resource memory;
    pecs::world world{&memory};
    const auto all = world.spawn_batch(n);
    const std::vector<pecs::entity> parents(all.begin(), all.end());
    for (const pecs::entity parent : parents)
        world.spawn(Value{}, pecs::to<ChildOf>(shared ? parents[0] : parent));
    const overhead grown = overhead_of(world, memory);
    world.compact();
    return {grown, overhead_of(world, memory)};
}

void targets(bench::context& context) {
    constexpr std::size_t just_grown = 7 * 16'384 + 1; // the table of targets has doubled for the last one
    for (const std::size_t n : {std::size_t{1'000}, std::size_t{100'000}, just_grown}) {
        const auto [one, one_compacted] = overheads(n, true);
        const auto [each, each_compacted] = overheads(n, false);
        const auto show = [&](const char* name, double many, double few) {
            context.value(name, {.n = n, .bytes = (many - few) / static_cast<double>(n - 1), .limit = 64});
        };
        show("a target, stats", each.stats, one.stats);
        show("a target, allocated", each.allocated, one.allocated);
        show("a target, compacted, stats", each_compacted.stats, one_compacted.stats);
        show("a target, compacted, allocated", each_compacted.allocated, one_compacted.allocated);
    }
}

// With two relations, a family is found by both targets and by each: one more target of one of them.
void pairs(bench::context& context) {
    constexpr std::size_t n = 100'000;
    const auto bytes = [](bool shared) {
        counting_resource memory;
        pecs::world world{&memory};
        const auto all = world.spawn_batch(n);
        const std::vector<pecs::entity> parents(all.begin(), all.end());
        for (const pecs::entity parent : parents)
            world.spawn(Value{}, pecs::to<ChildOf>(shared ? parents[0] : parent), pecs::to<Near>(parents[0]));
        world.compact();
        return overhead_of(world, memory).allocated;
    };
    context.value("a target beside another, compacted, allocated",
                  {.n = n, .bytes = (bytes(false) - bytes(true)) / static_cast<double>(n - 1)});
}

// What a target takes beyond the entities themselves, by representation. All worlds are made as small as they get;
// that of relations is also taken as it grew, with the rows that its families have to spare.
void representations(bench::context& context) {
    constexpr std::size_t n = 100'000;
    const std::vector<std::uint32_t> births = bench::births(n, "parent");
    const auto smallest = [](bench::family_tree& tree) {
        tree.world.compact();
        tree.world.shrink();
        return static_cast<double>(tree.world.stats().bytes_reserved);
    };
    const auto rowless = [](const bench::family_tree& tree) {
        double rows = 0;
        const pecs::world_stats stats = tree.world.stats();
        for (const pecs::archetype_stats& one : stats.archetypes)
            if (one.entities != 0)
                rows += static_cast<double>(one.rows_reserved * (one.bytes_used / one.entities));
        return static_cast<double>(stats.bytes_reserved) - rows;
    };
    const auto spawn_plain = [](pecs::world& world, std::uint32_t child, pecs::entity) {
        return world.spawn(Value{bench::value_of(child)});
    };
    for (const std::size_t fanout : {1U, 4U, 10U, 100U, 1'000U, 10'000U}) {
        const std::size_t parents = n / fanout;
        const auto show = [&](const char* variant, double bytes) {
            context.value(
                variant,
                {.n = n, .fanout = fanout, .order = "parent", .bytes = bytes / static_cast<double>(parents)});
        };
        bench::family_tree plain = bench::plant(births, fanout, spawn_plain, bench::Sum{});
        const double plain_rowless = rowless(plain);
        const double plain_bytes = smallest(plain);

        bench::family_tree linked = bench::linked_tree(births, fanout);
        show("parent_list", smallest(linked) - plain_bytes);

        bench::family_tree listed = bench::listed_tree(births, fanout);
        double lists = 0;
        for (const pecs::entity parent : listed.parents)
            lists += static_cast<double>(listed.world.get<bench::Children>(parent).list.capacity() *
                                         sizeof(pecs::entity));
        show("parent_slice", smallest(listed) + lists - plain_bytes);

        bench::family_tree pointing = bench::pointing_tree(births, fanout);
        show("child", smallest(pointing) - plain_bytes);

        bench::family_tree related = bench::related_tree(births, fanout);
        const double spare = (bench::rows_per_child(related.world) - 1) * static_cast<double>(n);
        show("families, as grown",
             rowless(related) - plain_rowless + spare * (sizeof(Value) + sizeof(pecs::entity)));
        show("families", smallest(related) - plain_bytes);
    }
}

// What an archetype takes beyond its entities: as many entities in an archetype each, and in one together.
void archetypes(bench::context& context) {
    constexpr std::size_t n = 1000;
    std::vector<pecs::component_id> bits;
    for (int i = 0; i != 10; ++i)
        bits.push_back(pecs::register_component({.name = "bit of memory " + std::to_string(i)}));
    const auto bytes = [&](bool scattered) {
        pecs::world world;
        for (std::size_t set = 0; set != n; ++set) {
            std::vector<pecs::component_id> chosen;
            for (std::size_t bit = 0; bit != bits.size(); ++bit)
                if (((scattered ? set : n) >> bit & 1U) != 0) chosen.push_back(bits[bit]);
            world.by_id().spawn(chosen);
        }
        world.shrink();
        return static_cast<double>(world.stats().bytes_reserved);
    };
    context.value("an archetype",
                  {.n = n, .bytes = (bytes(true) - bytes(false)) / static_cast<double>(n - 1)});
}

void memory(bench::context& context) {
    entities(context);
    archetypes(context);
    targets(context);
    pairs(context);
    representations(context);
}

const bench::scenario registered{"memory", "bytes per entity and per target", memory};

} // namespace
