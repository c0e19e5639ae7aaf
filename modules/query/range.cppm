// Range-for over a query: over rows, over runs of rows as spans, or over families with their targets.
export module pecs.query:range;

import pecs.std;
import pecs.archetype;
import :access;
import :row;
import :terms;

export namespace pecs::detail {

/// The end of a loop over a query. It also holds the lock: the iterator itself must stay in registers.
class loop_end {
public:
    inline explicit loop_end(const storage& all) noexcept : lock_{all} {}

private:
    structure_lock lock_;
};

/// Goes through the rows of a query, for range-for.
template <class List, class Walk> class row_iterator {
    using access = term_access<List>;

public:
    row_iterator(const storage& all, Walk&& walk)
        : walk_{std::move(walk)}, tables_{access::locate(all)}, all_{&all} {
        next_run();
    }
    [[nodiscard]] typename access::row_type operator*() const noexcept {
        return cursors_.apply([this](auto... cs) { return typename access::row_type{cs[i_]...}; });
    }
    row_iterator& operator++() {
        if (++i_ == count_) next_run();
        return *this;
    }
    [[nodiscard]] bool operator!=(const loop_end& /*end*/) const noexcept { return i_ != count_; }

private:
    void next_run() {
        i_ = count_ = 0;
        if (!walk_.advance()) return;
        count_ = walk_.size();
        cursors_ = access::at(tables_, {*all_, walk_.place(), walk_.group(), walk_.first()});
    }

    std::size_t i_ = 0;
    std::size_t count_ = 0;
    typename access::cursors cursors_{};
    Walk walk_;
    typename access::tables tables_;
    const storage* all_;
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
        if (by_family || place != place_) columns_ = access::at(tables_, {*all_, *place, walk_.group(), 0});
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

/// What `columns()` and `families()` of a query give.
template <class Rs, class List, class Query, class Walk> class span_range {
public:
    span_range(const storage& all, const Query& query) noexcept : all_{all}, query_{query} {}
    [[nodiscard]] span_iterator<Rs, List, Walk> begin() const {
        return {all_, query_.template walk_as<Walk>()};
    }
    [[nodiscard]] loop_end end() const noexcept { return loop_end{all_}; }

private:
    const storage& all_;
    Query query_;
};

} // namespace pecs::detail
