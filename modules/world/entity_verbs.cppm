// The verbs of a world that make and end entities.
export module pecs.world:entity_verbs;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :edge_draft;
import :rows;
import :set_fill;
import :state;

export namespace pecs::detail {

class entity_verbs : public world_state {
public:
    using world_state::world_state;

    /// Creates an entity with the given components, none of them twice. O(components). Relations come with a target:
    /// `spawn(Moon{}, to<ChildOf>(earth))`; throws `dead_target` if it is not alive.
    template <class... Vs> entity spawn(Vs... values);
    /// Creates `count` entities, each with copies of the values, and with the same targets. The span of the new handles
    /// is valid until the next structural change.
    template <class... Vs> std::span<const entity> spawn_batch(std::size_t count, Vs... values);
    /// Creates `count` entities with default values of the components.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    std::span<const entity> spawn_batch(std::size_t count);
    /// Creates `count` entities with default values, then calls `init` for each: with a reference to every component
    /// that has data, in the order named, and the entity before them if it takes one. If `init` throws, no entity was
    /// created.
    template <class... Ts, class Init>
        requires(sizeof...(Ts) > 0 && !(std::same_as<std::remove_cvref_t<Init>, Ts> || ...))
    std::span<const entity> spawn_batch(std::size_t count, Init&& init);

    /// Ends an entity and its components; throws `dead_entity`. The last entity of its family takes over its row. If it
    /// is a target, the rules of the relations decide what becomes of its sources; throws `target_in_use`.
    inline void despawn(entity e) {
        if (storage_->is_target(e)) [[unlikely]]
            despawn_with_rules(*storage_, {&e, 1}, {});
        else
            storage_->despawn(e);
    }
    /// Ends all entities, whatever relations say. Archetypes and memory stay for the next ones; see `shrink`.
    inline void clear() { storage_->clear(); }

    /// True if the handle is of a living entity of this world.
    [[nodiscard]] inline bool alive(entity e) const noexcept { return storage_->entities().alive(e); }
    /// How many entities there are.
    [[nodiscard]] inline std::size_t size() const noexcept { return storage_->entities().alive_count(); }
    [[nodiscard]] inline bool empty() const noexcept { return size() == 0; }
    /// Calls `visit(entity)` for all entities, in ascending order of their indices. The structure is locked meanwhile.
    template <class Visit> void each_entity(Visit&& visit) const;

protected:
    template <class... Ts, class Fill>
    std::span<const entity> spawn_run(std::size_t count, std::span<const link> links, Fill&& fill);
    /// Tells observers of a run of new entities.
    inline void settle_run(std::span<const entity> made) const {
        if (storage_->watch() == nullptr || made.empty()) [[likely]]
            return;
        const entity_record& first = storage_->entities()[made[0]];
        storage_->tell_new(
            {first.archetype, first.family, first.row, static_cast<std::uint32_t>(made.size())}, {});
    }
    /// The links in a list of spawned values, after their targets were found alive.
    template <class... Vs> struct link_list {
        link links[sizeof...(Vs) + 1];
        std::size_t count = 0;

        link_list(const storage& all, const Vs&... values) { (append(all, values), ...); }
        template <class V> void append(const storage& all, const V& value) {
            if constexpr (spawned<V>::related) {
                const component_id id = id_of<typename spawned<V>::component>();
                check_target(all, id, value.target);
                if constexpr (!many_targets<typename spawned<V>::component>)
                    links[count++] = {id, value.target};
            }
        }
        [[nodiscard]] std::span<const link> all() const noexcept { return {links, count}; }
    };

    // --- relations with many targets: their edges are made before the entities are

    template <class... Vs>
    static constexpr bool with_edges = (many_targets<typename spawned<Vs>::component> || ...);
    template <class... Vs> static constexpr bool with_sets = (in_set<typename spawned<Vs>::component> || ...);

    template <class V> static void draft_edge(edge_draft& draft, entity source, V& value) {
        if constexpr (with_edges<V>) draft.add(source, value.target, std::move(value.value));
    }
    template <class V>
    static void draft_edges(edge_draft& draft, const entity* sources, std::size_t count, const V& value) {
        if constexpr (with_edges<V>)
            for (std::size_t i = 0; i != count; ++i) draft.add(sources[i], value.target, value.value);
    }
    template <class V> void put_spawned(const placement& place, V& value) const noexcept {
        if constexpr (!with_edges<V>) put<typename spawned<V>::component>(place, spawned<V>::value(value));
    }
    template <class Sets, class V>
    static void fill_set(Sets& sets, const entity* handles, std::size_t count, V& value) {
        using component = typename spawned<V>::component;
        sets.template fill<component>(
            handles, count, [&](void* to) { fill_values<component>(to, 1, spawned<V>::value(value)); });
    }
    /// Where the values of new entities are.
    template <class D>
    [[nodiscard]] auto new_values(std::uint32_t archetype, std::uint32_t row, const entity* handles) const {
        if constexpr (in_set<D>)
            return set_cursor<D>{storage_->beside().set(known_id<D>()), handles};
        else
            return static_cast<D*>(cell_of<D>(archetype, row));
    }
    template <class V> static void fill_spawned(run_guard& guard, V& value) {
        if constexpr (!with_edges<V>) {
            using component = typename spawned<V>::component;
            guard.fill<component>(
                [&](void* to, std::size_t n) { fill_values<component>(to, n, spawned<V>::value(value)); });
        }
    }
};

template <class... Vs> entity entity_verbs::spawn(Vs... values) {
    require_components<typename spawned<Vs>::component...>();
    require_targets<Vs...>();
    const std::uint32_t bundle =
        static_bundle<true>(row_list<typename spawned<Vs>::component...>{}, types<>{});
    placement place;
    if constexpr (with_sets<Vs...>) {
        storage_->check_unlocked();
        storage_->reserve_entities(1);
        entity next;
        storage_->entities().peek(&next, 1);
        (reserve_value<typename spawned<Vs>::component>(next), ...);
    }
    if constexpr (with_edges<Vs...>) {
        storage_->check_unlocked();
        const link_list<Vs...> links{*storage_, values...};
        storage_->reserve_entities(1);
        entity next;
        storage_->entities().peek(&next, 1);
        edge_draft draft{*storage_};
        (draft_edge(draft, next, values), ...);
        place = storage_->spawn(bundle, links.all());
        draft.keep();
        (put_spawned(place, values), ...);
        draft.settle(place);
        return place.which;
    } else if constexpr ((spawned<Vs>::related || ...))
        place = storage_->spawn(bundle, link_list<Vs...>{*storage_, values...}.all());
    else
        place = storage_->spawn(bundle);
    (put_spawned(place, values), ...);
    storage_->settle_new(place);
    return place.which;
}

template <class... Ts, class Fill>
std::span<const entity> entity_verbs::spawn_run(std::size_t count, std::span<const link> links, Fill&& fill) {
    require_components<Ts...>();
    storage_->check_unlocked();
    if (count == 0) return {};
    const std::uint32_t bundle = static_bundle<true>(row_list<Ts...>{}, types<>{});
    const std::uint32_t to = storage_->follow(storage::root, bundle, null);
    const row_run run = storage_->prepare_run(to, count, links);
    const entity* const handles = storage_->archetype_at(to)->entities() + run.first;
    try {
        const structure_lock lock{*storage_};
        run_guard guard{*storage_, to, run.first, count};
        fill(guard, to, run.first, handles);
        guard.keep();
    } catch (...) {
        storage_->cancel_run(run);
        throw;
    }
    storage_->commit_run(run, count);
    return {handles, count};
}

template <class... Vs> std::span<const entity> entity_verbs::spawn_batch(std::size_t count, Vs... values) {
    require_components<typename spawned<Vs>::component...>();
    require_targets<Vs...>();
    const link_list<Vs...> links{*storage_, values...};
    if constexpr (with_sets<Vs...>) storage_->check_unlocked();
    set_fills<typename spawned<Vs>::component...> sets{*storage_};
    const std::span<const entity> result = [&]<class... Ts>(types<Ts...>) {
        if constexpr (with_edges<Vs...>) {
            edge_draft draft{*storage_};
            const std::span<const entity> made = spawn_run<Ts...>(
                count, links.all(),
                [&]([[maybe_unused]] run_guard& guard, auto, auto, [[maybe_unused]] const entity* handles) {
                    (fill_spawned(guard, values), ...);
                    (draft_edges(draft, handles, count, values), ...);
                    (fill_set(sets, handles, count, values), ...);
                });
            draft.keep();
            sets.keep();
            if (!made.empty()) draft.settle(made);
            return made;
        } else {
            return spawn_run<Ts...>(
                count, links.all(),
                [&]([[maybe_unused]] run_guard& guard, auto, auto, [[maybe_unused]] const entity* handles) {
                    (fill_spawned(guard, values), ...);
                    (fill_set(sets, handles, count, values), ...);
                });
        }
    }(row_list<typename spawned<Vs>::component...>{});
    sets.keep();
    if constexpr (!with_edges<Vs...>) settle_run(result);
    return result;
}

template <class... Ts>
    requires(sizeof...(Ts) > 0)
std::span<const entity> entity_verbs::spawn_batch(std::size_t count) {
    require_targets<Ts...>();
    set_fills<Ts...> sets{*storage_};
    const std::span<const entity> made =
        spawn_run<Ts...>(count, {}, [&](run_guard& guard, auto, auto, const entity* handles) {
            (guard.fill<Ts>([](void* to, std::size_t n) { default_values<Ts>(to, n); }), ...);
            (sets.template fill<Ts>(handles, count, [](void* to) { default_values<Ts>(to, 1); }), ...);
        });
    sets.keep();
    settle_run(made);
    return made;
}

template <class... Ts, class Init>
    requires(sizeof...(Ts) > 0 && !(std::same_as<std::remove_cvref_t<Init>, Ts> || ...))
std::span<const entity> entity_verbs::spawn_batch(std::size_t count, Init&& init) {
    require_targets<Ts...>();
    set_fills<Ts...> sets{*storage_};
    const std::span<const entity> made = spawn_run<Ts...>(
        count, {}, [&](run_guard& guard, std::uint32_t to, std::uint32_t row, const entity* handles) {
            (guard.fill<Ts>([](void* cells, std::size_t n) { default_values<Ts>(cells, n); }), ...);
            (sets.template fill<Ts>(handles, count, [](void* cell) { default_values<Ts>(cell, 1); }), ...);
            [&]<class... Ds>(types<Ds...>) {
                call_rows(init, handles, count, new_values<Ds>(to, row, handles)...);
            }(typename data_types<types<>, Ts...>::list{});
        });
    sets.keep();
    settle_run(made);
    return made;
}

template <class Visit> void entity_verbs::each_entity(Visit&& visit) const {
    static_assert(std::invocable<Visit&, entity>, "pecs: the callback must take an entity");
    const structure_lock lock{*storage_};
    const entity_pool& pool = storage_->entities();
    for (std::uint32_t index = 0; index != pool.index_count(); ++index) {
        const entity_record& record = pool.data()[index];
        if (record.in_use()) visit(entity{index, record.generation});
    }
}

} // namespace pecs::detail
