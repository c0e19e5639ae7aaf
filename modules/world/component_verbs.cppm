// The verbs of a world about the components of one entity.
export module pecs.world:component_verbs;

import pecs.std;
import pecs.archetype;
import :accessor;
import :entity_verbs;
import :rows;
import :set_fill;

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
        require_default<Ts...>();
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
        require_component<T>();
        if (storage_->tracking()) [[unlikely]]
            mark_written<T>(e);
        return *checked<T>(e);
    }
    template <class T> [[nodiscard]] const T& get(entity e) const { return *checked<T>(e); }
    /// The value of a component, or null if the entity is dead or lacks it.
    template <class T> [[nodiscard]] T* try_get(entity e) {
        require_component<T>();
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

protected:
    /// Gives components new values; observers are not told.
    template <bool Watched = false, class... Ts> void assign(entity e, Ts&... values);
    /// The same in a world that is observed; observers are told by `settle`.
    template <class... Ts> void set_watched(entity e, Ts&... values);

private:
    /// Where the value of a component is, or null if there is none; for a tag some address that is not to be read.
    template <class T> [[nodiscard]] std::byte* value_cell(entity e) const {
        if constexpr (!in_set<T>)
            return storage_->find(e, id_of<T>(), std::is_empty_v<T> ? 0 : sizeof(T));
        else if constexpr (!std::is_empty_v<T>)
            return storage_->beside().find(e, known_id<T>());
        else
            return in_its_set<T>(e) ? reinterpret_cast<std::byte*>(storage_) : nullptr;
    }
    /// Finds errors about sparse components, and makes room for them.
    template <class... Added, class... Removed>
    void check_change(entity e, types<Removed...> /*removed*/) const {
        if constexpr ((in_set<Added> || ...) || (in_set<Removed> || ...)) {
            storage_->check_unlocked();
            storage_->check_alive(e);
            (check_present<Removed>(e), ...);
            (check_absent<Added>(e), ...);
            (reserve_value<Added>(e), ...);
        }
    }
    /// Whether a change is one of sparse components in a world that is observed.
    template <class... Ts> [[nodiscard]] bool watched_sets() const noexcept {
        if constexpr ((in_set<Ts> || ...))
            return storage_->watch() != nullptr;
        else
            return false;
    }
    /// Makes such a change, and tells of it.
    template <class... Added, class... Removed>
    void change_watched(entity e, types<Removed...> removed, Added&... values);
    /// Tells of a change of columns alone.
    template <class... Ts> void settle_rows() const {
        if constexpr (!(in_set<Ts> || ...)) storage_->settle();
    }
    /// Finds out whether a value replaces one, or is of a sparse component that was not there.
    template <class T> void compare(entity e, component_mask& given, component_mask& came) const {
        if (has_one<T>(e)) {
            if constexpr (!std::is_empty_v<T>) given.set(id_of<T>());
        } else if constexpr (in_set<T>) {
            came.set(id_of<T>());
        }
    }
    template <class T> [[nodiscard]] bool has_one(entity e) const noexcept {
        require_component<T>();
        if constexpr (many_targets<T>)
            return storage_->has_edges(e, known_id<T>());
        else if constexpr (in_set<T>)
            return in_its_set<T>(e);
        else
            return storage_->has(e, known_id<T>());
    }
};

template <class... Ts>
    requires(sizeof...(Ts) > 0)
void component_verbs::add(entity e, Ts... values) {
    require_components<Ts...>();
    require_targets<Ts...>();
    if (watched_sets<Ts...>()) [[unlikely]] {
        change_watched<Ts...>(e, types<>{}, values...);
        return;
    }
    check_change<Ts...>(e, types<>{});
    const placement place = change_columns<true>(e, row_list<Ts...>{}, types<>{});
    (put<Ts>(place, values), ...);
    settle_rows<Ts...>();
}

template <class... Ts>
    requires(sizeof...(Ts) > 0)
void component_verbs::remove(entity e) {
    require_components<Ts...>();
    (require_column<Ts>(), ...);
    if (watched_sets<Ts...>()) [[unlikely]] {
        change_watched<>(e, types<Ts...>{});
        return;
    }
    check_change<>(e, types<Ts...>{});
    (void)change_columns<true>(e, types<>{}, row_list<Ts...>{});
    (drop_value<Ts>(e), ...);
}

template <class... Removed, class... Added>
    requires(sizeof...(Removed) > 0 && sizeof...(Added) > 0)
void component_verbs::exchange(entity e, Added... values) {
    require_components<Removed..., Added...>();
    (require_column<Removed>(), ...);
    require_targets<Added...>();
    if (watched_sets<Added..., Removed...>()) [[unlikely]] {
        change_watched<Added...>(e, types<Removed...>{}, values...);
        return;
    }
    check_change<Added...>(e, types<Removed...>{});
    const placement place = change_columns<true>(e, row_list<Added...>{}, row_list<Removed...>{});
    (drop_value<Removed>(e), ...);
    (put<Added>(place, values), ...);
    settle_rows<Added..., Removed...>();
}

template <class... Added, class... Removed>
void component_verbs::change_watched(entity e, types<Removed...> removed, Added&... values) {
    check_change<Added...>(e, removed);
    const std::uint32_t bundle = static_bundle<true>(row_list<Added...>{}, row_list<Removed...>{});
    placement place;
    {
        const beside_change change{*storage_->watch(), mask_of(set_list<Added...>{}),
                                   mask_of(set_list<Removed...>{})};
        place = storage_->change(e, bundle);
    }
    (drop_value<Removed>(e), ...);
    (put<Added>(place, values), ...);
    storage_->settle();
}

template <class... Ts>
    requires(sizeof...(Ts) > 0)
void component_verbs::set(entity e, Ts... values) {
    require_components<Ts...>();
    require_targets<Ts...>();
    if (storage_->watch() != nullptr) [[unlikely]] {
        set_watched(e, values...);
        storage_->settle();
    } else {
        assign(e, values...);
    }
}

template <bool Watched, class... Ts> void component_verbs::assign(entity e, Ts&... values) {
    std::byte* const cells[] = {value_cell<Ts>(e)...};
    bool all = true;
    for (const std::byte* each : cells) all = all && each != nullptr;
    std::byte* const* known = cells;
    if (all) { // nothing moves, so this is allowed in a loop over the world
        if (storage_->tracking()) [[unlikely]]
            mark_written<Ts...>(e);
        (replace<Ts>(*known++, values), ...);
        return;
    }
    if constexpr ((in_set<Ts> || ...)) {
        storage_->check_unlocked();
        storage_->check_alive(e);
        (reserve_value<Ts>(e), ...);
    }
    placement place;
    if constexpr (Watched) // an entity that stays in its row is told of, too
        place = storage_->change(e, static_bundle<false>(row_list<Ts...>{}, types<>{}));
    else
        place = change_columns<false>(e, row_list<Ts...>{}, types<>{});
    if (storage_->tracking()) [[unlikely]]
        mark_written<Ts...>(e);
    ((*known++ != nullptr ? overwrite<Ts>(place, values) : put<Ts>(place, values)), ...);
}

template <class... Ts> void component_verbs::set_watched(entity e, Ts&... values) {
    component_mask given;
    component_mask came;
    (compare<Ts>(e, given, came), ...);
    storage_->watch()->reserve(1);
    if constexpr ((in_set<Ts> || ...)) {
        const beside_change change{*storage_->watch(), came, {}};
        assign<true>(e, values...);
    } else {
        assign(e, values...);
    }
    if (storage_->watch() != nullptr) storage_->watch()->note_set(e, given);
}

} // namespace pecs::detail
