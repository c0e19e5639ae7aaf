// The memory of relations: what a target costs beyond its rows, and how many rows families have beyond those that
// they use.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "bench.hpp"

#include "../family_tree.hpp"

import pecs;

namespace {

using bench::ChildOf;
using bench::Value;

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

// Rows from the first that is used to the last, for each that is used. So it counts the room that families have, and
// what lies free between them; not the end of the columns, which grow by powers of two with relations or without.
double rows_per_child(pecs::world& world) {
    const pecs::entity* first = nullptr;
    const pecs::entity* last = nullptr;
    std::size_t used = 0;
    for (auto [entities, values] : world.query<const Value>().columns()) {
        if (first == nullptr) first = entities.data();
        last = entities.data() + entities.size();
        used += entities.size();
    }
    return static_cast<double>(last - first) / static_cast<double>(used);
}

void slack(bench::context& context, const std::string& order) {
    const std::initializer_list<std::size_t> fanouts{1,  2,  3,   5,   7,   10,  20,  30,
                                                     50, 70, 100, 200, 300, 500, 700, 1'000};
    double total = 0;
    double total_compacted = 0;
    for (const std::size_t fanout : fanouts) {
        const std::size_t n = std::max<std::size_t>(20'000 / fanout, 20) * fanout;
        bench::family_tree tree = bench::plant(bench::births(n, order), fanout, bench::spawn_related);
        const double ratio = rows_per_child(tree.world);
        context.value("rows per child", {.n = n, .fanout = fanout, .order = order, .ratio = ratio});
        tree.world.compact();
        total += ratio;
        total_compacted += rows_per_child(tree.world);
    }
    const auto count = static_cast<double>(fanouts.size());
    context.value("rows per child, average", {.order = order, .ratio = total / count, .limit = 1.5});
    context.value("rows per child, compacted",
                  {.order = order, .ratio = total_compacted / count, .limit = 1});
}

void relation_memory(bench::context& context) {
    targets(context);
    slack(context, "parent");
    slack(context, "shuffled");
}

const bench::scenario registered{"relation_memory", "what targets and families take", relation_memory};

} // namespace
