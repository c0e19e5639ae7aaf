// Transforms of a scene: world = parent's world * local, parents first, against arrays that are sorted by level. As
// built, after random reparentings, and after those with the world compacted; the arrays are sorted anew each time.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench.hpp"

#include "../forest.hpp"

import pecs;

namespace {

using bench::forest;
using bench::Global;
using bench::Local;
using bench::local_of;
using bench::nobody;
using bench::sorted_scene;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};

struct scene {
    pecs::world world;
    std::vector<pecs::entity> nodes;

    explicit scene(const forest& from) {
        for (std::size_t i = 0; i != from.parents.size(); ++i) {
            const Local local{local_of(i)};
            const Global global{local.value};
            nodes.push_back(from.parents[i] == nobody
                                ? world.spawn(local, global)
                                : world.spawn(local, global, pecs::to<ChildOf>(nodes[from.parents[i]])));
        }
    }
    void propagate() {
        world.query<Global, const Local, pecs::up<ChildOf, const Global>>().parents_first<ChildOf>().each(
            [](Global& global, const Local& local, const Global& parent) {
                global.value = parent.value * local.value;
            });
    }
};

constexpr std::size_t limited_size = 100'000;

// `about` so many nodes, a tenth of which get other parents.
void compare(bench::context& context, std::size_t about, std::size_t roots, std::size_t fanout,
             std::size_t depth) {
    forest tree{roots, fanout, depth};
    scene built{tree};
    const auto versus = [&](const std::string& name, scene& ecs, double known = 0) {
        sorted_scene arrays{tree};
        const std::size_t last = tree.parents.size() - 1;
        auto group = context.group({.n = tree.parents.size(), .fanout = fanout});
        group.floor("sorted arrays", [&] {
            arrays.propagate();
            return arrays.globals[arrays.places[last]].value.m[3];
        });
        std::vector<bench::limit> limits;
        if (about == limited_size) limits.push_back(bench::known_miss(bench::at_most(1.3), known));
        group.variant(name, std::move(limits), [&] {
            ecs.propagate();
            return ecs.world.get<Global>(ecs.nodes[last]).value.m[3];
        });
        group.measure();
    };
    const std::string levels = "depth " + std::to_string(depth);
    const double few = fanout < 10 ? 2 : 0; // what a family costs is shared by few rows
    versus(levels, built, few);
    for (const auto& [node, parent] : tree.reparent(about / 10))
        built.world.relate<ChildOf>(built.nodes[node], built.nodes[parent]);
    versus(levels + ", reparented", built, 3.2); // families that grew have moved
    built.world.compact();
    versus(levels + ", compacted", built, few);
}

void propagation(bench::context& context) {
    for (const std::size_t about : context.sizes({10'000, 100'000, 1'000'000})) {
        compare(context, about, about * 9 / 10'000, 10, 4);
        compare(context, about, about * 3 / 10'000, 3, 8);
    }
}

const bench::scenario registered{"propagation", "transforms of a scene, parents first", propagation};

} // namespace
