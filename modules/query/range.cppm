// Range-for over a query: over rows, over runs of rows as spans, or over families with their targets.
export module pecs.query:range;

import pecs.std;
import pecs.archetype;
import :access;
import :row;
import :row_test;
import :target_terms;
import :terms;
import :walk;

export namespace pecs::detail {

/// The end of a loop over a query. It also holds the lock: the iterator itself must stay in registers.
class loop_end {
public:
    inline explicit loop_end(const storage& all) : lock_{all} {}

private:
    structure_lock lock_;
};

/// A run of rows, by its cursors.
template <class List> struct row_run_of {
    std::size_t count = 0; ///< 0 at the end
    typename term_access<List>::cursors cursors{};
};

/// For a loop that makes itself a new end between two rows: it would never come to one.
[[noreturn]] void throw_foreign_end();

/// The end of a loop over rows. It holds the lock and the way through the archetypes, so that the iterator has nothing in
/// it but the run at hand, and stays in registers.
template <class List, class Walk> class row_end {
    using access = term_access<List>;

public:
    row_end(const storage& all, Walk&& walk)
        : lock_{all}, all_{&all}, walk_{std::move(walk)}, tables_{access::locate(all)} {}

    /// The next run for an iterator; `begun` says whether it has had one. (Const, as GCC compares range-for's iterator with
    /// a temporary end before it compiles the loop.)
    [[nodiscard]] row_run_of<List> next(bool begun) const {
        if (begun && !begun_) throw_foreign_end();
        begun_ = true;
        if (!walk_.advance()) return {};
        return {walk_.size(), access::at(tables_, {*all_, walk_.place(), walk_.group(), walk_.first()})};
    }

private:
    structure_lock lock_;
    const storage* all_;
    mutable Walk walk_;
    mutable bool begun_ = false;
    typename access::tables tables_;
};

/// Goes through the rows of a query, for range-for.
template <class List> class row_iterator {
public:
    [[nodiscard]] typename term_access<List>::row_type operator*() const noexcept {
        return run_.cursors.apply(
            [this](auto... cs) { return typename term_access<List>::row_type{cs[i_]...}; });
    }
    row_iterator& operator++() noexcept {
        ++i_;
        return *this;
    }
    /// Goes to the next run when one is through: this is what range-for asks between two rows.
    template <class Walk> [[nodiscard]] bool operator!=(const row_end<List, Walk>& end) {
        if (i_ != run_.count) [[likely]]
            return true;
        run_ = end.next(run_.count != 0);
        i_ = 0;
        return run_.count != 0;
    }

private:
    std::size_t i_ = 0;
    row_run_of<List> run_;
};

/// Goes through the runs of a query, with a span for each term; before them the targets of the relations `Rs`.
template <class Rs, class List, class Walk> class span_iterator;
template <class... Rs, class... Ds, class Walk> class span_iterator<types<Rs...>, types<Ds...>, Walk> {
    using access = term_access<types<Ds...>>;
    template <class> using target_type = entity;

public:
    using value_type = row<target_type<Rs>..., std::span<const entity>, typename term<Ds>::span...>;

    span_iterator(const storage& all, Walk&& walk)
        : walk_{std::move(walk)}, tables_{access::locate(all)}, all_{&all} {
        next_run();
    }
    [[nodiscard]] value_type operator*() const noexcept {
        const std::uint32_t first = walk_.first();
        const std::size_t count = walk_.size();
        return columns_.apply([&](auto... cs) {
            return value_type{
                target<Rs>()..., {entities_ + first, count}, term<Ds>::view(cs, first, count)...};
        });
    }
    span_iterator& operator++() {
        next_run();
        return *this;
    }
    [[nodiscard]] bool operator!=(const loop_end& /*end*/) const noexcept { return more_; }

private:
    static constexpr bool by_family = (term<Ds>::by_family || ...);

    template <class R> [[nodiscard]] entity target() const noexcept {
        if (one_) [[likely]]
            return walk_.group()->target;
        return walk_.place().target(*walk_.group(), walk_.place().relations()->position(known_id<R>()));
    }
    /// What does not change from one run of an archetype to the next is found out once.
    void next_run() {
        more_ = walk_.advance();
        if (!more_) return;
        const archetype* const place = &walk_.place();
        if (by_family || access::varies || place != place_)
            columns_ = access::at(tables_, {*all_, *place, walk_.group(), 0, walk_.first()});
        if (place == place_) return;
        place_ = place;
        entities_ = place->entities();
        one_ = sizeof...(Rs) != 0 && place->relations()->count() == 1;
    }

    Walk walk_;
    typename access::tables tables_;
    const storage* all_;
    const archetype* place_ = nullptr; ///< the archetype that the following are of
    const entity* entities_ = nullptr;
    typename access::cursors columns_{};
    bool one_ = false;
    bool more_ = false;
};

/// `T`, whatever the first.
template <class, class T> using type_as = T;

/// What `columns()` and `families()` of a query give.
template <class Rs, class List, class Query, class Walk> class span_range {
public:
    span_range(const storage& all, const Query& query) noexcept : all_{all}, query_{query} {}
    [[nodiscard]] span_iterator<Rs, List, Walk> begin() const {
        query_.mark_writes();
        return {all_, query_.template walk_as<Walk>()};
    }
    [[nodiscard]] loop_end end() const { return loop_end{all_}; }
    /// Calls `f` with what range-for would give.
    template <class F> void each(F&& f) const { visit_all(f, Rs{}, List{}); }

private:
    template <class F, class... Ts, class... Ds>
    void visit_all(F& f, types<Ts...> /*relations*/, types<Ds...> /*terms*/) const {
        using access = term_access<types<Ds...>>;
        static_assert(
            std::invocable<F&, type_as<Ts, entity>..., std::span<const entity>, typename term<Ds>::span...>,
            "pecs: the callback must take what range-for gives: an entity for each relation of "
            "families(), std::span<const entity>, and std::span<T> for T, std::span<const T> for "
            "const T, in the order of the terms");
        const structure_lock lock{all_};
        query_.mark_writes();
        const auto tables = access::locate(all_);
        const filter* const asked = query_.asked();
        const auto give = [&](const archetype& place, const auto& columns, std::uint32_t first,
                              std::size_t count, auto... targets) {
            columns.apply([&](auto... cs) {
                f(targets..., std::span<const entity>{place.entities() + first, count},
                  term<Ds>::view(cs, first, count)...);
            });
        };
        if constexpr (Query::by_rows) {
            for (Walk at = query_.template walk_as<Walk>(); at.advance();)
                give(at.place(), access::at(tables, {all_, at.place(), at.group(), 0, at.first()}),
                     at.first(), at.size(), target_at<Ts>({all_, at.place(), at.group(), 0})...);
        } else if constexpr (std::same_as<typename Walk::whole, run_walk>) {
            query_.each_run([&](const archetype& place, std::uint32_t from, std::uint32_t all_rows) {
                each_piece(all_, asked, place, from, all_rows, [&](std::uint32_t first, std::uint32_t size) {
                    give(place, access::at(tables, {all_, place, nullptr, 0, first}), first, size);
                });
            });
        } else if constexpr (std::same_as<typename Walk::whole, family_walk>) {
            const archetype_span found = query_.matches();
            for (std::size_t i = 0; i != found.size();
                 ++i) { // here is all that families of an archetype share
                const archetype& place = *found[i];
                const auto columns = access::at(tables, {all_, place, nullptr, 0});
                const bool one = place.relations()->count() == 1;
                const family* group = place.families().data();
                for (const family* const end = group + place.families().size(); group != end; ++group)
                    if (group->size != 0)
                        each_piece(all_, asked, place, group->first, group->size,
                                   [&](std::uint32_t first, std::uint32_t size) {
                                       give(place,
                                            access::varies
                                                ? access::at(tables, {all_, place, group, 0, first})
                                                : columns,
                                            first, size,
                                            one ? group->target : target_at<Ts>({all_, place, group, 0})...);
                                   });
            }
        } else {
            query_.each_group([&](const archetype& place, const family& group) {
                each_piece(all_, asked, place, group.first, group.size,
                           [&](std::uint32_t first, std::uint32_t size) {
                               give(place, access::at(tables, {all_, place, &group, 0, first}), first, size,
                                    target_at<Ts>({all_, place, &group, 0})...);
                           });
            });
        }
    }

    const storage& all_;
    Query query_;
};

} // namespace pecs::detail
