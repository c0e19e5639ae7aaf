// What must hold before an entity gets a target: the target lives, and an acyclic relation stays acyclic.
export module pecs.relation:checks;

import pecs.std;
import pecs.archetype;

export namespace pecs::detail {

/// Throws `dead_target` unless the target is alive.
inline void check_target(const storage& all, component_id relation, entity target) {
    if (!all.entities().alive(target)) [[unlikely]]
        throw_dead_target(target, relation);
}
/// Throws `relation_cycle` if `target` leads back to `e`, and the relation's rules forbid that. O(depth).
void check_acyclic(const storage& all, entity e, component_id relation, entity target);
/// The same for a list of entities, and for families.
void check_acyclic(const storage& all, std::span<const entity> list, component_id relation, entity target);
void check_acyclic(const storage& all, std::span<const family_ref> families, component_id relation,
                   entity target);

/// The same for a relation with many targets, of which each of the list is to get one more: looks through all that can
/// be reached from `target`.
void check_acyclic_edges(const storage& all, std::span<const entity> list, component_id relation,
                         entity target);

/// Calls `visit(const archetype&, const family&)` for each family whose target in a relation is the given one.
template <class Visit>
inline void each_family_of(const storage& all, component_id relation, entity target, Visit&& visit) {
    if (!all.is_target(target) || !all.entities().alive(target)) return;
    const auto users = all.created_with(relation);
    for (std::size_t i = 0; i != users.size(); ++i) {
        const archetype& place = *all.archetype_at(users[i]);
        place.each_with(place.relations()->position(relation), target,
                        [&](const family& group) { visit(place, group); });
    }
}

} // namespace pecs::detail
