module;
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

module pecs.core;

namespace pecs {

std::string to_string(entity e) {
    if (!e) return "null";
    return std::to_string(e.index()) + 'v' + std::to_string(e.generation());
}

std::optional<entity> parse_entity(std::string_view text) noexcept {
    if (text == "null") return null;
    const char* const end = text.data() + text.size();
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    const auto first = std::from_chars(text.data(), end, index);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != 'v') return std::nullopt;
    const auto second = std::from_chars(first.ptr + 1, end, generation);
    if (second.ec != std::errc{} || second.ptr != end || generation == 0) return std::nullopt;
    return entity{index, generation};
}

} // namespace pecs
