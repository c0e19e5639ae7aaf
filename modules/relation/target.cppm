// How a program names the target of a relation.
export module pecs.relation:target;

import pecs.std;
import pecs.core;

export namespace pecs {

/// A relation with the target that an entity is to have; made by `to`.
template <class R> struct relation_to {
    entity target;
    R value;
};

/// A target for a new entity, with the relation's data, if it has any: `spawn(Planet{}, to<Orbits>(sun, Orbits{1.5}))`.
template <class R> [[nodiscard]] inline relation_to<R> to(entity target, R value) {
    detail::require_relation<R>();
    return {target, static_cast<R&&>(value)};
}
template <class R> [[nodiscard]] inline relation_to<R> to(entity target) {
    detail::require_relation<R>();
    return {target, R{}};
}

/// In the place of a target: every target.
struct any_target {};
inline constexpr any_target any{};
/// In the place of a target: entities without the relation.
struct no_target {};
inline constexpr no_target none{};

} // namespace pecs

export namespace pecs::detail {

/// What a value given to `spawn` means: a component, or a relation with its target.
template <class V> struct spawned {
    using component = V;
    static constexpr bool related = false;
    [[nodiscard]] static V& value(V& given) noexcept { return given; }
};
template <class R> struct spawned<relation_to<R>> {
    using component = R;
    static constexpr bool related = true;
    [[nodiscard]] static R& value(relation_to<R>& given) noexcept { return given.value; }
};

} // namespace pecs::detail
