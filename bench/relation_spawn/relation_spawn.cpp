// Setting families up: children are spawned for parents that are there already, against spawning them without parents.
#include <cstddef>
#include <cstdint>

#include "bench.hpp"

#include "../family_tree.hpp"

import pecs;

namespace {

using bench::ChildOf;
using bench::family_tree;
using bench::Value;

void compare(bench::context& context, std::size_t n, std::size_t fanout) {
    const auto parents_only = [=] {
        family_tree made;
        for (std::size_t i = 0; i != n / fanout; ++i) made.parents.push_back(made.world.spawn());
        return made;
    };
    auto group = context.group({.n = n, .fanout = fanout, .order = "parent"});
    group.floor("spawn without a relation", parents_only, [=](family_tree& tree) {
        for (std::uint32_t child = 0; child != n; ++child) tree.world.spawn(Value{bench::value_of(child)});
        return tree.world.size();
    });
    group.variant("spawn", parents_only, [=](family_tree& tree) {
        for (std::uint32_t child = 0; child != n; ++child)
            bench::spawn_related(tree.world, child, tree.parents[child / fanout]);
        return tree.world.size();
    });
    group.variant("spawn_batch per parent", parents_only, [=](family_tree& tree) {
        for (const pecs::entity parent : tree.parents)
            tree.world.spawn_batch(fanout, Value{}, pecs::to<ChildOf>(parent));
        return tree.world.size();
    });
    group.measure();
}

void relation_spawn(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000}))
        for (const std::size_t fanout : {1U, 10U, 1'000U}) compare(context, n, fanout);
}

const bench::scenario registered{"relation_spawn", "families are made", relation_spawn};

} // namespace
