// The edges of one relation with many targets. They lie beside the archetypes: an entity with a thousand targets is
// where it would be without them.
//
//   forward lists                              reverse lists
//    row      0    1    2    3 | 4 ..           row      0   | 1    2   | 3 ..
//    owner    ann              | dan            owner    bob | cy       |
//    target   bob  cy          | cy             source   ann | ann  dan |
//    mirror   0    0           | 1              mirror   0   | 1    0   |
//    data     .    .           | .
//
// A list is an extent of an arena, found by its owner as the families of an archetype are. A row names the other end of
// the edge and the place of the same edge in the other end's list, relative to the list, so a list can move freely. A
// row removed is filled by the last one of its list, whose mirror is told. A list without rows does not exist.
//
// In a symmetric relation one arena has it all: the lists of both ends, and the data in the list of the smaller end.
//
// An edge is found by looking through the list of its source, or else of its target, if that is short. Lists that have
// grown long keep their rows in a hash table, too.
export module pecs.archetype:edges;

import pecs.std;
import pecs.core;
import :buffer;
import :column;
import :entity_pool;
import :extents;
import :families;

export namespace pecs::detail {

/// The lists of one direction, in one arena.
class edge_lists {
public:
    edge_lists(const component_type* data, bool symmetric, std::pmr::memory_resource* memory,
               std::uint32_t max_edges) noexcept;
    edge_lists(const edge_lists&) = delete;
    edge_lists& operator=(const edge_lists&) = delete;
    ~edge_lists();

    /// The list of an entity, or null if it has none. (`family` is the word for a run of rows with an owner.)
    [[nodiscard]] inline family* find(entity owner) const noexcept { return table_.find(owner); }
    /// The other ends of an entity's edges.
    [[nodiscard]] inline std::span<const entity> of(entity owner) const noexcept {
        const family* const list = table_.find(owner);
        if (list == nullptr) return {};
        return {others_ + list->first, list->size};
    }
    [[nodiscard]] inline const target_table& table() const noexcept { return table_; }
    [[nodiscard]] inline entity& other(std::uint32_t row) const noexcept { return others_[row]; }
    [[nodiscard]] inline std::uint32_t& mirror(std::uint32_t row) const noexcept { return mirrors_[row]; }
    /// The data of a row of an arena that has data.
    [[nodiscard]] inline std::byte* value(std::uint32_t row) const noexcept { return values_ + row * size_; }
    /// Whether the data of an edge is in the list of this end.
    [[nodiscard]] inline bool keeps_value(entity owner, entity other) const noexcept {
        return size_ != 0 && (!symmetric_ || !(other < owner));
    }

    /// Makes sure that there is a list with room for one more row; `known` is the list, or null if there is none yet.
    /// Lists move. Throws without a visible change, but for an empty list, which `drop_if_empty` ends.
    inline family* reserve(entity owner, family* known) {
        if (known != nullptr && known->size != known->capacity) [[likely]]
            return known;
        return make_room(owner, known);
    }
    void drop_if_empty(entity owner) noexcept;
    /// Ends a list whose rows are gone.
    void drop(family& list) noexcept;
    /// Adds a row where room was reserved; its data is the caller's to construct. Returns its place in the list.
    inline std::uint32_t append(family& list, entity other, std::uint32_t mirror) noexcept {
        const std::uint32_t place = list.size++;
        others_[list.first + place] = other;
        mirrors_[list.first + place] = mirror;
        return place;
    }
    /// Ends all data and all lists; memory stays reserved.
    void clear() noexcept;
    /// Lays out the lists without gaps, in the order of their slots, and gives back the memory that is not needed.
    /// Throws without a change.
    void compact();
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] bool valid() const;

private:
    struct columns {
        entity* others = nullptr;
        std::uint32_t* mirrors = nullptr;
        std::byte* values = nullptr;
        std::uint32_t capacity = 0;
    };
    family* make_room(entity owner, family* known);
    void grow(family& list);
    void reserve_rows(std::uint32_t rows);
    [[nodiscard]] columns allocate(std::uint32_t rows) const;
    void release(const columns& gone) const noexcept;
    void adopt(const columns& fresh) noexcept;
    [[nodiscard]] columns current() const noexcept { return {others_, mirrors_, values_, capacity_}; }
    void move_rows(entity owner, std::uint32_t count, const columns& from, std::uint32_t first,
                   const columns& to, std::uint32_t to_first) const noexcept;
    void destroy_values() noexcept;
    [[nodiscard]] std::size_t value_alignment() const noexcept;

    entity* others_ = nullptr;
    std::uint32_t* mirrors_ = nullptr;
    std::byte* values_ = nullptr;
    std::uint32_t capacity_ = 0;
    bool symmetric_;
    std::size_t size_; ///< of the data; 0 if these lists have none
    const component_type* type_;
    target_table table_;
    extent_allocator extents_;
    std::pmr::memory_resource* memory_;
};

/// The edges of one relation in one storage. It does not know which entities are alive.
class edge_index {
public:
    /// Tests pass a smaller limit to reach the end of the row numbers.
    edge_index(component_id relation, std::pmr::memory_resource* memory,
               std::uint32_t max_edges = extent_allocator::row_limit);
    edge_index(const edge_index&) = delete;
    edge_index& operator=(const edge_index&) = delete;
    ~edge_index();

    /// A list of at most so many rows is looked through; a longer one is in the hash table.
    static constexpr std::uint32_t short_list = 32;
    /// A list in the hash table stays there until it has no more than so many rows.
    static constexpr std::uint32_t short_again = 16;

    [[nodiscard]] inline component_id relation() const noexcept { return relation_; }
    [[nodiscard]] inline const component_type& type() const noexcept { return type_; }
    [[nodiscard]] inline bool symmetric() const noexcept { return type_.rules.symmetric; }
    /// How many edges there are; those of a symmetric relation count once.
    [[nodiscard]] inline std::size_t size() const noexcept { return size_; }

    /// The targets, or the sources, of an entity; valid until the next change.
    [[nodiscard]] inline std::span<const entity> targets(entity source) const noexcept {
        return forward_.of(source);
    }
    [[nodiscard]] inline std::span<const entity> sources(entity target) const noexcept {
        return reverse().of(target);
    }
    /// The data of an edge, or null if there is no such edge; for a tag some address that is not to be read.
    [[nodiscard]] std::byte* find(entity source, entity target) const noexcept;
    /// The data of an edge that is given by its place among the targets, or the sources, of an entity. That of the targets
    /// lies side by side, unless the relation is symmetric.
    [[nodiscard]] std::byte* at_target(entity source, std::uint32_t place) const noexcept;
    [[nodiscard]] std::byte* at_source(entity target, std::uint32_t place) const noexcept;

    struct placed {
        std::byte* data;
        bool fresh; ///< the data is the caller's to construct
    };
    /// Adds an edge, unless it is there. Throws without a change.
    placed insert(entity source, entity target);
    /// Removes an edge, with its data; false if there is none. The edge that was added last can be removed as if it
    /// had never been there.
    bool erase(entity source, entity target) noexcept;
    /// Removes all edges from an entity, or all from it and to it.
    void erase_targets(entity source) noexcept;
    void erase_all(entity either) noexcept;
    void clear() noexcept;

    /// Calls `visit(source, target, data)` for each edge; for those of a symmetric relation once.
    template <class Visit> inline void each(Visit&& visit) const {
        const target_table& lists = forward_.table();
        for (std::uint32_t slot = 0; slot != lists.slot_count(); ++slot) {
            const family& list = lists.slots()[slot];
            for (std::uint32_t row = list.first; row != list.first + list.size; ++row) {
                if (symmetric() && forward_.other(row) < list.target) continue;
                visit(list.target, forward_.other(row), forward_.value(row));
            }
        }
    }
    /// The lists of targets and the lists of sources: their owners are the entities with edges.
    [[nodiscard]] inline const target_table& owners(bool of_targets) const noexcept {
        return of_targets ? forward_.table() : reverse().table();
    }

    /// Closes gaps and gives back memory. Throws without a change.
    void compact();
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] bool valid() const;

private:
    struct hash_table; ///< the place of an edge among the targets of its source, for sources with long lists

    [[nodiscard]] inline edge_lists& reverse() noexcept { return symmetric() ? forward_ : reverse_; }
    [[nodiscard]] inline const edge_lists& reverse() const noexcept {
        return symmetric() ? forward_ : reverse_;
    }
    [[nodiscard]] std::uint32_t place_in(const family& from, const family* to, entity target) const noexcept;
    [[nodiscard]] std::byte* data_at(const family& from, std::uint32_t place) const noexcept;
    void enter(family& list, entity target);
    void leave(family& list) noexcept;
    void remove(family& from, std::uint32_t place) noexcept;
    void close_gap(edge_lists& lists, edge_lists& mirrored, family& list, std::uint32_t place) noexcept;

    component_id relation_;
    const component_type& type_;
    edge_lists forward_;
    edge_lists reverse_; ///< not used in a symmetric relation
    std::size_t size_ = 0;
    hash_table* long_ = nullptr; ///< made when the first list grows long
    std::pmr::memory_resource* memory_;
};

} // namespace pecs::detail
