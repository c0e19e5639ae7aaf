// Where and how a run was made, in one line.
#pragma once

#include <string>

namespace bench {

// Processor, number of its threads, compiler, flags, date.
[[nodiscard]] std::string about_this_run();

} // namespace bench
