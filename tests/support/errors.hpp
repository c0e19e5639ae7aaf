// Errors are part of the interface: a refused call must throw the right type, say the right words, and change
// nothing.
#pragma once

#include <exception>
#include <stdexcept>
#include <string_view>

namespace support {

[[nodiscard]] inline bool mentions(const std::exception& error, std::string_view words) {
    return std::string_view{error.what()}.find(words) != std::string_view::npos;
}

/// The error of type `E` that `f` throws. If it throws none, or another, the running test fails.
template <class E, class F> [[nodiscard]] E caught(F&& f) {
    try {
        f();
    } catch (const E& error) {
        return error;
    }
    throw std::logic_error{"nothing was thrown"};
}

} // namespace support
