// The verbs of a world that disable entities, or components of entities, without moving them, and enable them again. Queries
// skip what is disabled; everything else sees it as ever. Nothing moves and no reference becomes invalid. While a query
// iterates these verbs throw `world_locked` as all changes do: what it visits would depend on how far it is.
export module pecs.world:enabling_verbs;

import pecs.std;
import pecs.archetype;
import pecs.query;
import :resource_verbs;

export namespace pecs::detail {

/// Disables the entities of a list, or one component of each if an id is given; all of them or none. Throws
/// `dead_entity`, `repeated_entity` and `missing_component`.
void disable_all(storage& all, std::span<const entity> list, component_id id);
/// Enables them.
void enable_all(storage& all, std::span<const entity> list, component_id id);

class enabling_verbs : public resource_verbs {
public:
    using resource_verbs::resource_verbs;

    /// Hides an entity from queries, unless it is hidden already; throws `dead_entity`. O(1).
    inline void disable(entity e) { disable_all(*storage_, {&e, 1}, whole); }
    /// Shows an entity to queries again.
    inline void enable(entity e) { enable_all(*storage_, {&e, 1}, whole); }
    /// True if the entity is alive and not disabled.
    [[nodiscard]] inline bool enabled(entity e) const noexcept {
        return alive(e) && !storage_->beside().disabled(e);
    }
    /// Hides one component of an entity: queries that require it skip the entity. Throws `missing_component`. It is
    /// enabled again when it is removed and added anew, not when it gets another value.
    template <class T> void disable(entity e) { disable_all(*storage_, {&e, 1}, checked_id<T>()); }
    template <class T> void enable(entity e) { enable_all(*storage_, {&e, 1}, checked_id<T>()); }
    /// True if the entity has the component, and it is not disabled; whether the entity is, is not asked.
    template <class T> [[nodiscard]] bool enabled(entity e) const noexcept {
        return this->template has<T>(e) && !storage_->beside().disabled(e, known_id<T>());
    }

    /// The same for all entities of a list, or none.
    inline void disable_batch(std::span<const entity> list) { disable_all(*storage_, list, whole); }
    inline void enable_batch(std::span<const entity> list) { enable_all(*storage_, list, whole); }
    template <class T> void disable_batch(std::span<const entity> list) {
        disable_all(*storage_, list, checked_id<T>());
    }
    template <class T> void enable_batch(std::span<const entity> list) {
        enable_all(*storage_, list, checked_id<T>());
    }
    /// The same for all entities that a query matches; those that are disabled it matches only with `disabled_too`.
    template <class Selection, class... Terms>
    void disable_batch(const basic_query<Selection, Terms...>& all) {
        const buffer<entity> list = this->listed(all);
        disable_all(*storage_, {list.data(), list.size()}, whole);
    }
    template <class Selection, class... Terms>
    void enable_batch(const basic_query<Selection, Terms...>& all) {
        const buffer<entity> list = this->listed(all);
        enable_all(*storage_, {list.data(), list.size()}, whole);
    }
    template <class T, class Selection, class... Terms>
    void disable_batch(const basic_query<Selection, Terms...>& all) {
        const buffer<entity> list = this->listed(all);
        disable_all(*storage_, {list.data(), list.size()}, checked_id<T>());
    }
    template <class T, class Selection, class... Terms>
    void enable_batch(const basic_query<Selection, Terms...>& all) {
        const buffer<entity> list = this->listed(all);
        enable_all(*storage_, {list.data(), list.size()}, checked_id<T>());
    }

private:
    static constexpr component_id whole{no_component};

    template <class T> [[nodiscard]] static component_id checked_id() {
        require_column<T>();
        return id_of<T>();
    }
};

} // namespace pecs::detail
