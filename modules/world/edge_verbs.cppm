// The verbs of a world about relations with many targets. Those that relations with one target have as well are called by
// the verbs of that name.
export module pecs.world:edge_verbs;

import pecs.std;
import pecs.archetype;
import pecs.query;
import pecs.relation;
import :batch_verbs;
import :edge_draft;
import :rows;

export namespace pecs::detail {

/// Says in words that a relation has one target; does nothing for those with many.
template <class R> consteval void require_many() {
    require_relation<R>();
    static_assert(
        many_targets<R>,
        "pecs: an entity has one target at most in this relation: use target<R>(e) and unrelate<R>(e), "
        "or declare .many = true in its rules");
}

class edge_verbs : public batch_verbs {
public:
    using batch_verbs::batch_verbs;
    using component_verbs::get;
    using component_verbs::try_get;

    /// The targets of an entity in a relation with many; none if it is dead. In the order in which they were added, but
    /// that the last one takes the place of one that is removed. Valid until the next structural change.
    template <class R> [[nodiscard]] std::span<const entity> targets(entity e) const noexcept {
        require_many<R>();
        const edge_index* const edges = storage_->edges(known_id<R>());
        if (edges == nullptr) return {};
        return edges->targets(e);
    }
    /// The entities of which it is a target, in the same way.
    template <class R> [[nodiscard]] std::span<const entity> sources(entity e) const noexcept {
        require_many<R>();
        const edge_index* const edges = storage_->edges(known_id<R>());
        if (edges == nullptr) return {};
        return edges->sources(e);
    }
    /// How many targets an entity has.
    template <class R> [[nodiscard]] std::size_t target_count(entity e) const noexcept {
        return targets<R>(e).size();
    }
    /// Calls `visit(entity)`, or `visit(entity, R&)` with the data, for all targets of an entity. The structure is locked
    /// meanwhile.
    template <class R, class Visit> void each_target(entity e, Visit&& visit) {
        visit_targets<R, R>(e, visit);
    }
    template <class R, class Visit> void each_target(entity e, Visit&& visit) const {
        visit_targets<R, const R>(e, visit);
    }
    /// Calls `visit(source, target)`, or `visit(source, target, R&)` with the data, for all edges of a relation with many
    /// targets; in a symmetric one each comes once, the smaller entity first. The structure is locked meanwhile.
    template <class R, class Visit> void each_edge(Visit&& visit) { visit_edges<R, R>(visit); }
    template <class R, class Visit> void each_edge(Visit&& visit) const { visit_edges<R, const R>(visit); }

    /// The data of one target; throws `dead_entity` or `missing_component`. Valid until the next structural change.
    template <class R> [[nodiscard]] R& get(entity e, entity target) { return *checked_edge<R>(e, target); }
    template <class R> [[nodiscard]] const R& get(entity e, entity target) const {
        return *checked_edge<R>(e, target);
    }
    /// The same, or null.
    template <class R> [[nodiscard]] R* try_get(entity e, entity target) { return find_edge<R>(e, target); }
    template <class R> [[nodiscard]] const R* try_get(entity e, entity target) const {
        return find_edge<R>(e, target);
    }

    /// Ends the relation to one of many targets; throws `missing_component`.
    template <class R> void unrelate(entity e, entity target) {
        require_many<R>();
        storage_->check_unlocked();
        if (storage_->watch() != nullptr && has_edge<R>(e, target)) [[unlikely]]
            storage_->announce_cut(id_of<R>(), {&e, 1}, target);
        edge_index* const edges = storage_->edges(id_of<R>());
        if (edges == nullptr || !edges->erase(e, target)) explain_missing_edge<R>(e, target);
    }
    /// The same for all entities of a list, or of a query: all of them, or none.
    template <class R> void unrelate_batch(std::span<const entity> list, entity target) {
        require_many<R>();
        storage_->check_unlocked();
        storage_->check_list(list);
        for (std::size_t i = 0; i != list.size(); ++i)
            if (!has_edge<R>(list[i], target)) explain_missing_edge<R>(list[i], target);
        if (!list.empty()) storage_->cut_edges(id_of<R>(), list, target);
    }
    template <class R, class Selection, class... Terms>
    void unrelate_batch(const basic_query<Selection, Terms...>& all, entity target) {
        const buffer<entity> list = listed(all);
        unrelate_batch<R>(std::span<const entity>{list.data(), list.size()}, target);
    }

protected:
    template <class R> [[nodiscard]] bool has_edge(entity e, entity target) const noexcept {
        const edge_index* const edges = storage_->edges(known_id<R>());
        return edges != nullptr && edges->find(e, target) != nullptr;
    }
    template <class R> [[nodiscard]] R* find_edge(entity e, entity target) const noexcept {
        require_many<R>();
        static_assert(!std::is_empty_v<R>, "pecs: the relation has no data; ask with has<R>(e, target)");
        const edge_index* const edges = storage_->edges(known_id<R>());
        return edges == nullptr ? nullptr : reinterpret_cast<R*>(edges->find(e, target));
    }
    template <class R> [[nodiscard]] R* checked_edge(entity e, entity target) const {
        R* const value = find_edge<R>(e, target);
        if (value == nullptr) [[unlikely]]
            explain_missing_edge<R>(e, target);
        return value;
    }
    template <class R> [[noreturn]] void explain_missing_edge(entity e, entity target) const {
        storage_->check_alive(e);
        throw_missing_edge(e, id_of<R>(), target);
    }
    template <class R> void check_edges(std::span<const entity> list, entity target) const {
        check_target(*storage_, id_of<R>(), target);
        if constexpr (acyclic<R>) check_acyclic_edges(*storage_, list, id_of<R>(), target);
    }
    template <class R> void check_batch(std::span<const entity> list, entity target) const {
        storage_->check_unlocked();
        storage_->check_list(list);
        check_edges<R>(list, target);
    }
    /// Adds an edge; one that is there gets the value only if it is to be replaced.
    template <class R> void relate_edge(entity e, entity target, R& value, bool replace) {
        storage_->check_unlocked();
        storage_->check_alive(e);
        check_edges<R>({&e, 1}, target);
        const edge_index::placed place = storage_->add_edge(id_of<R>(), e, target);
        if constexpr (!std::is_empty_v<R>) {
            if (!place.fresh && !replace) return;
            if (!place.fresh) destroy_values<R>(place.data, 1);
            construct<R>(place.data, std::move(value));
        }
        if (storage_->watch() != nullptr) [[unlikely]]
            if (place.fresh || (replace && !std::is_empty_v<R>))
                storage_->tell_edge({id_of<R>(), e, target}, place.fresh);
    }
    template <class R> void relate_edges(std::span<const entity> list, entity target) {
        check_batch<R>(list, target);
        const structure_lock lock{*storage_}; // while default values are made
        edge_draft draft{*storage_};
        for (std::size_t i = 0; i != list.size(); ++i) draft.add<R>(list[i], target, R{});
        draft.keep();
        draft.settle();
    }
    /// The same with copies of a value, which edges that are there get, too.
    template <class R> void relate_edges(std::span<const entity> list, entity target, const R& value) {
        check_batch<R>(list, target);
        buffer<entity> known{storage_->memory()};
        known.reserve(list.size());
        const structure_lock lock{*storage_}; // while values are copied
        edge_draft draft{*storage_};
        for (std::size_t i = 0; i != list.size(); ++i) {
            if (has_edge<R>(list[i], target))
                known.append(list[i]);
            else
                draft.add<R>(list[i], target, value);
        }
        const value_rows<R> copies{storage_->memory(), known.size(), value};
        draft.keep();
        if constexpr (!std::is_empty_v<R>)
            for (std::size_t i = 0; i != known.size(); ++i) {
                R copy = copies.template take<R>(i);
                replace<R>(find_edge<R>(known[i], target), copy);
            }
        observer_deferral later{storage_->watch()}; // all are told, whatever the first ones throw
        draft.settle();
        for (std::size_t i = 0; !std::is_empty_v<R> && i != known.size(); ++i)
            if (storage_->watch() != nullptr) storage_->tell_edge({id_of<R>(), known[i], target}, false);
        later.end();
    }
    template <class R> void unrelate_edges(std::span<const entity> list) {
        storage_->check_unlocked();
        storage_->check_list(list);
        for (std::size_t i = 0; i != list.size(); ++i)
            if (!storage_->has_edges(list[i], id_of<R>())) throw_missing_component(list[i], id_of<R>());
        if (!list.empty()) storage_->cut_edges(id_of<R>(), list, null);
    }
    template <class R, class Data, class Visit> void visit_targets(entity e, Visit& visit) const {
        const std::span<const entity> all = targets<R>(e);
        if (all.empty()) return;
        const edge_index& edges = *storage_->edges(known_id<R>());
        const structure_lock lock{*storage_};
        std::byte* const first = edges.at_target(e, 0);
        for (std::uint32_t i = 0; i != all.size(); ++i)
            visit_end<Data>(visit, all[i], [&] {
                if constexpr (R::rules.symmetric)
                    return edges.at_target(e, i);
                else
                    return first + i * sizeof(R); // they lie side by side
            });
    }
    template <class R, class Data, class Visit> void visit_sources(entity e, Visit& visit) const {
        const std::span<const entity> all = sources<R>(e);
        const structure_lock lock{*storage_};
        for (std::uint32_t i = 0; i != all.size(); ++i)
            visit_end<Data>(visit, all[i], [&] { return storage_->edges(known_id<R>())->at_source(e, i); });
    }
    template <class R, class Data, class Visit> void visit_edges(Visit& visit) const {
        require_many<R>();
        static_assert(std::invocable<Visit&, entity, entity> ||
                          (!std::is_empty_v<R> && std::invocable<Visit&, entity, entity, Data&>),
                      "pecs: the callback must take (entity source, entity target), and may take R& behind "
                      "them, const R& in a const world, if R has data");
        const edge_index* const edges = storage_->edges(known_id<R>());
        if (edges == nullptr) return;
        const structure_lock lock{*storage_};
        edges->each([&](entity source, entity target, std::byte* data) {
            if constexpr (std::is_empty_v<R> || !std::invocable<Visit&, entity, entity, Data&>)
                visit(source, target);
            else
                visit(source, target, *reinterpret_cast<Data*>(data));
        });
    }

private:
    template <class Data, class Visit, class Find>
    static void visit_end(Visit& visit, entity end, const Find& find) {
        static_assert(
            std::invocable<Visit&, entity> ||
                (!std::is_empty_v<Data> && std::invocable<Visit&, entity, Data&>),
            "pecs: the callback must take an entity, and may take R& behind it, const R& in a const "
            "world, if R has data");
        if constexpr (std::is_empty_v<Data> || !std::invocable<Visit&, entity, Data&>)
            visit(end);
        else
            visit(end, *reinterpret_cast<Data*>(find()));
    }
};

} // namespace pecs::detail
