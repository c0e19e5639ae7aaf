// What a run returns, so that its work cannot be optimised away and can be compared with that of the other
// variants. Whole numbers must agree exactly. Real numbers may differ by one part in 10^9, because variants
// add in different orders; sums of floats stay comparable if the inputs are small whole numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>

namespace bench {

class checksum {
public:
    checksum() = default;
    checksum(std::integral auto value) : whole_{static_cast<std::uint64_t>(value)} {}
    checksum(std::floating_point auto value) : real_{static_cast<double>(value)}, is_real_{true} {}

    [[nodiscard]] bool is_real() const { return is_real_; }
    [[nodiscard]] std::uint64_t whole() const { return whole_; }
    [[nodiscard]] double real() const { return is_real_ ? real_ : static_cast<double>(whole_); }

    friend bool operator==(const checksum& a, const checksum& b) {
        if (!a.is_real_ && !b.is_real_) return a.whole_ == b.whole_;
        const double scale = std::max(std::abs(a.real()), std::abs(b.real()));
        return std::abs(a.real() - b.real()) <= 1e-9 * scale;
    }

private:
    std::uint64_t whole_ = 0;
    double real_ = 0;
    bool is_real_ = false;
};

} // namespace bench
