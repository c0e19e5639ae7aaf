// An entity is a name for a thing in a world: a 64-bit value, half index, half generation.
//
//    63          32 31           0
//   | generation   | index        |
//
// The index says where the world keeps the entity's record and is used again after a despawn; the generation counts
// these uses, so that an old handle never reaches a new entity. Live entities have a generation of at least 1:
// the all-zero value is the null entity, and zeroed memory holds nulls.
export module pecs.core:entity;

import pecs.std;

export namespace pecs {

/// A handle to an entity of a world; cheap to copy, null by default.
class entity {
public:
    constexpr entity() noexcept = default;

    /// Puts a handle together from its parts. Worlds do this; a program needs it to read saved handles.
    constexpr entity(std::uint32_t index, std::uint32_t generation) noexcept
        : index_{index}, generation_{generation} {}

    /// The handle whose `bits()` are given.
    [[nodiscard]] static constexpr entity from_bits(std::uint64_t bits) noexcept {
        return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32U)};
    }

    [[nodiscard]] constexpr std::uint32_t index() const noexcept { return index_; }
    [[nodiscard]] constexpr std::uint32_t generation() const noexcept { return generation_; }

    /// The handle as one number: for hashing, saving and sending. Unique among all entities a world ever had.
    [[nodiscard]] constexpr std::uint64_t bits() const noexcept {
        return (static_cast<std::uint64_t>(generation_) << 32U) | index_;
    }

    /// True for every handle but the null entity; says nothing about whether the entity is still alive.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return generation_ != 0; }

    [[nodiscard]] friend constexpr bool operator==(entity a, entity b) noexcept {
        return a.bits() == b.bits();
    }

    /// Orders by index, then by generation: the order in which a world lists its entities.
    [[nodiscard]] friend constexpr std::strong_ordering operator<=>(entity a, entity b) noexcept {
        return a.index_ != b.index_ ? a.index_ <=> b.index_ : a.generation_ <=> b.generation_;
    }

private:
    std::uint32_t index_{0};
    std::uint32_t generation_{0};
};

/// The entity that is never alive.
inline constexpr entity null{};

/// The text form of a handle: index, `v`, generation, as in `7v2`; `null` for the null entity.
[[nodiscard]] std::string to_string(entity e);

/// Reads the text form back; empty if `text` is not one.
[[nodiscard]] std::optional<entity> parse_entity(std::string_view text) noexcept;

} // namespace pecs

template <> struct std::hash<pecs::entity> {
    /// Spreads the bits (multiply and fold), so that tables which use the low bits alone work well.
    [[nodiscard]] std::size_t operator()(pecs::entity e) const noexcept {
        const std::uint64_t mixed = e.bits() * 0x9E3779B97F4A7C15ULL;
        return static_cast<std::size_t>(mixed ^ (mixed >> 32U));
    }
};
