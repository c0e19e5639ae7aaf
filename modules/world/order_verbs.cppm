// The verbs of a world about the order of siblings. Children that have no place yet come last, in storage order;
// placing one gives a place to all of its siblings, in the order that they have then. See `sibling_order` for how it is
// kept.
export module pecs.world:order_verbs;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :hierarchy_verbs;

export namespace pecs::detail {

class order_verbs : public hierarchy_verbs {
public:
    using hierarchy_verbs::hierarchy_verbs;

    /// The children of an entity in their order, as a list: the world may change while one goes through it.
    /// O(children log children).
    template <class R = child_of> [[nodiscard]] entity_list ordered_children(entity parent) const {
        return children_in_order(*storage_, order_types_of<R>(), parent);
    }
    /// Makes an entity the first child of its parent, or the last. O(children), and an `add` of `sibling_rank<R>` for
    /// each child that has none. Throws `dead_entity`, and `missing_component` if it has no parent.
    template <class R = child_of> void place_first(entity child) {
        place_child(*storage_, order_types_of<R>(), child, sibling_place::first, null);
    }
    template <class R = child_of> void place_last(entity child) {
        place_child(*storage_, order_types_of<R>(), child, sibling_place::last, null);
    }
    /// Puts an entity right before a sibling, or right behind it. O(children). Throws `not_siblings`, too.
    template <class R = child_of> void place_before(entity child, entity sibling) {
        place_child(*storage_, order_types_of<R>(), child, sibling_place::before, sibling);
    }
    template <class R = child_of> void place_after(entity child, entity sibling) {
        place_child(*storage_, order_types_of<R>(), child, sibling_place::after, sibling);
    }
    /// Puts siblings in the order of a list, before all that are not in it. O(children log children): the way to order
    /// many. Throws what `place_before` throws, and `repeated_entity`.
    template <class R = child_of> void place_all(std::span<const entity> list) {
        order_children(*storage_, order_types_of<R>(), list);
    }

private:
    template <class R> [[nodiscard]] static order_types order_types_of() {
        require_hierarchy<R>();
        return {id_of<R>(), id_of<sibling_rank<R>>()};
    }
};

} // namespace pecs::detail
