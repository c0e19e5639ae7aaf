// A bundle is a change of component set that a program makes: add these types, remove those. Like component types,
// bundles get small numbers on first use, shared by all worlds, so that an archetype can remember where each one leads
// in an array. `spawn(A, B)`, `add(e, A, B)` and `add(e, B, A)` are all the bundle {+A +B}, from different archetypes.
export module pecs.archetype:bundle;

import pecs.std;
import pecs.core;
import :entity_pool;

export namespace pecs::detail {

struct bundle {
    component_mask added;
    component_mask removed;
    bool strict = true; ///< False: adding what is there, or removing what is not, is no error.
};

/// The number of a bundle, the same for the same change; safe to call from any thread.
[[nodiscard]] std::uint32_t bundle_id(const bundle& change);
[[nodiscard]] bundle bundle_of(std::uint32_t id);
/// The bundles that add or remove one type given at run time; no look-up after the first use.
[[nodiscard]] std::uint32_t bundle_adding(component_id id);
[[nodiscard]] std::uint32_t bundle_removing(component_id id);

/// A list of types, as a value.
template <class... Ts> struct types {};
/// How often a type is in a list.
template <class T, class... Ts>
inline constexpr std::size_t times_in = (std::size_t{std::same_as<T, Ts>} + ... + 0);

/// The number of a bundle, which is kept in the slot. Out of line, as it happens once.
[[nodiscard]] std::uint32_t first_use(std::atomic<std::uint32_t>& slot, std::span<const component_id> added,
                                      std::span<const component_id> removed, bool strict);

template <class Added, class Removed, bool Strict>
inline constinit std::atomic<std::uint32_t> bundle_slot{none};

/// The number of a bundle that is known when the program is compiled: one load after the first use.
template <bool Strict, class... Added, class... Removed>
[[nodiscard]] inline std::uint32_t static_bundle(types<Added...> /*added*/, types<Removed...> /*removed*/) {
    auto& slot = bundle_slot<types<Added...>, types<Removed...>, Strict>;
    const std::uint32_t id = slot.load(std::memory_order_acquire);
    if (id != none) [[likely]]
        return id;
    const component_id added[]{id_of<Added>()..., component_id{0}};
    const component_id removed[]{id_of<Removed>()..., component_id{0}};
    return first_use(slot, {added, sizeof...(Added)}, {removed, sizeof...(Removed)}, Strict);
}

} // namespace pecs::detail
