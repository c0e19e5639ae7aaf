// A program of operations, given as bytes.
#pragma once

#include <cstdint>
#include <span>

namespace fuzz {

/// Runs a program; false if the world is not what the model says. Then the trace and what is wrong are printed. A loud
/// program prints each step before it is done, for those that crash.
[[nodiscard]] bool run(std::span<const std::uint8_t> bytes, bool loud);

/// Prints the trace of the program that is running, for the handlers of signals.
void print_trace();

} // namespace fuzz
