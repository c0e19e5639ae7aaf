// What the rounds of a group say: one ratio per pair of variants, one time, and how far the rounds disagree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace bench {

[[nodiscard]] inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return std::midpoint(*middle, *std::max_element(values.begin(), middle));
}

// The ratios of `times` to `reference`, round by round, the quietest round first: the one in which the more
// disturbed of the two was nearest to its own best.
[[nodiscard]] inline std::vector<double> ratios(const std::vector<double>& times,
                                                const std::vector<double>& reference) {
    struct round {
        double noise, ratio;
    };
    const double best_time = std::ranges::min(times);
    const double best_reference = std::ranges::min(reference);
    std::vector<round> rounds(times.size());
    for (std::size_t i = 0; i != rounds.size(); ++i) {
        rounds[i] = {std::max(times[i] / best_time, reference[i] / best_reference), times[i] / reference[i]};
    }
    std::ranges::sort(rounds, {}, &round::noise);
    std::vector<double> result(rounds.size());
    std::ranges::transform(rounds, result.begin(), &round::ratio);
    return result;
}

// The median of the first half, which is the quieter one (all, if there are no more than three).
[[nodiscard]] inline double quiet_median(std::vector<double> quietest_first) {
    const std::size_t half = (quietest_first.size() + 1) / 2;
    quietest_first.resize(std::max(half, std::min<std::size_t>(3, quietest_first.size())));
    return median(std::move(quietest_first));
}

// How far from `center` the values typically are, as a fraction of it.
[[nodiscard]] inline double spread(std::vector<double> values, double center) {
    for (double& value : values) value = std::abs(value / center - 1);
    return median(std::move(values));
}

} // namespace bench
