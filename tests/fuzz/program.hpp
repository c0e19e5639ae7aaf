// A program of operations, given as bytes.
#pragma once

#include <cstdint>
#include <span>

namespace fuzz {

/// What a program prints: nothing; the trace and what is wrong if it fails; or each step before it is done, for those that
/// crash.
enum class voice : std::uint8_t { silent, normal, loud };

/// Runs a program; false if the world is not what the model says.
[[nodiscard]] bool run(std::span<const std::uint8_t> bytes, voice how);

/// Prints the trace of the program that is running, for the handlers of signals.
void print_trace();

} // namespace fuzz
