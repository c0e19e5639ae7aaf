// The families of an archetype, found by their targets. A family is the entities of one archetype that have the same
// target(s); it owns a run of the archetype's rows.
//
//   relations   families are kept                                           key of a family
//   none        one, in the archetype itself                                0
//   one         in the slots of a hash table, found by their target         the target's index
//   several     in an array; tables find them by all targets or by one      the place in the array
//
// An entity's record holds the key of its family, not a pointer: slots move when their table grows. With one relation,
// the slot of a target is its index modulo the table's size. Targets are mostly neighbours in index, so they are
// neighbours in the table: it works as an array with the targets' indices, but stays small when these are far apart.
// (If they are so regular that they meet in few slots, the table mixes the bits of the index first.)
export module pecs.archetype:families;

import pecs.std;
import pecs.core;
import :buffer;
import :entity_pool;

export namespace pecs::detail {

/// A run of rows of an archetype.
struct family {
    std::uint32_t first = 0;
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
    std::uint32_t pending : 31 = 0; ///< rows that a batch operation has reserved and not filled yet
    std::uint32_t doomed : 1 = 0;   ///< all its entities are about to be despawned
    entity target;                  ///< with one relation; null marks a free slot
};
static_assert(sizeof(family) == 24);

/// The slot of a table that has none.
inline constinit family no_family{};

/// The families of an archetype with one relation: a hash table with linear probing whose slots are the families.
class target_table {
public:
    inline explicit target_table(std::pmr::memory_resource* memory) noexcept : memory_{memory} {}
    target_table(const target_table&) = delete;
    target_table& operator=(const target_table&) = delete;
    ~target_table();

    /// The family of a target, or null (or, for the null entity, a family without rows).
    [[nodiscard]] inline family* find(entity target) const noexcept {
        family& first = slots_[home(target.index())];
        return first.target == target ? &first : find_behind(target);
    }
    /// The family whose target has this index, or null.
    [[nodiscard]] inline family* find_index(std::uint32_t index) const noexcept {
        std::uint32_t i = home(index);
        for (std::uint32_t steps = 0;; ++steps, i = (i + 1) & mask_) {
            if (!slots_[i].target || distance(i) < steps) return nullptr;
            if (slots_[i].target.index() == index) return &slots_[i];
        }
    }
    /// The same, where there is one.
    [[nodiscard]] inline family& at(std::uint32_t index) const noexcept {
        std::uint32_t i = home(index);
        while (slots_[i].target.index() != index || !slots_[i].target) i = (i + 1) & mask_;
        return slots_[i];
    }
    /// Adds a family without rows; moves others. Throws without a change if there is no memory.
    family& insert(entity target);
    /// Removes a family; moves others.
    void erase(family& gone) noexcept;
    void clear() noexcept;
    /// Makes the table as small as its families allow.
    void shrink();

    /// What `find` needs, by value: for loops, as long as no family comes or goes.
    struct lookup {
        const family* slots = &no_family;
        std::uint32_t mask = 0;
        bool mixed = false;
        const target_table* all = nullptr;

        [[nodiscard]] inline const family* find(entity target) const noexcept {
            const family& first = slots[home_of(target.index(), mixed) & mask];
            return first.target == target ? &first : all->find_behind(target);
        }
    };
    [[nodiscard]] inline lookup view() const noexcept { return {slots_, mask_, mixed_, this}; }

    [[nodiscard]] inline family* slots() const noexcept { return slots_; }
    [[nodiscard]] inline std::uint32_t slot_count() const noexcept { return mask_ + 1; }
    [[nodiscard]] inline std::uint32_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] bool valid() const noexcept;

private:
    [[nodiscard]] static inline std::uint32_t home_of(std::uint32_t index, bool mixed) noexcept {
        if (mixed) [[unlikely]]
            return static_cast<std::uint32_t>(index * 0x9E3779B97F4A7C15ULL >> 32U);
        return index;
    }
    [[nodiscard]] inline std::uint32_t home(std::uint32_t index) const noexcept {
        return home_of(index, mixed_) & mask_;
    }
    [[nodiscard]] inline std::uint32_t distance(std::uint32_t slot) const noexcept {
        return (slot - home(slots_[slot].target.index())) & mask_;
    }
    /// (Pure, so that compilers keep in registers, across the call, what a loop needs.)
    [[nodiscard, gnu::pure]] family* find_behind(entity target) const noexcept;
    [[nodiscard]] bool crowded() const noexcept;
    void rebuild(std::uint32_t slots, bool mixed);
    family& place(const family& moved) noexcept;

    family* slots_ = &no_family;
    std::uint32_t mask_ = 0;
    std::uint32_t size_ = 0;
    bool mixed_ = false;         ///< homes are scattered
    std::uint64_t distance_ = 0; ///< of all families from their homes
    std::uint32_t longest_ = 0;  ///< way of an insertion since the table was built
    std::pmr::memory_resource* memory_;
};

/// The families of an archetype with several relations.
class tuple_table {
public:
    tuple_table(std::pmr::memory_resource* memory, std::uint32_t relations);
    tuple_table(const tuple_table&) = delete;
    tuple_table& operator=(const tuple_table&) = delete;
    ~tuple_table();

    /// The family with exactly these targets, or `none`.
    [[nodiscard]] std::uint32_t find(const entity* targets) const noexcept;
    /// Adds a family without rows. Throws without a change if there is no memory.
    std::uint32_t insert(const entity* targets);
    void erase(std::uint32_t id) noexcept;
    void clear() noexcept;
    /// Gives memory back; ids stay.
    void shrink();

    /// The targets of a family, one per relation.
    [[nodiscard]] inline const entity* targets(std::uint32_t id) const noexcept {
        return &targets_[std::size_t{id} * relations_];
    }
    /// The families with a target in one relation: the first, or `none`, and the one after another.
    [[nodiscard]] std::uint32_t first_with(std::uint32_t relation, entity target) const noexcept;
    [[nodiscard]] inline std::uint32_t next_with(std::uint32_t relation, std::uint32_t id) const noexcept {
        return links_[std::size_t{id} * relations_ + relation].next;
    }
    [[nodiscard]] inline family* slots() noexcept { return families_.data(); }
    [[nodiscard]] inline std::uint32_t slot_count() const noexcept {
        return static_cast<std::uint32_t>(families_.size());
    }
    [[nodiscard]] inline std::uint32_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] bool valid() const;

private:
    struct tables;
    struct link {
        std::uint32_t next;
        std::uint32_t previous;
    };
    void enlist(std::uint32_t id, std::uint32_t relation);
    void delist(std::uint32_t id, std::uint32_t relation) noexcept;

    std::uint32_t relations_;
    std::uint32_t size_ = 0;
    std::uint32_t first_free_ = none; ///< free places are linked through `family::first`
    buffer<family> families_;
    buffer<entity> targets_; ///< null for free places
    buffer<link> links_;
    std::pmr::memory_resource* memory_;
    tables* tables_;
};

/// Which rows of an arena hold entities, for loops over all of them: runs of rows do not end where families do.
class row_map {
public:
    inline explicit row_map(std::pmr::memory_resource* memory) noexcept : words_{memory} {}

    inline void reserve(std::size_t rows) {
        if (words_for(rows) > words_.size()) words_.resize(words_for(rows), 0);
    }
    /// Adds or removes a run of rows.
    inline void flip(std::uint32_t first, std::uint32_t count) noexcept {
        while (count != 0) {
            const std::uint32_t bit = first % 64;
            const std::uint32_t here = count < 64 - bit ? count : 64 - bit;
            const std::uint64_t ones = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
            words_[first / 64] ^= ones << bit;
            first += here;
            count -= here;
        }
    }
    inline void clear() noexcept {
        for (std::uint64_t& word : words_) word = 0;
    }
    [[nodiscard]] inline bool test(std::uint32_t row) const noexcept {
        return (words_[row / 64] >> row % 64 & 1U) != 0;
    }
    /// The first row from `from` on that is used (or is not, with `inverted` all ones), or the end of the map.
    [[nodiscard]] inline std::uint32_t next(std::uint32_t from, std::uint64_t inverted) const noexcept {
        std::size_t i = from / 64;
        if (i >= words_.size()) return end();
        std::uint64_t word = (words_[i] ^ inverted) >> from % 64 << from % 64;
        while (word == 0) {
            if (++i == words_.size()) return end();
            word = words_[i] ^ inverted;
        }
        return static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(word));
    }
    [[nodiscard]] inline std::uint32_t end() const noexcept {
        return static_cast<std::uint32_t>(words_.size() * 64);
    }
    /// Gives back what is not needed for `rows` rows, if there is memory to move to.
    void shrink(std::size_t rows) noexcept;
    [[nodiscard]] inline std::size_t bytes() const noexcept { return words_.bytes(); }

private:
    [[nodiscard]] static constexpr std::size_t words_for(std::size_t rows) noexcept { return rows / 64 + 1; }

    buffer<std::uint64_t> words_;
};

/// What an archetype with relations has beyond others.
struct relation_index {
    relation_index(const component_mask& mask, std::pmr::memory_resource* memory);

    buffer<component_id> ids; ///< the relations, ascending
    target_table one;         ///< the families, if there is one relation
    tuple_table several;      ///< the families, if there are several
    row_map used;
    std::uint64_t changes = 0; ///< counts families made, first filled, dropped, or moved in memory

    [[nodiscard]] inline std::uint32_t count() const noexcept {
        return static_cast<std::uint32_t>(ids.size());
    }
    /// The place of a relation among the archetype's relations, or `none`.
    [[nodiscard]] inline std::uint32_t position(component_id id) const noexcept {
        for (std::uint32_t i = 0; i != ids.size(); ++i)
            if (ids[i] == id) return i;
        return none;
    }
    [[nodiscard]] std::size_t bytes() const noexcept;
};

} // namespace pecs::detail
