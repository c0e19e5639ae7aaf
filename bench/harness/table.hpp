// What people read: the rows of a scenario, and the summary of a run.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "row.hpp"

namespace bench {

// A header line and lines of cells. The first columns are text and on the left, the others on the right; a
// column without content is left out.
struct table {
    std::vector<std::string> header;
    std::size_t text_columns = 1;
    std::vector<std::vector<std::string>> lines = {};

    void print(std::ostream& out) const;
};

[[nodiscard]] std::string short_number(std::size_t number); // 10k, 1M; others in full

void print_rows(std::ostream& out, std::span<const row> rows);

// The geometric mean of the ratios to the floor, and how many limits were met. Figures that were not timed
// have no part in the mean, nor have other libraries.
void print_summary(std::ostream& out, std::span<const row> rows);

} // namespace bench
