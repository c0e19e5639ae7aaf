// The verbs of a world about relations: one entity, or many at once.
export module pecs.world:relation_verbs;

import pecs.std;
import pecs.archetype;
import pecs.query;
import pecs.relation;
import :batch_verbs;
import :rows;

export namespace pecs::detail {

class relation_verbs : public batch_verbs {
public:
    using batch_verbs::batch_verbs;
    using component_verbs::has;

    /// Makes `target` the target of an entity's relation `R`, which it gets if it has none; data that it has is kept.
    /// Throws `dead_target`, and `relation_cycle` if the rules forbid it. Costs as much as `add`, and O(depth) for
    /// acyclic relations.
    template <class R> void relate(entity e, entity target);
    /// The same with new data.
    template <class R> void relate(entity e, entity target, R value);
    /// Ends an entity's relation, with its data; throws `missing_component`.
    template <class R> void unrelate(entity e) {
        require_relation<R>();
        remove<R>(e);
    }
    /// The target of an entity's relation; null if it has none, or is dead.
    template <class R> [[nodiscard]] entity target(entity e) const noexcept {
        require_relation<R>();
        return storage_->target(e, known_id<R>());
    }
    /// True if the entity's relation has this target.
    template <class R> [[nodiscard]] bool has(entity e, entity target) const noexcept {
        return target && this->target<R>(e) == target;
    }
    /// Calls `visit(entity)` for all entities whose relation `R` has this target. O(archetypes with `R` + sources); the
    /// structure is locked meanwhile. For values, see `query::of`.
    template <class R, class Visit> void each_source(entity target, Visit&& visit) const {
        require_relation<R>();
        each_source_of(known_id<R>(), target, visit);
    }
    /// Calls `visit(entity, component_id)` for all entities with any relation to this target; once per relation.
    template <class Visit> void each_source(entity target, Visit&& visit) const {
        storage_->relations().each(
            [&](component_id id) { each_source_of(id, target, [&](entity source) { visit(source, id); }); });
    }
    /// How many entities have this target in their relation `R`. O(families).
    template <class R> [[nodiscard]] std::size_t source_count(entity target) const {
        require_relation<R>();
        std::size_t count = 0;
        each_family_of(*storage_, id_of<R>(), target,
                       [&](const auto&, const family& group) { count += group.size; });
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
        require_relation<R>();
        remove_batch<R>(list);
    }
    template <class R, class Selection, class... Terms>
    void unrelate_batch(const basic_query<Selection, Terms...>& all) {
        require_relation<R>();
        remove_batch<R>(all);
    }

protected:
    /// Throws unless `target` may become the target of the relation `R` of all of `whom`.
    template <class R, class Whom> void check_relation(const Whom& whom, entity target) const {
        check_target(*storage_, id_of<R>(), target);
        if constexpr (R::rules.acyclic) check_acyclic(*storage_, whom, id_of<R>(), target);
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
    if (has<R>(e)) {
        check_relation<R>(e, target);
        const link links[] = {{id_of<R>(), target}};
        (void)storage_->change(e, static_bundle<false>(types<R>{}, types<>{}), links);
    } else {
        relate<R>(e, target, R{});
    }
}

template <class R> void relation_verbs::relate(entity e, entity target, R value) {
    require_relation<R>();
    storage_->check_alive(e);
    check_relation<R>(e, target);
    const bool known = has<R>(e);
    const link links[] = {{id_of<R>(), target}};
    const placement place = storage_->change(e, static_bundle<false>(types<R>{}, types<>{}), links);
    known ? overwrite<R>(place, value) : put<R>(place, value);
}

template <class R> void relation_verbs::relate_batch(std::span<const entity> list, entity target) {
    require_relation<R>();
    check_relation<R>(list, target);
    const link links[] = {{id_of<R>(), target}};
    const R value{}; // first, as it may throw
    fill_steps<R>(storage_->prepare_batch(list, static_bundle<false>(types<R>{}, types<>{}), links), value);
    storage_->commit_batch(list);
}

template <class R, class Selection, class... Terms>
void relation_verbs::relate_batch(const basic_query<Selection, Terms...>& all, entity target) {
    require_relation<R>();
    std::byte small[256];
    std::pmr::monotonic_buffer_resource memory{small, sizeof small, storage_->memory()};
    buffer<family_ref> families{&memory};
    all.collect(families);
    const std::span<const family_ref> some{families.data(), families.size()};
    check_relation<R>(some, target);
    const link links[] = {{id_of<R>(), target}};
    const R value{}; // first, as it may throw
    fill_steps<R>(storage_->prepare_families(some, static_bundle<false>(types<R>{}, types<>{}), links),
                  value);
    storage_->commit_families();
}

} // namespace pecs::detail
