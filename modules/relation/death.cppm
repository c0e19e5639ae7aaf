// The death of targets. What the rules of all relations ask for is found out first, for all entities that will die; if
// one of them is forbidden to, or memory is short, nothing has happened yet. Then families go as wholes: those that die
// in one sweep each, those that lose a target to the family where they belong without it.
//
// All of it is a loop over a list of dying targets, so chains of any length are no danger to the stack.
export module pecs.relation:death;

import pecs.std;
import pecs.archetype;

export namespace pecs::detail {

/// Ends the entities of a list, and all of some families, with everything that follows by the rules. Throws
/// `dead_entity`, `repeated_entity` or `target_in_use`; then nothing has changed.
void despawn_with_rules(storage& all, std::span<const entity> list, std::span<const family_ref> families);

} // namespace pecs::detail
