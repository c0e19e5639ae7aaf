// What can be observed, the handle of an observer, and how its callback is called.
//
// A callback takes one entity with the values of its components, or spans: then it is called once for all rows that lie
// side by side. It is kept with the world, in one block with what the table of observers needs.
export module pecs.world:observer;

import pecs.std;
import pecs.archetype;
import :rows;

export namespace pecs {

/// A kind of change; one of the constants below.
template <detail::happening What> struct change_kind {};

/// An entity came to have all of the components; their values are in place. Not told again while it has them.
inline constexpr change_kind<detail::happening::added> on_add{};
/// An entity is about to lose one of the components, or to end; all values are still there.
inline constexpr change_kind<detail::happening::removed> on_remove{};
/// A verb gave a new value to a component that was there: set, relate with data. What is written through a reference is
/// not seen.
inline constexpr change_kind<detail::happening::set> on_set{};
/// An entity was made, with all its components.
inline constexpr change_kind<detail::happening::spawned> on_spawn{};
/// An entity is about to end; everything is still there.
inline constexpr change_kind<detail::happening::despawned> on_despawn{};
/// A relation got another target. Told after the change if there is a new one, and before it if there is none.
inline constexpr change_kind<detail::happening::related> on_relate{};

/// The handle of an observer, made by `world::observe`. Its end ends the observer. Movable; may outlive the world, and
/// then does nothing.
class [[nodiscard]] observer {
public:
    inline observer() noexcept = default;
    /// Takes an observer over.
    explicit observer(detail::subscription* fresh) noexcept;
    observer(observer&& other) noexcept;
    observer& operator=(observer&& other) noexcept;
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;
    ~observer();

    /// Ends the observer now; inside of an observer, too.
    void stop() noexcept;
    /// True while it is told of changes.
    [[nodiscard]] inline explicit operator bool() const noexcept { return which_ != nullptr; }

private:
    detail::subscription* which_ = nullptr;
};

} // namespace pecs

export namespace pecs::detail {

/// The value of a component of one of the entities that a notice is about.
template <class T> [[nodiscard]] inline T& observed_value(const notice& about, std::size_t i) {
    const component_id id = known_id<T>();
    if constexpr (in_set<T>) {
        return *reinterpret_cast<T*>(about.all->beside().find(about.entities[i], id));
    } else {
        std::byte* const value = about.archetype != none ? about.all->column_data(id, about.archetype) +
                                                               (about.row + i) * sizeof(T)
                                                         : about.all->find(about.entities[i], id, sizeof(T));
        return *reinterpret_cast<T*>(value);
    }
}

/// Notes that values of entities are handed out for writing, where changes are tracked.
template <class... Ts> inline void mark_observed(const notice& about, std::size_t first, std::size_t count) {
    if (!about.all->tracking()) [[likely]]
        return;
    for (std::size_t i = first; i != first + count; ++i)
        (about.all->mark_written(about.entities[i], known_id<Ts>()), ...);
}

/// An observer with its callback. `Ds` are the types whose values it gets.
template <class F, class Ds> struct observing;
template <class F, class... Ds> struct observing<F, types<Ds...>> : subscription {
    using entities = std::span<const entity>;
    cell<F> callback;

    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): nobody copies one
    template <class G> explicit observing(G&& given) : callback(static_cast<G&&>(given)) {
        destroy = &end; // NOLINT(cppcoreguidelines-prefer-member-initializer): a member of the base
    }

    static constexpr bool by_entity = std::invocable<F&, entity, Ds&...>;
    static constexpr bool entity_only = std::invocable<F&, entity>;
    static constexpr bool by_span = std::invocable<F&, entities, std::span<Ds>...>;
    static constexpr bool span_only = std::invocable<F&, entities>;
    static constexpr bool fits_rows = by_entity || entity_only || by_span || span_only;
    static constexpr bool needs_columns = by_span && !by_entity && !entity_only; ///< with all values
    static constexpr bool fits_targets =
        std::invocable<F&, entity, entity, entity> || std::invocable<F&, entities, entity, entity>;

    /// Tells of components, and of the beginning and the end of entities.
    static void tell_rows(subscription* self, notice& about) {
        F& f = static_cast<observing*>(self)->callback.value;
        if constexpr (by_entity || entity_only) {
            while (about.next != about.count && !self->ended) {
                const std::size_t i = about.next++;
                if constexpr (by_entity) mark_observed<Ds...>(about, i, 1);
                if constexpr (by_entity)
                    f(about.entities[i], observed_value<Ds>(about, i)...);
                else
                    f(about.entities[i]);
            }
        } else if constexpr (by_span || span_only) {
            const std::size_t first = about.next;
            const std::size_t count = about.archetype != none ? about.count - first : 1;
            about.next += count;
            const entities some{about.entities + first, count};
            if constexpr (by_span) mark_observed<Ds...>(about, first, count);
            if constexpr (by_span && (in_set<Ds> || ...)) // refused in words by `observe`
                return;
            else if constexpr (by_span)
                f(some, std::span<Ds>{__builtin_addressof(observed_value<Ds>(about, first)), count}...);
            else
                f(some);
        }
    }
    /// Tells of targets.
    static void tell_targets(subscription* self, notice& about) {
        F& f = static_cast<observing*>(self)->callback.value;
        if constexpr (std::invocable<F&, entity, entity, entity>) {
            while (about.next != about.count && !self->ended)
                f(about.entities[about.next++], about.old_target, about.new_target);
        } else if constexpr (fits_targets) {
            const entities some{about.entities + about.next, about.count - about.next};
            about.next = about.count;
            f(some, about.old_target, about.new_target);
        }
    }
    /// Tells of the value of an edge.
    static void tell_edge(subscription* self, notice& about) {
        F& f = static_cast<observing*>(self)->callback.value;
        about.next = about.count;
        if constexpr (std::invocable<F&, entity, entity, Ds&...>)
            f(about.entities[0], about.new_target, *reinterpret_cast<Ds*>(about.data)...);
    }

    static void end(subscription* self, std::pmr::memory_resource* memory) noexcept {
        auto* const block = static_cast<observing*>(self);
        block->~observing();
        memory->deallocate(block, sizeof(observing), alignof(observing));
    }
    static void* operator new(std::size_t /*size*/, void* where) noexcept { return where; }
    static void operator delete(void* /*block*/, void* /*where*/) noexcept {}
};

/// Makes an observer whose callback is called by `call`.
template <class Observing, class F>
[[nodiscard]] inline observer make_observer(storage& all, happening what, const component_mask& of,
                                            component_id relation, void (*call)(subscription*, notice&),
                                            F&& f) {
    std::pmr::memory_resource* const memory = all.memory();
    observer_table& table = all.observers();
    void* const raw = memory->allocate(sizeof(Observing), alignof(Observing));
    Observing* made = nullptr;
    try {
        made = new (raw) Observing(static_cast<F&&>(f));
    } catch (...) {
        memory->deallocate(raw, sizeof(Observing), alignof(Observing));
        throw;
    }
    made->what = what;
    made->types = of;
    made->relation = relation;
    made->call = call;
    try {
        table.subscribe(made);
    } catch (...) {
        made->destroy(made, memory);
        throw;
    }
    return observer{made};
}

} // namespace pecs::detail
