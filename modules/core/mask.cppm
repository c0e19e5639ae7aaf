// A set of component types as a fixed row of bits: what an archetype has, and what a query asks for. All tests are a
// few word operations, whatever the number of components.
export module pecs.core:mask;

import pecs.std;
import :component;
import :registry;

export namespace pecs {

/// A set of component types.
class component_mask {
public:
    using word = std::uint64_t;
    static constexpr std::size_t word_bits = 64;
    static constexpr std::size_t word_count = max_components / word_bits;

    constexpr component_mask() noexcept = default;
    constexpr component_mask(std::initializer_list<component_id> ids) noexcept {
        for (const component_id id : ids) set(id);
    }

    /// The set of the given C++ types; registers those that were never used.
    template <class... Ts> [[nodiscard]] static component_mask of() { return {id_of<Ts>()...}; }

    constexpr component_mask& set(component_id id) noexcept {
        words_[slot(id)] |= bit(id);
        return *this;
    }
    constexpr component_mask& reset(component_id id) noexcept {
        words_[slot(id)] &= ~bit(id);
        return *this;
    }
    [[nodiscard]] constexpr bool test(component_id id) const noexcept {
        return (words_[slot(id)] & bit(id)) != 0;
    }

    /// True if every type of `other` is in this set; always so for the empty set.
    [[nodiscard]] constexpr bool contains(const component_mask& other) const noexcept {
        word missing = 0;
        for (std::size_t i = 0; i != word_count; ++i) missing |= other.words_[i] & ~words_[i];
        return missing == 0;
    }
    /// True if the two sets share a type.
    [[nodiscard]] constexpr bool intersects(const component_mask& other) const noexcept {
        word shared = 0;
        for (std::size_t i = 0; i != word_count; ++i) shared |= other.words_[i] & words_[i];
        return shared != 0;
    }
    /// True if the two sets share no type.
    [[nodiscard]] constexpr bool excludes(const component_mask& other) const noexcept {
        return !intersects(other);
    }

    [[nodiscard]] constexpr bool empty() const noexcept {
        word any = 0;
        for (const word w : words_) any |= w;
        return any == 0;
    }
    [[nodiscard]] constexpr std::size_t count() const noexcept {
        std::size_t total = 0;
        for (const word w : words_) total += static_cast<std::size_t>(std::popcount(w));
        return total;
    }

    /// Calls `visit(component_id)` for every type of the set, in ascending order of the ids.
    template <class Visit> constexpr void each(Visit&& visit) const {
        for (std::size_t i = 0; i != word_count; ++i) {
            for (word rest = words_[i]; rest != 0; rest &= rest - 1) {
                const auto position = i * word_bits + static_cast<std::size_t>(std::countr_zero(rest));
                visit(component_id{static_cast<std::uint16_t>(position)});
            }
        }
    }

    [[nodiscard]] constexpr std::size_t hash() const noexcept {
        word mixed = 0x9E3779B97F4A7C15ULL;
        for (const word w : words_) {
            mixed = (mixed ^ w) * 0xFF51AFD7ED558CCDULL;
            mixed ^= mixed >> 32U;
        }
        return static_cast<std::size_t>(mixed);
    }

    constexpr component_mask& operator|=(const component_mask& other) noexcept {
        for (std::size_t i = 0; i != word_count; ++i) words_[i] |= other.words_[i];
        return *this;
    }
    constexpr component_mask& operator&=(const component_mask& other) noexcept {
        for (std::size_t i = 0; i != word_count; ++i) words_[i] &= other.words_[i];
        return *this;
    }
    constexpr component_mask& operator-=(const component_mask& other) noexcept {
        for (std::size_t i = 0; i != word_count; ++i) words_[i] &= ~other.words_[i];
        return *this;
    }
    [[nodiscard]] friend constexpr component_mask operator|(component_mask a,
                                                            const component_mask& b) noexcept {
        return a |= b;
    }
    [[nodiscard]] friend constexpr component_mask operator&(component_mask a,
                                                            const component_mask& b) noexcept {
        return a &= b;
    }
    /// The types of `a` that are not in `b`.
    [[nodiscard]] friend constexpr component_mask operator-(component_mask a,
                                                            const component_mask& b) noexcept {
        return a -= b;
    }
    constexpr bool operator==(const component_mask&) const noexcept = default;

private:
    [[nodiscard]] static constexpr std::size_t slot(component_id id) noexcept {
        return id.index() / word_bits;
    }
    [[nodiscard]] static constexpr word bit(component_id id) noexcept {
        return word{1} << (id.index() % word_bits);
    }

    std::array<word, word_count> words_{};
};

} // namespace pecs
