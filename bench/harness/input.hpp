// Deterministic inputs: the same numbers with every compiler and standard library, which <random> does not
// promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace bench {

// SplitMix64.
class random {
public:
    explicit random(std::uint64_t seed = 1) : state_{seed} {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e37'79b9'7f4a'7c15;
        z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
        return z ^ (z >> 31);
    }

    // A number in [0, bound); bound may be at most 2^32.
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(((next() >> 32) * bound) >> 32); }

private:
    std::uint64_t state_;
};

template <typename T> void shuffle(std::vector<T>& values, std::uint64_t seed = 1) {
    random random{seed};
    for (std::size_t i = values.size(); i > 1; --i) {
        using std::swap;
        swap(values[i - 1], values[random.below(i)]);
    }
}

// 0 to n - 1 in a random order.
[[nodiscard]] inline std::vector<std::uint32_t> shuffled(std::size_t n, std::uint64_t seed = 1) {
    std::vector<std::uint32_t> values(n);
    std::iota(values.begin(), values.end(), 0U);
    shuffle(values, seed);
    return values;
}

} // namespace bench
