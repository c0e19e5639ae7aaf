// The world: entities, their components, and the verbs that change them. A thin typed layer over the storage.
//
// Values are taken by value: a reference into the same world would be left dangling when columns grow. Every verb
// throws before it changes anything; see the comment of each for what it throws. References and pointers to components
// stay valid until the next structural change (spawn, despawn, add, remove, exchange, a `set` that adds, clear, reserve,
// shrink, compact, relate, unrelate, reparent, clone, placing siblings, apply). A world may be read from several threads at once while
// nobody changes it.
export module pecs.world:world;

import pecs.std;
import pecs.archetype;
import pecs.query;
import :by_id;
import :commands;
import :observer_verbs;
import :rows;
import :set_fill;
import :stats;

export namespace pecs {

/// A set of entities with components. Movable, not copyable; a world that was moved from can only be assigned to or
/// destroyed.
class world : public detail::observer_verbs {
public:
    world();
    /// A world whose memory comes from `memory`, which must outlive it.
    explicit world(std::pmr::memory_resource* memory);
    world(world&& other) noexcept = default;
    world& operator=(world&& other) noexcept = default;
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world() = default;

    /// All entities that match the terms; what matches is remembered with the world, once per type of query.
    template <class... Terms> [[nodiscard]] pecs::query<Terms...> query() {
        return pecs::query<Terms...>{*storage_};
    }
    /// The same for terms that only read.
    template <class... Terms> [[nodiscard]] pecs::query<Terms...> query() const {
        static_assert((detail::term<Terms>::reads_only && ...),
                      "pecs: a query on a const world only reads: write const before its components");
        return pecs::query<Terms...>{*storage_};
    }

    /// The same verbs for component types that are known only at run time.
    [[nodiscard]] inline by_id_verbs by_id() noexcept { return by_id_verbs{*storage_}; }

    // --- changes

    /// The present moment, for `query::changed` and `query::added`: what has happened so far is not after it, and what
    /// happens from now on is. Taken while a loop writes, it comes after all that the loop writes.
    [[nodiscard]] inline tick now() const noexcept { return tick{storage_->advance_tick()}; }
    /// Begins to note changes of the types named, unless this has happened; the first `changed` or `added` of a type does it,
    /// too. All entities that have them count as changed, and as added, now. O(entities with them).
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void track() {
        (detail::require_ticks<Ts>(), ...);
        (storage_->track(id_of<Ts>()), ...);
    }

    // --- recorded changes

    /// A recorder of changes, with memory of its own; throws `world_locked` while a query iterates.
    [[nodiscard]] commands record();
    /// The same with memory from `memory`, which must outlive the world, and which no other thread uses meanwhile unless
    /// it may.
    [[nodiscard]] commands record(std::pmr::memory_resource* memory);
    /// Carries out what was recorded, in the order of recording, and empties the recorder; several commands on one entity
    /// become one move. Returns the commands that failed, if they are to be reported; valid until the recorder is used
    /// again. Throws `world_locked`, with nothing lost, and `foreign_commands`.
    ///
    /// With `on_failure::throws` nothing has changed, unless a command before the one that failed ends a target of relations or
    /// is about a relation with many targets: everything up to that command has been applied. What was not applied
    /// stays recorded, the command that failed included. The same holds if memory runs out, but that any part may have
    /// been applied.
    std::span<const failed_command> apply(commands& recorded, on_failure policy = on_failure::ignore);
    /// The same for several recorders, in the order of the list.
    std::span<const failed_command> apply(std::span<commands> list, on_failure policy = on_failure::ignore);

    // --- memory

    /// Makes room for `count` entities more: their records and, if components are named, their rows.
    template <class... Ts> void reserve(std::size_t count);
    /// Forgets archetypes without entities and gives back all memory that is not in use. O(world).
    inline void shrink() { storage_->shrink(); }
    /// Closes the gaps between rows and gives back the room for growth. O(world).
    inline void compact() { storage_->compact(); }
    /// What there is and what memory it takes. O(archetypes).
    [[nodiscard]] world_stats stats() const;
    /// True if everything in the world fits together; walks all of it. For tests and for hunting wild pointers.
    [[nodiscard]] inline bool validate() const { return storage_->valid(); }
};

template <class... Ts> void world::reserve(std::size_t count) {
    detail::require_components<Ts...>();
    detail::require_targets<Ts...>();
    storage_->check_unlocked();
    storage_->reserve_entities(count);
    if constexpr (sizeof...(Ts) > 0) {
        const std::uint32_t bundle =
            detail::static_bundle<true>(detail::row_list<Ts...>{}, detail::types<>{});
        storage_->reserve(storage_->follow(detail::storage::root, bundle, null), count);
    }
}

} // namespace pecs
