// All children go to other parents, who have none, and come back; against adding a component and removing it again,
// which moves a row just as often.
#include <cstddef>
#include <vector>

#include "bench.hpp"

#include "../family_tree.hpp"

import pecs;

namespace {

using bench::ChildOf;
using bench::family_tree;
using bench::Value;

struct Extra {
    double value;
};

void compare(bench::context& context, std::size_t n, std::size_t fanout) {
    const auto plant = [&] { return bench::plant(bench::births(n, "parent"), fanout, bench::spawn_related); };
    family_tree changed = plant();
    family_tree moved = plant();
    std::vector<pecs::entity> others;
    for (std::size_t i = 0; i != moved.parents.size(); ++i) others.push_back(moved.world.spawn());

    auto group =
        context.group({.n = n, .items = 2.0 * static_cast<double>(n), .fanout = fanout, .order = "parent"});
    group.floor("add + remove", [&] {
        for (const pecs::entity e : changed.children) changed.world.add(e, Extra{1});
        for (const pecs::entity e : changed.children) changed.world.remove<Extra>(e);
        return changed.world.query<Value>().count();
    });
    group.variant("relate", {bench::at_most(1.5)}, [&] {
        for (const auto* targets : {&others, &moved.parents})
            for (std::size_t child = 0; child != moved.children.size(); ++child)
                moved.world.relate<ChildOf>(moved.children[child], (*targets)[child / fanout]);
        return moved.world.query<Value>().count();
    });
    std::vector<bench::limit> limits;
    if (fanout > 1) // one child is no batch, and ten are few
        limits.push_back(bench::known_miss(bench::faster_than("relate", 5), fanout == 10 ? 0.3 : 0));
    group.variant("relate_batch per family", std::move(limits), [&] {
        const auto children = moved.world.query<Value>();
        const auto move_all = [&](const auto& from, const auto& to) {
            for (std::size_t i = 0; i != from.size(); ++i)
                moved.world.relate_batch<ChildOf>(children.template of<ChildOf>(from[i]), to[i]);
        };
        move_all(moved.parents, others);
        move_all(others, moved.parents);
        return moved.world.query<Value>().count();
    });
    group.measure();
}

void reparent(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000}))
        for (const std::size_t fanout : {1U, 10U, 1'000U}) compare(context, n, fanout);
}

const bench::scenario registered{"reparent", "all children change parents", reparent};

} // namespace
