// The verbs of a world about the components of one entity.
export module pecs.world:component_verbs;

import pecs.std;
import pecs.archetype;
import :accessor;
import :entity_verbs;
import :rows;

export namespace pecs::detail {

class component_verbs : public entity_verbs {
public:
    using entity_verbs::entity_verbs;

    /// Adds components, in one move whatever their number; throws `duplicate_component` if one is there already.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void add(entity e, Ts... values);
    /// Adds components with their default values.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void add(entity e) {
        add<Ts...>(e, Ts{}...);
    }
    /// Removes components, in one move; throws `missing_component` if one is not there.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void remove(entity e);
    /// Removes the types named and adds the values given, in one move: `exchange<Seed>(e, Plant{})`.
    template <class... Removed, class... Added>
        requires(sizeof...(Removed) > 0 && sizeof...(Added) > 0)
    void exchange(entity e, Added... values);
    /// Gives components new values; those that are not there are added, in one move.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void set(entity e, Ts... values);

    /// The value of a component; throws `dead_entity` or `missing_component`.
    template <class T> [[nodiscard]] T& get(entity e) {
        if (storage_->tracking()) [[unlikely]]
            mark_written<T>(e);
        return *checked<T>(e);
    }
    template <class T> [[nodiscard]] const T& get(entity e) const { return *checked<T>(e); }
    /// The value of a component, or null if the entity is dead or lacks it.
    template <class T> [[nodiscard]] T* try_get(entity e) {
        if (storage_->tracking()) [[unlikely]]
            mark_written<T>(e);
        return find<T>(e);
    }
    template <class T> [[nodiscard]] const T* try_get(entity e) const { return find<T>(e); }
    /// True if the entity is alive and has all the components named.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    [[nodiscard]] bool has(entity e) const {
        return (has_one<Ts>(e) && ...);
    }
    /// Reaches the values of one component type, faster than `get` in a loop; valid for the life of the world.
    template <class T> [[nodiscard]] accessor<T> access() { return accessor<T>{*storage_}; }
    template <class T> [[nodiscard]] accessor<const T> access() const { return accessor<const T>{*storage_}; }

private:
    template <class T> [[nodiscard]] bool has_one(entity e) const noexcept {
        if constexpr (many_targets<T>)
            return storage_->has_edges(e, known_id<T>());
        else
            return storage_->has(e, known_id<T>());
    }
};

template <class... Ts>
    requires(sizeof...(Ts) > 0)
void component_verbs::add(entity e, Ts... values) {
    require_components<Ts...>();
    require_targets<Ts...>();
    const placement place = storage_->change(e, static_bundle<true>(types<Ts...>{}, types<>{}));
    (put<Ts>(place, values), ...);
}

template <class... Ts>
    requires(sizeof...(Ts) > 0)
void component_verbs::remove(entity e) {
    require_components<Ts...>();
    (require_column<Ts>(), ...);
    (void)storage_->change(e, static_bundle<true>(types<>{}, types<Ts...>{}));
}

template <class... Removed, class... Added>
    requires(sizeof...(Removed) > 0 && sizeof...(Added) > 0)
void component_verbs::exchange(entity e, Added... values) {
    require_components<Removed..., Added...>();
    (require_column<Removed>(), ...);
    require_targets<Added...>();
    const placement place = storage_->change(e, static_bundle<true>(types<Added...>{}, types<Removed...>{}));
    (put<Added>(place, values), ...);
}

template <class... Ts>
    requires(sizeof...(Ts) > 0)
void component_verbs::set(entity e, Ts... values) {
    require_components<Ts...>();
    require_targets<Ts...>();
    const bool there[] = {storage_->has(e, id_of<Ts>())...};
    placement place{e, 0, 0};
    if ((storage_->has(e, id_of<Ts>()) &&
         ...)) { // nothing moves, so this is allowed in a loop over the world
        const entity_record& record = storage_->entities()[e];
        place = {e, record.archetype, record.row};
    } else {
        place = storage_->change(e, static_bundle<false>(types<Ts...>{}, types<>{}));
    }
    const bool* known = there;
    if (storage_->tracking()) [[unlikely]]
        mark_written<Ts...>(e);
    ((*known++ ? overwrite<Ts>(place, values) : put<Ts>(place, values)), ...);
}

} // namespace pecs::detail
