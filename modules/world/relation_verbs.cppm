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
    if constexpr (many_targets<R>) {
        relate_edges<R>(list, target);
    } else {
        check_relation<R>(list, target);
        const link links[] = {{id_of<R>(), target}};
        const R value{}; // first, as it may throw
        fill_steps<R>(storage_->prepare_batch(list, static_bundle<false>(types<R>{}, types<>{}), links), list,
                      value);
        storage_->commit_batch(list);
        storage_->settle();
    }
}

template <class R, class Selection, class... Terms>
void relation_verbs::relate_batch(const basic_query<Selection, Terms...>& all, entity target) {
    require_relation<R>();
    require_default<R>();
    if (many_targets<R> || chooses_rows(all)) {
        const buffer<entity> list = listed(all);
        relate_batch<R>(std::span<const entity>{list.data(), list.size()}, target);
    } else if constexpr (!many_targets<R> && !basic_query<Selection, Terms...>::by_rows) {
        std::byte small[256];
        std::pmr::monotonic_buffer_resource memory{small, sizeof small, storage_->memory()};
        buffer<family_ref> families{&memory};
        all.collect(families);
        const std::span<const family_ref> some{families.data(), families.size()};
        check_relation<R>(some, target);
        const link links[] = {{id_of<R>(), target}};
        const R value{}; // first, as it may throw
        fill_steps<R>(storage_->prepare_families(some, static_bundle<false>(types<R>{}, types<>{}), links),
                      {}, value);
        storage_->commit_families();
        storage_->settle();
    }
}

} // namespace pecs::detail
