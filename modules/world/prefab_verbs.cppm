// The verbs of a world about prefabs: entities that are there to be copied. A prefab is an ordinary entity, with all that is
// below it; the tag `prefab` keeps it out of queries that do not name the tag.
export module pecs.world:prefab_verbs;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :clone_verbs;
import :rows;

export namespace pecs::detail {

class prefab_verbs : public clone_verbs {
public:
    using clone_verbs::clone_verbs;

    /// Gives an entity and all below it the tag `prefab`, unless they have it. What is put below it later is not marked by
    /// itself. Throws `dead_entity`.
    template <class R = child_of> void make_prefab(entity root);
    /// A copy of an entity and of all below it, as `clone_subtree` makes it, but without the tag `prefab`, and under no
    /// parent. The values, which come as for `spawn`, take the place of the components of the root, or are added to them:
    /// `spawn_from(tank, Position{3, 4}, to<child_of>(army))`. They are taken as they are, also if they refer to the
    /// original. Of a relation with many targets, the target is added to those of the original.
    /// Throws `dead_entity`, `dead_target`, and `unsupported_component` for what cannot be copied and is not replaced.
    template <class R = child_of, class... Vs> entity spawn_from(entity original, Vs... values) {
        return spawn_copies<R, false>(original, 1, values...)[0];
    }
    /// `count` copies at once, each with copies of the values; gives their roots.
    template <class R = child_of, class... Vs>
    entity_list spawn_from_batch(entity original, std::size_t count, Vs... values) {
        return spawn_copies<R, true>(original, count, values...);
    }

private:
    template <class T> static void move_value(void* to, void* value) {
        construct<T>(to, static_cast<T&&>(*static_cast<T*>(value)));
    }
    template <class T> static void copy_value(void* to, void* value) {
        construct<T>(to, *static_cast<const T*>(value));
    }
    template <bool Copied, class V> [[nodiscard]] static root_value given(V& value) {
        using component = typename spawned<V>::component;
        root_value made;
        made.id = id_of<component>();
        if constexpr (spawned<V>::related) made.target = value.target;
        if constexpr (!std::is_empty_v<component>) {
            made.value = __builtin_addressof(spawned<V>::value(value));
            if constexpr (Copied)
                made.make = &copy_value<component>;
            else
                made.make = &move_value<component>;
        }
        return made;
    }
    template <class R, bool Copied, class... Vs>
    entity_list spawn_copies(entity original, std::size_t count, Vs&... values) {
        require_hierarchy<R>();
        require_one_target<R>();
        require_components<typename spawned<Vs>::component...>();
        require_targets<Vs...>();
        static_assert(
            (!std::same_as<Vs, prefab> && ...),
            "pecs: what is made of a prefab is none itself: for a variant of a prefab, change a copy made by "
            "clone_subtree");
        const root_value list[] = {given<Copied>(values)..., root_value{}};
        return spawn_tree(*storage_, id_of<R>(), original, {list, sizeof...(Vs)}, count);
    }
};

template <class R> void prefab_verbs::make_prefab(entity root) {
    require_hierarchy<R>();
    storage_->check_unlocked();
    storage_->check_alive(root);
    buffer<entity> list{storage_->memory()};
    const entity_list below = descendants_of(*storage_, id_of<R>(), root);
    list.reserve(below.size() + 1);
    if (!has<prefab>(root)) list.append(root);
    for (std::size_t i = 0; i != below.size(); ++i)
        if (!has<prefab>(below[i])) list.append(below[i]);
    add_batch(std::span<const entity>{list.data(), list.size()}, prefab{});
}

} // namespace pecs::detail
