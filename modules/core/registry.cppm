// The process-wide list of component types. It only grows: an id, once given, stays valid for the life of the program,
// in every world. All functions may be called from any thread.
//
// A C++ type gets its id on first use. The id is kept in a variable of the type's own, so that asking again costs one
// load and one test.
export module pecs.core:registry;

import pecs.std;
import :component;

export namespace pecs {

/// How many component types a program may have; chosen when PECS is built (PECS_MAX_COMPONENTS).
inline constexpr std::size_t max_components = PECS_MAX_COMPONENTS;
static_assert(max_components % 64 == 0 && max_components >= 64 && max_components <= 65472);

/// How many component types exist so far.
[[nodiscard]] std::size_t component_count() noexcept;

/// The description of a component type; throws `unknown_component` for an id that was never given.
[[nodiscard]] const component_type& type_of(component_id id);

/// Finds a component type by its name; the first one registered, if several C++ types share a name.
[[nodiscard]] std::optional<component_id> find_component(std::string_view name) noexcept;

/// Adds a component type that exists only at run time; the name is copied. Throws `invalid_component` if the
/// description contradicts itself or the name is taken, and `component_limit` when there is no room for another.
component_id register_component(const component_type& type);

} // namespace pecs

export namespace pecs::detail {

/// The id of nothing. Tables by id have a place for it, always empty, so that looking up a type that was never used
/// needs no test of its own.
inline constexpr std::uint16_t no_component = max_components;

/// The id of `T`, or `no_component` before its first use.
template <class T> inline constinit std::atomic<std::uint16_t> id_slot{no_component};

/// The id of `T` if it was ever used, else `no_component`; for look-ups, where a type without an id is simply absent.
template <class T> [[nodiscard]] inline component_id known_id() noexcept {
    require_component<T>();
    return component_id{id_slot<T>.load(std::memory_order_relaxed)};
}

/// Registers a C++ type unless another thread was faster; throws `component_limit`.
component_id register_static(std::atomic<std::uint16_t>& slot, const component_type& type);

} // namespace pecs::detail

export namespace pecs {

/// The id of the component type `T`; registers it on first use, which throws `component_limit` past the limit.
template <class T> [[nodiscard]] inline component_id id_of() {
    detail::require_component<T>();
    const std::uint16_t id = detail::id_slot<T>.load(std::memory_order_acquire);
    if (id != detail::no_component) [[likely]]
        return component_id{id};
    return detail::register_static(detail::id_slot<T>, detail::description<T>);
}

} // namespace pecs
