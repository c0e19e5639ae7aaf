// The verbs of a world about names and paths. See `name` for what a path looks like.
export module pecs.world:path_verbs;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :order_verbs;

export namespace pecs::detail {

class path_verbs : public order_verbs {
public:
    using order_verbs::order_verbs;

    /// The first child with a `pecs::name` like this, in storage order; null if there is none. O(children).
    template <class R = child_of>
    [[nodiscard]] entity find_child(entity parent, std::string_view name) const {
        require_hierarchy<R>();
        return detail::find_child(*storage_, id_of<R>(), parent, name);
    }
    /// The entity with a path that begins with an entity without a parent: `find("solar/earth/moon")`. Null if a part
    /// is missing or empty; the first in storage order where several siblings have a name. O(children) per part, and
    /// O(named entities without a parent) for the first: keep what you need often.
    template <class R = child_of> [[nodiscard]] entity find(std::string_view path) const {
        require_hierarchy<R>();
        return find_from_top(*storage_, id_of<R>(), path);
    }
    /// The same for a path that begins with a child of `under`.
    template <class R = child_of> [[nodiscard]] entity find(std::string_view path, entity under) const {
        require_hierarchy<R>();
        return find_below(*storage_, id_of<R>(), path, under);
    }
    /// The path of an entity; throws `dead_entity`. Entities without a name stand in it with their handles. O(depth).
    template <class R = child_of> [[nodiscard]] std::string path_of(entity e) const {
        require_hierarchy<R>();
        storage_->check_alive(e);
        return path_to(*storage_, id_of<R>(), e);
    }
};

} // namespace pecs::detail
