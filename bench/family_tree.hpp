// Parents and their children: what the scenarios of relations share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "input.hpp"

import pecs;

namespace bench {

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Value {
    double value;
};

// Child k is of parent k / fanout. These are the children in the order in which they are made.
[[nodiscard]] inline std::vector<std::uint32_t> births(std::size_t n, std::string_view order) {
    if (order == "shuffled") return shuffled(n);
    std::vector<std::uint32_t> ascending(n);
    std::iota(ascending.begin(), ascending.end(), 0U);
    return ascending;
}
[[nodiscard]] inline double value_of(std::uint32_t child) { return child % 256; }

struct family_tree {
    pecs::world world;
    std::vector<pecs::entity> parents;
    std::vector<pecs::entity> children;
};

// Parents with the given components, then the children, by `spawn_child(world, child, parent)`.
template <typename Spawn, typename... Parts>
[[nodiscard]] family_tree plant(const std::vector<std::uint32_t>& births, std::size_t fanout,
                                Spawn spawn_child, const Parts&... parts) {
    family_tree made;
    for (std::size_t i = 0; i != births.size() / fanout; ++i)
        made.parents.push_back(made.world.spawn(parts...));
    made.children.resize(births.size());
    for (const std::uint32_t child : births)
        made.children[child] = spawn_child(made.world, child, made.parents[child / fanout]);
    return made;
}

inline constexpr auto spawn_related = [](pecs::world& world, std::uint32_t child, pecs::entity parent) {
    return world.spawn(Value{value_of(child)}, pecs::to<ChildOf>(parent));
};

// Rows from the first that is used to the last, for each that is used. So it counts the room that families have, and
// what lies free between them; not the end of the columns, which grow by powers of two with relations or without.
[[nodiscard]] inline double rows_per_child(pecs::world& world) {
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

} // namespace bench
