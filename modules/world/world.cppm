// The world: entities, their components, and the verbs that change them. A thin typed layer over the storage.
//
// Values are taken by value: a reference into the same world would be left dangling when columns grow. Every verb
// throws before it changes anything; see the comment of each for what it throws. References and pointers to components
// stay valid until the next structural change (spawn, despawn, add, remove, exchange, a `set` that adds, clear, shrink,
// compact, relate, unrelate, reparent, clone, placing siblings). A world may be read from several threads at once while
// nobody changes it.
export module pecs.world:world;

import pecs.std;
import pecs.archetype;
import pecs.query;
import :by_id;
import :resource_verbs;
import :rows;
import :stats;

export namespace pecs {

/// A set of entities with components. Movable, not copyable; a world that was moved from can only be assigned to or
/// destroyed.
class world : public detail::resource_verbs {
public:
    world();
    /// A world whose memory comes from `memory`, which must outlive it.
    explicit world(std::pmr::memory_resource* memory);

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
        const std::uint32_t bundle = detail::static_bundle<true>(detail::types<Ts...>{}, detail::types<>{});
        storage_->reserve(storage_->follow(detail::storage::root, bundle, null), count);
    }
}

} // namespace pecs
