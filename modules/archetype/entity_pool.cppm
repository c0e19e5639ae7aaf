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
//
// Handles can be known before their entities live. Who needs some keeps a `handle_source`: a stock that was taken out
// of the pool while nobody else used it. If the stock runs out while others read the pool, handles of indices that do
// not exist yet are promised: block by block, each source has its own among the blocks, so no two sources meet, none has to
// wait, and what one gets does not depend on the others. The pool makes good on promises before it grows.
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

/// Handles for one recorder to give out before their entities live.
struct handle_source {
    inline explicit handle_source(std::pmr::memory_resource* pool, std::pmr::memory_resource* own) noexcept
        : stock{pool}, dropped{own} {}

    buffer<entity> stock;       ///< taken out of the pool
    buffer<entity> dropped;     ///< given out, but their entities will never live; for the pool to take back
    std::size_t next = 0;       ///< of the stock, those before are given out
    std::uint32_t promised = 0; ///< given out beyond the stock, since the pool last made good on promises
    std::uint32_t number = 0;   ///< among the sources of the pool
    bool orphaned = false;      ///< nobody uses it any more; the pool ends it
};

class entity_pool {
public:
    /// Tests pass smaller limits to reach the ends of the number ranges.
    explicit entity_pool(std::pmr::memory_resource* memory, std::uint32_t max_entities = none - 1,
                         std::uint32_t last_generation = 0xFFFFFFFF) noexcept
        : records_{memory},
          sources_{memory},
          max_entities_{max_entities},
          last_generation_{last_generation} {}
    entity_pool(const entity_pool&) = delete;
    entity_pool& operator=(const entity_pool&) = delete;
    ~entity_pool();

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
    [[nodiscard]] std::size_t bytes() const noexcept;

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

    // --- handles that are given out before their entities live

    /// The next handle of a source. Only reads the pool: other threads may do so, too, with sources of their own. Throws
    /// `capacity_exceeded`.
    inline entity give(handle_source& source) const {
        if (source.next != source.stock.size()) [[likely]]
            return source.stock[source.next++];
        return promise(source);
    }
    /// A new source, whose list of dropped handles is in memory of its owner. The owner ends it by calling it orphaned,
    /// at any time.
    [[nodiscard]] handle_source& attach(std::pmr::memory_resource* own);
    /// Makes records for promised handles and takes dropped ones back; throws without a visible change.
    void settle();
    /// Forgets the handles of a stock that were given out and fills it up to `count`; throws without a change.
    void restock(handle_source& source, std::size_t count);
    /// Takes a handle that was given out into use.
    inline void activate(entity e, std::uint32_t archetype, std::uint32_t row,
                         std::uint32_t family) noexcept {
        records_[e.index()] = {archetype, row, family, e.generation()};
        --given_;
        ++alive_;
    }
    /// Ends a handle that was given out and whose entity will never live.
    void give_back(entity e) noexcept;

    /// Ends all entities; afterwards the smallest index is used first. Handles that were given out stay so.
    void destroy_all() noexcept;
    /// Gives back the memory of unused room, not of free indices: their generations must be remembered.
    inline void shrink() { records_.shrink(); }

    [[nodiscard]] inline std::size_t retired_count() const noexcept { return retired_; }

    /// Checks the free list and the counts; for tests and for `world::validate`.
    [[nodiscard]] bool valid() const noexcept;

private:
    static constexpr std::uint32_t given = none - 1; ///< as `row`: neither in use nor free
    static constexpr std::uint32_t promise_block = 32;

    void reserve_new(std::size_t count);
    void make_promised(std::size_t end);
    void take_back() noexcept;
    [[nodiscard]] entity promise(handle_source& source) const;

    buffer<entity_record> records_;
    buffer<handle_source*> sources_; ///< null where one was detached
    std::uint32_t promise_from_ =
        0;                  ///< the first index that may be promised; never below the number of records
    std::size_t given_ = 0; ///< records of handles in stocks, or given out
    std::uint32_t first_free_ = none;
    std::uint32_t free_ = 0;
    std::size_t alive_ = 0;
    std::size_t retired_ = 0;
    std::uint32_t max_entities_;
    std::uint32_t last_generation_;
};

} // namespace pecs::detail
