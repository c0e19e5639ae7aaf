#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <ostream>
#include <tuple>

#include "table.hpp"

namespace bench {
namespace {

auto identity(const row& row) { return std::tie(row.scenario, row.variant, row.n, row.fanout, row.order); }

} // namespace

std::vector<change> compare(std::span<const row> now, std::span<const row> then) {
    std::vector<change> changes;
    for (const row& row : now) {
        const auto same = std::ranges::find(then, identity(row), identity);
        if (row.floor || same == then.end()) continue;
        const change change{row, same->ratio.value_or(0), row.ratio.value_or(0)};
        if (change.then > 0 && change.now > 0) changes.push_back(change);
    }
    return changes;
}

void print_changes(std::ostream& out, std::span<const change> changes, const std::string& stored) {
    if (changes.empty()) {
        out << std::format("nothing of this run has a ratio in {}\n", stored);
        return;
    }
    double logarithms = 0;
    table table{{"scenario", "variant", "n", "fan-out", "order", "then", "now", "now/then"}, 2};
    for (const change& change : changes) {
        const row& row = change.row;
        const double factor = change.now / change.then;
        table.lines.push_back({row.scenario, row.variant, row.n ? short_number(*row.n) : "",
                               row.fanout ? short_number(*row.fanout) : "", row.order,
                               std::format("{:.2f}", change.then), std::format("{:.2f}", change.now),
                               std::format("{:.2f}", factor)});
        logarithms += std::log(factor);
    }
    out << std::format("ratios against {}\n", stored);
    table.print(out);
    out << std::format("now/then: {:.3f} (geometric mean of {})\n",
                       std::exp(logarithms / static_cast<double>(changes.size())), changes.size());
}

} // namespace bench
