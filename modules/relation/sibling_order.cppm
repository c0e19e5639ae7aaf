// The order of siblings, for those who ask for it. Children lie in storage order, which changes when one is removed; a
// child that was placed has a rank, and ranks do not change by themselves.
//
//   order   ranked children by their keys, then those without a rank in storage order
//   keys    far apart; where there is no room between two of them, all children of the parent get new ones
//
// Placing one child gives a rank to all of its siblings: the order in which they are seen is the one that lasts.
//
// A rank counts only under the parent for which it was given. So it needs no attention when a child gets another
// parent, whatever verb does it, and nothing is kept with the parent: a child that dies leaves nothing behind.
export module pecs.relation:sibling_order;

import pecs.std;
import pecs.archetype;
import :hierarchy;

export namespace pecs::detail {

struct rank_value {
    entity parent; ///< under which it counts
    std::int64_t key = 0;

    /// A copy under a copied parent has the place of its original; one under the same parent has none yet.
    inline void map_entities(const entity_map& map) noexcept {
        const entity copy = map(parent);
        parent = copy == parent ? null : copy;
    }
};

} // namespace pecs::detail

export namespace pecs {

/// The place of an entity among its siblings in the relation `R`; written by the `place` verbs.
template <class R = child_of> struct sibling_rank : detail::rank_value {};

} // namespace pecs

export namespace pecs::detail {

enum class sibling_place : std::uint8_t { first, last, before, after };

/// The types that an order is about.
struct order_types {
    component_id relation;
    component_id rank;
};

/// All children, in their order. O(children log children).
[[nodiscard]] entity_list children_in_order(const storage& all, order_types types, entity parent);
/// Puts a child at the beginning, at the end, or next to a sibling. O(children), and an `add` for each child that has no
/// rank yet. Throws `dead_entity`, `missing_component` for a child without a parent, and `not_siblings`.
void place_child(storage& all, order_types types, entity child, sibling_place where, entity next);
/// Puts the children of a list before all others of their parent, in the order of the list; the others keep theirs.
/// O(children log children). Throws what `place_child` throws, and `repeated_entity`.
void order_children(storage& all, order_types types, std::span<const entity> list);
/// Ends the effect of a rank: its entity comes last when it comes back to the parent.
void forget_rank(storage& all, component_id rank, entity child) noexcept;

/// Does so at the end of a scope, if the child has another parent then: an observer may throw after it got one.
class rank_end {
public:
    inline rank_end(storage& all, component_id relation, component_id rank, entity child,
                    entity parent) noexcept
        : all_{all}, relation_{relation}, rank_{rank}, child_{child}, parent_{parent} {}
    rank_end(const rank_end&) = delete;
    rank_end& operator=(const rank_end&) = delete;
    inline ~rank_end() {
        if (all_.target(child_, relation_) != parent_) forget_rank(all_, rank_, child_);
    }

private:
    storage& all_;
    component_id relation_;
    component_id rank_;
    entity child_;
    entity parent_;
};

} // namespace pecs::detail
