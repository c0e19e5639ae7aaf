// The words of a query's type list, and what each means: what an archetype must have, and what the callback gets.
//
//   term           archetype must        callback gets
//   T              have T                T&           (nothing, if T is a tag)
//   const T        have T                const T&
//   optional<T>    -                     T*, null where there is none
//   entity         -                     entity
//   with<T...>     have all              -
//   without<T...>  have none             -
//   any_of<T...>   have at least one     -
//   exact          have nothing else     -
//   disabled_too   -                     -            (entities and components that are disabled, too)
//
// With sparse components it is not the archetype that must have them, but the entity: see `set_terms`.
//
// Archetypes with the tag `prefab` match only if a term names it: `prefab` itself, with, any_of, or optional<prefab>, which
// stands for "prefabs, too" and gives the callback nothing.
export module pecs.query:terms;

import pecs.std;
import pecs.archetype;
import :filter;

export namespace pecs {

/// Entities with all of these, whose values are not looked at.
template <class... Ts> struct with {};
/// Entities with none of these.
template <class... Ts> struct without {};
/// Entities with at least one of these.
template <class... Ts> struct any_of {};
/// The value if there is one: the callback gets a pointer, null where the entity lacks the component.
template <class T> struct optional {};
/// Entities with the components named (required, optional, alternatives) and no others.
struct exact {};
/// Disabled entities and components are treated as if they were enabled.
struct disabled_too {};

} // namespace pecs

export namespace pecs::detail {

/// A row of a family: where the values of a run begin.
struct spot {
    const storage* all = nullptr;
    const archetype* place = nullptr;
    const family* group = nullptr; ///< null where no term asks for the family
    std::uint32_t archetype_id = 0;
    std::uint32_t row = 0;
    std::uint32_t probe = 0; ///< a row of the run that is visited: what is disabled there is in all of it

    constexpr spot() noexcept = default;
    inline spot(const storage& in, const archetype& at, const family* of, std::uint32_t first) noexcept
        : all{&in}, place{&at}, group{of}, archetype_id{at.id()}, row{first}, probe{first} {}
    /// The beginning of the columns, for a run that is elsewhere.
    inline spot(const storage& in, const archetype& at, const family* of, std::uint32_t first,
                std::uint32_t visited) noexcept
        : all{&in}, place{&at}, group{of}, archetype_id{at.id()}, row{first}, probe{visited} {}
    /// Where an entity is; with its family only if it is asked for.
    inline spot(const storage& in, const entity_record& record, bool with_family) noexcept
        : all{&in},
          place{in.archetype_at(record.archetype)},
          group{with_family ? &place->at(record.family) : nullptr},
          archetype_id{record.archetype},
          row{record.row},
          probe{record.row} {}
    /// The entity at the row.
    [[nodiscard]] inline entity which() const noexcept { return place->entities()[row]; }
};

/// Whether what an optional term names is disabled in a run.
[[nodiscard]] inline bool hidden_at(const spot& where, component_id id) noexcept {
    if (where.all->beside().disabled_count() == 0) [[likely]]
        return false;
    return where.all->beside().disabled_types().test(id) && // else the run may be empty
           where.all->beside().disabled(where.place->entities()[where.probe], id);
}

/// The question that has one answer.
struct always {};

/// Where the values of a term are in one family; absent values are null pointers.
template <class T> struct optional_cursor {
    T* first;
    [[nodiscard]] T* operator[](std::size_t i) const noexcept {
        return first == nullptr ? nullptr : first + i;
    }
};

/// Whether a type is a word of queries, not a component.
template <class T> inline constexpr bool is_word = false;
template <class... Ts> inline constexpr bool is_word<with<Ts...>> = true;
template <class... Ts> inline constexpr bool is_word<without<Ts...>> = true;
template <class... Ts> inline constexpr bool is_word<any_of<Ts...>> = true;
template <class T> inline constexpr bool is_word<optional<T>> = true;
template <> inline constexpr bool is_word<exact> = true;
template <> inline constexpr bool is_word<disabled_too> = true;
/// Says in words that a type is a word of queries.
template <class... Ts> consteval void require_no_words() {
    static_assert(!(is_word<std::remove_const_t<Ts>> || ...),
                  "pecs: with, without, any_of and optional are about components, not about other terms");
}

/// A component that must be there.
template <class T> struct term {
    using component = std::remove_const_t<T>;
    using argument = T&;
    using cursor = T*;
    static constexpr bool has_data = !std::is_empty_v<component>;
    static constexpr bool reads_only = std::is_const_v<T> || !has_data;
    static constexpr bool by_family = false;

    static void describe(filter& wanted) {
        require_component<component>();
        wanted.required.set(id_of<component>());
    }
    [[nodiscard]] static std::byte* const* columns(const storage& all) {
        return all.columns_of(known_id<component>());
    }
    [[nodiscard]] static cursor at(std::byte* const* columns, const spot& where) noexcept {
        return reinterpret_cast<T*>(columns[where.archetype_id]) + where.row;
    }
    /// What the term asks of a spot, made ready for many spots; and whether the entities there have it.
    using question = std::byte* const*;
    [[nodiscard]] static question ask(const storage& all) { return columns(all); }
    [[nodiscard]] static bool present(question columns, const spot& where) noexcept {
        return columns[where.archetype_id] != nullptr;
    }
    using span = std::span<T>;
    /// The values of `count` rows from `first` on, of a cursor to row 0.
    [[nodiscard]] static span view(cursor column, std::uint32_t first, std::size_t count) noexcept {
        return {column + first, count};
    }
};

/// What is left of a term that was refused in words.
struct refused_term {
    static constexpr bool has_data = false;
    static constexpr bool reads_only = true;
    static constexpr bool by_family = false;
    using question = always;
    static void describe(filter& /*wanted*/) noexcept {}
};
template <class T> struct term<T&> : refused_term {
    static_assert(!std::is_object_v<T>,
                  "pecs: a term is no reference: write T for T&, and const T for const T&");
};
template <class T>
    requires(std::is_object_v<T> && !complete<T>)
struct term<T> : refused_term {
    static_assert(complete<T>, "pecs: the type is only declared here: include or import what defines it");
};
template <class T> struct term<optional<T&>> : refused_term {
    static_assert(!std::is_object_v<T>, "pecs: a term is no reference: write optional<T> for optional<T&>");
};

template <class T> struct term<optional<T>> {
    using component = std::remove_const_t<T>;
    using argument = T*;
    using cursor = optional_cursor<T>;
    static constexpr bool has_data = true;
    static constexpr bool reads_only = std::is_const_v<T>;
    static constexpr bool by_family = false;
    static constexpr bool varies = true;
    static_assert(is_word<component> || !std::is_empty_v<component>,
                  "pecs: a tag has no value, so optional<Tag> gives nothing; ask with has()");

    static void describe(filter& wanted) {
        require_no_words<T>();
        require_component<component>();
        wanted.optional.set(id_of<component>());
    }
    [[nodiscard]] static std::byte* const* columns(const storage& all) {
        return all.columns_of(known_id<component>());
    }
    [[nodiscard]] static cursor at(std::byte* const* columns, const spot& where) noexcept {
        T* const first = reinterpret_cast<T*>(columns[where.archetype_id]);
        if (first == nullptr || hidden_at(where, known_id<component>())) return {nullptr};
        return {first + where.row};
    }
    using question = always;
    using span = std::span<T>;
    [[nodiscard]] static span view(cursor column, std::uint32_t first, std::size_t count) noexcept {
        return column.first == nullptr ? span{} : span{column.first + first, count};
    }
};

/// Prefabs, too.
template <> struct term<optional<prefab>> {
    static constexpr bool has_data = false;
    static constexpr bool reads_only = true;
    static constexpr bool by_family = false;
    using question = always;
    static void describe(filter& wanted) { wanted.optional.set(id_of<prefab>()); }
};

template <> struct term<entity> {
    using argument = entity;
    using cursor = const entity*;
    static constexpr bool has_data = true;
    static constexpr bool reads_only = true;
    static constexpr bool by_family = false;

    static void describe(filter& /*wanted*/) noexcept {}
    [[nodiscard]] static std::byte* const* columns(const storage& /*all*/) noexcept { return nullptr; }
    [[nodiscard]] static cursor at(std::byte* const* /*columns*/, const spot& where) noexcept {
        return where.place->entities() + where.row;
    }
    using question = always;
};
template <> struct term<const entity> : term<entity> {};

/// A term that only says which archetypes match.
struct condition {
    static constexpr bool has_data = false;
    static constexpr bool reads_only = true;
    static constexpr bool by_family = false; ///< True: archetypes are not enough, families must be looked at.
};

/// The tables of some types, or their sets, for questions about having them.
template <class... Ts> struct column_question {
    std::byte* const* of[sizeof...(Ts) + 1];

    template <class T> [[nodiscard]] static std::byte* const* table(const storage& all) noexcept {
        if constexpr (in_set<T>)
            return reinterpret_cast<std::byte* const*>(all.beside().set(known_id<T>()));
        else
            return all.columns_of(known_id<T>());
    }
    template <class T> [[nodiscard]] static bool has(std::byte* const* found, const spot& where) noexcept {
        if constexpr (in_set<T>)
            return found != nullptr && reinterpret_cast<const sparse_set*>(found)->contains(where.which());
        else
            return found[where.archetype_id] != nullptr;
    }
    [[nodiscard]] static column_question ask(const storage& all) noexcept {
        return {{table<std::remove_const_t<Ts>>(all)..., nullptr}};
    }
    [[nodiscard]] std::size_t count(const spot& where) const noexcept {
        std::byte* const* const* next = of;
        std::size_t found = 0;
        ((found += has<std::remove_const_t<Ts>>(*next++, where) ? 1U : 0U), ...);
        return found;
    }
};

template <class... Ts> struct term<with<Ts...>> : condition {
    using question = column_question<Ts...>;
    [[nodiscard]] static question ask(const storage& all) noexcept { return question::ask(all); }
    static void describe(filter& wanted) {
        require_no_words<Ts...>();
        wanted.require(component_mask::of<std::remove_const_t<Ts>...>());
    }
    [[nodiscard]] static bool present(const question& columns, const spot& where) noexcept {
        return columns.count(where) == sizeof...(Ts);
    }
};
template <class... Ts> struct term<without<Ts...>> : condition {
    using question = column_question<Ts...>;
    [[nodiscard]] static question ask(const storage& all) noexcept { return question::ask(all); }
    static void describe(filter& wanted) {
        require_no_words<Ts...>();
        wanted.exclude(component_mask::of<std::remove_const_t<Ts>...>());
    }
    [[nodiscard]] static bool present(const question& columns, const spot& where) noexcept {
        return columns.count(where) == 0;
    }
};
template <class... Ts> struct term<any_of<Ts...>> : condition {
    using question = column_question<Ts...>;
    [[nodiscard]] static question ask(const storage& all) noexcept { return question::ask(all); }
    static_assert(sizeof...(Ts) > 0, "pecs: any_of<> names no component, so nothing could match");
    static void describe(filter& wanted) {
        require_no_words<Ts...>();
        wanted.offer(component_mask::of<std::remove_const_t<Ts>...>());
    }
    [[nodiscard]] static bool present(const question& columns, const spot& where) noexcept {
        return columns.count(where) != 0;
    }
};
template <> struct term<exact> : condition {
    static void describe(filter& wanted) noexcept { wanted.exact = true; }
};

template <> struct term<disabled_too> : condition {
    static void describe(filter& wanted) noexcept { wanted.hidden_too = true; }
};

/// The component whose values a term hands out, if it is one of the entity itself.
template <class Term> struct named_by {
    using type = std::remove_const_t<Term>;
};
template <class T> struct named_by<optional<T>> : named_by<T> {};
/// Whether no two of some terms hand out the same values.
template <class... Ds>
inline constexpr bool named_once =
    ((times_in<typename named_by<Ds>::type, typename named_by<Ds>::type...> == 1) && ...);

/// Whether the cursor of a term depends on what is disabled.
template <class Term> inline constexpr bool varying_term = requires { requires term<Term>::varies; };

/// The terms of a list that the callback gets.
template <class Done, class... Rest> struct data_terms;
template <class... Done> struct data_terms<types<Done...>> {
    using list = types<Done...>;
};
template <class... Done, class First, class... Rest>
struct data_terms<types<Done...>, First, Rest...>
    : data_terms<std::conditional_t<term<First>::has_data, types<Done..., First>, types<Done...>>, Rest...> {
};

/// The terms of a list that have a column: what the callback gets, but for the entity.
template <class Done, class... Rest> struct span_terms;
template <class... Done> struct span_terms<types<Done...>> {
    using list = types<Done...>;
};
template <class... Done, class First, class... Rest>
struct span_terms<types<Done...>, First, Rest...>
    : span_terms<
          std::conditional_t<term<First>::has_data && !std::same_as<std::remove_const_t<First>, entity>,
                             types<Done..., First>, types<Done...>>,
          Rest...> {};

} // namespace pecs::detail
