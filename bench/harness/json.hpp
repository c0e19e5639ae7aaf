// Rows as JSON: an array of flat objects, a key only where it applies. The reader is for files of this kind,
// from this or another version: it skips keys that it does not know, and says where a file is damaged.
#pragma once

#include <iosfwd>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "row.hpp"

namespace bench {

struct json_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void write_json(std::ostream& out, std::span<const row> rows);

// The rows of a text, without their checksums; throws json_error.
[[nodiscard]] std::vector<row> read_json(std::string_view text);

} // namespace bench
