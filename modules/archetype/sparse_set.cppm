// The values of one sparse component type, beside the archetypes: an entity that gets or loses one stays in its row.
//
//   pages     | . 2 . . | (none) | 0 . 1 . |        by entity index: the place of the entity; pages come on demand
//   entities  |  8v1  10v1  1v3  |                  by place, without gaps
//   values    |  .    .     .    |                  packed: by place; the last one fills the hole of one that goes
//   slots     |  3    0     1    |                  stable: by place, the slot of a value that never moves
//   ticks     |  .    .     .    |                  by place, if changes are tracked: see `set_ticks`
//
// Entries name the whole handle, so a stale one finds nothing. Tags have no values. What may throw is done by `reserve`;
// what follows cannot fail. A value is constructed in `next_cell` first, and belongs to its entity with `insert`.
export module pecs.archetype:sparse_set;

import pecs.std;
import pecs.core;
import :buffer;
import :column;
import :column_tables;
import :entity_pool;
import :set_ticks;
import :ticks;

export namespace pecs::detail {

class sparse_set {
public:
    sparse_set(component_id id, std::pmr::memory_resource* memory);
    sparse_set(const sparse_set&) = delete;
    sparse_set& operator=(const sparse_set&) = delete;
    ~sparse_set();

    [[nodiscard]] inline component_id id() const noexcept { return id_; }
    [[nodiscard]] inline const component_type& type() const noexcept { return *type_; }
    [[nodiscard]] inline std::size_t size() const noexcept { return entities_.size(); }
    /// The entities, by place.
    [[nodiscard]] inline const entity* entities() const noexcept { return entities_.data(); }

    /// The place of an entity, or `none`.
    [[nodiscard]] inline std::uint32_t place(entity e) const noexcept {
        const std::uint32_t number = e.index() / page_size;
        if (number >= pages_.size() || pages_[number].places == nullptr) return none;
        const std::uint32_t found = pages_[number].places[e.index() % page_size];
        return found < entities_.size() && entities_[found] == e ? found : none;
    }
    [[nodiscard]] inline bool contains(entity e) const noexcept { return place(e) != none; }
    /// The value at a place; not null, but never to be read, for a tag.
    [[nodiscard]] inline std::byte* at(std::uint32_t place) const noexcept {
        if (!stable_) [[likely]]
            return values_ + place * size_;
        return slot(slots_[place]);
    }
    /// The value of an entity, or null.
    [[nodiscard]] inline std::byte* find(entity e) const noexcept {
        const std::uint32_t found = place(e);
        return found == none ? nullptr : at(found);
    }
    /// The value of an entity that is in the set.
    [[nodiscard]] inline std::byte* value(entity e) const noexcept {
        return at(pages_[e.index() / page_size].places[e.index() % page_size]);
    }

    /// The change ticks, by place.
    [[nodiscard]] inline set_ticks& ticks() const noexcept { return ticks_; }
    /// Begins to track changes: all that is in the set has come now. Throws without a change.
    inline void track(const tick_clock& clock) const { ticks_.begin(clock, entities_.size(), room_); }
    /// Notes that the value of an entity is written, if it has one and changes are tracked.
    inline void mark_written(entity e) const noexcept {
        const tick_clock* const clock = ticks_.clock();
        const std::uint32_t found = clock == nullptr ? none : place(e);
        if (found != none) write_tick(ticks_.of(found).changed, clock->now());
    }
    /// Notes that an entity, if it is here and changes are tracked, was taken in anew.
    inline void mark_added(entity e) const noexcept {
        const tick_clock* const clock = ticks_.clock();
        const std::uint32_t found = clock == nullptr ? none : place(e);
        if (found != none) ticks_.of(found) = {clock->now(), clock->now()};
    }

    /// Makes sure that the entity, as one of `count` more, can be inserted; throws without a visible change. Packed
    /// values may move.
    inline void reserve(entity e, std::size_t count = 1) {
        const std::uint32_t number = e.index() / page_size;
        if (number >= pages_.size() || pages_[number].places == nullptr) [[unlikely]]
            make_page(number);
        if (entities_.size() + count > room_) [[unlikely]]
            grow(entities_.size() + count);
    }
    /// Where the value of the next entity that is inserted will be; there is room for it.
    [[nodiscard]] inline std::byte* next_cell() const noexcept {
        if (!stable_) [[likely]]
            return values_ + entities_.size() * size_;
        return slot(free_[free_.size() - 1]);
    }
    /// Takes an entity in that is not there yet; its value is, or is about to be, in what was `next_cell`.
    inline void insert(entity e) noexcept {
        page& at_page = pages_[e.index() / page_size];
        at_page.places[e.index() % page_size] = static_cast<std::uint32_t>(entities_.size());
        ++at_page.used;
        entities_.append(e);
        ticks_.append();
        if (stable_) [[unlikely]] {
            slots_.append(free_.back());
            free_.pop_back();
        }
    }
    /// Ends the value of an entity, if it has one.
    inline bool erase(entity e) noexcept {
        const std::uint32_t found = place(e);
        if (found == none) return false;
        destroy_run(*type_, at(found), 1);
        close_gap(e, found);
        return true;
    }
    /// Ends all values; memory stays.
    void clear() noexcept;
    /// Gives back what is not in use; packed values move.
    void shrink();
    [[nodiscard]] std::size_t bytes() const noexcept;
    /// Checks what the file's head promises; for tests and for `world::validate`.
    [[nodiscard]] bool valid() const noexcept;

private:
    static constexpr std::uint32_t page_size = 512;
    static constexpr std::uint32_t block_size = 64; ///< of stable values, a power of two

    struct page {
        std::uint32_t* places; ///< null if no entity of the page is in the set
        std::uint32_t used;
    };

    [[nodiscard]] inline std::byte* slot(std::uint32_t number) const noexcept {
        return blocks_[number / block_size] + number % block_size * size_;
    }
    inline void close_gap(entity e, std::uint32_t hole) noexcept {
        const auto last = static_cast<std::uint32_t>(entities_.size() - 1);
        if (stable_) [[unlikely]] {
            free_.append(slots_[hole]);
            slots_[hole] = slots_[last];
            slots_.pop_back();
        } else if (hole != last && size_ != 0) {
            relocate_value(*type_, at(hole), at(last));
        }
        const entity moved = entities_[last];
        entities_[hole] = moved;
        pages_[moved.index() / page_size].places[moved.index() % page_size] = hole;
        entities_.pop_back();
        ticks_.close_gap(hole);
        page& left = pages_[e.index() / page_size];
        left.places[e.index() % page_size] = none;
        if (--left.used == 0) [[unlikely]]
            release_page(left);
    }
    void make_page(std::uint32_t number);
    void release_page(page& empty) noexcept;
    void grow(std::size_t count);
    void grow_values(std::size_t count);
    void add_block();
    [[nodiscard]] std::size_t alignment() const noexcept;

    std::byte* values_ = nullptr;
    std::size_t size_; ///< of one value
    buffer<entity> entities_;
    buffer<page> pages_;
    std::size_t room_ = 0; ///< how many entities can be in the set before `grow`
    bool stable_;
    const component_type* type_;
    component_id id_;
    std::size_t value_room_ = 0; ///< of packed values
    buffer<std::uint32_t> slots_;
    buffer<std::uint32_t> free_; ///< slots without a value; the last one is used first
    buffer<std::byte*> blocks_;
    mutable set_ticks ticks_; ///< loops, which change nothing else, write them
    std::uint32_t* spare_ =
        nullptr; ///< a page that is empty, for the next one: so that one entity is not a page each time
    std::pmr::memory_resource* memory_;
};

/// The values of entities that lie side by side, and are all in the set.
template <class T> struct set_cursor {
    const sparse_set* set = nullptr;
    const entity* handles = nullptr;
    [[nodiscard]] T& operator[](std::size_t i) const noexcept {
        return *reinterpret_cast<T*>(set->value(handles[i]));
    }
};

} // namespace pecs::detail
