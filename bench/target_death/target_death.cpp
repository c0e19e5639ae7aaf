// All parents die: their children go with them, or stay and lose the relation.
#include <cstddef>
#include <cstdint>

#include "bench.hpp"

#include "../family_tree.hpp"

import pecs;

namespace {

using bench::family_tree;
using bench::Value;

struct Likes {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::detach};
};

constexpr auto spawn_liking = [](pecs::world& world, std::uint32_t child, pecs::entity target) {
    return world.spawn(Value{bench::value_of(child)}, pecs::to<Likes>(target));
};

constexpr auto spawn_alone = [](pecs::world& world, std::uint32_t child, pecs::entity) {
    return world.spawn(Value{bench::value_of(child)});
};

constexpr auto one_by_one = [](family_tree& tree) {
    for (const pecs::entity parent : tree.parents) tree.world.despawn(parent);
    return tree.world.size();
};
constexpr auto at_once = [](family_tree& tree) {
    tree.world.despawn_batch(tree.parents);
    return tree.world.size();
};

void cascade(bench::context& context, const bench::shape& shape) {
    const auto plant = [=] {
        return bench::plant(bench::births(*shape.n, "parent"), *shape.fanout, bench::spawn_related);
    };
    auto group = context.group(shape);
    group.floor("clear", plant, [](family_tree& tree) {
        tree.world.clear();
        return tree.world.size();
    });
    // What a death costs, however few die with it, is more than clearing a row.
    const double known = *shape.fanout == 1 ? 40 : *shape.fanout == 10 ? 9 : 0;
    group.variant("despawn, cascade", {bench::known_miss(bench::at_most(2), known)}, plant, one_by_one);
    group.variant("despawn_batch, cascade", plant, at_once);
    // What as many deaths cost where nobody is related.
    const auto plant_alone = [=] {
        return bench::plant(bench::births(*shape.n, "parent"), *shape.fanout, spawn_alone);
    };
    group.variant("despawn, without relations", plant_alone, [](family_tree& tree) {
        for (const pecs::entity child : tree.children) tree.world.despawn(child);
        return one_by_one(tree);
    });
    group.measure();
}

void detach(bench::context& context, const bench::shape& shape) {
    const auto plant = [=] {
        return bench::plant(bench::births(*shape.n, "parent"), *shape.fanout, spawn_liking);
    };
    auto group = context.group(shape);
    group.floor("unrelate, then despawn", plant, [](family_tree& tree) {
        for (const pecs::entity e : tree.children) tree.world.unrelate<Likes>(e);
        return one_by_one(tree);
    });
    group.variant("despawn, detach", plant, one_by_one);
    group.variant("despawn_batch, detach", plant, at_once);
    group.measure();
}

void target_death(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000}))
        for (const std::size_t fanout : {1U, 10U, 1'000U}) {
            const bench::shape shape{.n = n, .fanout = fanout, .order = "parent"};
            cascade(context, shape);
            detach(context, shape);
        }
}

const bench::scenario registered{"target_death", "all parents die", target_death};

} // namespace
