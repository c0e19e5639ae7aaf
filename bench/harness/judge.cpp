#include "judge.hpp"

#include <algorithm>
#include <cstddef>
#include <format>
#include <optional>
#include <stdexcept>
#include <utility>

#include "estimate.hpp"

namespace bench {
namespace {

std::size_t index_of(std::span<const entry> entries, const std::string& name) {
    const auto found = name.empty() ? std::ranges::find(entries, true, &entry::floor)
                                    : std::ranges::find(entries, name, &entry::name);
    if (found == entries.end()) {
        throw std::invalid_argument{name.empty()
                                        ? "a limit needs a floor, and this group has none"
                                        : std::format("a limit names '{}', which is not in its group", name)};
    }
    return static_cast<std::size_t>(found - entries.begin());
}

void judge_limits(row& row, std::size_t self, std::span<const entry> entries,
                  const std::vector<double>& times, const double* floor) {
    double tightest = -1;
    for (const limit& limit : entries[self].limits) {
        const double other = times[index_of(entries, limit.than)];
        const double unit = floor != nullptr ? *floor : other;
        const double bound = limit.factor * other / unit;
        const double ratio = times[self] / unit;
        if (ratio / bound <= tightest) continue;
        tightest = ratio / bound;
        row.ratio = ratio;
        row.limit = bound;
        row.met = ratio <= bound && !row.wrong;
        row.allowed = limit.known != 0 ? std::optional{limit.known * other / unit} : std::nullopt;
        row.limit_note = limit.than.empty() ? "" : std::format("{:.3g} x {}", limit.factor, limit.than);
    }
}

// How much of its limit a row takes up.
double use(const row& row) { return row.limit ? row.ratio.value_or(0) / *row.limit : 0; }

} // namespace

std::vector<row> judge(std::span<const entry> entries, std::span<const timing> timings, double items) {
    const auto floor = std::ranges::find(entries, true, &entry::floor);
    const bool has_floor = floor != entries.end();
    const std::size_t reference = has_floor ? static_cast<std::size_t>(floor - entries.begin()) : 0;
    const timing& against = timings[reference];

    // The reference has a time of its own; the others have what they would take in the same moment.
    std::vector<double> sorted = against.rounds;
    std::ranges::sort(sorted);
    const double reference_time = quiet_median(std::move(sorted)) / items;

    std::vector<double> times(entries.size(), reference_time);
    std::vector<row> rows(entries.size());
    for (std::size_t i = 0; i != entries.size(); ++i) {
        row& row = rows[i];
        row.variant = entries[i].name;
        row.floor = entries[i].floor;
        row.bytes = entries[i].size;
        row.sum = timings[i].sum;
        row.wrong = !timings[i].steady || timings[i].sum != against.sum;
        if (i == reference) {
            row.err = spread(against.rounds, reference_time * items);
        } else {
            const std::vector<double> each = ratios(timings[i].rounds, against.rounds);
            const double ratio = quiet_median(each);
            row.err = spread(each, ratio);
            times[i] = ratio * reference_time;
        }
        row.ns = times[i];
        if (has_floor) row.ratio = times[i] / reference_time;
    }
    for (std::size_t i = 0; i != entries.size(); ++i) {
        judge_limits(rows[i], i, entries, times, has_floor ? &reference_time : nullptr);
    }
    return rows;
}

bool missed(const row& row) { return row.met && !*row.met; }
bool fails(const row& row) {
    return missed(row) && (row.wrong || !row.allowed || row.ratio.value_or(0) > *row.allowed);
}

std::vector<row> better(std::vector<row> first, const std::vector<row>& second) {
    const auto floor = std::ranges::find(first, true, &row::floor);
    const std::optional<double> floor_time = floor != first.end() ? floor->ns : std::nullopt;
    for (std::size_t i = 0; i != first.size(); ++i) {
        if (second[i].wrong || use(second[i]) < use(first[i])) first[i] = second[i];
        if (const auto ratio = first[i].ratio; ratio && floor_time) first[i].ns = *ratio * *floor_time;
    }
    return first;
}

} // namespace bench
