// The verbs of a world for component types that are known only at run time: scripts, editors, tools. The one place in
// the library where values are handled as untyped memory.
export module pecs.world:by_id;

import pecs.std;
import pecs.archetype;
import pecs.query;
import :observer;

export namespace pecs {

/// The verbs of a world by component id; made by `world::by_id`, valid as long as the world.
///
/// Values come in and go out as pointers to memory of the size and alignment that `type_of(id)` says. Each function
/// throws what its typed counterpart throws, `unknown_component` for an id that was never given, and
/// `unsupported_component` where a value would have to be copied or made by default but cannot be.
class by_id_verbs {
public:
    /// Creates an entity with default values of the given types, and of relations with their targets; a type listed
    /// twice counts once.
    entity spawn(std::span<const component_id> ids, std::span<const relation_link> links = {});
    /// Adds a component with its default value.
    void add(entity e, component_id id);
    /// Adds a component with a copy of `value`.
    void add(entity e, component_id id, const void* value);
    /// Adds a component with a copy of `value`, or replaces the value that is there.
    void set(entity e, component_id id, const void* value);
    void remove(entity e, component_id id);
    [[nodiscard]] bool has(entity e, component_id id) const noexcept;
    /// The value of a component, for reading and writing; invalidated by the next structural change.
    [[nodiscard]] void* get(entity e, component_id id) const;
    /// The same, or null if the entity is dead, lacks the component, or the component is a tag.
    [[nodiscard]] void* try_get(entity e, component_id id) const noexcept;
    /// Hides a component of an entity from queries, and shows it again; see `world::disable`.
    void disable(entity e, component_id id);
    void enable(entity e, component_id id);
    /// True if the entity has the component, and it is not disabled.
    [[nodiscard]] bool enabled(entity e, component_id id) const noexcept;
    /// Makes `target` the target of an entity's relation, which it gets, with default data, if it has none. If the
    /// relation has many targets, adds one.
    void relate(entity e, component_id relation, entity target);
    /// Ends an entity's relation, to all targets.
    void unrelate(entity e, component_id relation);
    /// Ends an entity's relation to one target.
    void unrelate(entity e, component_id relation, entity target);

    // --- many at once: all of a list, or all that a query matches, or none; a list names each entity once, else they
    // throw `repeated_entity`

    /// Creates `count` entities as `spawn` does. The span of the new handles is valid until the next structural change.
    std::span<const entity> spawn_batch(std::size_t count, std::span<const component_id> ids,
                                        std::span<const relation_link> links = {});
    void add_batch(std::span<const entity> list, component_id id);
    void add_batch(std::span<const entity> list, component_id id, const void* value);
    void set_batch(std::span<const entity> list, component_id id, const void* value);
    void remove_batch(std::span<const entity> list, component_id id);
    void disable_batch(std::span<const entity> list, component_id id);
    void enable_batch(std::span<const entity> list, component_id id);
    void relate_batch(std::span<const entity> list, component_id relation, entity target);
    void unrelate_batch(std::span<const entity> list, component_id relation);
    void unrelate_batch(std::span<const entity> list, component_id relation, entity target);
    void add_batch(const dynamic_query& all, component_id id);
    void add_batch(const dynamic_query& all, component_id id, const void* value);
    void set_batch(const dynamic_query& all, component_id id, const void* value);
    void remove_batch(const dynamic_query& all, component_id id);
    void disable_batch(const dynamic_query& all, component_id id);
    void enable_batch(const dynamic_query& all, component_id id);
    void relate_batch(const dynamic_query& all, component_id relation, entity target);
    void unrelate_batch(const dynamic_query& all, component_id relation);
    void unrelate_batch(const dynamic_query& all, component_id relation, entity target);

    // --- relations, observers, queries

    /// The target of an entity's relation; null if it has none, or is dead, or if the relation has many targets.
    [[nodiscard]] entity target(entity e, component_id relation) const noexcept;
    /// The targets of an entity in a relation with many, and the entities of which it is a target; empty for other
    /// relations. Valid until the next structural change.
    [[nodiscard]] std::span<const entity> targets(entity e, component_id relation) const noexcept;
    [[nodiscard]] std::span<const entity> sources(entity e, component_id relation) const noexcept;
    /// The data of one target in a relation with many; invalidated by the next structural change.
    [[nodiscard]] void* get(entity e, component_id relation, entity target) const;
    /// The same, or null if there is none.
    [[nodiscard]] void* try_get(entity e, component_id relation, entity target) const noexcept;
    /// True if the entity's relation has this target.
    [[nodiscard]] bool has(entity e, component_id relation, entity target) const noexcept;
    /// Calls `f(entity)`, or `f(std::span<const entity>)`, whenever something happens to entities with all of the types;
    /// with `on_relate`, `f(entity, entity old_target, entity new_target)` for the one relation in the list. See
    /// `world::observe`.
    template <detail::happening What, class F>
    observer observe(change_kind<What> /*what*/, std::span<const component_id> ids, F&& f) {
        using block = detail::observing<std::remove_cvref_t<F>, detail::types<>>;
        if constexpr (What == detail::happening::related) {
            static_assert(block::fits_targets,
                          "pecs: the callback must take (entity, entity old_target, entity new_target), or "
                          "(std::span<const entity>, entity old_target, entity new_target)");
            return detail::make_observer<block>(*storage_, What, {}, observed_relation(ids),
                                                &block::tell_targets, static_cast<F&&>(f));
        } else {
            static_assert(block::fits_rows,
                          "pecs: the callback must take an entity, or a std::span<const entity>");
            return detail::make_observer<block>(*storage_, What, observed_types(What, ids),
                                                component_id{detail::no_component}, &block::tell_rows,
                                                static_cast<F&&>(f));
        }
    }
    /// A query without terms, which matches every entity; narrow it down with its functions.
    [[nodiscard]] inline dynamic_query query() const { return dynamic_query{*storage_}; }

private:
    friend class world;
    inline explicit by_id_verbs(detail::storage& storage) noexcept : storage_{&storage} {}

    [[nodiscard]] static component_id observed_relation(std::span<const component_id> ids);
    [[nodiscard]] static component_mask observed_types(detail::happening what,
                                                       std::span<const component_id> ids);

    detail::storage* storage_;
};

} // namespace pecs
