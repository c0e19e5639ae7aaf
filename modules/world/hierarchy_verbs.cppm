// The verbs of a world about trees: parents, children, ancestors. Any acyclic relation makes a tree; `child_of` is
// meant where none is named.
//
// Questions whose answer can be nothing (no parent, no children) say so for a dead entity, too, as `target` does; those
// whose answer is a value, and verbs that change something, throw `dead_entity`.
export module pecs.world:hierarchy_verbs;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :relation_verbs;

export namespace pecs::detail {

class hierarchy_verbs : public relation_verbs {
public:
    using relation_verbs::relation_verbs;

    /// The parent of an entity; null if it has none, or is dead.
    template <class R = child_of> [[nodiscard]] entity parent(entity e) const noexcept {
        require_hierarchy<R>();
        return target<R>(e);
    }
    /// The children of an entity for range-for, in storage order: `for (entity child : world.children(e))`. No
    /// allocation; the structure is locked meanwhile. For values, see `query::of`.
    template <class R = child_of> [[nodiscard]] child_range children(entity parent) const {
        require_hierarchy<R>();
        return {*storage_, id_of<R>(), parent};
    }
    /// How many children an entity has. O(archetypes with `R`).
    template <class R = child_of> [[nodiscard]] std::size_t child_count(entity parent) const {
        require_hierarchy<R>();
        return source_count<R>(parent);
    }
    /// The ancestors of an entity for range-for, nearest first. No allocation; the structure is locked meanwhile.
    template <class R = child_of> [[nodiscard]] ancestor_range ancestors(entity e) const {
        require_hierarchy<R>();
        return {*storage_, id_of<R>(), e};
    }
    /// All entities below an entity, level by level, as a list: the world may change while one goes through it.
    /// O(descendants * archetypes with `R`). For values, see `query::under`.
    template <class R = child_of> [[nodiscard]] entity_list descendants(entity e) const {
        require_hierarchy<R>();
        return descendants_of(*storage_, id_of<R>(), e);
    }
    /// All entities that have children and no parent, in ascending order of their indices. O(families of `R`).
    template <class R = child_of> [[nodiscard]] entity_list roots() const {
        require_hierarchy<R>();
        return roots_of(*storage_, id_of<R>());
    }
    /// The last ancestor of an entity, or itself if it has no parent; null if it is dead. O(depth).
    template <class R = child_of> [[nodiscard]] entity root_of(entity e) const {
        require_hierarchy<R>();
        return root_above(*storage_, id_of<R>(), e);
    }
    /// How many ancestors an entity has; throws `dead_entity`. O(depth).
    template <class R = child_of> [[nodiscard]] std::size_t depth(entity e) const {
        require_hierarchy<R>();
        storage_->check_alive(e);
        return depth_of(*storage_, id_of<R>(), e);
    }
    /// True if `ancestor` is above `e`; no entity is above itself. O(depth).
    template <class R = child_of> [[nodiscard]] bool is_ancestor(entity ancestor, entity e) const {
        require_hierarchy<R>();
        return is_above(*storage_, id_of<R>(), ancestor, e);
    }
    /// Gives an entity another parent; with `null`, none. Its descendants stay with it; it comes last among its new
    /// siblings. Throws what `relate` throws.
    template <class R = child_of> void reparent(entity e, entity new_parent) {
        require_hierarchy<R>();
        storage_->check_alive(e);
        const entity old = parent<R>(e);
        if (new_parent == old) return;
        const rank_end after{*storage_, known_id<R>(), known_id<sibling_rank<R>>(), e, old};
        if (new_parent)
            relate<R>(e, new_parent);
        else
            unrelate<R>(e);
    }
    /// True if `relate<R>(e, target)`, and so `reparent`, would find nothing to object to: both are alive and no cycle
    /// would close. Works for any relation. (A loop that runs forbids every change; this does not ask for it.)
    template <class R = child_of> [[nodiscard]] bool can_relate(entity e, entity target) const {
        require_relation<R>();
        return may_relate(*storage_, id_of<R>(), e, target);
    }
};

} // namespace pecs::detail
