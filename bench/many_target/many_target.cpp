// Relations with many targets: a tenth of the edges in entities, each with ten targets at random, against a pair of hash
// maps of vectors, from sources to targets and from targets to sources.
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "input.hpp"

import pecs;

namespace {

constexpr std::size_t fanout = 10;

struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};

using edge = std::pair<std::uint32_t, std::uint32_t>;

// What a program would write for itself. An edge is there once.
class plain_edges {
public:
    using list = std::vector<pecs::entity>;

    void relate(pecs::entity source, pecs::entity target) {
        list& of_source = targets_[source];
        if (std::ranges::find(of_source, target) != of_source.end()) return;
        of_source.push_back(target);
        sources_[target].push_back(source);
    }
    void unrelate(pecs::entity source, pecs::entity target) {
        remove(targets_, source, target);
        remove(sources_, target, source);
    }
    [[nodiscard]] const list& targets(pecs::entity source) const { return found(targets_, source); }
    [[nodiscard]] const list& sources(pecs::entity target) const { return found(sources_, target); }

private:
    using map = boost::unordered_flat_map<pecs::entity, list, std::hash<pecs::entity>>;

    static void remove(map& lists, pecs::entity owner, pecs::entity other) {
        const auto at = lists.find(owner);
        list& all = at->second;
        *std::ranges::find(all, other) = all.back();
        all.pop_back();
        if (all.empty()) lists.erase(at);
    }
    [[nodiscard]] static const list& found(const map& lists, pecs::entity owner) {
        static const list nothing;
        const auto at = lists.find(owner);
        return at == lists.end() ? nothing : at->second;
    }

    map targets_;
    map sources_;
};

struct graph {
    pecs::world world;
    plain_edges plain;
    std::vector<pecs::entity> entities;
};

// Different edges, in a random order.
std::vector<edge> random_edges(std::size_t n) {
    bench::random random;
    const std::size_t entities = n / fanout;
    std::vector<edge> edges;
    for (std::size_t i = 0; i != n; ++i)
        edges.emplace_back(static_cast<std::uint32_t>(i % entities),
                           static_cast<std::uint32_t>(random.below(entities)));
    std::ranges::sort(edges);
    const auto repeated = std::ranges::unique(edges);
    edges.erase(repeated.begin(), repeated.end());
    bench::shuffle(edges);
    return edges;
}

graph make_graph(std::size_t n) {
    graph made;
    for (std::size_t i = 0; i != n / fanout; ++i) made.entities.push_back(made.world.spawn());
    return made;
}

void relate_plain(graph& g, const std::vector<edge>& edges) {
    for (const auto& [source, target] : edges) g.plain.relate(g.entities[source], g.entities[target]);
}
void relate(graph& g, const std::vector<edge>& edges) {
    for (const auto& [source, target] : edges) g.world.relate<Likes>(g.entities[source], g.entities[target]);
}

void change(bench::context& context, const bench::shape& shape, const std::vector<edge>& edges) {
    const auto nothing = [&] { return make_graph(*shape.n); };
    auto insert = context.group(shape);
    insert.floor("insert: two maps", nothing, [&](graph& g) {
        relate_plain(g, edges);
        return g.plain.targets(g.entities[edges[0].first]).size();
    });
    insert.variant("insert: relate", {bench::at_most(2)}, nothing, [&](graph& g) {
        relate(g, edges);
        return g.world.targets<Likes>(g.entities[edges[0].first]).size();
    });
    insert.measure();

    std::vector<edge> order = edges;
    bench::shuffle(order, 2);
    auto remove = context.group(shape);
    remove.floor(
        "remove: two maps",
        [&] {
            graph g = nothing();
            relate_plain(g, edges);
            return g;
        },
        [&](graph& g) {
            for (const auto& [source, target] : order)
                g.plain.unrelate(g.entities[source], g.entities[target]);
            return g.plain.targets(g.entities[0]).size();
        });
    remove.variant(
        "remove: unrelate", {bench::at_most(2)},
        [&] {
            graph g = nothing();
            relate(g, edges);
            return g;
        },
        [&](graph& g) {
            for (const auto& [source, target] : order)
                g.world.unrelate<Likes>(g.entities[source], g.entities[target]);
            return g.world.targets<Likes>(g.entities[0]).size();
        });
    remove.measure();
}

void visit(bench::context& context, const bench::shape& shape, const std::vector<edge>& edges) {
    graph g = make_graph(*shape.n);
    relate_plain(g, edges);
    relate(g, edges);
    const auto sum = [&](const auto& ends_of) {
        std::uint64_t total = 0;
        for (const pecs::entity e : g.entities)
            for (const pecs::entity end : ends_of(e)) total += end.index();
        return total;
    };
    auto targets = context.group(shape);
    targets.floor("targets: two maps",
                  [&] { return sum([&](pecs::entity e) -> const auto& { return g.plain.targets(e); }); });
    targets.variant("targets: targets()", {bench::at_most(1.3)},
                    [&] { return sum([&](pecs::entity e) { return g.world.targets<Likes>(e); }); });
    targets.measure();
    auto sources = context.group(shape);
    sources.floor("sources: two maps",
                  [&] { return sum([&](pecs::entity e) -> const auto& { return g.plain.sources(e); }); });
    sources.variant("sources: sources()", {bench::at_most(1.3)},
                    [&] { return sum([&](pecs::entity e) { return g.world.sources<Likes>(e); }); });
    sources.variant("sources: query of", [&] {
        std::uint64_t total = 0;
        const auto all = g.world.query<>();
        for (const pecs::entity e : g.entities)
            all.of<Likes>(e).each([&](pecs::entity source) { total += source.index(); });
        return total;
    });
    sources.measure();
}

void many_target(bench::context& context) {
    for (const std::size_t n : context.sizes({100'000, 1'000'000})) {
        const std::vector<edge> edges = random_edges(n);
        const bench::shape shape{
            .n = n, .items = static_cast<double>(edges.size()), .fanout = fanout, .order = "shuffled"};
        change(context, shape, edges);
        visit(context, shape, edges);
    }
}

const bench::scenario registered{"many_target", "edges of relations with many targets", many_target};

} // namespace
