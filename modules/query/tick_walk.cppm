// Queries about changes: of what another selection chooses, that whose components were written, or added, since a tick. A
// family in which nothing has changed is passed over with one look; rows are looked at only in the others, and only where
// the ticks of rows are kept. Those of sparse components are in their sets, and are asked of each row. Conditions are
// values, so one type of query serves for all ticks.
export module pecs.query:tick_walk;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :cache;
import :edge_walk;
import :filter;
import :selection;
import :set_walk;
import :walk;

export namespace pecs::detail {

/// Says in words why there are no ticks for `T`; does nothing for a type that has them.
template <class T> consteval void require_ticks() {
    require_component<T>();
    static_assert(
        !many_targets<T>,
        "pecs: changes of a relation with many targets are not tracked: its edges are in no family");
}

/// Whether changes of `T` are known of single entities, not of families.
template <class T> inline constexpr bool ticks_of_rows = tracks_rows<T> || in_set<T>;

/// That a component was written, or added, after a tick.
struct tick_condition {
    component_id id{0};
    bool added = false;
    std::uint64_t since = 0;

    [[nodiscard]] inline bool holds(const tick_pair& ticks) const noexcept {
        return read_tick(added ? ticks.added : ticks.changed) > since;
    }
};

/// Some conditions, all of which must hold, asked of one family after another.
template <std::size_t N> class tick_test {
public:
    tick_test(const storage& all, const tick_condition (&conditions)[N]) noexcept {
        for (std::size_t i = 0; i != N; ++i) {
            conditions_[i] = conditions[i];
            sets_[i] = all.beside().set(conditions[i].id);
        }
    }

    [[nodiscard]] bool family_fits(const archetype& place, const family& group) noexcept {
        if (place_ != &place) {
            place_ = &place;
            for (std::size_t i = 0; i != N; ++i) ticks_[i] = place.find_ticks(conditions_[i].id);
        }
        for (std::size_t i = 0; i != N; ++i)
            if (ticks_[i] != nullptr && !conditions_[i].holds(ticks_[i]->of(group))) return false;
        return true;
    }
    /// The same of a row of the family that was asked last.
    [[nodiscard]] bool row_fits(std::uint32_t row) const noexcept {
        for (std::size_t i = 0; i != N; ++i) {
            if (ticks_[i] != nullptr) {
                if (ticks_[i]->by_rows() && !conditions_[i].holds(ticks_[i]->of(row))) return false;
            } else if (sets_[i] != nullptr) {
                if (!entry_fits(conditions_[i], *sets_[i], place_->entities()[row])) return false;
            }
        }
        return true;
    }

private:
    [[nodiscard]] static bool entry_fits(const tick_condition& condition, const sparse_set& set,
                                         entity e) noexcept {
        const std::uint32_t place = set.place(e);
        return place != none && condition.holds(set.ticks().of(place));
    }

    tick_condition conditions_[N];
    const archetype* place_ = nullptr; ///< the archetype of which the following are
    const tick_column* ticks_[N] = {};
    const sparse_set* sets_[N] = {}; ///< of sparse components that some entity has
};

/// What of another walk fits: families, or, in them, runs of rows.
template <class Walk, std::size_t N, bool Rows> class tick_walk : public Walk {
public:
    tick_walk(const storage& all, Walk&& walk, const tick_condition (&conditions)[N])
        : Walk{std::move(walk)}, test_{all, conditions} {}

    bool advance() {
        for (;;) {
            if constexpr (Rows)
                if (next_run()) return true;
            if (!Walk::advance()) return false;
            if (!test_.family_fits(Walk::place(), *Walk::group())) continue;
            if constexpr (!Rows) return true;
            row_ = Walk::first();
            end_of_rows_ = row_ + Walk::size();
        }
    }

private:
    /// Rows side by side that fit are one run.
    bool next_run() noexcept {
        while (row_ != end_of_rows_ && !test_.row_fits(row_)) ++row_;
        if (row_ == end_of_rows_) return false;
        Walk::first_ = row_;
        while (row_ != end_of_rows_ && test_.row_fits(row_)) ++row_;
        Walk::size_ = row_ - Walk::first_;
        return true;
    }

    tick_test<N> test_;
    std::uint32_t row_ = 0;
    std::uint32_t end_of_rows_ = 0;
};

/// Those of another selection that have changed; with `Rows`, single rows.
template <class Base, std::size_t N, bool Rows> struct by_ticks {
    using groups = tick_walk<typename Base::groups, N, Rows>;
    using runs = groups;

    Base base;
    tick_condition conditions[N];

    [[nodiscard]] groups walk_groups(const storage& all, archetype_span matches) const {
        return {all, base.walk_groups(all, matches), conditions};
    }
    /// The walk where rows are chosen, here or by the other selection.
    [[nodiscard]] runs walk_edges(const storage& all, archetype_span matches, const filter& wanted) const {
        if constexpr (selects_rows<Base>)
            return {all, base.walk_edges(all, matches, wanted), conditions};
        else
            return walk_groups(all, matches);
    }
    template <class Visit> void each_group(const storage& all, archetype_span matches, Visit&& visit) const {
        tick_test<N> test{all, conditions};
        base.each_group(all, matches, [&](const archetype& place, const family& group) {
            if (test.family_fits(place, group)) visit(place, group);
        });
    }
    [[nodiscard]] bool contains(const storage& all, entity e) const noexcept {
        const entity_record& record = all.entities()[e];
        const archetype& place = *all.archetype_at(record.archetype);
        tick_test<N> test{all, conditions};
        return test.family_fits(place, place.at(record.family)) && (!Rows || test.row_fits(record.row)) &&
               base.contains(all, e);
    }
};

template <class Base, std::size_t N, bool Rows>
inline constexpr bool selects_rows<by_ticks<Base, N, Rows>> = Rows || selects_rows<Base>;
template <class Base, std::size_t N, bool Rows>
inline constexpr bool takes_lists<by_ticks<Base, N, Rows>> = takes_lists<Base>;
template <class Base, std::size_t N, bool Rows>
[[nodiscard]] inline std::size_t row_count(const by_ticks<Base, N, Rows>& selection, const storage& all,
                                           archetype_span matches, std::size_t enough) {
    return row_count(selection.base, all, matches, enough);
}

/// A selection with one more condition.
template <bool Rows, class Base>
[[nodiscard]] inline by_ticks<Base, 1, Rows> with_ticks(const Base& before,
                                                        const tick_condition& more) noexcept {
    return {before, {more}};
}
template <bool Rows, class Base, std::size_t N, bool Before>
[[nodiscard]] inline auto with_ticks(const by_ticks<Base, N, Before>& before,
                                     const tick_condition& more) noexcept {
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> by_ticks<Base, N + 1, Rows || Before> {
        return {before.base, {before.conditions[I]..., more}};
    }(std::make_index_sequence<N>{});
}
/// The same conditions on another selection.
template <class Other, class Base, std::size_t N, bool Rows>
[[nodiscard]] inline by_ticks<Other, N, Rows> on_base(const by_ticks<Base, N, Rows>& before,
                                                      const Other& other) noexcept {
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> by_ticks<Other, N, Rows> {
        return {other, {before.conditions[I]...}};
    }(std::make_index_sequence<N>{});
}
/// A selection by ticks with one more target, or condition on edges.
template <class R, class Base, std::size_t N, bool Rows>
[[nodiscard]] inline auto with_target(const by_ticks<Base, N, Rows>& before, entity target) noexcept {
    return on_base(before, with_target<R>(before.base, target));
}
template <class Base, std::size_t N, bool Rows>
[[nodiscard]] inline auto with_edges(const by_ticks<Base, N, Rows>& before,
                                     const edge_condition& more) noexcept {
    return on_base(before, with_edges(before.base, more));
}

} // namespace pecs::detail
