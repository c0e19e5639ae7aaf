// Turns bytes into choices. Every choice takes one byte, so that a small change of the bytes is a small change of the
// program they stand for. Behind the end there are zeros.
#pragma once

#include "prelude.hpp"

namespace fuzz {

class reader {
public:
    explicit reader(std::span<const std::uint8_t> bytes) : left_{bytes} {}

    [[nodiscard]] bool done() const { return left_.empty(); }
    unsigned byte() {
        if (left_.empty()) return 0;
        const unsigned first = left_.front();
        left_ = left_.subspan(1);
        return first;
    }
    std::size_t below(std::size_t n) { return byte() % n; }
    bool coin() { return (byte() & 1U) != 0; }

private:
    std::span<const std::uint8_t> left_;
};

} // namespace fuzz
