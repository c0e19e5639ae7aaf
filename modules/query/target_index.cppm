// A query that is asked for one target after another. Everything that does not depend on the target is settled when it is
// made: the lock is held, the archetypes are known, and of the usual case, one archetype with one relation, so are the
// table of families and the columns. A look-up then is a few instructions, which the compiler can put into the
// user's loop; `of(target)` on a plain query has to begin from the world each time.
export module pecs.query:target_index;

import pecs.std;
import pecs.archetype;
import :access;
import :filter;
import :row;
import :row_test;
import :set_walk;
import :terms;
import :tick_terms;
import :walk;

export namespace pecs::detail {

/// The families of a query by their target in the relation `R`. Made by `query::by`; not copyable, as it holds the lock.
/// `Test` says which families match, where terms ask about more than components.
template <class R, class List, class Test> class target_index {
    using access = term_access<List>;
    static constexpr bool tested = !std::same_as<Test, every_family>;

public:
    /// `asked` says what rows are asked, if they are.
    [[gnu::always_inline]] inline target_index(const storage& all, archetype_span matches,
                                               const filter* asked)
        : lock_{all},
          all_{&all},
          matches_{matches},
          asked_{asked},
          tables_{access::locate(all)},
          fits_{all},
          tracking_{writes::any && all.tracking()} {
        if (matches.lone == nullptr) return;
        place_ = matches.lone;
        table_ = place_->relations()->one.view();
        if constexpr (!tested) columns_ = access::at(tables_, {all, *place_, nullptr, 0});
    }

    /// Calls `f` as the query's `each` does, for the entities with this target; a dead target has none.
    template <class F> void each(entity target, F&& f) const {
        access::template require_callback<F>();
        visit(target,
              [&](const archetype& place, std::uint32_t first, std::uint32_t size, const auto& columns) {
                  if constexpr (writes::any)
                      if (tracking_) [[unlikely]]
                          mark(*all_, place, first, size);
                  columns.apply([&](auto... cs) { access::run(f, place.entities(), first, size, cs...); });
              });
    }
    /// How many entities have this target.
    [[nodiscard]] std::size_t count(entity target) const {
        std::size_t total = 0;
        visit(target,
              [&](const archetype&, std::uint32_t, std::uint32_t size, const auto&) { total += size; });
        return total;
    }

private:
    template <class Terms> struct written;
    template <class... Ts> struct written<types<Ts...>> {
        using type = written_terms<Ts...>;
    };
    using writes = typename written<List>::type;

    [[gnu::noinline, gnu::cold]] static void mark(const storage& all, const archetype& place,
                                                  std::uint32_t first, std::uint32_t size) {
        if (size == 0) return;
        const entity_record& record = all.entities()[place.entities()[first]];
        writes::mark({all, place, &place.at(record.family), first}, size);
    }
    /// Calls `visit(place, first, size, columns)`, in one place, for the rows with the target.
    template <class Visit> void visit(entity target, Visit&& visit) const {
        const archetype* place = place_;
        const family* group = nullptr;
        target_search rest; // NOLINT(cppcoreguidelines-pro-type-member-init): only for the unusual case
        if (place != nullptr) [[likely]] {
            group = table_.find(target);
        } else {
            rest = target_search::through(matches_);
            group = rest.advance(known_id<R>(), target);
        }
        while (group != nullptr) {
            if (place_ == nullptr) [[unlikely]]
                place = rest.place;
            if constexpr (tested) {
                if (group->size != 0 && fits_(*place, *group))
                    each_piece(*all_, asked_, *place, group->first, group->size,
                               [&](std::uint32_t first, std::uint32_t size) {
                                   visit(*place, first, size,
                                         access::at(tables_, {*all_, *place, group, 0, first}));
                               });
            } else {
                each_piece(*all_, asked_, *place, group->first, group->size,
                           [&](std::uint32_t first, std::uint32_t size) {
                               visit(*place, first, size,
                                     place_ != nullptr && (!access::varies || asked_ == nullptr)
                                         ? columns_
                                         : access::at(tables_, {*all_, *place, group, 0, first}));
                           });
            }
            if (place_ != nullptr) [[likely]]
                break;
            group = rest.advance(known_id<R>(), target);
        }
    }

    structure_lock lock_;
    const storage* all_;
    archetype_span matches_;
    const filter* asked_;
    typename access::tables tables_;
    [[no_unique_address]] Test fits_;
    bool tracking_;                    ///< changes are tracked, and this query writes
    const archetype* place_ = nullptr; ///< the only one that matches, if it has one relation; of it are:
    target_table::lookup table_;
    typename access::cursors columns_{};
};

} // namespace pecs::detail
