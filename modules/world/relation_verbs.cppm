// The verbs of a world about relations: one entity, or many at once.
export module pecs.world:relation_verbs;

import pecs.std;
import pecs.archetype;
import pecs.query;
import pecs.relation;
import :batch_verbs;
import :edge_verbs;
import :rows;

export namespace pecs::detail {

class relation_verbs : public edge_verbs {
public:
    using component_verbs::has;
    using edge_verbs::edge_verbs;
    using edge_verbs::unrelate;
    using edge_verbs::unrelate_batch;

    /// Makes `target` the target of an entity's relation `R`, which it gets if it has none; data that it has is kept. If
    /// the relation has many targets, adds one; if it is there already, nothing happens.
    /// Throws `dead_target`, and `relation_cycle` if the rules forbid it. Costs as much as `add`, and O(depth) for
    /// acyclic relations.
    template <class R> void relate(entity e, entity target);
    /// The same with new data.
    template <class R> void relate(entity e, entity target, R value);
    /// Ends an entity's relation, with its data, to all targets; throws `missing_component`.
    template <class R> void unrelate(entity e) {
        require_relation<R>();
        if constexpr (many_targets<R>)
            unrelate_edges<R>({&e, 1});
        else
            remove<R>(e);
    }
    /// The target of an entity's relation; null if it has none, or is dead.
    template <class R> [[nodiscard]] entity target(entity e) const noexcept {
        require_one_target<R>();
        return storage_->target(e, known_id<R>());
    }
    /// True if the entity's relation has this target.
    template <class R> [[nodiscard]] bool has(entity e, entity target) const noexcept {
        require_relation<R>();
        if constexpr (many_targets<R>)
            return has_edge<R>(e, target);
        else
            return target && this->target<R>(e) == target;
    }
    /// Calls `visit(entity)` for all entities whose relation `R` has this target. O(archetypes with `R` + sources); the
    /// structure is locked meanwhile. For values, see `query::of`. With many targets, O(sources), and `visit(entity, R&)`
    /// gets the data of the edge.
    template <class R, class Visit> void each_source(entity target, Visit&& visit) {
        if constexpr (many_targets<R>)
            visit_sources<R, R>(target, visit);
        else
            static_cast<const relation_verbs&>(*this).each_source<R>(target, visit);
    }
    template <class R, class Visit> void each_source(entity target, Visit&& visit) const {
        require_relation<R>();
        if constexpr (many_targets<R>) {
            visit_sources<R, const R>(target, visit);
        } else {
            static_assert(std::invocable<Visit&, entity>, "pecs: the callback must take an entity");
            each_source_of(known_id<R>(), target, visit);
        }
    }
    /// Calls `visit(entity, component_id)` for all entities with any relation to this target; once per relation.
    template <class Visit> void each_source(entity target, Visit&& visit) const {
        static_assert(std::invocable<Visit&, entity, component_id>,
                      "pecs: the callback must take (entity, component_id); with each_source<R>, an entity");
        storage_->relations().each(
            [&](component_id id) { each_source_of(id, target, [&](entity source) { visit(source, id); }); });
        const structure_lock lock{*storage_};
        storage_->edge_relations().each([&](component_id id) {
            const std::span<const entity> sources = storage_->edges(id)->sources(target);
            for (std::size_t i = 0; i != sources.size(); ++i) visit(sources[i], id);
        });
    }
    /// How many entities have this target in their relation `R`. O(families).
    template <class R> [[nodiscard]] std::size_t source_count(entity target) const {
        require_relation<R>();
        if constexpr (many_targets<R>) {
            return sources<R>(target).size();
        } else {
            std::size_t count = 0;
            each_family_of(*storage_, id_of<R>(), target,
                           [&](const auto&, const family& group) { count += group.size; });
            return count;
        }
    }
    /// Makes `target` the target of all entities of a list; those without the relation get it, with default data. All of
    /// them change, or none; throws what `relate` throws, and `repeated_entity`.
    template <class R> void relate_batch(std::span<const entity> list, entity target);
    /// The same for all entities of a query, family by family. Where all of a family gets a target that nothing in its
    /// archetype has, no row moves.
    template <class R, class Selection, class... Terms>
    void relate_batch(const basic_query<Selection, Terms...>& all, entity target);
    /// The same with a copy of new data for each, also where the relation is there already, as with `relate`.
    template <class R> void relate_batch(std::span<const entity> list, entity target, R value);
    template <class R, class Selection, class... Terms>
    void relate_batch(const basic_query<Selection, Terms...>& all, entity target, R value);
    /// Ends the relation of all entities of a list, or of a query; throws what `unrelate` throws.
    template <class R> void unrelate_batch(std::span<const entity> list) {
        require_relation<R>();
        if constexpr (many_targets<R>)
            unrelate_edges<R>(list);
        else
            remove_batch<R>(list);
    }
    template <class R, class Selection, class... Terms>
    void unrelate_batch(const basic_query<Selection, Terms...>& all) {
        require_relation<R>();
        if constexpr (many_targets<R>) {
            const buffer<entity> list = listed(all);
            unrelate_edges<R>({list.data(), list.size()});
        } else {
            remove_batch<R>(all);
        }
    }

protected:
    /// Throws unless `target` may become the target of the relation `R` of all of `whom`.
    template <class R, class Whom> void check_relation(const Whom& whom, entity target) const {
        check_target(*storage_, id_of<R>(), target);
        if constexpr (acyclic<R>) check_acyclic(*storage_, whom, id_of<R>(), target);
    }
    /// Relates all of a list, or of families that a query matches; with `replace`, those that have the relation already get
    /// a copy of the value, too.
    template <class R>
    void relate_list(std::span<const entity> list, entity target, const R& value, bool replace);
    template <class R, class Selection, class... Terms>
    void relate_families(const basic_query<Selection, Terms...>& all, entity target, const R& value,
                         bool replace);
    /// New data for entities that have the relation already, of `count` that are about to be related; and room for what
    /// observers will be told.
    template <class R>
    [[nodiscard]] value_rows<R> data_for(const buffer<entity>& known, std::size_t count,
                                         const R& value) const {
        if (storage_->watch() != nullptr && !known.empty()) [[unlikely]]
            storage_->watch()->reserve(count + known.size());
        return copies_of(known.size(), types<R>{}, value);
    }
    template <class R>
    void put_data(const buffer<entity>& known, const value_rows<R>& copies) const noexcept {
        if constexpr (!std::is_empty_v<R>)
            for (std::size_t i = 0; i != known.size(); ++i) {
                R copy = copies.template take<R>(i);
                replace<R>(find<R>(known[i]), copy);
                if (storage_->tracking()) [[unlikely]]
                    mark_written<R>(known[i]);
                if (storage_->watch() != nullptr) [[unlikely]]
                    storage_->watch()->note_set(known[i], {id_of<R>()});
            }
    }
    template <class Visit> void each_source_of(component_id id, entity target, Visit&& visit) const {
        const structure_lock lock{*storage_};
        if (id.index() >= component_count()) return; // a relation that was never used
        each_family_of(*storage_, id, target, [&](const auto& place, const family& group) {
            for (std::uint32_t row = group.first; row != group.first + group.size; ++row)
                visit(place.entities()[row]);
        });
    }
};

template <class R> void relation_verbs::relate(entity e, entity target) {
    require_relation<R>();
    require_default<R>();
    if constexpr (many_targets<R>) {
        R value{}; // first, as it may throw
        relate_edge<R>(e, target, value, false);
    } else if (has<R>(e)) {
        check_relation<R>(e, target);
        const link links[] = {{id_of<R>(), target}};
        (void)storage_->change(e, static_bundle<false>(types<R>{}, types<>{}), links);
        storage_->settle();
    } else {
        relate<R>(e, target, R{});
    }
}

template <class R> void relation_verbs::relate(entity e, entity target, R value) {
    require_relation<R>();
    if constexpr (many_targets<R>) {
        relate_edge<R>(e, target, value, true);
    } else {
        storage_->check_alive(e);
        check_relation<R>(e, target);
        const bool known = has<R>(e);
        if (storage_->watch() != nullptr) [[unlikely]]
            storage_->watch()->reserve(1);
        const link links[] = {{id_of<R>(), target}};
        const placement place = storage_->change(e, static_bundle<false>(types<R>{}, types<>{}), links);
        if (storage_->tracking()) [[unlikely]]
            mark_written<R>(e);
        known ? overwrite<R>(place, value) : put<R>(place, value);
        if (storage_->watch() != nullptr) [[unlikely]] {
            if (known && !std::is_empty_v<R>) storage_->watch()->note_set(e, {id_of<R>()});
            storage_->settle();
        }
    }
}

template <class R> void relation_verbs::relate_batch(std::span<const entity> list, entity target) {
    require_relation<R>();
    require_default<R>();
    if constexpr (many_targets<R>)
        relate_edges<R>(list, target);
    else
        relate_list<R>(list, target, R{}, false);
}

template <class R> void relation_verbs::relate_batch(std::span<const entity> list, entity target, R value) {
    require_relation<R>();
    require_copy<R>();
    if constexpr (many_targets<R>)
        relate_edges<R>(list, target, value);
    else
        relate_list<R>(list, target, value, true);
}

template <class R, class Selection, class... Terms>
void relation_verbs::relate_batch(const basic_query<Selection, Terms...>& all, entity target) {
    require_relation<R>();
    require_default<R>();
    if (many_targets<R> || chooses_rows(all)) {
        const buffer<entity> list = listed(all);
        relate_batch<R>(std::span<const entity>{list.data(), list.size()}, target);
    } else if constexpr (!many_targets<R> && !basic_query<Selection, Terms...>::by_rows) {
        relate_families<R>(all, target, R{}, false);
    }
}

template <class R, class Selection, class... Terms>
void relation_verbs::relate_batch(const basic_query<Selection, Terms...>& all, entity target, R value) {
    require_relation<R>();
    require_copy<R>();
    if (many_targets<R> || chooses_rows(all)) {
        const buffer<entity> list = listed(all);
        relate_batch<R>(std::span<const entity>{list.data(), list.size()}, target, std::move(value));
    } else if constexpr (!many_targets<R> && !basic_query<Selection, Terms...>::by_rows) {
        relate_families<R>(all, target, value, true);
    }
}

template <class R>
void relation_verbs::relate_list(std::span<const entity> list, entity target, const R& value, bool replace) {
    storage_->check_unlocked();
    check_relation<R>(list, target);
    buffer<entity> known{storage_->memory()};
    if (replace && !std::is_empty_v<R>) {
        known.reserve(list.size());
        for (std::size_t i = 0; i != list.size(); ++i)
            if (storage_->has(list[i], id_of<R>())) known.append(list[i]);
    }
    const value_rows<R> copies = data_for<R>(known, list.size(), value);
    const link links[] = {{id_of<R>(), target}};
    const std::uint32_t bundle = static_bundle<false>(types<R>{}, types<>{});
    fill_steps<R>(storage_->prepare_batch(list, bundle, links), list, value);
    storage_->commit_batch(list);
    put_data<R>(known, copies);
    storage_->settle();
}

template <class R, class Selection, class... Terms>
void relation_verbs::relate_families(const basic_query<Selection, Terms...>& all, entity target,
                                     const R& value, bool replace) {
    std::byte small[256];
    std::pmr::monotonic_buffer_resource memory{small, sizeof small, storage_->memory()};
    buffer<family_ref> families{&memory};
    all.collect(families);
    const std::span<const family_ref> some{families.data(), families.size()};
    storage_->check_unlocked();
    check_relation<R>(some, target);
    buffer<entity> known{storage_->memory()};
    std::size_t count = 0;
    for (std::size_t i = 0; replace && !std::is_empty_v<R> && i != some.size(); ++i) {
        const archetype& place = *storage_->archetype_at(some[i].archetype);
        const family& group = place.at(some[i].key);
        count += group.size;
        if (!place.mask().test(id_of<R>())) continue;
        known.reserve(known.size() + group.size);
        for (std::uint32_t row = group.first; row != group.first + group.size; ++row)
            known.append(place.entities()[row]);
    }
    const value_rows<R> copies = data_for<R>(known, count, value);
    const link links[] = {{id_of<R>(), target}};
    const std::uint32_t bundle = static_bundle<false>(types<R>{}, types<>{});
    fill_steps<R>(storage_->prepare_families(some, bundle, links), {}, value);
    storage_->commit_families();
    put_data<R>(known, copies);
    storage_->settle();
}

} // namespace pecs::detail
