// From timings to rows: checksums compared, ratios taken, limits judged.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure.hpp"
#include "row.hpp"

namespace bench {

// A variant may take at most `factor` times as long as the variant `than` of its group (the floor, if it is
// empty). A limit that is known to be missed, for reasons that docs/benchmarks.md gives, is still shown as missed; with
// --check, such a variant may take at most `known` times as long.
struct limit {
    double factor = 1;
    std::string than = {};
    double known = 0;
};

struct entry {
    std::string name;
    std::vector<limit> limits = {};
    std::unique_ptr<work> job = {};
    bool floor = false;
    std::optional<double> size = {};

    void bytes(double value) { size = value; } // for the column of that name
};

// Rows in the order of the entries, without the fields that are common to the group. Times are per item. All
// limits of a variant become one: the tightest, as a ratio to the floor. In a group without a floor, the
// ratio of a limited row is to the variant that its limit names.
[[nodiscard]] std::vector<row> judge(std::span<const entry> entries, std::span<const timing> timings,
                                     double items);

[[nodiscard]] bool missed(const row& row);
// Missed, and by more than is known.
[[nodiscard]] bool fails(const row& row);

// Each row from that one of two measurements in which it was better for its limit; a wrong one is wrong in
// both. Times are made to go with the floor of the first.
[[nodiscard]] std::vector<row> better(std::vector<row> first, const std::vector<row>& second);

} // namespace bench
