// The seeds of random tests. PECS_SEED=<seed> repeats a run that failed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <ranges>

namespace support {

/// What PECS_SEED says, if it says something.
inline std::optional<std::uint64_t> given_seed() {
    if (const char* const text = std::getenv("PECS_SEED")) return std::strtoull(text, nullptr, 10);
    return {};
}
/// The seed of the first run: the one given, or any.
inline std::uint64_t first_seed() {
    const auto given = given_seed();
    return given ? *given : std::random_device{}();
}
/// As many seeds from `first` on, or the given one alone.
inline auto seeds(std::uint64_t count, std::uint64_t first) {
    const auto given = given_seed();
    const std::uint64_t begin = given.value_or(first);
    return std::views::iota(begin, begin + (given ? 1 : count));
}
inline auto seeds(std::uint64_t count) { return seeds(count, first_seed()); }

} // namespace support
