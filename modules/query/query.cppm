// A typed query: all entities whose archetype matches the terms, with the values the terms name.
//
// A query is a light value; what it remembers lives with the world, once per type of query. Use it
// where you need it: `world.query<Position, const Velocity>().each(...)`, or keep it as long as the world.
//
// Order: archetypes as they were created, in each the rows as they lie. The same operations give the same order on every
// run. While a loop runs, structural changes by the same thread throw `world_locked`; loops nest.
// Every function may run on several threads at once, as long as nobody changes the structure and no two threads
// write the same values.
export module pecs.query:query;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :access;
import :cache;
import :edge_walk;
import :family_test;
import :filter;
import :nested_walk;
import :range;
import :resource_terms;
import :row;
import :row_test;
import :selection;
import :set_terms;
import :set_walk;
import :static_query;
import :target_terms;
import :target_index;
import :terms;
import :tick_terms;
import :tick_walk;
import :walk;

export namespace pecs {

/// Says to `each` that the callback touches nothing but its arguments, so that rows may be handled in any order and
/// together. A callback that reads or writes other rows of a column that it also gets must not promise this.
struct independent_t {};
inline constexpr independent_t independent{};

/// All entities that match the terms (see `terms` for the words) and, if some are given, have certain targets. Made by
/// `world::query`, valid for the life of the world, cheap to copy.
template <class Selection, class... Terms> class basic_query {
    using data = typename detail::data_terms<detail::types<>, Terms...>::list;
    using spans = typename detail::span_terms<detail::types<>, Terms...>::list;
    using access = detail::term_access<data>;
    static_assert(
        !(detail::names_edges<Terms> || ...),
        "pecs: a relation with many targets is no component, and no term of a query: narrow the query down "
        "with of<R>(target), of<R>(pecs::any) or of<R>(pecs::none); get<R>(e, target) has the data");
    static constexpr bool by_family = (detail::term<Terms>::by_family || ...);
    using writes = detail::written_terms<Terms...>;
    static constexpr bool nested =
        std::same_as<Selection, detail::every_target> && (detail::about_target<Terms> || ...);
    using family_test = std::conditional_t<by_family, detail::family_test<Terms...>, detail::every_family>;
    using filtered =
        typename std::conditional_t<nested, detail::nested_query<Terms...>,
                                    detail::filtered_query<typename Selection::groups, family_test>>::walk;
    using whole_runs = std::conditional_t<by_family, filtered, typename Selection::runs>;
    static constexpr bool by_edges = detail::selects_rows<Selection>;
    static constexpr bool by_sets = (detail::asks_rows<Terms> || ...);
    static constexpr bool by_lists = by_sets && detail::takes_lists<Selection>;
    using whole_groups = std::conditional_t<by_family, filtered, typename Selection::groups>;
    using groups = detail::piece_walk<whole_groups>;
    /// What is noted as written: pieces that know their family.
    using marks =
        std::conditional_t<by_lists, detail::set_walk<whole_groups, Selection, family_test>, groups>;
    using runs = std::conditional_t<by_lists, detail::set_walk<whole_runs, Selection, family_test>,
                                    detail::piece_walk<whole_runs>>;
    template <class List> struct rebound;
    template <class... Us> struct rebound<detail::types<Us...>> {
        template <class S> using type = basic_query<S, Us...>;
    };
    template <class S, class... Rs>
    using related = typename rebound<
        typename detail::related_terms<detail::types<Rs...>, Terms...>::list>::template type<S>;

public:
    using row_type = typename access::row_type;
    /// Whether single rows match, not whole families.
    static constexpr bool by_rows = by_edges || by_sets;

    explicit basic_query(const detail::storage& all, const Selection& selection = {})
        : all_{&all}, selection_{selection} {}

    // --- relations

    /// Of these entities, those whose relation `R` has the given target. Costs a look-up per archetype when it is used;
    /// a dead target matches nothing.
    template <class R> [[nodiscard]] auto of(entity target) const {
        detail::require_relation<R>();
        if constexpr (detail::many_targets<R>) {
            return narrowed({id_of<R>(), detail::edge_condition::wanted::target, target});
        } else {
            static_assert(!std::same_as<Selection, detail::by_depth> &&
                              !std::same_as<Selection, detail::descendants>,
                          "pecs: of(target), parents_first, children_first and under cannot be combined; "
                          "of(having<...>) and terms can, and changed and added can follow them");
            const auto selection = detail::with_target<R>(selection_, target);
            return related<std::remove_const_t<decltype(selection)>, R>{*all_, selection};
        }
    }
    /// Those that have the relation, to whatever target.
    template <class R> [[nodiscard]] auto of(any_target /*every*/) const {
        detail::require_relation<R>();
        if constexpr (detail::many_targets<R>)
            return narrowed({id_of<R>(), detail::edge_condition::wanted::any, null});
        else
            return related<Selection, R>{*all_, selection_};
    }
    /// Those that do not have the relation.
    template <class R> [[nodiscard]] auto of(no_target /*none*/) const {
        detail::require_relation<R>();
        if constexpr (detail::many_targets<R>)
            return narrowed({id_of<R>(), detail::edge_condition::wanted::none, null});
        else
            return basic_query<Selection, Terms..., without<R>>{*all_, selection_};
    }
    /// Those whose target fits some terms; the values that these name come behind the others:
    /// `query<Unit>().of<MemberOf>(pecs::having<const Squad>).each([](Unit&, const Squad&) {...})`.
    template <class R, class... Wanted> [[nodiscard]] auto of(having_terms<Wanted...> /*terms*/) const {
        detail::require_one_target<R>();
        return basic_query<Selection, Terms..., at_target<R, Wanted>...>{*all_, selection_};
    }
    /// All of them, parents before their children: families in the order of their depth in the relation `R`, entities
    /// without it first. The order is remembered, and made anew, in O(families), after a change of the relation.
    template <class R> [[nodiscard]] auto parents_first() const { return in_depth_order<R>(false); }
    /// Children before their parents.
    template <class R> [[nodiscard]] auto children_first() const { return in_depth_order<R>(true); }
    /// Those below `root`: its sources in the relation `R`, their sources, and so on, parents first. Looks at nothing
    /// else in the world. A dead root has nothing below it.
    template <class R> [[nodiscard]] auto under(entity root) const {
        require_plain<R>();
        return related<detail::descendants, R>{*all_, detail::descendants{{}, id_of<R>(), root}};
    }
    /// The same entities by their target in the relation `R`, for a loop that asks for one target after another:
    /// `const auto children = world.query<const Value>().by<ChildOf>();` and then `children.each(parent, ...)`. What does
    /// not depend on the target is settled here, so that a look-up takes half the time of `of`, or less. The structure is
    /// locked as long as it lives.
    template <class R> [[nodiscard, gnu::always_inline]] inline auto by() const {
        detail::require_one_target<R>();
        static_assert(std::same_as<Selection, detail::every_target>,
                      "pecs: by<R>() comes first: it cannot follow of(target), parents_first or under");
        using some = related<Selection, R>;
        const some all{*all_, selection_};
        return detail::target_index<R, data, family_test>{*all_, all.matches(), all.asked()};
    }
    /// Families for range-for, each with its targets in the relations named and with spans:
    /// `for (auto [parent, entities, values] : world.query<const Value>().families<ChildOf>())`. With one relation, each
    /// target comes once per archetype. `families<ChildOf>().each(f)` does the same for a callback, and is faster where
    /// families are small.
    template <class... Rs>
        requires(sizeof...(Rs) > 0)
    [[nodiscard]] auto families() const {
        (detail::require_one_target<Rs>(), ...);
        static_assert(
            !by_edges,
            "pecs: a query that chooses single entities has no families: use each, range-for or columns(). "
            "Such are of<R>(target) for a relation with many targets, and changed and added for a sparse "
            "type, or one with change_tracking::rows");
        require_spans();
        using some = related<Selection, Rs...>;
        return detail::span_range<detail::types<Rs...>, spans, some, typename some::groups>{
            *all_, some{*all_, selection_}};
    }

    // --- changes

    /// Of these entities, those that have `T` and whose `T` may have been written after a tick, or was added; of a relation,
    /// also those that got another target. Never misses one; unless the type is sparse, or asks for
    /// `change_tracking::rows`, gives whole families. The first of a type in a world begins its tracking: all that has it
    /// counts as changed then.
    template <class T> [[nodiscard]] auto changed(tick since) const { return since_tick<T>(since, false); }
    /// Those that have got `T` after a tick.
    template <class T> [[nodiscard]] auto added(tick since) const { return since_tick<T>(since, true); }

    // --- values

    /// Calls `f` with the values of each entity; with the entity before them, if it takes one.
    template <class F> void each(F&& f) const {
        access::template require_callback<F>();
        walk([&](const detail::spot& where, std::uint32_t size, const auto& cursors) {
            cursors.apply(
                [&](auto... cs) { access::run(f, where.place->entities() + where.row, 0, size, cs...); });
        });
    }
    /// The same for a callback that touches nothing but its arguments: columns are taken not to overlap.
    template <class F> void each(independent_t /*promise*/, F&& f) const {
        access::template require_callback<F>();
        walk([&](const detail::spot& where, std::uint32_t size, const auto& cursors) {
            cursors.apply([&](auto... cs) {
                access::template run_independent<std::remove_reference_t<F>, decltype(cs)...>(
                    f, where.place->entities() + where.row, 0, size, cs...);
            });
        });
    }
    /// Calls `f` as `each` does, in ascending order of `key(values...)`; equal keys keep the order of `each`. Keys must
    /// be trivially copyable: numbers, pointers, views. Allocates; O(n log n).
    template <class Key, class F> void each_sorted(Key&& key, F&& f) const;

    /// Rows for range-for: `for (auto [position, velocity] : query)`.
    [[nodiscard]] detail::row_iterator<data> begin() const noexcept { return {}; }
    [[nodiscard]] detail::row_end<data, runs> end() const {
        mark_writes();
        return {*all_, walk_as<runs>()};
    }
    /// Runs of rows for range-for, each as spans: `for (auto [entities, positions, velocities] : query.columns())`. The
    /// first run of an archetype without relations begins on a cache line. An absent optional is an empty span.
    [[nodiscard]] auto columns() const {
        require_spans();
        return detail::span_range<detail::types<>, spans, basic_query, runs>{*all_, *this};
    }

    /// How many entities match. O(archetypes).
    [[nodiscard]] std::size_t count() const {
        std::size_t total = 0;
        if (by_rows || asked() != nullptr) {
            for (auto at = walk_as<runs>(); at.advance();) total += at.size();
        } else if constexpr (std::same_as<Selection, detail::every_target> && !by_family) {
            const auto found = matches();
            for (std::size_t i = 0; i != found.size(); ++i) total += found[i]->size();
        } else if constexpr (!by_edges) {
            each_group([&](const detail::archetype&, const detail::family& group) { total += group.size; });
        }
        return total;
    }
    /// True if no entity matches. Looks no further than to the first that does.
    [[nodiscard]] bool empty() const { return !first(); }
    /// The first entity in the order of `each`, or null.
    [[nodiscard]] entity first() const {
        auto at = walk_as<runs>();
        return at.advance() ? at.place().entities()[at.first()] : null;
    }
    /// The row of the only entity that matches; throws `not_single` if there are none or several.
    [[nodiscard]] row_type single() const {
        const std::size_t found = count();
        if (found != 1) detail::throw_not_single(found);
        auto at = walk_as<runs>();
        (void)at.advance();
        return row_at({*all_, at.place(), at.group(), at.first()});
    }
    /// True if the entity is alive and matches.
    [[nodiscard]] bool contains(entity e) const {
        if (!all_->entities().alive(e)) return false;
        const detail::spot where = detail::spot{*all_, all_->entities()[e], by_family};
        if (!note().cache->wanted.matches(where.place->mask()) || !selection_.contains(*all_, e))
            return false;
        if (const detail::filter* const wanted = asked())
            if (!detail::row_matches(*all_, *wanted, *where.place, e)) return false;
        if constexpr (by_family)
            return family_test{*all_}(*where.place, *where.group);
        else
            return true;
    }
    /// The row of one entity; throws `dead_entity` or `no_match`. The entity need not be visited to get there.
    [[nodiscard]] row_type get(entity e) const {
        all_->check_alive(e);
        if (!contains(e)) detail::throw_no_match(e);
        return row_at(detail::spot{*all_, all_->entities()[e], by_family});
    }

    // --- for the verbs of a world

    /// Calls `visit(entity)` for all that match, and hands out no values.
    template <class Visit> void each_entity(Visit&& visit) const {
        const detail::structure_lock lock{*all_};
        for (auto at = walk_as<runs>(); at.advance();)
            for (std::uint32_t row = at.first(); row != at.first() + at.size(); ++row)
                visit(at.place().entities()[row]);
    }
    /// Notes the values that a loop hands out for writing, where changes are tracked: all of them, before it begins.
    inline void mark_writes() const {
        if constexpr (writes::any)
            if (all_->tracking()) [[unlikely]] {
                const basic_query copy{*this}; // so that this one can stay in registers
                copy.mark_all();
            }
    }
    /// The archetypes that match.
    [[nodiscard]] inline detail::archetype_span matches() const { return note().matches; }
    /// What rows are asked; null if all rows of what matches are visited: one load, where no term names a sparse component.
    [[nodiscard]] const detail::filter* asked() const {
        if constexpr (by_sets) return &note().cache->wanted;
        if (all_->beside().disabled_count() != 0) [[unlikely]]
            if (note().cache->wanted.concerned(*all_)) return &note().cache->wanted;
        if constexpr ((std::same_as<Terms, exact> || ...))
            if (note().cache->wanted.asks_rows(*all_)) return &note().cache->wanted;
        return nullptr;
    }
    /// Appends all families that match.
    void collect(detail::buffer<detail::family_ref>& to) const {
        static_assert(!by_rows);
        each_group([&](const detail::archetype& place, const detail::family& group) {
            to.push_back({place.id(), place.key_of(group)});
        });
    }
    /// Calls `visit(place, first, size)` for all runs of rows, wherever families end; for ranges.
    template <class Visit> void each_run(Visit&& visit) const { selection_.each_run(matches(), visit); }
    /// Calls `visit(place, group)` for all families that match; for ranges.
    template <class Visit> void each_group(Visit&& visit) const {
        if constexpr (nested) {
            whole_walk<filtered>(matches()).each(visit);
        } else if constexpr (by_family) {
            const family_test fits{*all_};
            selection_.each_group(*all_, matches(),
                                  [&](const detail::archetype& place, const detail::family& group) {
                                      if (fits(place, group)) visit(place, group);
                                  });
        } else {
            selection_.each_group(*all_, matches(), visit);
        }
    }
    /// The walk through what matches; for ranges.
    template <class Walk> [[nodiscard]] Walk walk_as() const {
        const auto found = matches();
        if constexpr (by_lists && !std::same_as<Walk, groups>)
            return Walk{*all_, asked(), whole_walk<typename Walk::whole>(found), selection_, found};
        else
            return Walk{*all_, asked(), whole_walk<typename Walk::whole>(found)};
    }

private:
    template <class, class...> friend class basic_query;

    [[nodiscard, gnu::always_inline]] inline const detail::query_note& note() const {
        return detail::static_query<Terms...>::in(*all_);
    }
    static consteval void require_spans() {
        static_assert(
            !(detail::gives_sparse<Terms> || ...),
            "pecs: values of a sparse component do not lie side by side, so there are no spans of them: "
            "name it in with<T>, or use each or range-for");
    }
    /// The walk through whole runs or families, whatever is asked of rows.
    template <class Walk> [[nodiscard]] Walk whole_walk(detail::archetype_span found) const {
        if constexpr (by_edges && by_family)
            return filtered{*all_, selection_.walk_edges(*all_, found, note().cache->wanted)};
        else if constexpr (by_edges)
            return selection_.walk_edges(*all_, found, note().cache->wanted);
        else if constexpr (nested)
            return filtered{*all_, found};
        else if constexpr (by_family)
            return filtered{*all_, selection_.walk_groups(*all_, found)};
        else if constexpr (std::same_as<Walk, typename Selection::groups>)
            return selection_.walk_groups(*all_, found);
        else
            return selection_.walk_runs(*all_, found);
    }
    /// With one more condition on edges.
    [[nodiscard]] auto narrowed(const detail::edge_condition& more) const {
        const auto selection = detail::with_edges(selection_, more);
        return basic_query<std::remove_const_t<decltype(selection)>, Terms...>{*all_, selection};
    }
    /// With one more condition on ticks.
    template <class T> [[nodiscard]] auto since_tick(tick since, bool added) const {
        detail::require_ticks<T>();
        all_->track(id_of<T>());
        const auto selection = detail::with_ticks<detail::ticks_of_rows<T>>(
            selection_, detail::tick_condition{id_of<T>(), added, since.value()});
        return related<std::remove_const_t<decltype(selection)>, T>{*all_, selection};
    }
    [[gnu::noinline, gnu::cold]] void mark_all() const {
        if (!writes::tracked_in(*all_)) return;
        if constexpr (std::same_as<Selection, detail::every_target> && !by_family && !by_sets)
            detail::each_written(*all_, matches(), asked(), &writes::mark);
        else
            for (auto at = walk_as<marks>(); at.advance();)
                writes::mark({*all_, at.place(), at.group(), at.first()}, at.size());
    }
    [[gnu::noinline, gnu::cold]] void mark_row(const detail::spot& where) const {
        const entity e = where.place->entities()[where.row];
        writes::mark({*all_, all_->entities()[e], true}, 1);
    }
    template <class R> static consteval void require_plain() {
        detail::require_one_target<R>();
        static_assert(
            !relation<R> || detail::acyclic<R>,
            "pecs: an order by depth needs an acyclic relation: declare .acyclic = true in its rules");
        static_assert(std::same_as<Selection, detail::every_target>,
                      "pecs: of(target), parents_first, children_first and under cannot be combined; "
                      "of(having<...>) and terms can, and changed and added can follow them");
    }
    template <class R> [[nodiscard]] auto in_depth_order(bool reversed) const {
        require_plain<R>();
        return basic_query<detail::by_depth, Terms...>{
            *all_, detail::by_depth{{}, detail::static_depth_order<R>::in(*all_), reversed}};
    }
    /// Calls `visit(spot, size, cursors)` for all runs of rows that match, while the structure is locked.
    template <class Visit> void walk(Visit&& visit) const {
        const detail::structure_lock lock{*all_};
        mark_writes();
        const auto tables = access::locate(*all_);
        const detail::filter* const wanted = asked();
        if constexpr (by_rows) {
            for (auto at = walk_as<runs>(); at.advance();) {
                const detail::spot where{*all_, at.place(), at.group(), at.first()};
                visit(where, at.size(), access::at(tables, where));
            }
        } else if constexpr (std::same_as<Selection, detail::every_target> && !by_family) {
            each_run([&](const detail::archetype& place, std::uint32_t from, std::uint32_t rows) {
                detail::each_piece(*all_, wanted, place, from, rows,
                                   [&](std::uint32_t first, std::uint32_t size) {
                                       const detail::spot where{*all_, place, nullptr, first};
                                       visit(where, size, access::at(tables, where));
                                   });
            });
        } else {
            typename access::base known;
            const auto handle = [&](const detail::archetype& place, const detail::family& group) {
                detail::each_piece(*all_, wanted, place, group.first, group.size,
                                   [&](std::uint32_t first, std::uint32_t size) {
                                       const detail::spot where{*all_, place, &group, first};
                                       if constexpr (by_family)
                                           visit(where, size, access::at(tables, known, where));
                                       else
                                           visit(where, size, access::at(tables, where));
                                   });
            };
            if constexpr (by_family && std::same_as<Selection, detail::by_depth>) {
                const family_test fits{*all_};
                selection_.each_group(
                    *all_, matches(),
                    [&](const detail::archetype& place, const detail::family& group) {
                        if (fits(place, group)) handle(place, group);
                    },
                    [&](const detail::archetype& place, const detail::family& group) {
                        access::fetch(tables, known, {*all_, place, &group, group.first}, group.size);
                    });
            } else {
                each_group(handle);
            }
        }
    }
    [[nodiscard]] row_type row_at(const detail::spot& where) const {
        if constexpr (writes::any)
            if (all_->tracking()) [[unlikely]]
                mark_row(where);
        return access::at(access::locate(*all_), where).apply([](auto... cs) { return row_type{cs[0]...}; });
    }

    const detail::storage* all_;
    [[no_unique_address]] Selection selection_;
};

/// All entities that match the terms.
template <class... Terms> using query = basic_query<detail::every_target, Terms...>;

template <class Selection, class... Terms>
template <class Key, class F>
void basic_query<Selection, Terms...>::each_sorted(Key&& key, F&& f) const {
    static_assert(
        access::template takes_row<Key> || access::template takes_entity<Key>,
        "pecs: each_sorted takes a key, not a comparison: a function of the values of one entity, as "
        "each has them, that returns a number, a pointer or a view");
    access::template require_callback<F>();
    const auto call = [](auto& callee, const entity* handle, auto... cs) -> decltype(auto) {
        if constexpr (access::template takes_row<decltype(callee)>)
            return callee(cs[0]...);
        else if constexpr (access::template takes_entity<decltype(callee)>)
            return callee(*handle, cs[0]...);
    };
    const auto tables = access::locate(*all_);
    const auto call_at = [&](auto& callee, const detail::spot& where) -> decltype(auto) {
        return access::at(tables, where).apply([&](auto... cs) -> decltype(auto) {
            return call(callee, where.place->entities() + where.row, cs...);
        });
    };
    using key_type = std::remove_cvref_t<decltype(call_at(key, std::declval<const detail::spot&>()))>;
    static_assert(
        std::is_trivially_copyable_v<key_type> &&
            requires(const key_type& a, const key_type& b) { bool{a < b}; },
        "pecs: the key of each_sorted must be trivially copyable and have an operator <: a number, a "
        "pointer, a view");
    struct item {
        key_type key;
        std::uint32_t order = 0; // of `each`, to keep equal keys apart
        detail::spot where;
    };
    const detail::structure_lock lock{*all_};
    mark_writes();
    detail::buffer<item> items{std::pmr::new_delete_resource()};
    items.reserve(count());
    for (auto run = walk_as<runs>(); run.advance();)
        for (std::uint32_t row = run.first(); row != run.first() + run.size(); ++row) {
            const detail::spot where{*all_, run.place(), run.group(), row};
            items.append({call_at(key, where), static_cast<std::uint32_t>(items.size()), where});
        }
    std::sort(items.begin(), items.end(), [](const item& a, const item& b) {
        if (a.key < b.key) return true;
        return !(b.key < a.key) && a.order < b.order;
    });
    for (const item& next : items) call_at(f, next.where);
}

} // namespace pecs
