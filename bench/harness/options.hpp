// The command line.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct options {
    std::vector<std::string> scenarios; // each at most once; none means all that are listed
    std::string json;
    std::string baseline;
    bool quick = false;
    bool check = false;
    bool list = false;
    bool help = false;
};

inline constexpr std::string_view usage =
    R"(usage: pecs_bench [SCENARIO...] [--quick] [--check] [--json FILE] [--baseline FILE] [--list]

  SCENARIO         run only these; the beginning of a name stands for all that go on with '_'
  --quick          fewer rounds, and without the largest sizes
  --check          exit with 1 if a limit is missed; a group that misses one is measured up to three times more,
                   and for each of its rows the best result counts
  --json FILE      write the rows to FILE, too, and a line about machine and compiler to FILE.about
  --baseline FILE  compare with the rows that an earlier run wrote
  --list           show the scenarios

Exit code: 1 for a wrong checksum, a scenario that failed, or with --check a missed limit; 2 for wrong usage.
)";

[[nodiscard]] options parse(std::span<const std::string_view> arguments);

} // namespace bench
