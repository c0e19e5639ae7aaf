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

/// A component for the root of a copy, which takes the place of the original's.
struct root_value {
    component_id id{0};
    alignas(8) entity target;                      ///< of a relation; else null
    void* value = nullptr;                         ///< null for tags
    void (*make)(void* to, void* value) = nullptr; ///< makes one more value of it; may throw
};

/// `count` copies of an entity and of all below it in a relation, without the tag `prefab`. The roots get the values
/// given, and no target in the relation unless it is among them; what is given is taken as it is, also if it refers to
/// the originals. Throws what `clone_tree` throws.
[[nodiscard]] entity_list spawn_tree(storage& all, component_id relation, entity root,
                                     std::span<const root_value> given, std::size_t count);

} // namespace pecs::detail
