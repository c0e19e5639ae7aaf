// The storage owns everything a world consists of: entities, archetypes, the graph between them. It knows component
// types by their ids alone; the typed verbs of `world` are thin templates on top of it.
//
// How a value is reached (every step one load):
//
//   entity -> record {archetype, row} -> columns_[component][archetype] -> value[row]
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
import :column_tables;
import :edges;
import :entity_pool;
import :extras;
import :families;
import :mask_index;
import :observers;
import :resources;
import :structure_lock;
import :ticks;

export namespace pecs::detail {

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

using link = relation_link;

/// A family of an archetype, by its key.
struct family_ref {
    std::uint32_t archetype;
    std::uint32_t key;
};

/// New rows of a family, whose values the caller constructs.
struct row_run {
    std::uint32_t archetype;
    std::uint32_t key;
    std::uint32_t first;
};

/// New rows of a family that may be as new as they are, for entities that may be each other's targets.
struct new_rows {
    std::uint32_t archetype;
    std::uint32_t key;
    std::uint32_t first;
    std::uint32_t count;
};

/// A part of a batch operation: `count` entities that go from one family to another, to rows from `first_row` on.
struct batch_step {
    family_ref from;
    family_ref to;
    std::uint32_t count;
    std::uint32_t first_row;

    /// False if the entities stay where they are.
    [[nodiscard]] inline bool moves() const noexcept {
        return from.archetype != to.archetype || from.key != to.key;
    }
};

/// Where the numbers of a storage end. Tests pass smaller ones to get there.
struct storage_limits {
    std::uint32_t entities = none - 1;
    std::uint32_t last_generation = 0xFFFFFFFF;
    std::uint32_t rows = none - 1;                     ///< of one archetype
    std::uint32_t edges = extent_allocator::row_limit; ///< of one relation
};

/// The relations that links are about.
[[nodiscard]] inline component_mask relations_in(std::span<const link> links) noexcept {
    component_mask all;
    for (std::size_t i = 0; i != links.size(); ++i) all.set(links[i].relation);
    return all;
}

class storage {
public:
    explicit storage(std::pmr::memory_resource* memory, const storage_limits& limits = {});
    storage(const storage&) = delete;
    storage& operator=(const storage&) = delete;
    ~storage();

    [[nodiscard]] inline std::pmr::memory_resource* memory() const noexcept { return memory_; }
    [[nodiscard]] inline const entity_pool& entities() const noexcept { return pool_; }
    /// For those that give out handles before their entities live.
    [[nodiscard]] inline entity_pool& handles() noexcept { return pool_; }
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
    /// Changes whenever an archetype is made or collected. No two storages ever have the same.
    [[nodiscard]] inline std::uint64_t version() const noexcept { return version_; }
    /// Changes whenever archetypes are collected.
    [[nodiscard]] inline std::uint64_t collections() const noexcept { return collections_; }
    /// State that upper layers keep with the storage.
    [[nodiscard]] inline attachment_table& attachments() const noexcept { return attachments_; }

    /// The values of which there is one per type.
    [[nodiscard]] inline const resource_table& resources() const noexcept { return resources_; }
    [[nodiscard]] inline resource_table& resources() noexcept { return resources_; }

    /// The observers; null if there are none, so that verbs pay one test.
    [[nodiscard]] inline observer_table* watch() const noexcept { return watch_; }
    /// The same, made if there never were any.
    [[nodiscard]] observer_table& observers();
    /// Says whether anybody observes.
    inline void watch(bool anybody) noexcept { watch_ = anybody ? observers_ : nullptr; }
    /// Tells what is to be told of a change after the new values are in place.
    inline void settle() {
        if (watch_ != nullptr) [[unlikely]]
            watch_->settle();
    }
    /// Tells of new entities whose values are in place.
    inline void settle_new(placement made) {
        if (watch_ != nullptr) [[unlikely]]
            tell_one(made);
    }
    /// The same for entities of one family, in rows side by side, and for edges that were added with them.
    void tell_new(const new_rows& run, std::span<const edge_change> edges);

    /// What entities have beside their rows: sparse components, and what is disabled.
    [[nodiscard]] inline const extras& beside() const noexcept { return beside_; }
    [[nodiscard]] inline extras& beside() noexcept { return beside_; }

    // --- reading

    /// The value of a component, or null if the entity is dead or lacks it. (A free record names the root, which has no
    /// columns.)
    [[nodiscard]] inline std::byte* find(entity e, component_id id, std::size_t size) const noexcept {
        if (e.index() >= pool_.index_count()) return nullptr;
        const entity_record& record = pool_.data()[e.index()];
        if (record.generation != e.generation()) return nullptr;
        std::byte* const data = columns_.find(id, record.archetype);
        return data == nullptr ? nullptr : data + record.row * size;
    }
    [[nodiscard]] inline bool has(entity e, component_id id) const noexcept {
        return find(e, id, 0) != nullptr;
    }
    /// The column of a component in an archetype that has it.
    [[nodiscard]] inline std::byte* column_data(component_id id, std::uint32_t archetype) const noexcept {
        return columns_.find(id, archetype);
    }
    /// The columns of a component, by archetype; null where an archetype lacks it.
    [[nodiscard]] inline std::byte* const* columns_of(component_id id) const noexcept {
        return columns_.of(id);
    }
    /// Throws the error that explains why `find` found nothing.
    [[noreturn]] void explain_missing(entity e, component_id id) const;

    // --- relations

    /// The target of an entity's relation; null if it is dead or has no such relation.
    [[nodiscard]] inline entity target(entity e, component_id relation) const noexcept {
        if (!pool_.alive(e)) return null;
        const entity_record& record = pool_[e];
        const archetype& place = *archetypes_[record.archetype];
        const relation_index* const related = place.relations();
        if (related == nullptr) return null;
        const std::uint32_t position = related->position(relation);
        if (position == none) return null;
        if (related->count() == 1) // the key is the index of a living entity
            return {record.family, pool_.data()[record.family].generation};
        return related->several.targets(record.family)[position];
    }
    /// False if nothing relates to the entity, and it has no edges of relations with many targets itself; true if
    /// something does, or did, or it has.
    [[nodiscard]] inline bool is_target(entity e) const noexcept {
        return e.index() / 64 < targets_.size() && (targets_[e.index() / 64] >> e.index() % 64 & 1U) != 0;
    }
    /// The relation types that archetypes of this storage have.
    [[nodiscard]] inline const component_mask& relations() const noexcept { return relations_; }
    /// Changes whenever the families of a relation do, or a target among them gets another target. O(archetypes with
    /// it).
    [[nodiscard]] inline std::uint64_t relation_stamp(component_id relation) const noexcept {
        std::uint64_t stamp = relation_changes_[relation.index()];
        const archetype_list& users = users_[relation.index()];
        for (std::uint32_t i = 0; i != users.size; ++i)
            stamp += archetypes_[users.data[i]]->relations()->changes;
        return stamp;
    }
    /// The edges of a relation with many targets; null if there never were any.
    [[nodiscard]] inline edge_index* edges(component_id relation) const noexcept {
        return relation.index() < edges_.size() ? edges_[relation.index()] : nullptr;
    }
    /// The relations with many targets of which there are edges, or were.
    [[nodiscard]] inline const component_mask& edge_relations() const noexcept { return edge_relations_; }
    /// True if the entity is alive and has a target in a relation with many targets.
    [[nodiscard]] inline bool has_edges(entity e, component_id relation) const noexcept {
        const edge_index* const all = edges(relation);
        return all != nullptr && !all->targets(e).empty();
    }
    /// An archetype for changes; null for a collected one.
    [[nodiscard]] inline archetype* place(std::uint32_t id) noexcept { return archetypes_[id]; }

    // --- change ticks

    /// Ends the present tick, and gives its number; what happens from now on gets greater ones.
    inline std::uint64_t advance_tick() const noexcept { return ticks_.clock.advance(); }
    /// True if the tracking of some component type has begun.
    [[nodiscard]] inline bool tracking() const noexcept { return tracking_.load(std::memory_order_relaxed); }
    [[nodiscard]] inline bool tracks(component_id id) const noexcept { return ticks_.tracks(id); }
    /// Begins to track a component type, unless this has happened: all entities that have it have got it now. Several
    /// threads may do so at once. O(entities with it).
    inline void track(component_id id) const {
        if (!tracks(id)) [[unlikely]]
            begin_tracking(id);
    }
    /// Notes that a value of an entity is written, or that the entity has got the component; it is alive.
    void mark_written(entity e, component_id id) const noexcept;
    void mark_added(entity e, component_id id) const noexcept;

    // --- changing one entity

    /// Creates an entity with the components that the bundle adds; their values are the caller's to construct.
    placement spawn(std::uint32_t bundle);
    /// The same with relations, whose targets must be alive.
    placement spawn(std::uint32_t bundle, std::span<const link> links);
    /// Moves an entity along a bundle; the values of added components are the caller's to construct. Links give new
    /// targets, which must be alive, to relations that it has afterwards.
    placement change(entity e, std::uint32_t bundle, std::span<const link> links = {});
    /// Moves an entity to an archetype, which has its other relations or is given links for them.
    placement move_to(entity e, std::uint32_t archetype, std::span<const link> links);
    /// Adds an edge of a relation with many targets, unless it is there; both ends are alive, or about to be. Throws
    /// without a visible change.
    edge_index::placed add_edge(component_id relation, entity source, entity target);
    /// Removes edges that are there: those from the sources to the target, or all from the sources if it is null.
    void cut_edges(component_id relation, std::span<const entity> sources, entity target);
    /// Tells observers, of whom there are some, of edges that are about to be removed in this way.
    void announce_cut(component_id relation, std::span<const entity> sources, entity target);
    /// Tells observers, of whom there are some, what is about to happen to an entity that stays in its row, if a
    /// `beside_change` says so.
    void announce_beside(entity e);
    /// Tells observers, of whom there are some, that an edge was added, or that one that was there has a new value.
    void tell_edge(const edge_change& which, bool fresh);
    /// Ends an entity that is no target, and has no edges.
    void despawn(entity e);
    /// Ends a living entity that is no target of archetypes' relations; its edges go with it. Nobody is told.
    void end(entity e) noexcept;
    /// Ends all entities of a family; targets or not.
    void despawn_family(family_ref which) noexcept;

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
    inline void reserve(archetype& place, family& group, std::size_t count) {
        if (place.reserve(pool_, group, count)) [[unlikely]]
            publish(place);
    }
    /// The same for an archetype without relations.
    inline void reserve(std::uint32_t archetype_id, std::size_t count) {
        reserve(*archetypes_[archetype_id], archetypes_[archetype_id]->only(), count);
    }
    inline void reserve_entities(std::size_t count) { pool_.reserve(count); }

    // --- changing many
    //
    // A batch is prepared, which may throw; then the caller constructs the values of added components in the rows that
    // the steps name, and commits, which cannot fail, or cancels. Steps are valid until the next change.

    /// Room for `count` new entities in an archetype, with their handles already in the entity column.
    row_run prepare_run(std::uint32_t archetype, std::size_t count, std::span<const link> links = {});
    void commit_run(const row_run& run, std::size_t count) noexcept;
    void cancel_run(const row_run& run) noexcept;

    /// Applies a bundle, and links, to all entities of a list.
    std::span<const batch_step> prepare_batch(std::span<const entity> list, std::uint32_t bundle,
                                              std::span<const link> links = {});
    /// Tells observers what will happen, after the values were constructed; of whole families without a list.
    inline void announce(std::span<const entity> list) {
        if (watch_ != nullptr) [[unlikely]]
            announce_steps(list);
    }
    void commit_batch(std::span<const entity> list) noexcept;
    /// The same for whole families, which move column by column, or keep their rows if only their target changes.
    std::span<const batch_step> prepare_families(std::span<const family_ref> sources, std::uint32_t bundle,
                                                 std::span<const link> links = {});
    /// The same for families of which each goes to an archetype of its own choice: `to[i]` for `sources[i]`.
    void prepare_moves(std::span<const family_ref> sources, std::span<const std::uint32_t> to);
    void commit_families() noexcept;
    void cancel_batch() noexcept;

    // New entities that may be targets of each other: all handles first, then room for all rows; then the rows are
    // located, the caller constructs their values, and commits in the order of the handles, or cancels all.

    /// The handles that the next `count` new entities will get; their records have room then.
    void next_entities(entity* to, std::size_t count);
    /// Room for `count` rows of the family with these targets, in the order of the archetype's relations.
    new_rows reserve_rows(std::uint32_t archetype, const entity* targets, std::uint32_t count);
    /// Finds out where the reserved rows begin.
    void locate_rows(std::span<new_rows> runs) noexcept;
    void commit_rows(const new_rows& run, const entity* handles) noexcept;
    /// The same for handles that were given out before.
    void commit_given(const new_rows& run, const entity* handles) noexcept;
    void cancel_rows(std::span<const new_rows> runs) noexcept;

    /// Throws `dead_entity` or `repeated_entity` for a list that no batch can be made of.
    void check_list(std::span<const entity> list);
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
    void check_list(std::span<const entity> list, const bundle& change);
    void collect(archetype& empty) noexcept;
    void publish(const archetype& place) noexcept;
    family& family_for(archetype& to, const archetype* from, const family* group,
                       std::span<const link> links);
    placement place_new(archetype& place, family& group) noexcept;
    void reserve_steps(std::span<const link> links, bool whole);
    /// Notes that entities of one archetype, which may be targets, go to another one, or get new targets in relations.
    void note_moves(const archetype& from, const archetype& to, const component_mask& retargeted) noexcept;
    void announce_one(entity e, const archetype& from, std::uint32_t key, const archetype& to,
                      const family& group);
    void announce_steps(std::span<const entity> list);
    void announce_end(entity e);
    void end_now(entity e) noexcept;
    void tell_one(placement made);
    void announce_clear();
    /// Forgets that an entity was a target, and ends its edges.
    void unlink(entity e) noexcept;
    [[nodiscard]] bool valid_edges() const;
    void begin_tracking(component_id id) const;
    [[nodiscard]] bool valid_disabled() const;
    placement stay(entity e, const entity_record& record);
    placement move(entity e, const entity_record& record, archetype& from, archetype& to,
                   std::span<const link> links);

public:
    /// Notes that an entity may be a target; `is_target` is true from now on.
    inline void mark_target(entity e) {
        if (e.index() / 64 >= targets_.size())
            targets_.resize((e.index() < pool_.index_count() ? pool_.index_count() : e.index()) / 64 + 1, 0);
        targets_[e.index() / 64] |= std::uint64_t{1} << e.index() % 64;
    }

private:
    std::pmr::memory_resource* memory_;
    mutable std::atomic<bool> tracking_{false}; ///< that of some type has begun; near what `find` reads
    observer_table* watch_ = nullptr;           ///< null if nobody observes
    observer_table* observers_ = nullptr;
    resource_table resources_; ///< the first, so that they outlive everything else
    entity_pool pool_;
    buffer<archetype*> archetypes_;
    column_tables columns_;
    std::array<archetype_list, max_components> users_{};
    mask_index by_mask_;
    buffer<batch_step> steps_;
    component_mask retargeted_; ///< the relations that get new targets by them
    buffer<entity> tuple_;      ///< scratch: the targets of a family
    buffer<std::uint64_t>
        targets_;               ///< a bit for each index that is the target of a family, or was, or has edges
    buffer<edge_index*> edges_; ///< by relation; null where there never were any
    extras beside_;
    component_mask edge_relations_;
    component_mask relations_;
    /// By relation: changes that may have given a target another target, and those of archetypes that are gone.
    std::array<std::uint64_t, max_components> relation_changes_{};
    std::uint32_t first_hole_ = 0;  ///< no archetype id below it is free
    buffer<std::uint32_t> created_; ///< the ids of all archetypes, in order of creation
    std::uint64_t version_ = 0;     ///< a number of its own for each set of archetypes
    std::uint64_t collections_ = 0;
    storage_limits limits_;
    mutable tick_state ticks_;
    mutable attachment_table attachments_;
};

} // namespace pecs::detail
