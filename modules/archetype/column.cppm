// A column: the values of one component type of one archetype, side by side. The columns of an archetype have a common
// number of rows; the archetype says which of them hold values.
//
// Values move in runs through the functions of their type, or as bytes where the type allows it.
export module pecs.archetype:column;

import pecs.std;
import pecs.core;
import :buffer;

export namespace pecs::detail {

struct column {
    std::byte* data = nullptr;
    const component_type* type = nullptr;
    std::size_t size = 0; ///< of one value, in bytes
    component_id id{no_component};
    std::byte* next = nullptr; ///< the larger memory, while the archetype grows

    [[nodiscard]] inline std::byte* at(std::uint32_t row) const noexcept { return data + row * size; }
    [[nodiscard]] inline std::size_t alignment() const noexcept {
        return type->alignment > cache_line ? type->alignment : cache_line;
    }
};

template <std::size_t Size> struct known_size {
    // NOLINTNEXTLINE(*-explicit-constructor, *-explicit-conversions): it stands for the number
    constexpr operator std::size_t() const noexcept { return Size; }
};
/// Calls `f` with a size that the compiler knows, if it is one of the usual ones.
template <class F> inline void with_size(std::size_t size, F f) noexcept {
    switch (size) {
    case 4: f(known_size<4>{}); break;
    case 8: f(known_size<8>{}); break;
    case 12: f(known_size<12>{}); break;
    case 16: f(known_size<16>{}); break;
    case 24: f(known_size<24>{}); break;
    case 32: f(known_size<32>{}); break;
    case 48: f(known_size<48>{}); break;
    case 64: f(known_size<64>{}); break;
    default: f(size); break;
    }
}

/// Moves one value into raw memory and ends the original.
inline void relocate_value(const component_type& type, void* to, void* from) noexcept {
    if (type.relocate == nullptr) [[likely]]
        with_size(type.size, [=](auto size) { std::memcpy(to, from, size); });
    else
        type.relocate(to, from, 1);
}

/// Moves a value into raw memory, and another one to where it was.
inline void relocate_and_fill(const component_type& type, void* to, void* from, void* next) noexcept {
    if (type.relocate == nullptr) [[likely]] {
        with_size(type.size, [=](auto size) {
            std::memcpy(to, from, size);
            std::memcpy(from, next, size);
        });
    } else {
        type.relocate(to, from, 1);
        type.relocate(from, next, 1);
    }
}

/// Moves a run of values into raw memory that does not overlap it, and ends the originals.
inline void relocate_run(const component_type& type, void* to, void* from, std::size_t count) noexcept {
    if (type.relocate == nullptr)
        std::memcpy(to, from, type.size * count);
    else
        type.relocate(to, from, count);
}

inline void destroy_run(const component_type& type, void* first, std::size_t count) noexcept {
    if (type.destroy != nullptr) type.destroy(first, count);
}

} // namespace pecs::detail
