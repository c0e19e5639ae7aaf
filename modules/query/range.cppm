// Range-for over a query: over rows, or over families as spans.
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
template <class List> class row_iterator {
    using access = term_access<List>;

public:
    row_iterator(const storage& all, std::span<const archetype* const> matches)
        : walk_{matches}, tables_{access::locate(all)} {
        next_family();
    }
    [[nodiscard]] typename access::row_type operator*() const noexcept {
        return cursors_.apply([this](auto... cs) { return typename access::row_type{cs[i_]...}; });
    }
    row_iterator& operator++() noexcept {
        if (++i_ == count_) next_family();
        return *this;
    }
    [[nodiscard]] bool operator!=(const loop_end& /*end*/) const noexcept { return i_ != count_; }

private:
    void next_family() noexcept {
        i_ = count_ = 0;
        if (!walk_.advance()) return;
        count_ = walk_.group().size;
        cursors_ = access::at(tables_, walk_.place(), walk_.group().first);
    }

    std::size_t i_ = 0;
    std::size_t count_ = 0;
    typename access::cursors cursors_{};
    family_walk walk_;
    typename access::tables tables_;
};

/// Goes through the families of a query, with a span for each term.
template <class List> class column_iterator;
template <class... Ds> class column_iterator<types<Ds...>> {
    using access = term_access<types<Ds...>>;

public:
    column_iterator(const storage& all, std::span<const archetype* const> matches)
        : walk_{matches}, tables_{access::locate(all)}, more_{walk_.advance()} {}
    [[nodiscard]] auto operator*() const noexcept {
        const family& group = walk_.group();
        return access::at(tables_, walk_.place(), group.first).apply([&](auto... cs) {
            return row<std::span<const entity>, typename term<Ds>::span...>{
                {walk_.place().entities() + group.first, group.size}, term<Ds>::view(cs, group.size)...};
        });
    }
    column_iterator& operator++() noexcept {
        more_ = walk_.advance();
        return *this;
    }
    [[nodiscard]] bool operator!=(const loop_end& /*end*/) const noexcept { return more_; }

private:
    family_walk walk_;
    typename access::tables tables_;
    bool more_;
};

/// What `columns()` gives: a range of families.
template <class List> class column_range {
public:
    column_range(const storage& all, std::span<const archetype* const> matches) noexcept
        : all_{all}, matches_{matches} {}
    [[nodiscard]] column_iterator<List> begin() const { return {all_, matches_}; }
    [[nodiscard]] loop_end end() const noexcept { return loop_end{all_}; }

private:
    const storage& all_;
    std::span<const archetype* const> matches_;
};

} // namespace pecs::detail
