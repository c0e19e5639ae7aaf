// The verbs of a world about many entities, of a list or of a query: all of them change, or none. A list names each
// entity once (else `repeated_entity`). The entities of a query move archetype by archetype, column by column, which is
// several times faster than one by one.
export module pecs.world:batch_verbs;

import pecs.std;
import pecs.archetype;
import pecs.query;
import pecs.relation;
import :component_verbs;
import :rows;
import :set_fill;

export namespace pecs::detail {

class batch_verbs : public component_verbs {
public:
    using component_verbs::component_verbs;

    /// Ends all entities of a list, or none: throws `dead_entity`, `repeated_entity` or `target_in_use`.
    inline void despawn_batch(std::span<const entity> list) { despawn_with_rules(*storage_, list, {}); }
    /// Ends all entities that a query matches, family by family; throws `target_in_use`.
    template <class Selection, class... Terms>
    void despawn_batch(const basic_query<Selection, Terms...>& all) {
        if (chooses_rows(all)) {
            const buffer<entity> list = listed(all);
            despawn_with_rules(*storage_, {list.data(), list.size()}, {});
        } else {
            const buffer<family_ref> families = collected(all);
            despawn_with_rules(*storage_, {}, {families.data(), families.size()});
        }
    }
    /// Adds copies of the values; throws what `add` throws.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void add_batch(std::span<const entity> list, Ts... values) {
        change_batch(list, types<Ts...>{}, types<>{}, values...);
    }
    template <class... Ts, class Selection, class... Terms>
        requires(sizeof...(Ts) > 0)
    void add_batch(const basic_query<Selection, Terms...>& all, Ts... values) {
        change_batch(all, types<Ts...>{}, types<>{}, values...);
    }
    /// Removes components; throws what `remove` throws.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void remove_batch(std::span<const entity> list) {
        change_batch(list, types<>{}, types<Ts...>{});
    }
    template <class... Ts, class Selection, class... Terms>
        requires(sizeof...(Ts) > 0)
    void remove_batch(const basic_query<Selection, Terms...>& all) {
        change_batch(all, types<>{}, types<Ts...>{});
    }
    /// Removes the types named and adds copies of the values; throws what `exchange` throws.
    template <class... Removed, class... Added>
        requires(sizeof...(Removed) > 0 && sizeof...(Added) > 0)
    void exchange_batch(std::span<const entity> list, Added... values) {
        change_batch(list, types<Added...>{}, types<Removed...>{}, values...);
    }
    template <class... Removed, class Selection, class... Terms, class... Added>
        requires(sizeof...(Removed) > 0 && sizeof...(Added) > 0)
    void exchange_batch(const basic_query<Selection, Terms...>& all, Added... values) {
        change_batch(all, types<Added...>{}, types<Removed...>{}, values...);
    }
    /// Gives components copies of the values; those that are not there are added.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void set_batch(std::span<const entity> list, const Ts&... values);
    template <class... Ts, class Selection, class... Terms>
        requires(sizeof...(Ts) > 0)
    void set_batch(const basic_query<Selection, Terms...>& all, const Ts&... values);

protected:
    /// Constructs copies of the values in the rows that the steps name; if one throws, none is left, and the batch is
    /// cancelled.
    /// Observers are told what will happen then, to the entities of the list, or of whole families without one.
    template <class... Ts>
    void fill_steps(std::span<const batch_step> steps, std::span<const entity> list, const Ts&... values);
    template <class... Added, class... Removed>
    void change_batch(std::span<const entity> list, types<Added...> added, types<Removed...> removed,
                      const Added&... values) {
        require_components<Added..., Removed...>();
        require_targets<Added...>();
        (require_column<Removed>(), ...);
        if constexpr ((in_set<Added> || ...) || (in_set<Removed> || ...)) {
            if (storage_->watch() != nullptr) [[unlikely]]
                change_sets_watched(list, set_list<Added...>{}, removed, values...);
            else
                change_sets(list, added, removed, values...);
        } else {
            const std::uint32_t bundle = static_bundle<true>(added, removed);
            fill_steps(storage_->prepare_batch(list, bundle), list, values...);
            storage_->commit_batch(list);
            storage_->settle();
        }
    }
    template <class Selection, class... Terms, class... Added, class... Removed>
    void change_batch(const basic_query<Selection, Terms...>& all, types<Added...> added,
                      types<Removed...> removed, const Added&... values) {
        require_components<Added..., Removed...>();
        require_targets<Added...>();
        (require_column<Removed>(), ...);
        constexpr bool sparse = (in_set<Added> || ...) || (in_set<Removed> || ...);
        if (sparse || chooses_rows(all)) {
            const buffer<entity> list = listed(all);
            change_batch(std::span<const entity>{list.data(), list.size()}, added, removed, values...);
        } else if constexpr (!sparse) {
            const std::uint32_t bundle = static_bundle<true>(added, removed);
            const buffer<family_ref> families = collected(all);
            fill_steps(storage_->prepare_families({families.data(), families.size()}, bundle), {}, values...);
            storage_->commit_families();
            storage_->settle();
        }
    }
    template <class... Ts> void assign_values(entity e, Ts... values) {
        if (storage_->watch() != nullptr) [[unlikely]]
            set_watched(e, values...);
        else
            assign(e, values...);
    }
    /// The same where some are sparse: their values are made first, the rest as always, and then some go.
    template <class... Added, class... Removed>
    void change_sets(std::span<const entity> list, types<Added...> /*added*/, types<Removed...> /*removed*/,
                     const Added&... values) {
        storage_->check_unlocked();
        storage_->check_list(list);
        for (const entity e : list) {
            (check_present<Removed>(e), ...);
            (check_absent<Added>(e), ...);
        }
        set_fills<Added...> sets{*storage_};
        {
            const structure_lock lock{*storage_}; // user code copies
            (sets.template fill<Added>(list.data(), list.size(),
                                       [&](void* to) { fill_values<Added>(to, 1, values); }),
             ...);
        }
        change_rows(list, row_list<Added...>{}, row_list<Removed...>{}, values...);
        sets.keep();
        for ([[maybe_unused]] const entity e : list) (drop_value<Removed>(e), ...);
    }
    /// The same in a world that is observed: new sparse values wait outside of their sets until all were told what goes.
    template <class... Sparse, class... Removed, class... Added>
    void change_sets_watched(std::span<const entity> list, types<Sparse...> sparse,
                             types<Removed...> /*removed*/, const Added&... values) {
        storage_->check_unlocked();
        storage_->check_list(list);
        for (const entity e : list) {
            (check_present<Removed>(e), ...);
            (check_absent<Added>(e), ...);
            (reserve_value<Added>(e, list.size()), ...);
        }
        [[maybe_unused]] const value_rows<Sparse...> copies = copies_of(list.size(), sparse, values...);
        {
            const beside_change change{*storage_->watch(), mask_of(sparse), mask_of(set_list<Removed...>{})};
            const std::uint32_t bundle = static_bundle<true>(row_list<Added...>{}, row_list<Removed...>{});
            fill_steps(storage_->prepare_batch(list, bundle), list, values...);
        }
        storage_->commit_batch(list);
        for (std::size_t i = 0; i != list.size(); ++i) {
            (drop_value<Removed>(list[i]), ...);
            (put_copy<Sparse>(list[i], copies.template take<Sparse>(i)), ...);
        }
        storage_->settle();
    }
    template <class... Sparse, class... Added>
    [[nodiscard]] value_rows<Sparse...> copies_of(std::size_t count, types<Sparse...> /*sparse*/,
                                                  const Added&... values) const {
        const structure_lock lock{*storage_}; // user code copies
        return value_rows<Sparse...>{storage_->memory(), count, value_among<Sparse>(values...)...};
    }
    template <class T> void put_copy(entity e, T value) const noexcept { put<T>({e, 0, 0}, value); }
    template <class... Rows, class... Gone, class... Added>
    void change_rows(std::span<const entity> list, types<Rows...> added, types<Gone...> removed,
                     const Added&... values) {
        if constexpr (sizeof...(Rows) + sizeof...(Gone) != 0) {
            fill_steps(storage_->prepare_batch(list, static_bundle<true>(added, removed)), list, values...);
            storage_->commit_batch(list);
        }
    }
    template <class T> void destroy_cells(const batch_step& step) const noexcept {
        if constexpr (!in_set<T>) destroy_data<T>(cell_of<T>(step.to.archetype, step.first_row), step.count);
    }
    template <class Selection, class... Terms>
    [[nodiscard]] buffer<family_ref> collected(const basic_query<Selection, Terms...>& all) const {
        buffer<family_ref> families{storage_->memory()};
        if constexpr (!basic_query<Selection, Terms...>::by_rows) all.collect(families);
        return families;
    }
    /// Whether a query matches single rows, not whole families.
    template <class Selection, class... Terms>
    [[nodiscard]] static bool chooses_rows(const basic_query<Selection, Terms...>& all) {
        return basic_query<Selection, Terms...>::by_rows || all.asked() != nullptr;
    }
    /// The entities that a query matches, where it does not match whole families.
    template <class Selection, class... Terms>
    [[nodiscard]] buffer<entity> listed(const basic_query<Selection, Terms...>& all) const {
        buffer<entity> list{storage_->memory()};
        list.reserve(all.count());
        all.each_entity([&](entity e) { list.append(e); });
        return list;
    }
};

template <class... Ts>
void batch_verbs::fill_steps(std::span<const batch_step> steps, std::span<const entity> list,
                             const Ts&... values) {
    std::size_t done = 0;
    const auto fills = [](const batch_step& step) { return step.from.archetype != step.to.archetype; };
    try {
        for (; done != steps.size(); ++done) {
            const batch_step& step = steps[done];
            if (!fills(step)) continue;
            const structure_lock lock{*storage_};
            run_guard guard{*storage_, step.to.archetype, step.first_row, step.count};
            (guard.fill<Ts>([&](void* to, std::size_t n) { fill_values<Ts>(to, n, values); }), ...);
            guard.keep();
        }
        storage_->announce(list);
    } catch (...) {
        while (done-- != 0) {
            const batch_step& step = steps[done];
            if (!fills(step)) continue;
            (destroy_cells<Ts>(step), ...);
        }
        storage_->cancel_batch();
        throw;
    }
}

template <class... Ts>
    requires(sizeof...(Ts) > 0)
void batch_verbs::set_batch(std::span<const entity> list, const Ts&... values) {
    require_components<Ts...>();
    require_targets<Ts...>();
    // All copies first, as one of them may throw; after that there is room for every move.
    const value_rows<Ts...> copies{storage_->memory(), list.size(), values...};
    if constexpr ((in_set<Ts> || ...)) {
        storage_->check_unlocked();
        storage_->check_list(list);
        // Not for those that have one: nothing of theirs is to move.
        for (const entity e : list) ((has<Ts>(e) ? void() : reserve_value<Ts>(e, list.size())), ...);
    }
    if (storage_->watch() != nullptr) storage_->watch()->reserve(list.size());
    (void)storage_->prepare_batch(list, static_bundle<false>(row_list<Ts...>{}, types<>{}));
    for (std::size_t i = 0; i != list.size(); ++i)
        assign_values<Ts...>(list[i], copies.template take<Ts>(i)...);
    storage_->cancel_batch(); // the room was used without it
    storage_->settle();
}

template <class... Ts, class Selection, class... Terms>
    requires(sizeof...(Ts) > 0)
void batch_verbs::set_batch(const basic_query<Selection, Terms...>& all, const Ts&... values) {
    const buffer<entity> list = listed(all);
    set_batch(std::span<const entity>{list.data(), list.size()}, values...);
}

} // namespace pecs::detail
