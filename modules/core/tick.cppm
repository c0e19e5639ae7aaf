// Moments of a world, for the question what has changed since one of them, and how precisely changes of a type are noted:
//
//   struct Health { int points; static constexpr pecs::change_tracking tracking = pecs::change_tracking::rows; };
export module pecs.core:tick;

import pecs.std;

export namespace pecs {

/// A moment of a world; `world::now` gives the present one. A default tick is before everything. Ticks are numbers of 64
/// bits, which never come to an end.
class tick {
public:
    constexpr tick() noexcept = default;
    constexpr explicit tick(std::uint64_t value) noexcept : value_{value} {}
    [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
    constexpr auto operator<=>(const tick&) const noexcept = default;

private:
    std::uint64_t value_ = 0;
};

/// How precisely changes of a component type are noted.
enum class change_tracking : std::uint8_t {
    families, ///< a change of one entity counts for all of its family; without relations, of its archetype
    rows, ///< for each entity; takes 16 bytes per entity more, and a store for each row that a loop may write
};

} // namespace pecs

export namespace pecs::detail {

/// Whether changes of `T` are noted row by row.
template <class T> inline constexpr bool tracks_rows = false;
template <class T>
    requires requires { requires std::same_as<std::remove_cvref_t<decltype(T::tracking)>, change_tracking>; }
inline constexpr bool tracks_rows<T> = T::tracking == change_tracking::rows;

} // namespace pecs::detail
