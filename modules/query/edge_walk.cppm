// Queries about relations with many targets. Their edges are not in the archetypes, so entities are chosen one by one:
// from the sources of a given target, wherever these are, or, for `any` and `none`, from all rows that match otherwise.
export module pecs.query:edge_walk;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :filter;
import :selection;
import :target_terms;
import :terms;
import :walk;

export namespace pecs::detail {

/// Goes through the sources of a given target, in their order, or through the rows of another selection.
template <class Base, std::size_t N> class edge_walk : public walk_base {
public:
    edge_walk(const storage& all, archetype_span matches, const filter& wanted, const Base& base,
              const edge_condition (&conditions)[N])
        : walk_base{matches},
          all_{&all},
          wanted_{&wanted},
          base_{base},
          rows_{base.walk_groups(all, matches)} {
        for (std::size_t i = 0; i != N; ++i) {
            conditions_[i] = conditions[i];
            if (conditions[i].what != edge_condition::wanted::target) continue;
            const std::span<const entity> sources = conditions[i].sources(all);
            if (given_ != N && sources.size() >= static_cast<std::size_t>(last_source_ - source_)) continue;
            given_ = i;
            source_ = sources.data();
            last_source_ = source_ + sources.size();
        }
    }

    bool advance() { return given_ != N ? next_source() : next_run(); }

private:
    bool next_source() {
        while (source_ != last_source_) {
            const entity e = *source_++;
            const entity_record& record = all_->entities()[e];
            const archetype* const place = all_->archetype_at(record.archetype);
            if (place != tested_) {
                tested_ = place;
                fits_ = wanted_->matches(place->mask());
            }
            if (!fits_ || !base_.contains(*all_, e) || !holds(e)) continue;
            place_ = place;
            current_ = &place->at(record.family);
            first_ = record.row;
            size_ = 1;
            return true;
        }
        return false;
    }
    /// Rows side by side that fit are one run.
    bool next_run() {
        for (;;) {
            while (row_ != rows_end_ && !holds(place_->entities()[row_])) ++row_;
            if (row_ != rows_end_) {
                first_ = row_;
                while (row_ != rows_end_ && holds(place_->entities()[row_])) ++row_;
                size_ = row_ - first_;
                return true;
            }
            if (!rows_.advance()) return false;
            place_ = &rows_.place();
            current_ = rows_.group();
            row_ = rows_.first();
            rows_end_ = row_ + rows_.size();
        }
    }
    [[nodiscard]] bool holds(entity e) const noexcept {
        for (std::size_t i = 0; i != N; ++i)
            if (i != given_ && !conditions_[i].holds(*all_, e)) return false;
        return true;
    }

    const storage* all_;
    const filter* wanted_;
    Base base_;
    typename Base::groups rows_;
    edge_condition conditions_[N];
    std::size_t given_ = N; ///< the condition whose sources are visited: the shortest list
    const entity* source_ = nullptr;
    const entity* last_source_ = nullptr;
    const archetype* tested_ = nullptr;
    bool fits_ = false;
    std::uint32_t row_ = 0;
    std::uint32_t rows_end_ = 0;
};

/// Those of another selection whose edges fit.
template <class Base, std::size_t N> struct by_edges {
    using runs = edge_walk<Base, N>;
    using groups = runs;

    Base base;
    edge_condition conditions[N];

    [[nodiscard]] runs walk_edges(const storage& all, archetype_span matches, const filter& wanted) const {
        return {all, matches, wanted, base, conditions};
    }
    [[nodiscard]] bool contains(const storage& all, entity e) const noexcept {
        for (std::size_t i = 0; i != N; ++i)
            if (!conditions[i].holds(all, e)) return false;
        return base.contains(all, e);
    }
};

/// Whether a selection chooses rows, not whole families.
template <class Selection> inline constexpr bool selects_rows = false;
template <class Base, std::size_t N> inline constexpr bool selects_rows<by_edges<Base, N>> = true;

template <class Selection> inline constexpr bool takes_edges = std::same_as<Selection, every_target>;
template <class... Rs> inline constexpr bool takes_edges<given_targets<Rs...>> = true;

/// A selection with one more condition.
template <class Base>
[[nodiscard]] inline by_edges<Base, 1> with_edges(const Base& before, const edge_condition& more) noexcept {
    static_assert(takes_edges<Base>,
                  "pecs: of<R> for a relation with many targets cannot be combined with parents_first, "
                  "children_first or under; leave one out and test with has<R>(e, target) in the loop");
    return {before, {more}};
}
template <class Base, std::size_t N>
[[nodiscard]] inline by_edges<Base, N + 1> with_edges(const by_edges<Base, N>& before,
                                                      const edge_condition& more) noexcept {
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> by_edges<Base, N + 1> {
        return {before.base, {before.conditions[I]..., more}};
    }(std::make_index_sequence<N>{});
}
/// A selection by edges with one more target of a relation that has one.
template <class R, class Base, std::size_t N>
[[nodiscard]] inline auto with_target(const by_edges<Base, N>& before, entity target) noexcept {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto base = with_target<R>(before.base, target);
        return by_edges<std::remove_const_t<decltype(base)>, N>{base, {before.conditions[I]...}};
    }(std::make_index_sequence<N>{});
}

/// Whether a term names a relation with many targets.
template <class Term> inline constexpr bool names_edges = many_targets<std::remove_const_t<Term>>;
template <class T> inline constexpr bool names_edges<optional<T>> = names_edges<T>;
template <class... Ts> inline constexpr bool names_edges<with<Ts...>> = (names_edges<Ts> || ...);
template <class... Ts> inline constexpr bool names_edges<without<Ts...>> = (names_edges<Ts> || ...);
template <class... Ts> inline constexpr bool names_edges<any_of<Ts...>> = (names_edges<Ts> || ...);
template <class R, class Term>
inline constexpr bool names_edges<at_target<R, Term>> = many_targets<R> || names_edges<Term>;
template <class R, class T> inline constexpr bool names_edges<up<R, T>> = many_targets<R> || names_edges<T>;

} // namespace pecs::detail
