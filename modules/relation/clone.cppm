// Copies of entities, alone or with everything below them. Relations between entities that are copied together are
// relations between the copies; all others keep their targets. Handles in components follow through `map_entities`.
//
// A family is copied as a whole, column by column. Everything is prepared first: handles, families, rows, values; user
// code (copy constructors) runs on rows that do not belong to anybody yet. Then nothing can fail any more.
export module pecs.relation:clone;

import pecs.std;
import pecs.archetype;
import :hierarchy;

export namespace pecs::detail {

/// A copy of one entity, with the same targets. Throws `dead_entity`, and `unsupported_component` if one of its
/// components cannot be copied.
entity clone_one(storage& all, entity e);

/// `count` copies of an entity and of all below it in a relation. The roots of the copies get `parent` as their target,
/// or do not have the relation if it is null. O(copied entities + families, times archetypes with the relation). Throws
/// what `clone_one` throws, and `dead_target`.
[[nodiscard]] entity_list clone_tree(storage& all, component_id relation, entity root, entity parent,
                                     std::size_t count);

} // namespace pecs::detail
