// One component over 26 archetypes with 20 entities each: what is left of speed when entities are scattered.
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "bench.hpp"

import pecs;

namespace {

constexpr std::size_t kinds = 26;
constexpr std::size_t each_kind = 20;

struct Value {
    float number;
};
template <std::size_t> struct Kind {
    float number;
};

template <std::size_t... I> void fill(pecs::world& world, std::index_sequence<I...> /*kinds*/) {
    (world.spawn_batch(each_kind, Value{1}, Kind<I>{2}), ...);
}

void fragmented(bench::context& context) {
    std::array<std::vector<Value>, kinds> arrays;
    for (auto& values : arrays) values.assign(each_kind, Value{1});
    pecs::world world;
    fill(world, std::make_index_sequence<kinds>{});

    auto group = context.group({.n = kinds * each_kind, .drift = true});
    group.floor("hand-written", [&] {
        for (auto& values : arrays)
            for (Value& v : values) v.number *= 1.0001F;
        return arrays.back().back().number;
    });
    const pecs::entity one = world.query<Kind<kinds - 1>>().first();
    group.variant("each", {bench::at_most(1.3)}, [&] {
        world.query<Value>().each([](Value& v) { v.number *= 1.0001F; });
        return world.get<Value>(one).number;
    });
    group.measure();
}

const bench::scenario registered{"fragmented", "one component over 26 archetypes x 20 entities", fragmented};

} // namespace
