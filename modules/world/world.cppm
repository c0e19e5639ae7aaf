// The world: entities, their components, and the verbs that change them. A thin typed layer over the storage.
//
// Values are taken by value: a reference into the same world would be left dangling when columns grow. Every verb
// throws before it changes anything; see the comment of each for what it throws. References and pointers to components
// stay valid until the next structural change (spawn, despawn, add, remove, exchange, a `set` that adds, clear, shrink,
// compact, relate, unrelate). A world may be read from several threads at once while nobody changes it.
export module pecs.world:world;

import pecs.std;
import pecs.archetype;
import pecs.query;
import pecs.relation;
import :accessor;
import :by_id;
import :rows;
import :stats;

export namespace pecs {

/// A set of entities with components. Movable, not copyable; a world that was moved from can only be assigned to or
/// destroyed.
class world {
public:
    world();
    /// A world whose memory comes from `memory`, which must outlive it.
    explicit world(std::pmr::memory_resource* memory);
    world(world&& other) noexcept;
    world& operator=(world&& other) noexcept;
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world();

    // --- entities

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
            detail::despawn_with_rules(*storage_, {&e, 1}, {});
        else
            storage_->despawn(e);
    }
    /// Ends all entities of a list, or none: throws `dead_entity`, `repeated_entity` or `target_in_use`.
    inline void despawn_batch(std::span<const entity> list) {
        detail::despawn_with_rules(*storage_, list, {});
    }
    /// Ends all entities that a query matches, family by family; throws `target_in_use`.
    template <class Selection, class... Terms>
    void despawn_batch(const basic_query<Selection, Terms...>& all) {
        const detail::buffer<detail::family_ref> families = collected(all);
        detail::despawn_with_rules(*storage_, {}, {families.data(), families.size()});
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

    // --- queries

    /// All entities that match the terms; what matches is remembered with the world, once per type of query.
    template <class... Terms> [[nodiscard]] pecs::query<Terms...> query() {
        return pecs::query<Terms...>{*storage_};
    }
    /// The same for terms that only read.
    template <class... Terms> [[nodiscard]] pecs::query<Terms...> query() const {
        static_assert((detail::term<Terms>::reads_only && ...),
                      "pecs: a query on a const world only reads: write const before its components");
        return pecs::query<Terms...>{*storage_};
    }

    // --- components of one entity

    /// Adds components, in one move whatever their number; throws `duplicate_component` if one is there already.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void add(entity e, Ts... values);
    /// Adds components with their default values.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void add(entity e) {
        add<Ts...>(e, Ts{}...);
    }
    /// Removes components, in one move; throws `missing_component` if one is not there.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void remove(entity e);
    /// Removes the types named and adds the values given, in one move: `exchange<Seed>(e, Plant{})`.
    template <class... Removed, class... Added>
        requires(sizeof...(Removed) > 0 && sizeof...(Added) > 0)
    void exchange(entity e, Added... values);
    /// Gives components new values; those that are not there are added, in one move.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void set(entity e, Ts... values);

    /// The value of a component; throws `dead_entity` or `missing_component`.
    template <class T> [[nodiscard]] T& get(entity e) { return *checked<T>(e); }
    template <class T> [[nodiscard]] const T& get(entity e) const { return *checked<T>(e); }
    /// The value of a component, or null if the entity is dead or lacks it.
    template <class T> [[nodiscard]] T* try_get(entity e) { return find<T>(e); }
    template <class T> [[nodiscard]] const T* try_get(entity e) const { return find<T>(e); }
    /// True if the entity is alive and has all the components named.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    [[nodiscard]] bool has(entity e) const {
        return (storage_->has(e, detail::known_id<Ts>()) && ...);
    }
    /// Reaches the values of one component type, faster than `get` in a loop; valid for the life of the world.
    template <class T> [[nodiscard]] accessor<T> access() { return accessor<T>{*storage_}; }
    template <class T> [[nodiscard]] accessor<const T> access() const { return accessor<const T>{*storage_}; }

    // --- relations

    /// Makes `target` the target of an entity's relation `R`, which it gets if it has none; data that it has is kept.
    /// Throws `dead_target`, and `relation_cycle` if the rules forbid it. Costs as much as `add`, and O(depth) for
    /// acyclic relations.
    template <class R> void relate(entity e, entity target);
    /// The same with new data.
    template <class R> void relate(entity e, entity target, R value);
    /// Ends an entity's relation, with its data; throws `missing_component`.
    template <class R> void unrelate(entity e) {
        detail::require_relation<R>();
        remove<R>(e);
    }
    /// The target of an entity's relation; null if it has none, or is dead.
    template <class R> [[nodiscard]] entity target(entity e) const noexcept {
        detail::require_relation<R>();
        return storage_->target(e, detail::known_id<R>());
    }
    /// True if the entity's relation has this target.
    template <class R> [[nodiscard]] bool has(entity e, entity target) const noexcept {
        return target && this->target<R>(e) == target;
    }
    /// Calls `visit(entity)` for all entities whose relation `R` has this target. O(archetypes with `R` + sources); the
    /// structure is locked meanwhile. For values, see `query::of`.
    template <class R, class Visit> void each_source(entity target, Visit&& visit) const {
        detail::require_relation<R>();
        each_source_of(detail::known_id<R>(), target, visit);
    }
    /// Calls `visit(entity, component_id)` for all entities with any relation to this target; once per relation.
    template <class Visit> void each_source(entity target, Visit&& visit) const {
        storage_->relations().each(
            [&](component_id id) { each_source_of(id, target, [&](entity source) { visit(source, id); }); });
    }
    /// How many entities have this target in their relation `R`. O(families).
    template <class R> [[nodiscard]] std::size_t source_count(entity target) const {
        detail::require_relation<R>();
        std::size_t count = 0;
        detail::each_family_of(*storage_, id_of<R>(), target,
                               [&](const auto&, const detail::family& group) { count += group.size; });
        return count;
    }
    /// Makes `target` the target of all entities of a list; those without the relation get it, with default data. All of
    /// them change, or none; throws what `relate` throws, and `repeated_entity`.
    template <class R> void relate_batch(std::span<const entity> list, entity target);
    /// The same for all entities of a query, family by family. Where all of a family gets a target that nothing in its
    /// archetype has, no row moves.
    template <class R, class Selection, class... Terms>
    void relate_batch(const basic_query<Selection, Terms...>& all, entity target);
    /// Ends the relation of all entities of a list, or of a query; throws what `unrelate` throws.
    template <class R> void unrelate_batch(std::span<const entity> list) {
        detail::require_relation<R>();
        remove_batch<R>(list);
    }
    template <class R, class Selection, class... Terms>
    void unrelate_batch(const basic_query<Selection, Terms...>& all) {
        detail::require_relation<R>();
        remove_batch<R>(all);
    }

    // --- components of many entities, of a list or of a query: all of them change, or none
    //
    // A list names each entity once (else `repeated_entity`). The entities of a query move archetype by archetype,
    // column by column, which is several times faster than one by one.

    /// Adds copies of the values; throws what `add` throws.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void add_batch(std::span<const entity> list, Ts... values) {
        change_batch(list, detail::types<Ts...>{}, detail::types<>{}, values...);
    }
    template <class... Ts, class Selection, class... Terms>
        requires(sizeof...(Ts) > 0)
    void add_batch(const basic_query<Selection, Terms...>& all, Ts... values) {
        change_batch(all, detail::types<Ts...>{}, detail::types<>{}, values...);
    }
    /// Removes components; throws what `remove` throws.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void remove_batch(std::span<const entity> list) {
        change_batch(list, detail::types<>{}, detail::types<Ts...>{});
    }
    template <class... Ts, class Selection, class... Terms>
        requires(sizeof...(Ts) > 0)
    void remove_batch(const basic_query<Selection, Terms...>& all) {
        change_batch(all, detail::types<>{}, detail::types<Ts...>{});
    }
    /// Removes the types named and adds copies of the values; throws what `exchange` throws.
    template <class... Removed, class... Added>
        requires(sizeof...(Removed) > 0 && sizeof...(Added) > 0)
    void exchange_batch(std::span<const entity> list, Added... values) {
        change_batch(list, detail::types<Added...>{}, detail::types<Removed...>{}, values...);
    }
    template <class... Removed, class Selection, class... Terms, class... Added>
        requires(sizeof...(Removed) > 0 && sizeof...(Added) > 0)
    void exchange_batch(const basic_query<Selection, Terms...>& all, Added... values) {
        change_batch(all, detail::types<Added...>{}, detail::types<Removed...>{}, values...);
    }
    /// Gives components copies of the values; those that are not there are added.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void set_batch(std::span<const entity> list, const Ts&... values);
    template <class... Ts, class Selection, class... Terms>
        requires(sizeof...(Ts) > 0)
    void set_batch(const basic_query<Selection, Terms...>& all, const Ts&... values);

    /// The same verbs for component types that are known only at run time.
    [[nodiscard]] inline by_id_verbs by_id() noexcept { return by_id_verbs{*storage_}; }

    // --- memory

    /// Makes room for `count` entities more: their records and, if components are named, their rows.
    template <class... Ts> void reserve(std::size_t count);
    /// Forgets archetypes without entities and gives back all memory that is not in use. O(world).
    inline void shrink() { storage_->shrink(); }
    /// Closes the gaps between rows and gives back the room for growth. O(world).
    inline void compact() { storage_->compact(); }
    /// What there is and what memory it takes. O(archetypes).
    [[nodiscard]] world_stats stats() const;
    /// True if everything in the world fits together; walks all of it. For tests and for hunting wild pointers.
    [[nodiscard]] inline bool validate() const { return storage_->valid(); }

private:
    template <class T> [[nodiscard]] T* find(entity e) const {
        static_assert(!std::is_empty_v<T>, "pecs: a tag has no value; ask with has()");
        return reinterpret_cast<T*>(storage_->find(e, detail::known_id<T>(), sizeof(T)));
    }
    template <class T> [[nodiscard]] T* checked(entity e) const {
        T* const value = find<T>(e);
        if (value == nullptr) [[unlikely]]
            storage_->explain_missing(e, id_of<T>());
        return value;
    }
    /// Where the value of `T` is in a row of an archetype that has it.
    template <class T> [[nodiscard]] void* cell_of(std::uint32_t archetype, std::uint32_t row) const {
        return storage_->column_data(id_of<T>(), archetype) + row * sizeof(T);
    }
    /// Moves a value into its cell; tags have none.
    template <class T> void put(const detail::placement& place, T& value) const noexcept {
        if constexpr (!std::is_empty_v<T>)
            detail::construct<T>(cell_of<T>(place.archetype, place.row), std::move(value));
    }
    template <class T> void overwrite(const detail::placement& place, T& value) const noexcept {
        detail::destroy_data<T>(cell_of<T>(place.archetype, place.row), 1);
        put<T>(place, value);
    }
    template <class... Ts, class Fill>
    std::span<const entity> spawn_run(std::size_t count, std::span<const detail::link> links, Fill&& fill);
    /// Constructs copies of the values in the rows that the steps name; if one throws, none is left, and the batch is
    /// cancelled.
    template <class... Ts> void fill_steps(std::span<const detail::batch_step> steps, const Ts&... values);
    template <class... Added, class... Removed>
    void change_batch(std::span<const entity> list, detail::types<Added...> added,
                      detail::types<Removed...> removed, const Added&... values) {
        detail::require_components<Added..., Removed...>();
        detail::require_targets<Added...>();
        const std::uint32_t bundle = detail::static_bundle<true>(added, removed);
        fill_steps(storage_->prepare_batch(list, bundle), values...);
        storage_->commit_batch(list);
    }
    template <class Selection, class... Terms, class... Added, class... Removed>
    void change_batch(const basic_query<Selection, Terms...>& all, detail::types<Added...> added,
                      detail::types<Removed...> removed, const Added&... values) {
        detail::require_components<Added..., Removed...>();
        detail::require_targets<Added...>();
        const std::uint32_t bundle = detail::static_bundle<true>(added, removed);
        const detail::buffer<detail::family_ref> families = collected(all);
        fill_steps(storage_->prepare_families({families.data(), families.size()}, bundle), values...);
        storage_->commit_families();
    }
    template <class Selection, class... Terms>
    [[nodiscard]] detail::buffer<detail::family_ref>
    collected(const basic_query<Selection, Terms...>& all) const {
        detail::buffer<detail::family_ref> families{storage_->memory()};
        all.collect(families);
        return families;
    }
    /// Throws unless `target` may become the target of the relation `R` of all of `whom`.
    template <class R, class Whom> void check_relation(const Whom& whom, entity target) const {
        detail::check_target(*storage_, id_of<R>(), target);
        if constexpr (R::rules.acyclic) detail::check_acyclic(*storage_, whom, id_of<R>(), target);
    }
    template <class Visit> void each_source_of(component_id id, entity target, Visit&& visit) const {
        const detail::structure_lock lock{*storage_};
        if (id.index() >= component_count()) return; // a relation that was never used
        detail::each_family_of(*storage_, id, target, [&](const auto& place, const detail::family& group) {
            for (std::uint32_t row = group.first; row != group.first + group.size; ++row)
                visit(place.entities()[row]);
        });
    }
    /// The links in a list of spawned values, after their targets were found alive.
    template <class... Vs> struct link_list {
        detail::link links[sizeof...(Vs) + 1];
        std::size_t count = 0;

        link_list(const detail::storage& all, const Vs&... values) { (append(all, values), ...); }
        template <class V> void append(const detail::storage& all, const V& value) {
            if constexpr (detail::spawned<V>::related) {
                const component_id id = id_of<typename detail::spawned<V>::component>();
                detail::check_target(all, id, value.target);
                links[count++] = {id, value.target};
            }
        }
        [[nodiscard]] std::span<const detail::link> all() const noexcept { return {links, count}; }
    };

    detail::storage* storage_;
};

} // namespace pecs

// The bodies. What may throw comes first in each of them.
namespace pecs {

template <class... Vs> entity world::spawn(Vs... values) {
    detail::require_components<typename detail::spawned<Vs>::component...>();
    detail::require_targets<Vs...>();
    const std::uint32_t bundle = detail::static_bundle<true>(
        detail::types<typename detail::spawned<Vs>::component...>{}, detail::types<>{});
    detail::placement place;
    if constexpr ((detail::spawned<Vs>::related || ...))
        place = storage_->spawn(bundle, link_list<Vs...>{*storage_, values...}.all());
    else
        place = storage_->spawn(bundle);
    (put<typename detail::spawned<Vs>::component>(place, detail::spawned<Vs>::value(values)), ...);
    return place.which;
}

template <class... Ts, class Fill>
std::span<const entity> world::spawn_run(std::size_t count, std::span<const detail::link> links,
                                         Fill&& fill) {
    detail::require_components<Ts...>();
    storage_->check_unlocked();
    if (count == 0) return {};
    const std::uint32_t bundle = detail::static_bundle<true>(detail::types<Ts...>{}, detail::types<>{});
    const std::uint32_t to = storage_->follow(detail::storage::root, bundle, null);
    const detail::row_run run = storage_->prepare_run(to, count, links);
    const entity* const handles = storage_->archetype_at(to)->entities() + run.first;
    try {
        const detail::structure_lock lock{*storage_};
        detail::run_guard guard{*storage_, to, run.first, count};
        fill(guard, to, run.first, handles);
        guard.keep();
    } catch (...) {
        storage_->cancel_run(run);
        throw;
    }
    storage_->commit_run(run, count);
    return {handles, count};
}

template <class... Vs> std::span<const entity> world::spawn_batch(std::size_t count, Vs... values) {
    detail::require_targets<Vs...>();
    const link_list<Vs...> links{*storage_, values...};
    return spawn_run<typename detail::spawned<Vs>::component...>(
        count, links.all(), [&](detail::run_guard& guard, auto...) {
            (guard.fill<typename detail::spawned<Vs>::component>([&](void* to, std::size_t n) {
                detail::fill_values<typename detail::spawned<Vs>::component>(
                    to, n, detail::spawned<Vs>::value(values));
            }),
             ...);
        });
}

template <class... Ts>
    requires(sizeof...(Ts) > 0)
std::span<const entity> world::spawn_batch(std::size_t count) {
    detail::require_targets<Ts...>();
    return spawn_run<Ts...>(count, {}, [](detail::run_guard& guard, auto...) {
        (guard.fill<Ts>([](void* to, std::size_t n) { detail::default_values<Ts>(to, n); }), ...);
    });
}

template <class... Ts, class Init>
    requires(sizeof...(Ts) > 0 && !(std::same_as<std::remove_cvref_t<Init>, Ts> || ...))
std::span<const entity> world::spawn_batch(std::size_t count, Init&& init) {
    detail::require_targets<Ts...>();
    return spawn_run<Ts...>(
        count, {}, [&](detail::run_guard& guard, std::uint32_t to, std::uint32_t row, const entity* handles) {
            (guard.fill<Ts>([](void* cells, std::size_t n) { detail::default_values<Ts>(cells, n); }), ...);
            [&]<class... Ds>(detail::types<Ds...>) {
                detail::call_rows(init, handles, count, static_cast<Ds*>(cell_of<Ds>(to, row))...);
            }(typename detail::data_types<detail::types<>, Ts...>::list{});
        });
}

template <class Visit> void world::each_entity(Visit&& visit) const {
    const detail::structure_lock lock{*storage_};
    const detail::entity_pool& pool = storage_->entities();
    for (std::uint32_t index = 0; index != pool.index_count(); ++index) {
        const detail::entity_record& record = pool.data()[index];
        if (record.in_use()) visit(entity{index, record.generation});
    }
}

template <class... Ts>
    requires(sizeof...(Ts) > 0)
void world::add(entity e, Ts... values) {
    detail::require_components<Ts...>();
    detail::require_targets<Ts...>();
    const detail::placement place =
        storage_->change(e, detail::static_bundle<true>(detail::types<Ts...>{}, detail::types<>{}));
    (put<Ts>(place, values), ...);
}

template <class... Ts>
    requires(sizeof...(Ts) > 0)
void world::remove(entity e) {
    detail::require_components<Ts...>();
    (void)storage_->change(e, detail::static_bundle<true>(detail::types<>{}, detail::types<Ts...>{}));
}

template <class... Removed, class... Added>
    requires(sizeof...(Removed) > 0 && sizeof...(Added) > 0)
void world::exchange(entity e, Added... values) {
    detail::require_components<Removed..., Added...>();
    detail::require_targets<Added...>();
    const detail::placement place = storage_->change(
        e, detail::static_bundle<true>(detail::types<Added...>{}, detail::types<Removed...>{}));
    (put<Added>(place, values), ...);
}

template <class... Ts>
    requires(sizeof...(Ts) > 0)
void world::set(entity e, Ts... values) {
    detail::require_components<Ts...>();
    detail::require_targets<Ts...>();
    const bool there[] = {storage_->has(e, id_of<Ts>())...};
    detail::placement place{e, 0, 0};
    if ((storage_->has(e, id_of<Ts>()) &&
         ...)) { // nothing moves, so this is allowed in a loop over the world
        const detail::entity_record& record = storage_->entities()[e];
        place = {e, record.archetype, record.row};
    } else {
        place = storage_->change(e, detail::static_bundle<false>(detail::types<Ts...>{}, detail::types<>{}));
    }
    const bool* known = there;
    ((*known++ ? overwrite<Ts>(place, values) : put<Ts>(place, values)), ...);
}

template <class... Ts>
void world::fill_steps(std::span<const detail::batch_step> steps, const Ts&... values) {
    std::size_t done = 0;
    const auto fills = [](const detail::batch_step& step) {
        return step.from.archetype != step.to.archetype;
    };
    try {
        for (; done != steps.size(); ++done) {
            const detail::batch_step& step = steps[done];
            if (!fills(step)) continue;
            const detail::structure_lock lock{*storage_};
            detail::run_guard guard{*storage_, step.to.archetype, step.first_row, step.count};
            (guard.fill<Ts>([&](void* to, std::size_t n) { detail::fill_values<Ts>(to, n, values); }), ...);
            guard.keep();
        }
    } catch (...) {
        while (done-- != 0) {
            const detail::batch_step& step = steps[done];
            if (!fills(step)) continue;
            (detail::destroy_data<Ts>(cell_of<Ts>(step.to.archetype, step.first_row), step.count), ...);
        }
        storage_->cancel_batch();
        throw;
    }
}

template <class R> void world::relate(entity e, entity target) {
    detail::require_relation<R>();
    if (has<R>(e)) {
        check_relation<R>(e, target);
        const detail::link links[] = {{id_of<R>(), target}};
        (void)storage_->change(e, detail::static_bundle<false>(detail::types<R>{}, detail::types<>{}), links);
    } else {
        relate<R>(e, target, R{});
    }
}

template <class R> void world::relate(entity e, entity target, R value) {
    detail::require_relation<R>();
    storage_->check_alive(e);
    check_relation<R>(e, target);
    const bool known = has<R>(e);
    const detail::link links[] = {{id_of<R>(), target}};
    const detail::placement place =
        storage_->change(e, detail::static_bundle<false>(detail::types<R>{}, detail::types<>{}), links);
    known ? overwrite<R>(place, value) : put<R>(place, value);
}

template <class R> void world::relate_batch(std::span<const entity> list, entity target) {
    detail::require_relation<R>();
    check_relation<R>(list, target);
    const detail::link links[] = {{id_of<R>(), target}};
    const R value{}; // first, as it may throw
    fill_steps<R>(storage_->prepare_batch(
                      list, detail::static_bundle<false>(detail::types<R>{}, detail::types<>{}), links),
                  value);
    storage_->commit_batch(list);
}

template <class R, class Selection, class... Terms>
void world::relate_batch(const basic_query<Selection, Terms...>& all, entity target) {
    detail::require_relation<R>();
    std::byte small[256];
    std::pmr::monotonic_buffer_resource memory{small, sizeof small, storage_->memory()};
    detail::buffer<detail::family_ref> families{&memory};
    all.collect(families);
    const std::span<const detail::family_ref> some{families.data(), families.size()};
    check_relation<R>(some, target);
    const detail::link links[] = {{id_of<R>(), target}};
    const R value{}; // first, as it may throw
    fill_steps<R>(storage_->prepare_families(
                      some, detail::static_bundle<false>(detail::types<R>{}, detail::types<>{}), links),
                  value);
    storage_->commit_families();
}

template <class... Ts>
    requires(sizeof...(Ts) > 0)
void world::set_batch(std::span<const entity> list, const Ts&... values) {
    detail::require_components<Ts...>();
    detail::require_targets<Ts...>();
    // All copies first, as one of them may throw; after that there is room for every move.
    const detail::value_rows<Ts...> copies{storage_->memory(), list.size(), values...};
    (void)storage_->prepare_batch(list,
                                  detail::static_bundle<false>(detail::types<Ts...>{}, detail::types<>{}));
    for (std::size_t i = 0; i != list.size(); ++i) set<Ts...>(list[i], copies.template take<Ts>(i)...);
    storage_->cancel_batch(); // the room was used without it
}

template <class... Ts, class Selection, class... Terms>
    requires(sizeof...(Ts) > 0)
void world::set_batch(const basic_query<Selection, Terms...>& all, const Ts&... values) {
    detail::buffer<entity> list{storage_->memory()};
    list.reserve(all.count());
    all.each([&](entity e, auto&&...) { list.append(e); });
    set_batch(std::span<const entity>{list.data(), list.size()}, values...);
}

template <class... Ts> void world::reserve(std::size_t count) {
    detail::require_components<Ts...>();
    detail::require_targets<Ts...>();
    storage_->check_unlocked();
    storage_->reserve_entities(count);
    if constexpr (sizeof...(Ts) > 0) {
        const std::uint32_t bundle = detail::static_bundle<true>(detail::types<Ts...>{}, detail::types<>{});
        storage_->reserve(storage_->follow(detail::storage::root, bundle, null), count);
    }
}

} // namespace pecs
