// An archetype: all entities with one set of components. It owns one arena of rows, structure of arrays; a family owns
// a run of these rows, with room to grow.
//
//   archetype {Position, ChildOf}           families
//    row        0  1  2  3 | 4  5 | 6 ..     target first size capacity
//    entity     a  b  c  . | d  . |           sun     0    3     4
//    Position   .  .  .    | .    |           mars    4    1     2
//
// An archetype without relations has exactly one family, which begins at row 0. One with relations has a family for
// each distinct choice of targets; a family without entities does not exist. Invariants: rows [first, first + size) of a
// family hold values in every column, no other row does; a row removed is filled by the last row of its own family.
// What may throw is done by `reserve` and `make_family`; what follows cannot fail.
export module pecs.archetype:archetype;

import pecs.std;
import pecs.core;
import :buffer;
import :column;
import :entity_pool;
import :extents;
import :families;
import :ticks;

export namespace pecs::detail {

class archetype {
public:
    /// Tests pass a smaller limit to reach the end of the row numbers.
    archetype(std::uint32_t id, const component_mask& mask, std::pmr::memory_resource* memory,
              std::uint32_t max_rows = none - 1);
    archetype(const archetype&) = delete;
    archetype& operator=(const archetype&) = delete;
    ~archetype();

    [[nodiscard]] inline std::uint32_t id() const noexcept { return id_; }
    [[nodiscard]] inline const component_mask& mask() const noexcept { return mask_; }
    /// The columns in ascending order of the component ids; tags have none.
    [[nodiscard]] inline const buffer<column>& columns() const noexcept { return columns_; }
    [[nodiscard]] inline entity* entities() const noexcept { return entities_; }
    /// How many entities there are, in all families.
    [[nodiscard]] inline std::uint32_t size() const noexcept { return size_; }
    /// How many rows families span, with their room for growth and the gaps between them.
    [[nodiscard]] inline std::uint32_t rows() const noexcept { return extents_.end(); }
    /// How many rows the columns have room for.
    [[nodiscard]] inline std::uint32_t row_capacity() const noexcept { return row_capacity_; }
    /// Bytes of one row in all columns, with the entity.
    [[nodiscard]] inline std::size_t row_bytes() const noexcept { return row_bytes_; }
    [[nodiscard]] std::size_t bytes() const noexcept;

    // --- families

    /// The slots of all families; those with size 0 are free, or about to be filled.
    [[nodiscard]] inline std::span<const family> families() const noexcept {
        return {families_, family_count_};
    }
    /// The only family of an archetype without relations.
    [[nodiscard]] inline family& only() noexcept { return only_; }
    /// What an archetype with relations has beyond others; null without relations.
    [[nodiscard]] inline const relation_index* relations() const noexcept { return relations_; }
    /// How many families there are.
    [[nodiscard]] inline std::uint32_t family_count() const noexcept {
        if (relations_ == nullptr) return 1;
        return relations_->count() == 1 ? relations_->one.size() : relations_->several.size();
    }
    /// The family with a key that an entity's record holds.
    [[nodiscard]] inline family& at(std::uint32_t key) noexcept {
        if (relations_ == nullptr) [[likely]]
            return only_;
        return relations_->count() == 1 ? relations_->one.at(key) : families_[key];
    }
    [[nodiscard]] inline const family& at(std::uint32_t key) const noexcept {
        if (relations_ == nullptr) return only_;
        return relations_->count() == 1 ? relations_->one.at(key) : families_[key];
    }
    /// The same, or null if there is none with that key.
    [[nodiscard]] family* find_key(std::uint32_t key) noexcept;
    [[nodiscard]] inline std::uint32_t key_of(const family& group) const noexcept {
        if (relations_ == nullptr) [[likely]]
            return 0;
        return relations_->count() == 1 ? group.target.index()
                                        : static_cast<std::uint32_t>(&group - families_);
    }
    /// The target of a family in the archetype's relation number `position`.
    [[nodiscard]] inline entity target(const family& group, std::uint32_t position) const noexcept {
        return relations_->count() == 1 ? group.target : relations_->several.targets(key_of(group))[position];
    }
    /// The family with these targets, in the order of the archetype's relations, or null.
    [[nodiscard]] family* find_family(const entity* targets) noexcept;
    /// The same, made if it does not exist; references to families of the archetype become invalid.
    family& make_family(const entity* targets);
    /// Forgets a family that has no rows, unless rows are pending; references become invalid.
    inline void drop_if_empty(family& group) noexcept {
        if (group.size == 0 && group.pending == 0 && relations_ != nullptr) drop(group);
    }
    /// Calls `visit(const family&)` for each family with a target in the relation at `position`.
    template <class Visit> inline void each_with(std::uint32_t position, entity target, Visit&& visit) const {
        if (relations_->count() == 1) {
            const family* const found = relations_->one.find(target);
            if (found != nullptr) visit(*found);
            return;
        }
        for (std::uint32_t id = relations_->several.first_with(position, target); id != none;
             id = relations_->several.next_with(position, id))
            visit(families_[id]);
    }

    // --- rows

    /// Makes sure that `count` more rows fit into the family; may move its rows. True if columns have moved.
    inline bool reserve(entity_pool& pool, family& group, std::size_t count) {
        return count > group.capacity - group.size && grow(pool, group, count);
    }
    /// The first row behind the family's rows.
    [[nodiscard]] static inline std::uint32_t next_row(const family& group) noexcept {
        return group.first + group.size;
    }
    /// Adds `count` rows, whose values the caller constructs (or has constructed), where room was reserved.
    inline void extend(family& group, std::uint32_t count) noexcept {
        if (relations_ != nullptr) [[unlikely]] {
            relations_->used.flip(next_row(group), count);
            if (group.size == 0) ++relations_->changes;
        }
        group.size += count;
        size_ += count;
    }
    /// Fills the row, whose values have ended, with the last row of its family and gives up that one.
    void close_gap(entity_pool& pool, family& group, std::uint32_t row) noexcept;
    /// The same where the values have been moved already.
    void give_up_last(entity_pool& pool, family& group, std::uint32_t row) noexcept;
    /// Ends the values of a row and closes the gap.
    void remove(entity_pool& pool, family& group, std::uint32_t row) noexcept;
    /// Ends all values of a family; it stays.
    void clear(family& group) noexcept;
    /// Forgets all rows of a family, whose values have gone elsewhere; it stays.
    void abandon(family& group) noexcept;
    /// Gives all rows of a family to another one that has none; no row moves.
    void hand_over(entity_pool& pool, family& from, family& to) noexcept;
    /// Ends all values and all families; memory stays reserved.
    void clear() noexcept;
    /// Gives back rows that no family needs, and memory that no row needs. Families lie in the order of their slots
    /// afterwards, without gaps. Throws if there is not enough memory to move to; all values are kept.
    void trim(entity_pool& pool);

    // --- change ticks

    /// The ticks of the tracked components, one linked to the next; null if none is tracked.
    [[nodiscard]] inline tick_column* ticks() const noexcept {
        return ticks_.load(std::memory_order_acquire);
    }
    /// Those of one component; null if it is not tracked, or not there.
    [[nodiscard]] inline tick_column* find_ticks(component_id id) const noexcept {
        tick_column* found = ticks();
        while (found != nullptr && found->id() != id) found = found->after;
        return found;
    }
    /// Makes ticks for a component that the archetype has: all its entities have got it now. They count when they are shown;
    /// this may happen while other threads read.
    [[nodiscard]] tick_column* make_ticks(component_id id, const tick_clock& clock) const;
    void show_ticks(tick_column* made) const noexcept;
    void end_ticks(tick_column* gone) const noexcept;
    /// Notes that rows are new, in all their components.
    void begin_rows(const family& group, std::uint32_t row, std::uint32_t count) const noexcept;
    [[nodiscard]] std::size_t tick_bytes() const noexcept;

    /// Checks what the file's head promises; for tests and for `world::validate`.
    [[nodiscard]] bool valid(const entity_pool& pool) const;

private:
    bool grow(entity_pool& pool, family& group, std::size_t count);
    [[nodiscard]] std::uint32_t wanted_rows(const family& group, std::size_t needed) const;
    void trim_last() noexcept;
    bool reserve_rows(std::uint32_t rows);
    void reallocate(std::uint32_t rows);
    void reorder(entity_pool& pool);
    [[nodiscard]] entity* allocate_next(std::uint32_t rows);
    void adopt_next(entity* next_entities, std::uint32_t rows) noexcept;
    void relocate_rows(entity_pool& pool, std::uint32_t from, std::uint32_t to, std::uint32_t count) noexcept;
    void drop(family& group) noexcept;
    void show_families() noexcept;
    void clear_rows() noexcept;

    // What a query reads comes first, on one cache line.
    std::uint32_t id_;
    std::uint32_t size_ = 0;
    family* families_ = &only_;
    std::uint32_t family_count_ = 1; ///< of the slots
    std::uint32_t row_capacity_ = 0;
    relation_index* relations_ = nullptr;
    entity* entities_ = nullptr;
    family only_; ///< of an archetype without relations, so that it is on the same line
    mutable std::atomic<tick_column*> ticks_{nullptr};
    component_mask mask_;
    std::size_t row_bytes_ = sizeof(entity);
    buffer<column> columns_;
    extent_allocator extents_;
    std::pmr::memory_resource* memory_;
    std::uint32_t last_ = none; ///< the key of the family that was at the end of the arena when it last grew

public:
    buffer<std::uint32_t> edges; ///< by bundle: the archetype it leads to, or `none`
};

/// Moves the values of one row to the next row of a family of another archetype, or of another family of the same one:
/// shared components are relocated, others end, and those that only the destination has are left for the caller to
/// construct. Returns the new row. The rest of the bookkeeping is done, too, but for families that are empty now; room
/// must have been reserved.
std::uint32_t transfer(entity_pool& pool, entity e, archetype& from, archetype& to,
                       family& to_family) noexcept;

/// The same for all entities of a family, column by column; they keep their order.
void transfer_all(entity_pool& pool, archetype& from, family& from_family, archetype& to,
                  family& to_family) noexcept;

/// Brings the ticks of rows that are about to go from one family to another, which does not count them yet.
void carry_ticks(const archetype& from, const family& from_family, std::uint32_t from_row,
                 std::uint32_t count, const archetype& to, const family& to_family,
                 std::uint32_t to_row) noexcept;
/// Notes which relations changed when a family's rows became those of another one.
void note_hand_over(const archetype& place, const family& from, const family& to) noexcept;

} // namespace pecs::detail
