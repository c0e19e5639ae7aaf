// The verb of a world that lets a program observe it.
export module pecs.world:observer_verbs;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :enabling_verbs;
import :observer;
import :rows;

export namespace pecs::detail {

class observer_verbs : public enabling_verbs {
public:
    using enabling_verbs::enabling_verbs;

    /// Calls `f` whenever something happens to entities with all of the components, until the handle ends:
    ///
    ///   observe<A, B>(on_add, [](entity e, A& a, B& b) { ... });       // also on_remove, on_set, on_spawn, on_despawn
    ///   observe<R>(on_relate, [](entity e, entity old_target, entity new_target) { ... });
    ///
    /// `f` gets a reference to each component that has data, or the entity alone; or spans of them, once for all that lie
    /// side by side: `[](std::span<const entity>, std::span<A>, std::span<B>)`. The structure is locked meanwhile: values
    /// may be written, everything else throws `world_locked` or is recorded. Observers are told in the order in which they
    /// subscribed; see docs/observers.md. Throws `std::bad_alloc`.
    template <class... Ts, happening What, class F> observer observe(change_kind<What> /*what*/, F&& f) {
        require_components<Ts...>();
        using callback = std::remove_cvref_t<F>;
        if constexpr (What == happening::related) {
            static_assert(sizeof...(Ts) == 1,
                          "pecs: on_relate is about one relation: observe<R>(on_relate, f)");
            if constexpr (sizeof...(Ts) == 1) return observe_targets<callback, Ts...>(static_cast<F&&>(f));
        } else if constexpr (What == happening::set && sizeof...(Ts) == 1 && (many_targets<Ts> && ...)) {
            return observe_edges<callback, Ts...>(static_cast<F&&>(f));
        } else {
            static_assert(sizeof...(Ts) > 0 || What == happening::spawned || What == happening::despawned,
                          "pecs: name the components that are to be observed: observe<Position>(on_add, f)");
            static_assert(
                (!many_targets<Ts> && ...),
                "pecs: a relation with many targets is no component of its entities: use on_relate, or "
                "on_set with a callback that takes (entity, entity target, R&)");
            static_assert((!in_set<Ts> && ...), "pecs: a sparse component cannot be observed");
            static_assert(What != happening::set || (!std::is_empty_v<Ts> || ...),
                          "pecs: a tag has no value that could be set: use on_add");
            using block = observing<callback, typename data_types<types<>, Ts...>::list>;
            static_assert(
                block::fits_rows,
                "pecs: the callback must take (entity, T&...) with a reference to each component that "
                "has data, in the order named, or (entity), or the same as spans: (std::span<const "
                "entity>, std::span<T>...)");
            return make_observer<block>(*storage_, What, component_mask::of<Ts...>(),
                                        component_id{no_component}, &block::tell_rows, static_cast<F&&>(f));
        }
    }

private:
    template <class F, class R, class G> observer observe_targets(G&& f) {
        require_relation<R>();
        using block = observing<F, types<>>;
        static_assert(block::fits_targets,
                      "pecs: the callback must take (entity, entity old_target, entity new_target), or "
                      "(std::span<const entity>, entity old_target, entity new_target)");
        return make_observer<block>(*storage_, happening::related, {}, id_of<R>(), &block::tell_targets,
                                    static_cast<G&&>(f));
    }
    template <class F, class R, class G> observer observe_edges(G&& f) {
        static_assert(!std::is_empty_v<R>, "pecs: the relation has no data that could be set: use on_relate");
        using block = observing<F, types<R>>;
        static_assert(std::invocable<F&, entity, entity, R&>,
                      "pecs: the callback must take (entity, entity target, R&)");
        return make_observer<block>(*storage_, happening::set, {id_of<R>()}, id_of<R>(), &block::tell_edge,
                                    static_cast<G&&>(f));
    }
};

} // namespace pecs::detail
