// Timing the variants of one group against each other, on a machine whose neighbours cannot be kept quiet.
//
// Only ratios within one run mean something, so the variants are interleaved: a round takes one short sample
// of each, in rotating order, and there are many rounds. Samples of two identical loops, on two cores with
// and without two busy neighbours, showed what that is worth (root mean square error of the ratio):
//
//                                       quiet    busy
//   11 rounds of 2 ms, best / best      0.032    0.050    a lucky moment of one of the two decides
//   11 rounds of 2 ms, median ratio     0.022    0.682    a sample is longer than the scheduler's patience
//   101 rounds of 50 us, best / best    0.007    0.014
//   101 rounds of 50 us, median ratio   0.002    0.006
//
// Where one run takes milliseconds and few rounds fit, the median of the quieter half of the rounds was the
// steadiest (0.033 and 0.036 with 11 rounds of 6 ms); so that is the ratio (estimate.hpp).
//
// A repeatable work runs once before each sample, untimed, because the caches hold the data of another
// variant; the state of a fresh one has just been set up.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "work.hpp"

namespace bench {

// Rounds go on until there are enough of them, or until the group has used up its time and has the fewest it
// needs.
struct pace {
    std::size_t fewest_rounds;
    std::size_t most_rounds;
    std::chrono::nanoseconds sample; // shorter work is repeated for as long as this
    std::chrono::nanoseconds budget; // per variant, with its setup
};

inline constexpr pace full_pace{11, 501, std::chrono::microseconds{50}, std::chrono::milliseconds{500}};
inline constexpr pace quick_pace{9, 301, std::chrono::microseconds{50}, std::chrono::milliseconds{150}};

struct timing {
    std::vector<double> rounds; // ns per run
    checksum sum;               // of the first run
    bool steady = true;         // whether all later runs returned the same
};

// Measures every work; the result is in the same order. Works that `drift` go on from their own results, so
// that only their first runs are comparable.
[[nodiscard]] std::vector<timing> measure(std::span<work* const> works, const pace& pace, bool drift);

} // namespace bench
