// Change ticks: when the components of entities were last written, and when they were added. They are kept beside the
// columns of an archetype, for the component types whose tracking has begun in the world, tags and relations included:
//
//   archetype {Position, ChildOf}    ticks of Position
//    row        0  1  2  3 | 4  5     families  9  .  .  . | 7  .     at the first row of each family
//    entity     a  b  c  . | d  .     rows      3  9  4  . | 7  .     only where the type asks for rows
//
// Each entry is a pair, changed and added; being added is a change, too. The pair of a family is never older than those of
// its rows, so that a family in which nothing has changed is passed over with one look. Without relations, all rows are one
// family, and there is one pair for it.
//
// Loops on several threads may write the same pair, and do so with the same number: entries are read and written as
// atomics, in no order. All other changes of them are changes of the structure.
export module pecs.archetype:ticks;

import pecs.std;
import pecs.core;
import :buffer;
import :families;

export namespace pecs::detail {

/// Counts the ticks of a storage.
struct tick_clock {
    std::atomic<std::uint64_t> current{1}; ///< what is written now gets this number

    [[nodiscard]] inline std::uint64_t now() const noexcept {
        return current.load(std::memory_order_relaxed);
    }
    /// Ends the tick; all that has been written got its number, or an older one.
    inline std::uint64_t advance() noexcept { return current.fetch_add(1, std::memory_order_relaxed); }
};

[[nodiscard]] inline std::uint64_t read_tick(const std::uint64_t& entry) noexcept {
    return __atomic_load_n(&entry, __ATOMIC_RELAXED);
}
/// Writes only what is new, so that threads do not take the line from each other.
inline void write_tick(std::uint64_t& entry, std::uint64_t now) noexcept {
    if (read_tick(entry) != now) __atomic_store_n(&entry, now, __ATOMIC_RELAXED);
}

struct tick_pair {
    std::uint64_t changed;
    std::uint64_t added;
};

/// The ticks of one component type in one archetype.
class tick_column {
public:
    tick_column(component_id id, bool related, const tick_clock& clock, std::pmr::memory_resource* memory);
    tick_column(const tick_column&) = delete;
    tick_column& operator=(const tick_column&) = delete;
    ~tick_column() = default;

    [[nodiscard]] inline component_id id() const noexcept { return id_; }
    [[nodiscard]] inline bool by_rows() const noexcept { return by_rows_; }
    [[nodiscard]] inline bool of_relation() const noexcept { return of_relation_; }
    [[nodiscard]] inline const tick_clock& clock() const noexcept { return *clock_; }
    [[nodiscard]] inline tick_pair& of(const family& group) const noexcept { return families_[group.first]; }
    /// The pair of a row; only where there are rows.
    [[nodiscard]] inline tick_pair& of(std::uint32_t row) const noexcept { return rows_[row]; }

    /// Notes that values of a family are written: one of `count` rows from `row` on, or all.
    void write(const family& group, std::uint32_t row, std::uint32_t count) const noexcept;
    /// Notes that rows of a family have got the component.
    void begin(const family& group, std::uint32_t row, std::uint32_t count) const noexcept;
    /// Takes over what is known about rows that are about to go to another family, which does not count them yet.
    void take(const tick_column& source, const family& from, std::uint32_t from_row, std::uint32_t count,
              const family& to, std::uint32_t to_row, bool changed) const noexcept;

    // What the archetype does with its columns, see there.

    void allocate_next(std::uint32_t rows);
    void release_next(std::uint32_t rows) noexcept;
    void adopt_next(std::uint32_t old_rows) noexcept;
    /// Copies the ticks of a family to the memory that is adopted next, where it begins at `to`.
    void keep(const family& group, std::uint32_t to) const noexcept;
    /// Copies the ticks of a family that moves.
    void relocate(std::uint32_t from, std::uint32_t to, std::uint32_t count) const noexcept;
    inline void fill_gap(std::uint32_t row, std::uint32_t last) const noexcept {
        if (by_rows_) rows_[row] = rows_[last];
    }
    [[nodiscard]] std::size_t bytes(std::uint32_t rows) const noexcept;
    [[nodiscard]] bool valid(const family& group) const noexcept;

    tick_column* after = nullptr; ///< of another type of the archetype

private:
    [[nodiscard]] std::size_t family_entries(std::uint32_t rows) const noexcept;
    [[nodiscard]] tick_pair* allocate(std::size_t count) const;
    void release(tick_pair*& block, std::size_t count) const noexcept;

    component_id id_;
    bool by_rows_;
    bool of_relation_;
    bool related_; ///< the archetype has relations, and many families
    const tick_clock* clock_;
    tick_pair* families_ = nullptr;
    tick_pair* rows_ = nullptr;
    tick_pair* next_families_ = nullptr; ///< the larger memory, while the archetype grows
    tick_pair* next_rows_ = nullptr;
    std::pmr::memory_resource* memory_;
};

/// What a storage knows about ticks.
struct tick_state {
    tick_clock clock;
    std::array<std::atomic<std::uint64_t>, component_mask::word_count> tracked{}; ///< of which types

    /// False for an id that was never given.
    [[nodiscard]] inline bool tracks(component_id id) const noexcept {
        return id.index() < max_components &&
               (tracked[id.index() / 64].load(std::memory_order_acquire) >> id.index() % 64 & 1U) != 0;
    }
};

} // namespace pecs::detail
