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

} // namespace pecs

export namespace pecs::detail {

/// A row of a family: where the values of a run begin.
struct spot {
    const storage* all = nullptr;
    const archetype* place = nullptr;
    const family* group = nullptr; ///< null where no term asks for the family
    std::uint32_t archetype_id = 0;
    std::uint32_t row = 0;

    constexpr spot() noexcept = default;
    inline spot(const storage& in, const archetype& at, const family* of, std::uint32_t first) noexcept
        : all{&in}, place{&at}, group{of}, archetype_id{at.id()}, row{first} {}
    /// Where an entity is; with its family only if it is asked for.
    inline spot(const storage& in, const entity_record& record, bool with_family) noexcept
        : all{&in},
          place{in.archetype_at(record.archetype)},
          group{with_family ? &place->at(record.family) : nullptr},
          archetype_id{record.archetype},
          row{record.row} {}
};

/// The question that has one answer.
struct always {};

/// Where the values of a term are in one family; absent values are null pointers.
template <class T> struct optional_cursor {
    T* first;
    [[nodiscard]] T* operator[](std::size_t i) const noexcept {
        return first == nullptr ? nullptr : first + i;
    }
    [[nodiscard]] optional_cursor operator+(std::size_t rows) const noexcept { return {(*this)[rows]}; }
    [[nodiscard]] const void* address() const noexcept { return first; }
};

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

template <class T> struct term<optional<T>> {
    using component = std::remove_const_t<T>;
    using argument = T*;
    using cursor = optional_cursor<T>;
    static constexpr bool has_data = true;
    static constexpr bool reads_only = std::is_const_v<T>;
    static constexpr bool by_family = false;
    static_assert(!std::is_empty_v<component>,
                  "pecs: a tag has no value, so optional<Tag> gives nothing; ask with has()");

    static void describe(filter& wanted) {
        require_component<component>();
        wanted.optional.set(id_of<component>());
    }
    [[nodiscard]] static std::byte* const* columns(const storage& all) {
        return all.columns_of(known_id<component>());
    }
    [[nodiscard]] static cursor at(std::byte* const* columns, const spot& where) noexcept {
        T* const first = reinterpret_cast<T*>(columns[where.archetype_id]);
        return {first == nullptr ? nullptr : first + where.row};
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

/// The tables of some types, for questions about having them.
template <class... Ts> struct column_question {
    std::byte* const* of[sizeof...(Ts) + 1];

    [[nodiscard]] static column_question ask(const storage& all) noexcept {
        return {{all.columns_of(known_id<std::remove_const_t<Ts>>())..., nullptr}};
    }
    [[nodiscard]] std::size_t count(const spot& where) const noexcept {
        std::size_t found = 0;
        for (std::size_t i = 0; i != sizeof...(Ts); ++i)
            found += of[i][where.archetype_id] != nullptr ? 1U : 0U;
        return found;
    }
};

template <class... Ts> struct term<with<Ts...>> : condition {
    using question = column_question<Ts...>;
    [[nodiscard]] static question ask(const storage& all) noexcept { return question::ask(all); }
    static void describe(filter& wanted) {
        wanted.required |= component_mask::of<std::remove_const_t<Ts>...>();
    }
    [[nodiscard]] static bool present(const question& columns, const spot& where) noexcept {
        return columns.count(where) == sizeof...(Ts);
    }
};
template <class... Ts> struct term<without<Ts...>> : condition {
    using question = column_question<Ts...>;
    [[nodiscard]] static question ask(const storage& all) noexcept { return question::ask(all); }
    static void describe(filter& wanted) {
        wanted.excluded |= component_mask::of<std::remove_const_t<Ts>...>();
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
        wanted.alternatives.push_back(component_mask::of<std::remove_const_t<Ts>...>());
    }
    [[nodiscard]] static bool present(const question& columns, const spot& where) noexcept {
        return columns.count(where) != 0;
    }
};
template <> struct term<exact> : condition {
    static void describe(filter& wanted) noexcept { wanted.exact = true; }
};

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
