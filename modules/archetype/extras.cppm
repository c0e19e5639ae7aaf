// What entities have beside their rows: the values of sparse components, and notes on what is disabled. Rows know nothing
// of it, so it needs no upkeep when they move. A bit per index says whether an entity has any of it, so the end of one that
// has none costs one look.
//
// Order of work as everywhere: `reserve` may throw and changes nothing that can be seen; what follows cannot fail.
export module pecs.archetype:extras;

import pecs.std;
import pecs.core;
import :buffer;
import :entity_pool;
import :index_bits;
import :sparse_set;
import :ticks;

export namespace pecs::detail {

class extras {
public:
    /// `ticks`, of the same storage, says of which types changes are tracked.
    extras(std::pmr::memory_resource* memory, const tick_state& ticks);
    extras(const extras&) = delete;
    extras& operator=(const extras&) = delete;
    ~extras();

    /// False if the entity has no sparse component and nothing of it is disabled.
    [[nodiscard]] inline bool any(entity e) const noexcept { return marked_.test(e.index()); }
    /// False if no entity has.
    [[nodiscard]] inline bool in_use() const noexcept { return marked_.count() != 0; }

    // --- sparse components

    /// The set of a component type; null before its first use.
    [[nodiscard]] inline sparse_set* set(component_id id) const noexcept { return sets_[id.index()]; }
    /// The types that have a set.
    [[nodiscard]] inline const component_mask& types() const noexcept { return types_; }
    [[nodiscard]] inline bool contains(entity e, component_id id) const noexcept {
        const sparse_set* const found = sets_[id.index()];
        return found != nullptr && found->contains(e);
    }
    [[nodiscard]] inline std::byte* find(entity e, component_id id) const noexcept {
        const sparse_set* const found = sets_[id.index()];
        return found == nullptr ? nullptr : found->find(e);
    }
    /// The set of a type, in which the entity, as one of `count` more, can be inserted; throws without a visible change.
    inline sparse_set& reserve(component_id id, entity e, std::size_t count = 1) {
        sparse_set* const found = sets_[id.index()];
        sparse_set& to = found != nullptr ? *found : make_set(id);
        to.reserve(e, count);
        marked_.reserve(e.index());
        return to;
    }
    /// Takes an entity into a set where there is room; its value is in what was `next_cell`.
    inline void insert(sparse_set& to, entity e) noexcept {
        to.insert(e);
        marked_.set(e.index());
    }
    /// Ends an entity's value, and forgets that it is disabled.
    inline void erase(component_id id, entity e) noexcept {
        sets_[id.index()]->erase(e);
        if (disabled_ != 0) [[unlikely]]
            enable(e, id);
    }

    /// Notes that an entity's value is written, if it has one.
    inline void mark_written(entity e, component_id id) const noexcept {
        if (const sparse_set* const found = sets_[id.index()]) found->mark_written(e);
    }
    /// What the ticks of all sets take.
    [[nodiscard]] std::size_t tick_bytes() const noexcept;

    // --- what is disabled

    /// How many entities and components of entities are disabled: queries look no further if it is 0.
    [[nodiscard]] inline std::size_t disabled_count() const noexcept { return disabled_; }
    [[nodiscard]] inline bool disabled(entity e) const noexcept { return entities_.test(e.index()); }
    [[nodiscard]] inline bool disabled(entity e, component_id id) const noexcept {
        const index_bits* const bits = components_[id.index()];
        return bits != nullptr && bits->test(e.index());
    }
    /// The types of which components are disabled, or were.
    [[nodiscard]] inline const component_mask& disabled_types() const noexcept { return disabled_types_; }
    /// How many entities are disabled as wholes.
    [[nodiscard]] inline std::size_t disabled_entities() const noexcept { return entities_.count(); }
    void reserve_disabled(entity e);
    void reserve_disabled(entity e, component_id id);
    /// Disables where there is room for it.
    void disable(entity e) noexcept;
    void disable(entity e, component_id id) noexcept;
    void enable(entity e) noexcept;
    void enable(entity e, component_id id) noexcept;
    /// Forgets what is said of components that an entity no longer has.
    void lose(entity e, const component_mask& lost) noexcept;

    // --- ends

    /// Ends all that an entity has here.
    inline void forget(entity e) noexcept {
        if (any(e)) [[unlikely]]
            forget_marked(e);
    }
    void clear() noexcept;
    void shrink();
    [[nodiscard]] std::size_t bytes() const noexcept;
    /// Whether all that is here belongs to living entities.
    [[nodiscard]] bool valid(const entity_pool& pool) const;

private:
    sparse_set& make_set(component_id id);
    void forget_marked(entity e) noexcept;

    std::size_t disabled_ = 0;
    index_bits marked_;
    std::array<sparse_set*, max_components + 1> sets_{}; ///< the last one is of `no_component`
    component_mask types_;
    component_mask disabled_types_;
    index_bits entities_; ///< those that are disabled
    std::array<index_bits*, max_components + 1> components_{};
    const tick_state* ticks_;
    std::pmr::memory_resource* memory_;
};

} // namespace pecs::detail
