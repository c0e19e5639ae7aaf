// An archetype: all entities with one set of components. It owns one arena of rows, structure of arrays; a family owns
// a run of these rows, with room to grow.
//
//   archetype {Position, Value}             families
//    row        0  1  2  3 | 4  5 | 6 ..     id  first size capacity
//    entity     a  b  c  . | d  . |           0    0    3     4
//    Position   .  .  .    | .    |           1    4    1     2
//    Value      .  .  .    | .    |
//
// An archetype without relations has exactly one family, which begins at row 0. Invariants: rows [first, first + size)
// of a family hold values in every column, no other row does; a row removed is filled by the last row of its own
// family. What may throw is done by `reserve`; what follows cannot fail.
export module pecs.archetype:archetype;

import pecs.std;
import pecs.core;
import :buffer;
import :column;
import :entity_pool;
import :extents;

export namespace pecs::detail {

/// A run of rows of an archetype.
struct family {
    std::uint32_t first = 0;
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
};

class archetype {
public:
    archetype(std::uint32_t id, const component_mask& mask, std::pmr::memory_resource* memory);
    archetype(const archetype&) = delete;
    archetype& operator=(const archetype&) = delete;
    ~archetype();

    [[nodiscard]] inline std::uint32_t id() const noexcept { return id_; }
    [[nodiscard]] inline const component_mask& mask() const noexcept { return mask_; }
    /// The columns in ascending order of the component ids; tags have none.
    [[nodiscard]] inline const buffer<column>& columns() const noexcept { return columns_; }
    [[nodiscard]] inline entity* entities() const noexcept { return entities_; }
    [[nodiscard]] inline std::span<const family> families() const noexcept {
        return {families_, family_count_};
    }
    [[nodiscard]] inline const family& operator[](std::uint32_t family_id) const noexcept {
        return families_[family_id];
    }
    /// How many entities there are, in all families.
    [[nodiscard]] inline std::uint32_t size() const noexcept { return size_; }
    /// How many rows the columns have room for.
    [[nodiscard]] inline std::uint32_t row_capacity() const noexcept { return row_capacity_; }
    /// Bytes of one row in all columns, with the entity.
    [[nodiscard]] inline std::size_t row_bytes() const noexcept { return row_bytes_; }
    [[nodiscard]] std::size_t bytes() const noexcept;

    /// Makes sure that `count` more rows fit into the family; may move its rows. True if columns have moved.
    inline bool reserve(entity_pool& pool, std::uint32_t family_id, std::size_t count) {
        const family& group = families_[family_id];
        return count > group.capacity - group.size && grow(pool, family_id, count);
    }

    /// The first row behind the family's rows.
    [[nodiscard]] inline std::uint32_t next_row(std::uint32_t family_id) const noexcept {
        return families_[family_id].first + families_[family_id].size;
    }
    /// Adds `count` rows, whose values the caller constructs (or has constructed), where room was reserved.
    inline void extend(std::uint32_t family_id, std::uint32_t count) noexcept {
        families_[family_id].size += count;
        size_ += count;
    }

    /// Fills the row, whose values have ended, with the last row of its family and gives up that one.
    void close_gap(entity_pool& pool, std::uint32_t family_id, std::uint32_t row) noexcept;
    /// Ends the values of a row and closes the gap.
    void remove(entity_pool& pool, std::uint32_t family_id, std::uint32_t row) noexcept;
    /// Ends all values; rows and columns stay reserved.
    void clear() noexcept;
    /// Forgets all rows, whose values have gone elsewhere.
    void abandon() noexcept;
    /// Gives back rows that no family needs, and memory that no row needs. Throws without a change if there is not
    /// enough memory to move to.
    void trim();

    /// Checks what the file's head promises; for tests and for `world::validate`.
    [[nodiscard]] bool valid(const entity_pool& pool) const;

private:
    bool grow(entity_pool& pool, std::uint32_t family_id, std::size_t count);
    bool reserve_rows(std::uint32_t rows);
    void reallocate(std::uint32_t rows);
    void relocate_rows(entity_pool& pool, std::uint32_t from, std::uint32_t to, std::uint32_t count) noexcept;

    // What a query reads comes first, on one cache line.
    std::uint32_t id_;
    std::uint32_t size_ = 0;
    family* families_ = &only_;
    std::uint32_t family_count_ = 1;
    family only_; ///< of an archetype without relations, so that it is on the same line
    entity* entities_ = nullptr;
    std::uint32_t row_capacity_ = 0;
    component_mask mask_;
    std::size_t row_bytes_ = sizeof(entity);
    buffer<column> columns_;
    extent_allocator extents_;
    std::pmr::memory_resource* memory_;

public:
    buffer<std::uint32_t> edges; ///< by bundle: the archetype it leads to, or `none`
    std::uint32_t pending = 0;   ///< scratch of batch operations: rows about to come
};

/// Moves the values of one row to the next row of another archetype's family: shared components are relocated, others
/// end, and those that only the destination has are left for the caller to construct. Returns the new row. The rest of
/// the bookkeeping is done, too; room must have been reserved.
std::uint32_t transfer(entity_pool& pool, entity e, archetype& from, archetype& to,
                       std::uint32_t to_family) noexcept;

/// The same for all entities of an archetype, column by column; they keep their order.
void transfer_all(entity_pool& pool, archetype& from, archetype& to, std::uint32_t to_family) noexcept;

} // namespace pecs::detail
