// How many rows families have beyond those that they use, over many fan-outs.
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>

#include "bench.hpp"

#include "../family_tree.hpp"

import pecs;

namespace {

void slack(bench::context& context, const std::string& order) {
    const std::initializer_list<std::size_t> fanouts{1,  2,  3,   5,   7,   10,  20,  30,
                                                     50, 70, 100, 200, 300, 500, 700, 1'000};
    double total = 0;
    double total_compacted = 0;
    for (const std::size_t fanout : fanouts) {
        const std::size_t n = std::max<std::size_t>(20'000 / fanout, 20) * fanout;
        bench::family_tree tree = bench::plant(bench::births(n, order), fanout, bench::spawn_related);
        const double ratio = bench::rows_per_child(tree.world);
        context.value("rows per child", {.n = n, .fanout = fanout, .order = order, .ratio = ratio});
        tree.world.compact();
        total += ratio;
        total_compacted += bench::rows_per_child(tree.world);
    }
    const auto count = static_cast<double>(fanouts.size());
    context.value("rows per child, average", {.order = order, .ratio = total / count, .limit = 1.5});
    context.value("rows per child, compacted",
                  {.order = order, .ratio = total_compacted / count, .limit = 1});
}

void fragmentation(bench::context& context) {
    slack(context, "parent");
    slack(context, "shuffled");
}

const bench::scenario registered{"fragmentation", "rows of families, used and reserved", fragmentation};

} // namespace
