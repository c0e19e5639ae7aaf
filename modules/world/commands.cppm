// Commands: changes of a world that are recorded now and applied later. Recording touches nothing but the recorder, so it
// is possible while a query iterates, and on several threads at once, with a recorder for each.
//
//   commands   | spawn 7v1 | add 3v1 | despawn 5v2 | relate 3v1 | ..        in the order of recording
//   values     | Position, to<ChildOf> | Velocity | to<ChildOf> | ..        what they bring along, and targets
//   arena      | Position Velocity .. |                                     the data, in chunks that stay where they are
//
// A new entity has its handle at once. Handles come from a stock that the recorder took out of the world when it was
// applied last; if it runs out, from indices that the world promises to each recorder separately. So the same
// recording gives the same handles on every run, whatever other threads do meanwhile.
export module pecs.world:commands;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :edge_draft;
import :rows;
import :set_fill;

export namespace pecs {

/// What `world::apply` does about commands that cannot be carried out.
enum class on_failure : std::uint8_t {
    ignore, ///< leaves them out
    report, ///< leaves them out, and lists them
    throws, ///< throws at the first one; see `world::apply` for what has happened then
};

/// The verb of a recorded command.
enum class command_kind : std::uint8_t {
    spawn,
    despawn,
    add,
    remove,
    exchange,
    set,
    relate,
    unrelate,
    disable,
    enable,
};

/// Why a command cannot be carried out; each stands for the error of that name.
enum class command_failure : std::uint8_t {
    dead_entity,
    dead_target,
    duplicate_component,
    missing_component,
    relation_cycle,
    target_in_use,
};

/// A command that was not carried out.
struct failed_command {
    command_kind kind{};
    command_failure reason{};
    component_id component{0}; ///< the first one that is wrong; says nothing for `dead_entity`
    entity which;              ///< the entity that the command is about
    entity other;              ///< the target of a relation, or the source that forbids a death; else null

    /// Throws the error that the verb of the world would have thrown.
    [[noreturn]] void raise() const;
    /// The message of that error.
    [[nodiscard]] std::string message() const;
};

} // namespace pecs

export namespace pecs::detail {

/// What a command does, as `apply` sees it.
enum class command_step : std::uint8_t {
    spawn,
    despawn,
    change,    ///< follows a bundle
    relate,    ///< the same, with a target
    add_edge,  ///< of a relation with many targets
    cut_edge,  ///< one of them
    cut_edges, ///< all of an entity
    toggle,    ///< disables or enables
};

/// Data that a command brings along, or a target, or both.
struct command_value {
    const component_type* type;
    std::byte* data; ///< null for tags
    entity target;
    component_id id;
    bool fallback;       ///< only for an entity that has none
    bool skipped;        ///< the entity has one; found out when applied
    bool beside = false; ///< of a sparse component; or what a toggle is about
    bool gone = false;   ///< is removed; or disabled
};

struct command {
    entity which;
    command* previous = nullptr;     ///< of the same entity; while applied
    command_value* values = nullptr; ///< while applied
    std::size_t first = 0;           ///< of its values
    std::uint32_t count = 0;
    std::uint32_t bundle = 0;
    command_step step{};
    command_kind kind{};
    bool done = false;    ///< carried out, or dropped; its values are gone
    bool linked = false;  ///< it has targets
    bool beside = false;  ///< it has values that go to sparse sets
    bool drafted = false; ///< it spawns an entity that has a draft; while applied
};

struct apply_memory;

/// The memory of a recorder.
class recording {
public:
    recording(storage& all, std::pmr::memory_resource* memory);
    recording(const recording&) = delete;
    recording& operator=(const recording&) = delete;
    ~recording();

    /// Ends all values and forgets all commands; memory is kept. New entities will never live.
    void clear() noexcept;
    /// Forgets commands that are done.
    void forget_done() noexcept;
    /// Forgets all commands after they were applied, and makes sure of handles for as many new entities next time.
    void finish() noexcept;

    [[nodiscard]] inline std::byte* room(std::size_t size, std::size_t alignment) {
        const auto base = reinterpret_cast<std::size_t>(base_); // a chunk may be less aligned than the value
        const std::size_t start = ((base + used_ + alignment - 1) & ~(alignment - 1)) - base;
        if (start + size <= end_) [[likely]] {
            used_ = start + size;
            return base_ + start;
        }
        return room_in_next(size, alignment);
    }
    /// Adds a command with room for `values` values, which the caller appends; throws without a change.
    inline void append(command_step step, command_kind kind, entity which, std::uint32_t bundle,
                       std::size_t values, bool linked = false, bool beside = false) {
        reserve(1, values);
        append_reserved(step, kind, which, bundle, values, linked, beside);
    }
    inline entity append_spawn(std::uint32_t bundle, std::size_t values, bool linked, bool beside) {
        reserve(1, values);
        source_.dropped.reserve(source_.dropped.size() + spawns_ + 1); // room to give it back, whatever comes
        const entity made = all_.entities().give(source_);
        ++spawns_;
        append_reserved(command_step::spawn, command_kind::spawn, made, bundle, values, linked, beside);
        return made;
    }
    inline void append_value(const command_value& value) noexcept { values_.append(value); }
    /// Makes room for commands with values.
    inline void reserve(std::size_t commands, std::size_t values) {
        if (applied_now) [[unlikely]]
            throw_world_locked();
        commands_.reserve(commands_.size() + commands);
        values_.reserve(values_.size() + values);
    }

    [[nodiscard]] inline buffer<command>& commands() noexcept { return commands_; }
    [[nodiscard]] inline buffer<command_value>& values() noexcept { return values_; }
    [[nodiscard]] inline storage& world() const noexcept { return all_; }
    [[nodiscard]] inline std::pmr::memory_resource* memory() const noexcept { return commands_.resource(); }
    /// What `apply` needs besides; made on first use and kept.
    [[nodiscard]] apply_memory& scratch();
    /// The recorders that are applied together with this one, which is the first.
    [[nodiscard]] inline buffer<recording*>& applied() noexcept { return applied_; }

    bool listed = false;      ///< while it is applied, and has been read
    bool applied_now = false; ///< an observer that is told of it cannot record more

private:
    struct chunk {
        std::byte* data;
        std::size_t size;
        std::size_t alignment;
    };
    [[nodiscard]] std::byte* room_in_next(std::size_t size, std::size_t alignment);
    void open(std::size_t index) noexcept;
    void end_values(const command& of) noexcept;
    void release_scratch() noexcept;
    inline void append_reserved(command_step step, command_kind kind, entity which, std::uint32_t bundle,
                                std::size_t values, bool linked, bool beside) noexcept {
        commands_.append({which, nullptr, nullptr, values_.size(), static_cast<std::uint32_t>(values), bundle,
                          step, kind, false, linked, beside});
    }

    storage& all_;
    handle_source& source_;
    std::size_t spawns_ = 0;       ///< recorded and not yet applied
    std::size_t most_spawned_ = 0; ///< in one go, ever
    buffer<command> commands_;
    buffer<command_value> values_;
    buffer<chunk> chunks_;
    std::byte* base_ = nullptr; ///< of the chunk in use; offsets are of it
    std::size_t used_ = 0;
    std::size_t end_ = 0;
    std::size_t chunk_ = 0; ///< the one in use
    buffer<recording*> applied_;
    apply_memory* scratch_ = nullptr;
};

/// Carries out recorded commands; see `world::apply`.
std::span<const failed_command> apply_recorded(storage& all, std::span<recording* const> list,
                                               on_failure policy);

} // namespace pecs::detail

export namespace pecs {

/// Records changes of a world, for `world::apply` to carry out. Made by `world::record`; movable; must not outlive the
/// world. Each verb does what the verb of the world does when its turn comes, and throws nothing about entities
/// before. One thread at a time may use a recorder; several threads may use one each while nobody changes the world.
class commands {
public:
    inline commands(commands&& other) noexcept : data_{std::exchange(other.data_, nullptr)} {}
    commands& operator=(commands&& other) noexcept;
    commands(const commands&) = delete;
    commands& operator=(const commands&) = delete;
    /// Ends what was not applied.
    ~commands();

    /// Creates an entity; the handle can be used in commands at once, and is alive once they were applied. Relations
    /// with many targets are commands of their own: if they fail, the entity lives without.
    template <class... Vs> entity spawn(Vs... values);
    /// Ends an entity; what is recorded for it before comes to nothing, if nothing else depends on it.
    inline void despawn(entity e) {
        data_->append(detail::command_step::despawn, command_kind::despawn, e, 0, 0);
    }
    /// Adds components; fails if one is there already.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void add(entity e, Ts... values) {
        change<true, Ts...>(command_kind::add, e, detail::types<>{}, values...);
    }
    /// Adds components with their default values.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void add(entity e) {
        detail::require_default<Ts...>();
        add<Ts...>(e, Ts{}...);
    }
    /// Removes components; fails if one is not there.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void remove(entity e) {
        change<true>(command_kind::remove, e, detail::types<Ts...>{});
    }
    /// Removes the types named and adds the values given.
    template <class... Removed, class... Added>
        requires(sizeof...(Removed) > 0 && sizeof...(Added) > 0)
    void exchange(entity e, Added... values) {
        change<true, Added...>(command_kind::exchange, e, detail::types<Removed...>{}, values...);
    }
    /// Gives components new values; those that are not there are added.
    template <class... Ts>
        requires(sizeof...(Ts) > 0)
    void set(entity e, Ts... values) {
        change<false, Ts...>(command_kind::set, e, detail::types<>{}, values...);
    }
    /// Makes `target` the target of an entity's relation; if it has many, adds one. Data that is there is kept.
    template <class R> void relate(entity e, entity target) {
        detail::require_relation<R>();
        detail::require_default<R>();
        relation_to<R> given{target, R{}};
        record_relation<R>(e, given, true);
    }
    /// The same with new data.
    template <class R> void relate(entity e, entity target, R value) {
        detail::require_relation<R>();
        relation_to<R> given{target, std::move(value)};
        record_relation<R>(e, given, false);
    }
    /// Ends an entity's relation, to all targets; fails if it has none.
    template <class R> void unrelate(entity e) {
        detail::require_relation<R>();
        if constexpr (detail::many_targets<R>)
            cut<R>(detail::command_step::cut_edges, e, null);
        else
            change<true>(command_kind::unrelate, e, detail::types<R>{});
    }
    /// Ends the relation to one of many targets; fails if it is not there.
    template <class R> void unrelate(entity e, entity target) {
        detail::require_relation<R>();
        static_assert(detail::many_targets<R>,
                      "pecs: an entity has one target at most in this relation: use unrelate<R>(e)");
        cut<R>(detail::command_step::cut_edge, e, target);
    }

    /// Hides an entity from queries, or one of its components; shows it again.
    inline void disable(entity e) { toggle(command_kind::disable, e, component_id{detail::no_component}); }
    inline void enable(entity e) { toggle(command_kind::enable, e, component_id{detail::no_component}); }
    template <class T> void disable(entity e) {
        detail::require_column<T>();
        toggle(command_kind::disable, e, id_of<T>());
    }
    template <class T> void enable(entity e) {
        detail::require_column<T>();
        toggle(command_kind::enable, e, id_of<T>());
    }

    /// Forgets all that is recorded; handles of new entities will never be alive. Memory is kept.
    inline void clear() {
        if (data_->applied_now) detail::throw_world_locked();
        data_->clear();
    }
    /// How many commands are recorded.
    [[nodiscard]] inline std::size_t size() const noexcept { return data_->commands().size(); }
    [[nodiscard]] inline bool empty() const noexcept { return size() == 0; }

private:
    friend class world;
    commands(detail::storage& all, std::pmr::memory_resource* memory);

    template <class V>
    static constexpr bool stored =
        detail::spawned<V>::related ? !detail::many_targets<typename detail::spawned<V>::component>
                                    : !std::is_empty_v<V> || detail::in_set<V>;
    template <class... Vs> static constexpr std::size_t stored_count = (std::size_t{stored<Vs>} + ... + 0);

    template <class T> [[nodiscard]] std::byte* room() {
        if constexpr (std::is_empty_v<T>)
            return nullptr;
        else
            return data_->room(sizeof(T), alignof(T));
    }
    /// Room for what `put` will store.
    template <class V> [[nodiscard]] std::byte* room_of() {
        if constexpr (stored<V>)
            return room<typename detail::spawned<V>::component>();
        else
            return nullptr;
    }
    template <class T>
    void put_data(std::byte* where, entity target, T& value, component_id id, bool fallback) noexcept {
        if constexpr (!std::is_empty_v<T>) detail::construct<T>(where, std::move(value));
        data_->append_value(
            {&detail::description<T>, where, target, id, fallback, false, detail::in_set<T>, false});
    }
    template <class T> void put_removed() noexcept {
        if constexpr (detail::in_set<T>)
            data_->append_value(
                {&detail::description<T>, nullptr, null, detail::known_id<T>(), false, false, true, true});
    }
    inline void toggle(command_kind kind, entity e, component_id id) {
        data_->append(detail::command_step::toggle, kind, e, 0, 1);
        data_->append_value({nullptr, nullptr, null, id, false, false, true, kind == command_kind::disable});
    }
    template <class V> void put(std::byte* where, V& value) noexcept {
        if constexpr (stored<V>) {
            using component = typename detail::spawned<V>::component;
            entity target;
            if constexpr (detail::spawned<V>::related) target = value.target;
            put_data<component>(where, target, detail::spawned<V>::value(value), id_of<component>(), false);
        }
    }
    template <class V>
    static constexpr bool is_edge = detail::many_targets<typename detail::spawned<V>::component>;
    template <class V> [[nodiscard]] std::byte* edge_room() {
        if constexpr (is_edge<V>) {
            (void)id_of<typename detail::spawned<V>::component>();
            return room<typename detail::spawned<V>::component>();
        } else {
            return nullptr;
        }
    }
    /// Records an edge of a new entity, where there is room for it.
    template <class V> void put_edge(entity e, std::byte* where, V& value) noexcept {
        if constexpr (is_edge<V>)
            append_relation<typename detail::spawned<V>::component>(e, where, value, true);
    }
    template <bool Strict, class... Added, class... Removed>
    void change(command_kind kind, entity e, detail::types<Removed...> /*removed*/, Added&... values) {
        detail::require_components<Removed..., Added...>();
        (detail::require_column<Removed>(), ...);
        detail::require_targets<Added...>();
        const std::uint32_t bundle =
            detail::static_bundle<Strict>(detail::row_list<Added...>{}, detail::row_list<Removed...>{});
        ((void)id_of<Removed>(), ...);
        constexpr std::size_t gone = (std::size_t{detail::in_set<Removed>} + ... + 0);
        constexpr bool beside = gone != 0 || (detail::in_set<Added> || ...);
        std::byte* const rooms[sizeof...(Added) + 1] = {room_of<Added>()...};
        data_->append(detail::command_step::change, kind, e, bundle, stored_count<Added...> + gone, false,
                      beside);
        std::byte* const* next = rooms;
        (put<Added>(*next++, values), ...);
        (void)next;
        (put_removed<Removed>(), ...);
    }
    template <class R> void record_relation(entity e, relation_to<R>& given, bool fallback) {
        (void)id_of<R>();
        append_relation<R>(e, room<R>(), given, fallback);
    }
    template <class R>
    void append_relation(entity e, std::byte* where, relation_to<R>& given, bool fallback) {
        data_->append(detail::many_targets<R> ? detail::command_step::add_edge : detail::command_step::relate,
                      command_kind::relate, e, edge_bundle<R>(), 1, true);
        put_data<R>(where, given.target, given.value, detail::known_id<R>(), fallback);
    }
    template <class R> [[nodiscard]] static std::uint32_t edge_bundle() {
        if constexpr (detail::many_targets<R>)
            return 0;
        else
            return detail::static_bundle<false>(detail::types<R>{}, detail::types<>{});
    }
    template <class R> void cut(detail::command_step step, entity e, entity target) {
        const component_id id = id_of<R>();
        data_->append(step, command_kind::unrelate, e, 0, 1);
        data_->append_value({&detail::description<R>, nullptr, target, id, false, false, false, false});
    }

    detail::recording* data_;
};

template <class... Vs> entity commands::spawn(Vs... values) {
    detail::require_components<typename detail::spawned<Vs>::component...>();
    detail::require_targets<Vs...>();
    using rows = detail::row_list<typename detail::spawned<Vs>::component...>;
    const std::uint32_t bundle = detail::static_bundle<true>(rows{}, detail::types<>{});
    std::byte* const rooms[sizeof...(Vs) + 1] = {room_of<Vs>()...};
    std::byte* const edge_rooms[sizeof...(Vs) + 1] = {edge_room<Vs>()...};
    constexpr std::size_t edges = (std::size_t{is_edge<Vs>} + ... + 0);
    data_->reserve(1 + edges, stored_count<Vs...> + edges); // before a handle is given out
    const entity made = data_->append_spawn(bundle, stored_count<Vs...>,
                                            ((detail::spawned<Vs>::related && stored<Vs>) || ...),
                                            (detail::in_set<typename detail::spawned<Vs>::component> || ...));
    std::byte* const* next = rooms;
    (put<Vs>(*next++, values), ...);
    next = edge_rooms;
    (put_edge<Vs>(made, *next++, values), ...);
    (void)next;
    return made;
}

} // namespace pecs
