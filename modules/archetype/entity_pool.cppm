// Where every entity is: one 16-byte record per index, and the list of indices that are free.
//
//   record   live entity                free index
//   +-------------------------+        +-------------------------+
//   | archetype               |        | 0, which has no columns |
//   | row  (of the arena)     |        | next free index         |
//   | family                  |        | none                    |
//   | generation              |        | generation of next use  |
//   +-------------------------+        +-------------------------+
//
// Indices are used again last in, first out, so the same operations give the same handles on every run. An index whose
// generations are used up is retired. The pool never calls out and, once room is reserved, never fails.
export module pecs.archetype:entity_pool;

import pecs.std;
import pecs.core;
import :buffer;

export namespace pecs::detail {

inline constexpr std::uint32_t none = 0xFFFFFFFF;

struct entity_record {
    std::uint32_t archetype;
    std::uint32_t row;
    std::uint32_t family;
    std::uint32_t generation;

    [[nodiscard]] inline bool in_use() const noexcept { return family != none; }
};
static_assert(sizeof(entity_record) == 16);

class entity_pool {
public:
    /// Tests pass smaller limits to reach the ends of the number ranges.
    explicit entity_pool(std::pmr::memory_resource* memory, std::uint32_t max_entities = none - 1,
                         std::uint32_t last_generation = 0xFFFFFFFF) noexcept
        : records_{memory}, max_entities_{max_entities}, last_generation_{last_generation} {}

    [[nodiscard]] inline bool alive(entity e) const noexcept {
        return e.index() < records_.size() && records_[e.index()].generation == e.generation() &&
               records_[e.index()].in_use();
    }
    /// The record of an index that is known to be in use.
    [[nodiscard]] inline entity_record& operator[](entity e) noexcept { return records_[e.index()]; }
    [[nodiscard]] inline const entity_record& operator[](entity e) const noexcept {
        return records_[e.index()];
    }
    /// The records of all indices, in use or not.
    [[nodiscard]] inline const entity_record* data() const noexcept { return records_.data(); }
    [[nodiscard]] inline std::size_t index_count() const noexcept { return records_.size(); }
    [[nodiscard]] inline std::size_t alive_count() const noexcept { return alive_; }
    [[nodiscard]] inline std::size_t bytes() const noexcept { return records_.bytes(); }

    /// Makes sure that the next `count` creations cannot fail; throws `capacity_exceeded` or `std::bad_alloc`.
    inline void reserve(std::size_t count) {
        if (count > free_) [[unlikely]]
            reserve_new(count - free_);
    }

    /// Takes the next handle into use, where room was reserved.
    inline entity create(std::uint32_t archetype, std::uint32_t row, std::uint32_t family) noexcept {
        ++alive_;
        if (free_ != 0) {
            const std::uint32_t index = first_free_;
            entity_record& record = records_[index];
            first_free_ = record.row;
            --free_;
            record = {archetype, row, family, record.generation};
            return {index, record.generation};
        }
        const auto index = static_cast<std::uint32_t>(records_.size());
        records_.append({archetype, row, family, 1});
        return {index, 1};
    }

    /// Ends the entity and frees its index, unless its generations are used up.
    inline void destroy(entity e) noexcept {
        entity_record& record = records_[e.index()];
        record.archetype = 0;
        record.family = none;
        --alive_;
        if (record.generation == last_generation_) [[unlikely]] {
            record.generation = 0; // marks the index as retired
            ++retired_;
            return;
        }
        ++record.generation;
        record.row = first_free_;
        first_free_ = e.index();
        ++free_;
    }

    /// The same for many.
    void destroy_run(const entity* list, std::size_t count) noexcept;

    /// Writes the handles that the next `count` creations will give; changes nothing.
    void peek(entity* to, std::size_t count) const noexcept;
    /// Creates `count` entities in consecutive rows; the same handles as `peek` gave.
    void create_run(std::size_t count, std::uint32_t archetype, std::uint32_t first_row,
                    std::uint32_t family) noexcept;
    /// Ends all entities; afterwards the smallest index is used first.
    void destroy_all() noexcept;
    /// Gives back the memory of unused room, not of free indices: their generations must be remembered.
    inline void shrink() { records_.shrink(); }

    [[nodiscard]] inline std::size_t retired_count() const noexcept { return retired_; }

    /// Checks the free list and the counts; for tests and for `world::validate`.
    [[nodiscard]] bool valid() const noexcept;

private:
    void reserve_new(std::size_t count);

    buffer<entity_record> records_;
    std::uint32_t first_free_ = none;
    std::uint32_t free_ = 0;
    std::size_t alive_ = 0;
    std::size_t retired_ = 0;
    std::uint32_t max_entities_;
    std::uint32_t last_generation_;
};

} // namespace pecs::detail
