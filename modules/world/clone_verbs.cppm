// The verbs of a world that copy entities. All components are copied; if one cannot be, `unsupported_component` names
// it, and whatever is thrown midway, nothing was copied.
export module pecs.world:clone_verbs;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :path_verbs;

export namespace pecs::detail {

class clone_verbs : public path_verbs {
public:
    using path_verbs::path_verbs;

    /// A copy of one entity; its relations have the same targets. Throws `dead_entity` and `unsupported_component`.
    inline entity clone(entity e) { return clone_one(*storage_, e); }
    /// A copy of an entity and of all below it, under the same parent. Relations of any type between entities that are
    /// copied lead to the copies; all others keep their targets. Costs about as much as spawning the same entities.
    template <class R = child_of> entity clone_subtree(entity root) {
        return clone_subtree<R>(root, parent<R>(root));
    }
    /// The same under another parent; with `null`, under none. Throws `dead_target`.
    template <class R = child_of> entity clone_subtree(entity root, entity new_parent) {
        require_hierarchy<R>();
        return clone_tree(*storage_, id_of<R>(), root, new_parent, 1)[0];
    }
    /// `count` copies at once; gives their roots.
    template <class R = child_of> entity_list clone_subtree(entity root, std::size_t count) {
        return clone_subtree<R>(root, parent<R>(root), count);
    }
    template <class R = child_of>
    entity_list clone_subtree(entity root, entity new_parent, std::size_t count) {
        require_hierarchy<R>();
        return clone_tree(*storage_, id_of<R>(), root, new_parent, count);
    }
};

} // namespace pecs::detail
