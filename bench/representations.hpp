// How programs represent parents and children without relations: each in a world of its own, with what it needs and no
// more. Parents have a sum, children a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "family_tree.hpp"

import pecs;

namespace bench {

struct Sum {
    double value;
};

// "parent_list": a parent knows its first child, a child the next one; the value is beside the link.
struct FirstChild {
    pecs::entity child;
};
struct Linked {
    double value;
    pecs::entity next;
};
// "parent_slice": a parent knows all its children.
struct Children {
    std::vector<pecs::entity> list;
};
// "child": a child knows its parent.
struct Parent {
    pecs::entity parent;
};

[[nodiscard]] inline family_tree linked_tree(const std::vector<std::uint32_t>& births, std::size_t fanout) {
    const auto spawn = [](pecs::world& world, std::uint32_t child, pecs::entity) {
        return world.spawn(Linked{value_of(child), pecs::null});
    };
    family_tree made = plant(births, fanout, spawn, Sum{}, FirstChild{});
    std::vector<pecs::entity> last(made.parents.size());
    for (const std::uint32_t child : births) {
        const std::size_t parent = child / fanout;
        pecs::entity& link = last[parent] ? made.world.get<Linked>(last[parent]).next
                                          : made.world.get<FirstChild>(made.parents[parent]).child;
        link = last[parent] = made.children[child];
    }
    return made;
}

[[nodiscard]] inline family_tree listed_tree(const std::vector<std::uint32_t>& births, std::size_t fanout) {
    const auto spawn = [](pecs::world& world, std::uint32_t child, pecs::entity parent) {
        const pecs::entity e = world.spawn(Value{value_of(child)});
        world.get<Children>(parent).list.push_back(e);
        return e;
    };
    return plant(births, fanout, spawn, Sum{}, Children{});
}

[[nodiscard]] inline family_tree pointing_tree(const std::vector<std::uint32_t>& births, std::size_t fanout) {
    const auto spawn = [](pecs::world& world, std::uint32_t child, pecs::entity parent) {
        return world.spawn(Value{value_of(child)}, Parent{parent});
    };
    return plant(births, fanout, spawn, Sum{});
}

[[nodiscard]] inline family_tree related_tree(const std::vector<std::uint32_t>& births, std::size_t fanout) {
    return plant(births, fanout, spawn_related, Sum{});
}

} // namespace bench
