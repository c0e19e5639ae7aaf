// What it costs, per child, to make, move and end families.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench.hpp"

#include "../family_tree.hpp"

import pecs;

namespace {

using bench::ChildOf;
using bench::family_tree;
using bench::Value;

struct Likes {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::detach};
};
struct Extra {
    double value;
};

constexpr auto spawn_liking = [](pecs::world& world, std::uint32_t child, pecs::entity target) {
    return world.spawn(Value{bench::value_of(child)}, pecs::to<Likes>(target));
};

// Children are spawned; the parents are there already.
void spawn(bench::context& context, const bench::shape& shape) {
    const std::size_t n = *shape.n;
    const std::size_t fanout = *shape.fanout;
    const auto parents_only = [=] {
        family_tree made;
        for (std::size_t i = 0; i != n / fanout; ++i) made.parents.push_back(made.world.spawn());
        return made;
    };
    auto group = context.group(shape);
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

// All children go to other parents, who have none, and come back.
void reparent(bench::context& context, bench::shape shape) {
    const std::size_t fanout = *shape.fanout;
    shape.items = 2.0 * static_cast<double>(*shape.n);
    const auto plant = [&] {
        return bench::plant(bench::births(*shape.n, "parent"), fanout, bench::spawn_related);
    };
    family_tree changed = plant();
    family_tree moved = plant();
    std::vector<pecs::entity> others;
    for (std::size_t i = 0; i != moved.parents.size(); ++i) others.push_back(moved.world.spawn());

    auto group = context.group(shape);
    group.floor("add + remove", [&] {
        for (const pecs::entity e : changed.children) changed.world.add(e, Extra{1});
        for (const pecs::entity e : changed.children) changed.world.remove<Extra>(e);
        return changed.children.size();
    });
    group.variant("relate", {bench::at_most(1.5)}, [&] {
        for (const auto* targets : {&others, &moved.parents})
            for (std::size_t child = 0; child != moved.children.size(); ++child)
                moved.world.relate<ChildOf>(moved.children[child], (*targets)[child / fanout]);
        return moved.children.size();
    });
    std::vector<bench::limit> limits;
    if (fanout > 1) limits.push_back(bench::faster_than("relate", 5)); // one child is no batch
    group.variant("relate_batch per family", std::move(limits), [&] {
        const auto children = moved.world.query<Value>();
        const auto move_all = [&](const auto& from, const auto& to) {
            for (std::size_t i = 0; i != from.size(); ++i)
                moved.world.relate_batch<ChildOf>(children.template of<ChildOf>(from[i]), to[i]);
        };
        move_all(moved.parents, others);
        move_all(others, moved.parents);
        return moved.children.size();
    });
    group.measure();
}

// All parents die, and their children with them.
void cascade(bench::context& context, const bench::shape& shape) {
    const auto plant = [=] {
        return bench::plant(bench::births(*shape.n, "parent"), *shape.fanout, bench::spawn_related);
    };
    auto group = context.group(shape);
    group.floor("clear", plant, [](family_tree& tree) {
        tree.world.clear();
        return tree.world.size();
    });
    group.variant("despawn, cascade", {bench::at_most(2)}, plant, [](family_tree& tree) {
        for (const pecs::entity parent : tree.parents) tree.world.despawn(parent);
        return tree.world.size();
    });
    group.variant("despawn_batch, cascade", plant, [](family_tree& tree) {
        tree.world.despawn_batch(tree.parents);
        return tree.world.size();
    });
    group.measure();
}

// All parents die; their children stay.
void detach(bench::context& context, const bench::shape& shape) {
    const auto plant = [=] {
        return bench::plant(bench::births(*shape.n, "parent"), *shape.fanout, spawn_liking);
    };
    auto group = context.group(shape);
    group.floor("unrelate, then despawn", plant, [](family_tree& tree) {
        for (const pecs::entity e : tree.children) tree.world.unrelate<Likes>(e);
        for (const pecs::entity parent : tree.parents) tree.world.despawn(parent);
        return tree.world.size();
    });
    group.variant("despawn, detach", plant, [](family_tree& tree) {
        for (const pecs::entity parent : tree.parents) tree.world.despawn(parent);
        return tree.world.size();
    });
    group.variant("despawn_batch, detach", plant, [](family_tree& tree) {
        tree.world.despawn_batch(tree.parents);
        return tree.world.size();
    });
    group.measure();
}

void relation_change(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000}))
        for (const std::size_t fanout : {1U, 10U, 1'000U}) {
            const bench::shape shape{.n = n, .fanout = fanout};
            spawn(context, shape);
            reparent(context, shape);
            cascade(context, shape);
            detach(context, shape);
        }
}

const bench::scenario registered{"relation_change", "families are made, moved and ended", relation_change};

} // namespace
