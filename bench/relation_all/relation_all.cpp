// A loop over all children, whoever their parents are, against the same entities without relations.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench.hpp"

#include "../family_tree.hpp"

import pecs;

namespace {

using bench::Value;

void relation_all(bench::context& context) {
    constexpr std::size_t fanout = 10;
    for (const std::size_t n : context.sizes({100'000, 1'000'000})) {
        const std::vector<std::uint32_t> births = bench::births(n, "parent");
        const auto spawn_plain = [](pecs::world& world, std::uint32_t child, pecs::entity) {
            return world.spawn(Value{bench::value_of(child)});
        };
        bench::family_tree plain = bench::plant(births, fanout, spawn_plain);
        bench::family_tree related = bench::plant(births, fanout, bench::spawn_related);
        bench::family_tree compacted = bench::plant(births, fanout, bench::spawn_related);
        compacted.world.compact();

        auto group = context.group({.n = n, .fanout = fanout, .order = "parent", .drift = true});
        const auto step = [](bench::family_tree& tree) {
            tree.world.query<Value>().each([](Value& value) { value.value += 1; });
            return tree.world.get<Value>(tree.children[tree.children.size() / 2]).value;
        };
        group.floor("without relations", [&] { return step(plain); });
        group.variant("as they grew", {bench::at_most(1.5)}, [&] { return step(related); });
        group.variant("after compact", {bench::at_most(1.1)}, [&] { return step(compacted); });
        group.measure();
    }
}

const bench::scenario registered{"relation_all", "all children, whoever their parents are", relation_all};

} // namespace
