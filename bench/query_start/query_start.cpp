// Starting a query in a world of 1,000 archetypes, 10 of which match, with one entity each: what there is to do besides
// iterating.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench.hpp"

import pecs;

namespace {

struct Value {
    float number;
};

void query_start(bench::context& context) {
    constexpr std::size_t archetypes = 1000;
    constexpr std::size_t starts = 100; // in one run
    pecs::world world;
    std::vector<pecs::component_id> bits;
    for (int i = 0; i != 10; ++i)
        bits.push_back(pecs::register_component({.name = "bit " + std::to_string(i)}));
    for (std::size_t set = 0; set != archetypes; ++set) {
        std::vector<pecs::component_id> chosen;
        for (std::size_t bit = 0; bit != bits.size(); ++bit)
            if ((set >> bit & 1U) != 0) chosen.push_back(bits[bit]);
        const pecs::entity e = world.by_id().spawn(chosen);
        if (set % 100 == 0) world.add(e, Value{1});
    }
    std::vector<std::vector<Value>> values(10, std::vector<Value>(1, Value{1}));
    std::vector<std::span<Value>> spans(values.begin(), values.end());

    auto group = context.group({.n = archetypes, .items = static_cast<double>(starts), .drift = true});
    group.floor("list of 10 spans", [&] {
        for (std::size_t i = 0; i != starts; ++i) {
            for (const std::span<Value> span : spans)
                for (Value& v : span) v.number += 1;
            bench::keep(spans);
        }
        return values[0][0].number;
    });
    const pecs::entity first = world.query<Value>().first();
    group.variant("query and each", {bench::at_most(2)}, [&] {
        for (std::size_t i = 0; i != starts; ++i) {
            world.query<Value>().each([](Value& v) { v.number += 1; });
            bench::keep(world);
        }
        return world.get<Value>(first).number;
    });
    group.measure();
}

const bench::scenario registered{"query_start", "a cached query, 10 of 1,000 archetypes", query_start};

} // namespace
