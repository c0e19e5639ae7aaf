// Which rows of a family or run a query visits. Mostly all of them do; rows are asked one by one where sparse components
// are named, and where something in the world is disabled. A query finds that out once per loop, and cuts the runs that it
// would visit into pieces.
//
//   rows      0  1  2  3  4  5  6  7
//   disabled        x           x            pieces: [0, 2), [3, 6), [7, 8)
//
// A disabled entity does not match, nor does one of which a component is disabled that a term requires. To `without` and
// `any_of`, a disabled component is there. An optional one is null: so a piece also ends where this changes. Terms about
// targets do not ask what is disabled.
export module pecs.query:row_test;

import pecs.std;
import pecs.archetype;
import :cache;
import :filter;
import :walk;

export namespace pecs::detail {

/// Rows from `first` up to `stop`; none if they are equal.
struct piece {
    std::uint32_t first;
    std::uint32_t stop;
};

/// Whether an entity of a matching archetype has what rows are asked for, and is not disabled.
[[nodiscard]] bool row_matches(const storage& all, const filter& wanted, const archetype& place,
                               entity e) noexcept;
/// The first rows in a range that match and are alike.
[[nodiscard]] piece next_piece(const storage& all, const filter& wanted, const archetype& place,
                               std::uint32_t first, std::uint32_t end) noexcept;

/// What is left of a run in which rows are asked. Only the unusual loop has one.
struct piece_search {
    const storage* all;
    const filter* asked;
    const archetype* place;
    std::uint32_t next;
    std::uint32_t end;

    /// The next piece; an empty one at the end.
    [[nodiscard]] piece advance() noexcept;
};

/// Calls `visit(first, size)`, in one place, for the pieces of a run; for all of it if rows are not asked. Then nothing but
/// `asked` has to be kept during the call.
template <class Visit>
[[gnu::always_inline]] inline void each_piece(const storage& all, const filter* asked, const archetype& place,
                                              std::uint32_t first, std::uint32_t size, Visit&& visit) {
    piece_search rest; // NOLINT(cppcoreguidelines-pro-type-member-init): only for the unusual case
    if (asked != nullptr) [[unlikely]] {
        rest = {&all, asked, &place, first, first + size};
        const piece found = rest.advance();
        first = found.first;
        size = found.stop - found.first;
    }
    while (size != 0) {
        visit(first, size);
        if (asked == nullptr) [[likely]]
            break;
        const piece found = rest.advance();
        first = found.first;
        size = found.stop - found.first;
    }
}

/// The runs of another walk, cut into pieces where rows must be asked.
template <class Walk> class piece_walk : public Walk {
public:
    using whole = Walk;

    piece_walk(const storage& all, const filter* wanted, Walk&& walk)
        : Walk{std::move(walk)}, seen_{&all}, wanted_{wanted} {}

    inline bool advance() {
        if (wanted_ == nullptr) [[likely]]
            return Walk::advance();
        return next();
    }

protected:
    [[nodiscard]] inline const storage& seen() const noexcept { return *seen_; }

private:
    [[gnu::noinline]] bool next() {
        for (;;) {
            if (row_ != end_) {
                const piece found = next_piece(*seen_, *wanted_, Walk::place(), row_, end_);
                row_ = found.stop;
                if (found.first != found.stop) {
                    Walk::first_ = found.first;
                    Walk::size_ = found.stop - found.first;
                    return true;
                }
            }
            if (!Walk::advance()) return false;
            row_ = Walk::first();
            end_ = row_ + Walk::size();
        }
    }

    const storage* seen_;
    const filter* wanted_;  ///< null if all rows match
    std::uint32_t row_ = 0; ///< what is left of a run
    std::uint32_t end_ = 0;
};

} // namespace pecs::detail
