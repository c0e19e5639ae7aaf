// The storage owns everything a world consists of: entities, archetypes, the graph between them. It knows component
// types by their ids alone; the typed verbs of `world` are thin templates on top of it.
//
// How a value is reached (every step one load):
//
//   entity -> record {archetype, row} -> columns_[component].data[archetype] -> value[row]
//
// How a change of components finds its archetype: archetype.edges[bundle], filled on first use.
//
// Order of work in every verb: find errors, reserve (may throw, changes nothing that can be seen), then commit, which
// cannot fail.
export module pecs.archetype:storage;

import pecs.std;
import pecs.core;
import :archetype;
import :attachments;
import :buffer;
import :bundle;
import :entity_pool;
import :mask_index;
import :structure_lock;

export namespace pecs::detail {

/// Stands where a column would, for a tag: not null, never read.
inline std::byte tag_column{};

/// Where the columns of one component type are, by archetype; null where the archetype lacks the type.
struct column_table {
    std::byte** data = nullptr;
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;

    /// The column in any archetype, or null.
    [[nodiscard]] inline std::byte* find(std::uint32_t archetype) const noexcept {
        return archetype < size ? data[archetype] : nullptr;
    }
};

/// The archetypes that have one component type, in order of creation.
struct archetype_list {
    std::uint32_t* data = nullptr;
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
};

/// A new row whose values the caller constructs.
struct placement {
    entity which;
    std::uint32_t archetype = 0;
    std::uint32_t row = 0;
};

/// A part of a batch operation: `count` entities that go from one archetype to another, to rows from `first_row` on.
struct batch_step {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t count;
    std::uint32_t first_row;
};

class storage {
public:
    explicit storage(std::pmr::memory_resource* memory);
    storage(const storage&) = delete;
    storage& operator=(const storage&) = delete;
    ~storage();

    [[nodiscard]] inline std::pmr::memory_resource* memory() const noexcept { return memory_; }
    [[nodiscard]] inline const entity_pool& entities() const noexcept { return pool_; }
    /// How many archetype ids are in use or were; `archetype_at` is null for collected ones.
    [[nodiscard]] inline std::size_t archetype_slots() const noexcept { return archetypes_.size(); }
    [[nodiscard]] inline const archetype* archetype_at(std::uint32_t id) const noexcept {
        return archetypes_[id];
    }
    /// The ids of all archetypes, in order of creation.
    [[nodiscard]] inline std::span<const std::uint32_t> created() const noexcept {
        return {created_.data(), created_.size()};
    }
    /// The ids of the archetypes with a component, in order of creation.
    [[nodiscard]] inline std::span<const std::uint32_t> created_with(component_id id) const noexcept {
        return {users_[id.index()].data, users_[id.index()].size};
    }
    /// Changes whenever an archetype is made or collected.
    [[nodiscard]] inline std::uint64_t version() const noexcept { return version_; }
    /// Changes whenever archetypes are collected.
    [[nodiscard]] inline std::uint64_t collections() const noexcept { return collections_; }
    /// State that upper layers keep with the storage.
    [[nodiscard]] inline attachment_table& attachments() const noexcept { return attachments_; }

    // --- reading

    /// The value of a component, or null if the entity is dead or lacks it. The index of a free record never names an
    /// archetype, so the test of the table's size covers it.
    [[nodiscard]] inline std::byte* find(entity e, component_id id, std::size_t size) const noexcept {
        if (e.index() >= pool_.index_count()) return nullptr;
        const entity_record& record = pool_.data()[e.index()];
        if (record.generation != e.generation()) return nullptr;
        const column_table& table = columns_[id.index()];
        if (record.archetype >= table.size) return nullptr;
        std::byte* const data = table.data[record.archetype];
        return data == nullptr ? nullptr : data + record.row * size;
    }
    [[nodiscard]] inline bool has(entity e, component_id id) const noexcept {
        return find(e, id, 0) != nullptr;
    }
    /// The column of a component in an archetype that has it.
    [[nodiscard]] inline std::byte* column_data(component_id id, std::uint32_t archetype) const noexcept {
        return columns_[id.index()].data[archetype];
    }
    [[nodiscard]] inline const column_table& columns_of(component_id id) const noexcept {
        return columns_[id.index()];
    }
    /// Throws the error that explains why `find` found nothing.
    [[noreturn]] void explain_missing(entity e, component_id id) const;

    // --- changing one entity

    /// Creates an entity with the components that the bundle adds; their values are the caller's to construct.
    inline placement spawn(std::uint32_t bundle) {
        check_unlocked();
        const std::uint32_t to = follow(root, bundle, null);
        archetype& place = *archetypes_[to];
        pool_.reserve(1);
        reserve(place, 1);
        const std::uint32_t row = place.next_row(0);
        const entity e = pool_.create(to, row, 0);
        place.entities()[row] = e;
        place.extend(0, 1);
        return {e, to, row};
    }
    /// Moves an entity along a bundle; the values of added components are the caller's to construct.
    placement change(entity e, std::uint32_t bundle);
    void despawn(entity e);

    /// The archetype that a bundle leads to; throws if it adds what is there or removes what is not.
    inline std::uint32_t follow(std::uint32_t from, std::uint32_t bundle, entity e) {
        const buffer<std::uint32_t>& edges = archetypes_[from]->edges;
        if (bundle < edges.size() && edges[bundle] != none) [[likely]]
            return edges[bundle];
        return make_edge(from, bundle, e);
    }
    /// The archetype with exactly these components, made if it does not exist.
    std::uint32_t archetype_of(const component_mask& mask);
    /// Room for `count` rows more; throws without a visible change.
    inline void reserve(archetype& place, std::size_t count) {
        if (place.reserve(pool_, 0, count)) [[unlikely]]
            publish(place);
    }
    inline void reserve(std::uint32_t archetype_id, std::size_t count) {
        reserve(*archetypes_[archetype_id], count);
    }
    inline void reserve_entities(std::size_t count) { pool_.reserve(count); }

    // --- changing many

    /// Room for `count` new entities in an archetype, with their handles already in the entity column, from the row
    /// that is returned on. The caller constructs the values, then commits.
    std::uint32_t prepare_run(std::uint32_t archetype, std::size_t count);
    void commit_run(std::uint32_t archetype, std::size_t count) noexcept;
    /// Checks that a bundle can be applied to all entities of a list, and makes room. The caller constructs the added
    /// values in the rows that the steps name, then commits. The steps are valid until the next change.
    std::span<const batch_step> prepare_batch(std::span<const entity> list, std::uint32_t bundle);
    void commit_batch(std::span<const entity> list, std::uint32_t bundle) noexcept;
    void despawn_batch(std::span<const entity> list);
    /// The same for all entities of some archetypes, which move column by column.
    std::span<const batch_step> prepare_archetypes(std::span<const archetype* const> sources,
                                                   std::uint32_t bundle);
    void commit_archetypes() noexcept;
    void despawn_archetypes(std::span<const archetype* const> sources);
    void clear();

    // --- housekeeping

    /// Forgets empty archetypes and gives back unused memory.
    void shrink();
    /// Leaves no gaps between rows and gives back the rows that this frees.
    void compact();
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] bool valid() const;

    inline void check_unlocked() const {
        if (structure_lock::innermost != nullptr) [[unlikely]]
            structure_lock::check(*this);
    }
    inline void check_alive(entity e) const {
        if (!pool_.alive(e)) [[unlikely]]
            throw_dead_entity(e);
    }
    static constexpr std::uint32_t root = 0; ///< the archetype without components, always there

private:
    std::uint32_t make_edge(std::uint32_t from, std::uint32_t bundle, entity e);
    std::uint32_t make_archetype(const component_mask& mask);
    static void check_change(const archetype& from, const bundle& change, entity e);
    void collect(archetype& empty) noexcept;
    void publish(const archetype& place) noexcept;
    void check_list(std::span<const entity> list, const bundle& change);
    void reserve_steps();
    void forget_pending() noexcept;

    std::pmr::memory_resource* memory_;
    entity_pool pool_;
    buffer<archetype*> archetypes_;
    std::array<column_table, max_components + 1> columns_{}; ///< the last one is of `no_component`
    std::array<archetype_list, max_components> users_{};
    mask_index by_mask_;
    buffer<batch_step> steps_;
    std::uint32_t first_hole_ = 0;  ///< no archetype id below it is free
    buffer<std::uint32_t> created_; ///< the ids of all archetypes, in order of creation
    std::uint64_t version_ = 0;     ///< counts archetypes made and collections
    std::uint64_t collections_ = 0;
    mutable attachment_table attachments_;
};

} // namespace pecs::detail
