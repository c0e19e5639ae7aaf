// One line of the result: of the table, of the JSON file, of a comparison.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "checksum.hpp"

namespace bench {

struct row {
    std::string scenario;
    std::string variant;
    std::optional<std::size_t> n = {};
    std::optional<std::size_t> fanout = {};
    std::string order = {};
    std::optional<double> ns = {};    // per item
    std::optional<double> ratio = {}; // to the floor of its group
    std::optional<double> limit = {}; // of the ratio, or of the bytes where there is no ratio
    std::optional<bool> met = {};
    std::optional<double> bytes = {};
    std::optional<double> err = {};
    std::optional<checksum> sum = {};

    bool floor = false;                 // not in the JSON: its ratio is 1 by definition
    bool scored = true;                 // false in comparisons of libraries
    bool rival = false;                 // another library, compared with the floor's
    bool wrong = false;                 // its checksum is not that of its group, or not the same in every run
    std::optional<double> allowed = {}; // with --check, where a limit is known to be missed
    std::string limit_note = {};        // where a limit comes from, if not from the floor
};

} // namespace bench
