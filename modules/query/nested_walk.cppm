// The families of a query about targets: `of<R>(having<...>)`. There are two ways to them, and the shorter one is taken:
//
//   from the families   each is asked whether its target fits
//   from the targets    those that fit are found as a query would find them, and each leads to its families
//
// Half of the squads are under attack: the second way looks at them alone. A thousand soldiers belong to three of a million
// places: the first way looks at three families. Where targets are asked about targets of their own, these are found
// in the same manner.
export module pecs.query:nested_walk;

import pecs.std;
import pecs.archetype;
import :cache;
import :family_test;
import :set_terms;
import :static_query;
import :target_terms;
import :terms;
import :walk;

export namespace pecs::detail {

/// Of a list of terms: the relation of the first that is about targets, what is asked of these, and all other terms.
template <class R, class Asked, class Other, class... Rest> struct split_terms;
template <class R, class... Asked, class... Other> struct split_terms<R, types<Asked...>, types<Other...>> {
    using relation = R;
    using targets = types<Asked..., optional<prefab>>; // a target may be a prefab
    using others = types<Other...>;
};
template <class R, class... Asked, class... Other, class First, class... Rest>
struct split_terms<R, types<Asked...>, types<Other...>, First, Rest...>
    : split_terms<R, types<Asked...>, types<Other..., First>, Rest...> {};
template <class... Asked, class... Other, class R, class Term, class... Rest>
struct split_terms<void, types<Asked...>, types<Other...>, at_target<R, Term>, Rest...>
    : split_terms<R, types<Asked..., Term>, types<Other...>, Rest...> {};
template <class R, class... Asked, class... Other, class Term, class... Rest>
    requires(!std::same_as<R, void>)
struct split_terms<R, types<Asked...>, types<Other...>, at_target<R, Term>, Rest...>
    : split_terms<R, types<Asked..., Term>, types<Other...>, Rest...> {};

template <class Term> inline constexpr bool about_target = false;
template <class R, class Term> inline constexpr bool about_target<at_target<R, Term>> = true;

template <class... Terms> class nested_walk;

/// The way through the entities that fit a list of terms.
template <class List> struct entity_source;
template <class... Terms> struct entity_source<types<Terms...>> {
    static constexpr bool by_row = (asks_rows<Terms> || ...); ///< then `walk` visits too many
    using walk =
        std::conditional_t<(about_target<Terms> || ...), nested_walk<Terms...>,
                           std::conditional_t<(term<Terms>::by_family || ...),
                                              filtered_walk<family_walk, family_test<Terms...>>, run_walk>>;

    [[nodiscard]] static archetype_span matches(const storage& all) {
        return static_query<Terms...>::in(all).matches;
    }
    [[nodiscard]] static walk begin(const storage& all, archetype_span matches) {
        if constexpr (std::same_as<walk, run_walk>)
            return walk{matches};
        else if constexpr ((about_target<Terms> || ...))
            return walk{all, matches};
        else
            return walk{all, family_walk{matches}};
    }
};

/// What a query about targets goes through, and what any other query about families does; so that only the one in use is
/// looked at.
template <class... Terms> struct nested_query {
    using walk = nested_walk<Terms...>;
};
template <class Walk, class Test> struct filtered_query {
    using walk = filtered_walk<Walk, Test>;
};

template <class List> struct test_of;
template <class... Terms> struct test_of<types<Terms...>> {
    using type = family_test<Terms...>;
};

template <class... Terms> class nested_walk : public walk_base {
    using terms = split_terms<void, types<>, types<>, Terms...>;
    using source = entity_source<typename terms::targets>;
    using relation = typename terms::relation;

public:
    nested_walk(const storage& all, archetype_span matches)
        : walk_base{matches},
          fits_{all},
          others_fit_{all},
          search_{target_search::through(matches)},
          targets_{source::begin(all, source::matches(all))} {
        std::size_t families = 0;
        for (std::size_t i = 0; i != matches.size(); ++i) families += matches[i]->family_count();
        const archetype_span asked = source::matches(all);
        std::size_t targets = 0;
        for (std::size_t i = 0; i != asked.size(); ++i) targets += asked[i]->size();
        from_targets_ = !source::by_row && targets <= families;
    }

    bool advance() { return from_targets_ ? next_of_targets() : next_that_fits(); }

    /// Calls `visit(place, group)` for each family. The usual case, targets that lead into one archetype with one relation, has
    /// a loop of its own, all of whose parts are in registers.
    template <class Visit> void each(Visit&& visit) {
        const archetype* const lone = search_.matches.lone;
        if (!from_targets_ || lone == nullptr) {
            while (advance()) visit(place(), *group());
            return;
        }
        const target_table::lookup table = lone->relations()->one.view();
        while (next_targets())
            for (const entity* target = target_; target != last_target_; ++target) {
                const family* const found = table.find(*target);
                if (found != nullptr && found->size != 0 && others_fit_(*lone, *found)) visit(*lone, *found);
            }
    }

private:
    bool next_that_fits() {
        for (;;) {
            while (group_ != groups_end_) {
                const family& next = *group_++;
                if (next.size != 0 && fits_(*place_, next)) return stop_at(next);
            }
            if (next_ == end_) return false;
            place_ = *next_++;
            group_ = place_->families().data();
            groups_end_ = group_ + place_->families().size();
        }
    }
    bool next_of_targets() {
        do {
            for (; target_ != last_target_; ++target_) {
                while (const family* const next = search_.advance(known_id<relation>(), *target_)) {
                    if (!others_fit_(*search_.place, *next)) continue;
                    place_ = search_.place;
                    return stop_at(*next);
                }
                search_ = target_search::through(search_.matches);
            }
        } while (next_targets());
        return false;
    }
    bool next_targets() {
        if (!targets_.advance()) return false;
        target_ = targets_.place().entities() + targets_.first();
        last_target_ = target_ + targets_.size();
        return true;
    }

    family_test<Terms...> fits_;
    typename test_of<typename terms::others>::type others_fit_;
    target_search search_;
    typename source::walk targets_;
    const entity* target_ = nullptr; ///< those of the run at hand that are still to be looked up
    const entity* last_target_ = nullptr;
    const family* group_ = nullptr;
    const family* groups_end_ = nullptr;
    bool from_targets_ = false;
};

} // namespace pecs::detail
