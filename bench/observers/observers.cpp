// What observers cost: verbs in a world that nobody observes, in one where another type is observed, and in one where
// the type is, one by one and in spans.
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench.hpp"

import pecs;

namespace {

struct Position {
    float x, y, z;
};
struct Extra {
    float x, y, z;
};
struct Unrelated {
    float x, y, z;
};

// A world of its own for each variant, with what observes it.
struct observed_world {
    explicit observed_world(std::size_t n) {
        const auto made = world.spawn_batch(n, Position{1, 2, 3});
        entities.assign(made.begin(), made.end());
    }

    pecs::world world;
    std::vector<pecs::entity> entities;
    std::vector<pecs::observer> observers;
    std::size_t told = 0;
};

void observe_unrelated(observed_world& in) {
    in.observers.push_back(in.world.observe<Unrelated>(pecs::on_add, [&in](pecs::entity) { ++in.told; }));
    in.observers.push_back(in.world.observe<Unrelated>(pecs::on_remove, [&in](pecs::entity) { ++in.told; }));
}
void observe_each(observed_world& in) {
    in.observers.push_back(in.world.observe<Extra>(pecs::on_add, [&in](pecs::entity) { ++in.told; }));
    in.observers.push_back(in.world.observe<Extra>(pecs::on_remove, [&in](pecs::entity) { ++in.told; }));
}
void observe_spans(observed_world& in) {
    in.observers.push_back(in.world.observe<Extra>(
        pecs::on_add, [&in](std::span<const pecs::entity> all) { in.told += all.size(); }));
    in.observers.push_back(in.world.observe<Extra>(
        pecs::on_remove, [&in](std::span<const pecs::entity> all) { in.told += all.size(); }));
}

using verb = std::size_t (*)(observed_world&);

std::size_t add_remove(observed_world& in) {
    for (const pecs::entity e : in.entities) in.world.add(e, Extra{4, 5, 6});
    const std::size_t with = in.world.query<Extra>().count();
    for (const pecs::entity e : in.entities) in.world.remove<Extra>(e);
    return with;
}
std::size_t spawn_despawn(observed_world& in) {
    std::vector<pecs::entity> made;
    made.reserve(in.entities.size());
    for (std::size_t i = 0; i != in.entities.size(); ++i)
        made.push_back(in.world.spawn(Position{1, 2, 3}, Extra{4, 5, 6}));
    for (const pecs::entity e : made) in.world.despawn(e);
    return made.size();
}
std::size_t batches(observed_world& in) {
    in.world.add_batch(in.world.query<Position>(), Extra{4, 5, 6});
    const std::size_t with = in.world.query<Extra>().count();
    in.world.remove_batch<Extra>(in.world.query<Position>());
    return with;
}

void compare(bench::context& context, std::size_t n, const std::string& label, verb what) {
    observed_world nobody{n};
    observed_world unrelated{n};
    observed_world each{n};
    observed_world spans{n};
    observe_unrelated(unrelated);
    observe_each(each);
    observe_spans(spans);
    auto group = context.group({.n = n, .items = 2.0 * static_cast<double>(n)});
    group.floor(label + ", nobody observes", [&] { return what(nobody); });
    group.variant(label + ", another type is observed", [&] { return what(unrelated); });
    group.variant(label + ", one by one", [&] { return what(each); });
    group.variant(label + ", in spans", [&] { return what(spans); });
    group.measure();
}

void observers(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000})) {
        compare(context, n, "add + remove", &add_remove);
        compare(context, n, "spawn + despawn", &spawn_despawn);
        compare(context, n, "batch over a query", &batches);
    }
}

const bench::scenario registered{"observers", "verbs that nobody, or somebody, observes", observers};

} // namespace
