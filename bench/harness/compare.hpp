// This run against a stored one. Times of different days or machines mean nothing to each other, so the
// ratios to the floor, which each run took interleaved, are compared.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "row.hpp"

namespace bench {

struct change {
    bench::row row;
    double then; // the ratio in the stored run
    double now;
};

// The rows that both have with a ratio, except floors, in the order of `now`.
[[nodiscard]] std::vector<change> compare(std::span<const row> now, std::span<const row> then);

void print_changes(std::ostream& out, std::span<const change> changes, const std::string& stored);

} // namespace bench
