// Who is told of changes, and in which order.
//
// A change of rows is a transition: entities of one family that go to another one, that end, or that get values. What is
// told before it happens (an end, a removal, a relation that ends) is told with the old values in place, by `announce`;
// what is told afterwards waits in a list until the new values are in place, for `settle`. Verbs do both, and only if
// somebody observes at all; each holds the structure lock, so that rows stay where they are.
//
//   errors, room   announce   the change, the values   settle
//   ------------   --------   ----------------------   -------------------------------
//   may throw      may throw  cannot fail              throws what an observer threw, at last
//
// One observer is told of everything in a phase, then the next one, in the order in which they subscribed.
//
// Sparse components are not in the masks of archetypes. A verb that changes some says so with a `beside_change` around its
// notes, and observers whose types are sparse, in part or all, are asked entity by entity; all others by masks, as ever.
export module pecs.archetype:observers;

import pecs.std;
import pecs.core;
import :archetype;
import :buffer;
import :entity_pool;
import :families;
import :structure_lock;

export namespace pecs::detail {

class storage;
class observer_deferral;
class observer_table;
struct new_rows;

enum class happening : std::uint8_t { added, removed, set, spawned, despawned, related };

/// What an observer is told: entities, in rows that lie side by side.
struct notice {
    const storage* all = nullptr;
    const entity* entities = nullptr;
    std::size_t count = 0;
    std::uint32_t archetype = none; ///< none: the values of the entities are to be looked up one by one
    std::uint32_t row = 0;
    entity old_target{};       // NOLINT(readability-redundant-member-init): else GCC misses them in braces
    entity new_target{};       // NOLINT(readability-redundant-member-init)
    std::byte* data = nullptr; ///< of an edge
    std::size_t next = 0;      ///< the first entity that the observer has not been told of
};

/// An observer. It belongs to the table, and ends with its handle or with the table, whatever comes first.
struct subscription {
    component_mask types{}; // NOLINT(readability-redundant-member-init): else GCC misses them in braces
    /// Those of the types that are not in archetypes.
    component_mask sparse{};             // NOLINT(readability-redundant-member-init)
    component_id relation{no_component}; ///< for `related`, and for values of edges
    happening what = happening::added;
    bool ended = false; ///< nobody is to be told any more
    /// Tells of entities from `about.next` on.
    void (*call)(subscription* self, notice& about) = nullptr;
    void (*destroy)(subscription* self, std::pmr::memory_resource* memory) noexcept = nullptr;
    subscription** handle = nullptr; ///< where the owner knows it
    observer_table* table = nullptr;
};

/// An edge of a relation with many targets that was added, or is about to go.
struct edge_change {
    component_id relation{0};
    entity source;
    entity target;
};

class observer_table {
public:
    explicit observer_table(storage& all);
    observer_table(const observer_table&) = delete;
    observer_table& operator=(const observer_table&) = delete;
    /// Ends all observers without telling them of anything.
    ~observer_table();

    /// Takes an observer over, as the last one; throws without a change.
    void subscribe(subscription* fresh);
    /// Ends an observer; one that is being told of something when all have been told.
    void unsubscribe(subscription* gone) noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept;

    // --- changes of rows

    /// Notes what is about to happen to entities of a family: they go to another one, or end if `to` is null. If
    /// `to_group` is null, relations that they keep have the same targets. Sparse components come and go as a
    /// `beside_change` says. Throws without a change.
    void note(std::span<const entity> who, const archetype& from, const family& group, const archetype* to,
              const family* to_group);
    /// Whether what is noted now changes sparse components.
    [[nodiscard]] inline bool changes_beside() const noexcept { return changes_beside_; }
    /// Notes an edge that is about to go.
    void note_edge(const edge_change& gone);
    /// Tells what is to be told before what was noted happens. What an observer throws goes on, and all is forgotten.
    void announce();
    /// Room for `count` calls of `note_set` about other entities.
    void reserve(std::size_t count);
    /// Notes that an entity was given values of components that it had; belongs to what was noted of it last. Needs
    /// room.
    void note_set(entity e, const component_mask& given) noexcept;
    /// Tells what is to be told after it happened. Everybody is told; then what was thrown first is thrown.
    void settle();
    [[nodiscard]] inline bool observes_edges(component_id relation) const noexcept {
        return related_.test(relation);
    }

    // --- what needs no notes

    /// Tells of new entities, and of edges that were added.
    void spawned(std::span<const new_rows> runs, std::span<const edge_change> edges = {});
    /// Tells of a value that an edge was given.
    void edge_set(const edge_change& which);

private:
    friend class observer_deferral;
    friend class beside_change;
    class phase;

    struct transition {
        std::uint32_t from = 0;
        std::uint32_t to = 0; ///< none: they end
        std::size_t first = 0;
        std::size_t count = 0;
        std::size_t first_link = 0;
        std::size_t links = 0;
        bool later = false; ///< somebody is to be told afterwards
        component_mask given;
        component_mask came; ///< sparse components that they get, all of them
        component_mask gone; ///< and that they lose
    };
    struct target_change {
        component_id relation{0};
        entity before;
        entity after;
    };

    void count_up() noexcept;
    void purge() noexcept;
    [[nodiscard]] bool hears(const subscription& who, const transition& of, bool before) const noexcept;
    [[nodiscard]] bool hears(const subscription& who, const transition& of, entity e) const noexcept;
    [[nodiscard]] bool has_sparse(const subscription& who, entity e) const noexcept;
    void deliver(phase& now, subscription& to, const transition& of);
    void deliver_some(phase& now, subscription& to, const transition& of);
    void deliver_run(phase& now, subscription& to, const new_rows& run);
    void deliver_rows(phase& now, subscription& to, std::size_t first, std::size_t count,
                      const target_change* change);
    void deliver_edge(phase& now, subscription& to, edge_change which, bool ends);
    void forget(std::size_t transitions) noexcept;
    void forget_notes() noexcept;
    void rethrow(const std::exception_ptr& failure);

    storage& all_;
    std::pmr::memory_resource* memory_;
    buffer<subscription*> list_; ///< in the order of their beginning
    component_mask added_;       ///< what somebody waits for
    component_mask removed_;
    component_mask set_;
    component_mask related_;
    component_mask sparse_added_; ///< the sparse ones among those
    component_mask sparse_removed_;
    component_mask came_; ///< by the change that is being noted
    component_mask gone_;
    bool changes_beside_ = false; ///< there is one
    bool spawns_ = false;
    bool despawns_ = false;
    bool ended_ = false;        ///< some of the list have ended
    std::size_t running_ = 0;   ///< phases inside of each other
    std::size_t base_ = 0;      ///< transitions of phases that run
    std::size_t announced_ = 0; ///< transitions whose first part was told
    buffer<transition> transitions_;
    buffer<entity> entities_; ///< of the transitions
    buffer<target_change> links_;
    buffer<edge_change> edges_;
    observer_deferral* deferral_ = nullptr;
};

/// While it lives, what is noted gets and loses sparse components. Their values come after `announce`, and go after it.
class beside_change {
public:
    beside_change(observer_table& table, const component_mask& came, const component_mask& gone) noexcept;
    beside_change(const beside_change&) = delete;
    beside_change& operator=(const beside_change&) = delete;
    ~beside_change();

private:
    observer_table& table_;
    component_mask came_; ///< of what user code interrupted, which makes values meanwhile
    component_mask gone_;
    bool outer_;
};

/// Keeps what observers throw after a change until the whole of a larger one is done.
class observer_deferral {
public:
    /// With null it does nothing.
    explicit observer_deferral(observer_table* table);
    observer_deferral(const observer_deferral&) = delete;
    observer_deferral& operator=(const observer_deferral&) = delete;
    ~observer_deferral();
    /// Throws what was kept.
    void end();

private:
    friend class observer_table;

    observer_table* table_;
    std::exception_ptr first_;
};

} // namespace pecs::detail
