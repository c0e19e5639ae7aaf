// What a type must offer to be a component, and how a world handles its values without knowing the type.
//
// A `component_type` is a small table of functions, one call per run of values (never one per value). Where a null
// function stands, plain bytes do: relocation is then memcpy and destruction nothing at all. The compiler writes this
// table for C++ types; a program fills it in by hand for types that exist only at run time.
export module pecs.core:component;

import pecs.std;
import :entity;
import :entity_map;
import :rules;
import :tick;

export namespace pecs {

/// Names a component type: a small number, the same in every world of the program, given on first use.
class component_id {
public:
    constexpr explicit component_id(std::uint16_t index) noexcept : index_{index} {}
    [[nodiscard]] constexpr std::uint16_t index() const noexcept { return index_; }
    constexpr auto operator<=>(const component_id&) const noexcept = default;

private:
    std::uint16_t index_;
};

/// A relation by its id, with the target that an entity has in it.
struct relation_link {
    component_id relation{0};
    alignas(8) entity target; ///< aligned, so that it is stored and loaded as one word
};

/// Where the values of a component type are kept.
enum class component_storage : std::uint8_t {
    column, ///< In the rows of archetypes: the fastest to visit. Adding and removing moves the entity's row.
    sparse, ///< In a sparse set beside them: adding and removing moves no row, visiting costs a look-up each.
    sparse_stable, ///< The same, and a value stays at its address as long as the entity has it.
};

/// How to handle values of one component type. Every function works on `count` values that lie side by side.
struct component_type {
    std::string_view name;
    std::size_t size = 0; ///< Bytes per value; 0 makes it a tag, which stores nothing.
    std::size_t alignment = 1;

    /// Makes default values; may throw, but must then leave nothing behind. Null: zero bytes are the default value.
    void (*construct)(void* to, std::size_t count) = nullptr;
    /// Copies values into raw memory; may throw, but must then leave nothing behind. Null: copy the bytes.
    void (*copy)(void* to, const void* from, std::size_t count) = nullptr;
    /// Moves values into raw memory and ends the originals. Null: copy the bytes and forget the originals.
    void (*relocate)(void* to, void* from, std::size_t count) noexcept = nullptr;
    /// Ends values. Null: nothing to do.
    void (*destroy)(void* first, std::size_t count) noexcept = nullptr;

    /// Replaces the handles that values hold, when entities are copied. Null: they hold none.
    void (*map_entities)(void* first, std::size_t count, const entity_map& map) = nullptr;

    bool constructible = true; ///< False: there is no default value, `construct` must not be used.
    bool copyable = true;      ///< False: values can only move, `copy` must not be used.

    bool relation = false; ///< True: an entity has it together with a target, to which the rules apply.
    relation_rules rules{};

    /// How precisely changes are noted, if they are; those of sparse components always are for each entity.
    change_tracking tracking = change_tracking::families;

    component_storage storage = component_storage::column; ///< Relations are always kept in columns.

    [[nodiscard]] constexpr bool is_sparse() const noexcept { return storage != component_storage::column; }
    [[nodiscard]] constexpr bool is_tag() const noexcept { return size == 0; }
};

namespace detail {
/// What the literals "text" and nullptr are, given by value: nobody means to have such a component.
template <class T>
inline constexpr bool literal = std::same_as<T, const char*> || std::same_as<T, decltype(nullptr)>;
} // namespace detail

/// A component is an object type whose values can be moved and destroyed without throwing. Empty types are tags: they
/// mark entities, and no object of them is ever made. `entity` cannot be a component, nor can
/// `const char*`: a text is kept in a struct, or in a `name`.
template <class T>
concept component = std::is_object_v<T> && !std::is_array_v<T> && std::same_as<T, std::remove_cv_t<T>> &&
                    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T> &&
                    !std::same_as<T, entity> && !detail::literal<T> &&
                    (!std::is_empty_v<T> || std::is_trivially_destructible_v<T>);

/// A component without data.
template <class T>
concept tag = component<T> && std::is_empty_v<T>;

/// A component that relates its entity to a target; it says so by declaring rules.
template <class T>
concept relation = component<T> && requires {
    requires std::same_as<std::remove_cvref_t<decltype(T::rules)>, relation_rules>;
};

} // namespace pecs

export namespace pecs::detail {

/// Where values of `T` are kept: in columns, unless the type says otherwise.
template <class T> inline constexpr component_storage storage_of = component_storage::column;
template <class T>
    requires std::same_as<std::remove_cvref_t<decltype(T::storage)>, component_storage>
inline constexpr component_storage storage_of<T> = T::storage;

/// Whether values of `T` are kept in a sparse set, not in archetypes.
template <class T> inline constexpr bool in_set = storage_of<T> != component_storage::column;

/// Whether `T` is a relation with many targets: its edges are kept beside the archetypes, not in them.
template <class T> inline constexpr bool many_targets = false;
template <relation T> inline constexpr bool many_targets<T> = T::rules.many;

/// Whether the relation `T` must not lead back; false for what is no relation.
template <class T> inline constexpr bool acyclic = false;
template <relation T> inline constexpr bool acyclic<T> = T::rules.acyclic;

/// Whether the definition of `T` has been seen.
template <class T>
concept complete = requires { sizeof(T); };

/// Says in words why `T` is no component; does nothing for one that is.
template <class T> consteval void require_component() {
    static_assert(std::is_object_v<T> && !std::is_array_v<T>,
                  "pecs: a component must be a plain object type, not a reference, function, array or void; "
                  "for an array use std::array or a struct");
    static_assert(std::same_as<T, std::remove_cv_t<T>>,
                  "pecs: a component type is named without const or volatile: T, not const T");
    static_assert(!literal<T>, "pecs: a text, or nullptr, is no component: use pecs::name, or a struct");
    static_assert(!std::same_as<T, entity>,
                  "pecs: pecs::entity cannot be a component; to point at another entity use a relation, "
                  "or wrap it in a struct");
    if constexpr (std::is_object_v<T> && !std::is_array_v<T>)
        static_assert(complete<T>, "pecs: the type is only declared here: include or import what defines it");
    if constexpr (complete<T> && std::is_object_v<T> && !std::is_array_v<T>) {
        static_assert(
            std::is_nothrow_destructible_v<T>,
            "pecs: a component must be destructible without throwing: its destructor must be public and "
            "noexcept");
        static_assert(
            !std::is_nothrow_destructible_v<T> || std::is_nothrow_move_constructible_v<T>,
            "pecs: a component must be movable without throwing: give it a noexcept move constructor");
        static_assert(
            !std::is_empty_v<T> || std::is_trivially_destructible_v<T>,
            "pecs: an empty component is a tag, of which no object is ever made: it must not have a "
            "destructor of its own");
        static_assert(
            !relation<T> || !in_set<T>,
            "pecs: a relation cannot be sparse: entities are grouped by their targets in archetypes; "
            "leave its storage out");
    }
}

/// Says in words that a default value is needed; does nothing for types that have one.
template <class... Ts> consteval void require_default() {
    static_assert((std::is_default_constructible_v<Ts> && ...),
                  "pecs: the type has no default constructor, so give a value: add(e, T{...}), "
                  "relate<R>(e, target, R{...}), spawn_batch(count, T{...})");
}

/// Raw memory that a value is constructed into. It brings its own placement form of `operator new`, because the global
/// one is not visible from a template that an importer without `<new>` instantiates.
template <class T> struct cell {
    T value;

    template <class... Args>
    explicit cell(Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>)
        : value(std::forward<Args>(args)...) {}

    static void* operator new(std::size_t /*size*/, void* where) noexcept { return where; }
    static void operator delete(void* /*value*/, void* /*where*/) noexcept {}
};

/// Constructs a `T` at `where`.
template <class T, class... Args>
inline T* construct(void* where, Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>) {
    return &(new (where) cell<T>(std::forward<Args>(args)...))->value;
}

template <class T> inline void destroy_values(void* first, std::size_t count) noexcept {
    T* const values = static_cast<T*>(first);
    for (std::size_t i = 0; i != count; ++i) values[i].~T();
}

template <class T> inline void relocate_values(void* to, void* from, std::size_t count) noexcept {
    T* const source = static_cast<T*>(from);
    T* const target = static_cast<T*>(to);
    for (std::size_t i = 0; i != count; ++i) {
        construct<T>(target + i, std::move(source[i]));
        source[i].~T();
    }
}

/// Fills `count` cells with what `make(i)` constructs there; if one throws, those before it are destroyed.
template <class T, class Make> inline void construct_values(void* to, std::size_t count, Make make) {
    T* const target = static_cast<T*>(to);
    std::size_t done = 0;
    try {
        for (; done != count; ++done) make(target + done, done);
    } catch (...) {
        destroy_values<T>(to, done);
        throw;
    }
}

template <class T> inline void default_values(void* to, std::size_t count) {
    require_default<T>();
    construct_values<T>(to, count, [](T* where, std::size_t) { construct<T>(where); });
}

template <class T> inline void copy_values(void* to, const void* from, std::size_t count) {
    const T* const source = static_cast<const T*>(from);
    construct_values<T>(to, count, [source](T* where, std::size_t i) { construct<T>(where, source[i]); });
}

template <class T> inline void map_values(void* first, std::size_t count, const entity_map& map) {
    T* const values = static_cast<T*>(first);
    for (std::size_t i = 0; i != count; ++i) values[i].map_entities(map);
}

/// Says in words that `T` is no relation; does nothing for one that is.
template <class T> consteval void require_relation() {
    require_component<T>();
    static_assert(relation<T>, "pecs: the type is no relation: declare its rules in it, as in "
                               "static constexpr pecs::relation_rules rules{};");
    if constexpr (relation<T>) {
        static_assert(!T::rules.symmetric || T::rules.many,
                      "pecs: a symmetric relation has many targets: declare .many = true as well");
        static_assert(!T::rules.symmetric || !T::rules.acyclic,
                      "pecs: a symmetric relation always leads back: it cannot be acyclic");
    }
}

/// Says in words that `T` is not kept in archetypes; does nothing for other components.
template <class T> consteval void require_column() {
    require_component<T>();
    static_assert(!many_targets<T>,
                  "pecs: a relation with many targets is no component of its entities: use relate, unrelate, "
                  "targets, and get<R>(e, target) for the data of one target");
}

/// Says in words that an entity may have several targets in `R`; does nothing for relations with one.
template <class R> consteval void require_one_target() {
    require_relation<R>();
    static_assert(
        !many_targets<R>,
        "pecs: an entity may have many targets in this relation: use targets<R>(e), sources<R>(e) or "
        "each_edge<R>()");
}

/// The compiler's name of `T`, without the module that GCC appends to it.
template <class T> [[nodiscard]] constexpr std::string_view name_of() noexcept {
    const std::string_view text = __PRETTY_FUNCTION__; // "... [T = Name]" or "... [with T = Name; ...]"
    const std::size_t first = text.find("T = ") + 4;
    std::string_view name = text.substr(first, text.find_first_of(";]", first) - first);
    if (name.find('<') == std::string_view::npos) name = name.substr(0, name.find('@'));
    return name;
}

template <class T> [[nodiscard]] consteval component_type describe() {
    component_type type;
    type.name = name_of<T>();
    if constexpr (tracks_rows<T>) type.tracking = change_tracking::rows;
    if constexpr (relation<T>) {
        type.relation = true;
        type.rules = T::rules;
    }
    type.storage = storage_of<T>;
    if constexpr (!std::is_empty_v<T>) {
        type.size = sizeof(T);
        type.alignment = alignof(T);
        type.constructible = std::is_default_constructible_v<T>;
        type.copyable = std::is_copy_constructible_v<T>;
        if constexpr (std::is_default_constructible_v<T>) type.construct = &default_values<T>;
        if constexpr (std::is_copy_constructible_v<T> && !std::is_trivially_copyable_v<T>)
            type.copy = &copy_values<T>;
        if constexpr (!std::is_trivially_copyable_v<T>) type.relocate = &relocate_values<T>;
        if constexpr (!std::is_trivially_destructible_v<T>) type.destroy = &destroy_values<T>;
        if constexpr (requires(T& value, const entity_map& map) { value.map_entities(map); })
            type.map_entities = &map_values<T>;
    }
    return type;
}

/// The description of the C++ type `T`, made by the compiler.
template <class T> inline constexpr component_type description = describe<T>();

} // namespace pecs::detail
