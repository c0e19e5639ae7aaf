// Children whose parents fit terms: 100k children in 10k families, half of the parents match. Against a pass over the
// families of a world in which there are no others.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench.hpp"

#include "../family_tree.hpp"

import pecs;

namespace {

using bench::ChildOf;
using bench::Value;

struct Factor {
    double value;
};
struct UnderAttack {};

void nested(bench::context& context) {
    constexpr std::size_t fanout = 10;
    constexpr std::size_t n = 100'000;
    const auto half_matching = [] {
        bench::family_tree all =
            bench::plant(bench::births(n, "parent"), fanout, bench::spawn_related, Factor{1});
        for (std::size_t i = 0; i < all.parents.size(); i += 2) all.world.add(all.parents[i], UnderAttack{});
        return all;
    };
    bench::family_tree all = half_matching();
    bench::family_tree valued = half_matching();
    bench::family_tree some =
        bench::plant(bench::births(n / 2, "parent"), fanout, bench::spawn_related, Factor{1});

    const auto digest = [](bench::family_tree& tree) {
        return tree.world.get<Value>(tree.children[0]).value;
    };
    auto group = context.group({.n = n, .items = n / 2.0, .fanout = fanout, .drift = true});
    group.floor("families() of the matching ones", [&] {
        some.world.query<Value>().families<ChildOf>().each(
            [](pecs::entity, std::span<const pecs::entity>, std::span<Value> values) {
                for (Value& value : values) value.value += 1;
            });
        return digest(some);
    });
    group.variant("of(having<with<...>>)", {bench::known_miss(bench::at_most(1.3), 1.6)}, [&] {
        all.world.query<Value>().of<ChildOf>(pecs::having<pecs::with<UnderAttack>>).each([](Value& value) {
            value.value += 1;
        });
        return digest(all);
    });
    group.variant("of(having<with<...>, const T>)", {bench::known_miss(bench::at_most(1.3), 2.3)}, [&] {
        valued.world.query<Value>()
            .of<ChildOf>(pecs::having<pecs::with<UnderAttack>, const Factor>)
            .each([](Value& value, const Factor& factor) { value.value += factor.value; });
        return digest(valued);
    });
    group.measure();
}

const bench::scenario registered{"nested", "children whose parents match, half of 10k families", nested};

} // namespace
