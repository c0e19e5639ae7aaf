// The rules of a relation: what the library does for its targets. They are declared with the relation's type:
//
//   struct ChildOf { static constexpr pecs::relation_rules rules = pecs::hierarchy; };
export module pecs.core:rules;

import pecs.std;

export namespace pecs {

/// What happens to the sources of a relation when their target is despawned.
enum class target_death : std::uint8_t {
    detach,  ///< they lose the relation, with its data
    cascade, ///< they are despawned, too
    forbid,  ///< the despawn throws `target_in_use`, unless they are despawned in the same call
};

/// The rules of one relation type.
struct relation_rules {
    target_death on_target_death = target_death::detach;
    bool acyclic = false; ///< True: relating an entity to one that leads back to it throws `relation_cycle`.
    bool many = false;    ///< True: an entity may have any number of targets; each has data of its own.
    bool symmetric =
        false; ///< True, with `many`: the target is related to the entity, too; they share the data.
};

/// The rules of a tree whose parts do not outlive the whole.
inline constexpr relation_rules hierarchy{.on_target_death = target_death::cascade, .acyclic = true};

} // namespace pecs
