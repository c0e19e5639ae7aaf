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

/// Where the values of a term are in one family; absent values are null pointers.
template <class T> struct optional_cursor {
    T* first;
    [[nodiscard]] T* operator[](std::size_t i) const noexcept {
        return first == nullptr ? nullptr : first + i;
    }
};

/// A component that must be there.
template <class T> struct term {
    using component = std::remove_const_t<T>;
    using argument = T&;
    using cursor = T*;
    static constexpr bool has_data = !std::is_empty_v<component>;
    static constexpr bool reads_only = std::is_const_v<T> || !has_data;

    static void describe(filter& wanted) {
        require_component<component>();
        wanted.required.set(id_of<component>());
    }
    [[nodiscard]] static const column_table* columns(const storage& all) {
        return &all.columns_of(id_of<component>());
    }
    [[nodiscard]] static cursor at(const column_table* columns, const archetype& place,
                                   std::uint32_t row) noexcept {
        return reinterpret_cast<T*>(columns->data[place.id()]) + row;
    }
    using span = std::span<T>;
    [[nodiscard]] static span view(cursor first, std::size_t count) noexcept { return {first, count}; }
};

template <class T> struct term<optional<T>> {
    using component = std::remove_const_t<T>;
    using argument = T*;
    using cursor = optional_cursor<T>;
    static constexpr bool has_data = true;
    static constexpr bool reads_only = std::is_const_v<T>;
    static_assert(!std::is_empty_v<component>,
                  "pecs: a tag has no value, so optional<Tag> gives nothing; ask with has()");

    static void describe(filter& wanted) {
        require_component<component>();
        wanted.optional.set(id_of<component>());
    }
    [[nodiscard]] static const column_table* columns(const storage& all) {
        return &all.columns_of(id_of<component>());
    }
    [[nodiscard]] static cursor at(const column_table* columns, const archetype& place,
                                   std::uint32_t row) noexcept {
        T* const first = reinterpret_cast<T*>(columns->find(place.id()));
        return {first == nullptr ? nullptr : first + row};
    }
    using span = std::span<T>;
    [[nodiscard]] static span view(cursor values, std::size_t count) noexcept {
        return values.first == nullptr ? span{} : span{values.first, count};
    }
};

template <> struct term<entity> {
    using argument = entity;
    using cursor = const entity*;
    static constexpr bool has_data = true;
    static constexpr bool reads_only = true;

    static void describe(filter& /*wanted*/) noexcept {}
    [[nodiscard]] static const column_table* columns(const storage& /*all*/) noexcept { return nullptr; }
    [[nodiscard]] static cursor at(const column_table* /*columns*/, const archetype& place,
                                   std::uint32_t row) noexcept {
        return place.entities() + row;
    }
};
template <> struct term<const entity> : term<entity> {};

/// A term that only says which archetypes match.
struct condition {
    static constexpr bool has_data = false;
    static constexpr bool reads_only = true;
};

template <class... Ts> struct term<with<Ts...>> : condition {
    static void describe(filter& wanted) {
        wanted.required |= component_mask::of<std::remove_const_t<Ts>...>();
    }
};
template <class... Ts> struct term<without<Ts...>> : condition {
    static void describe(filter& wanted) {
        wanted.excluded |= component_mask::of<std::remove_const_t<Ts>...>();
    }
};
template <class... Ts> struct term<any_of<Ts...>> : condition {
    static_assert(sizeof...(Ts) > 0, "pecs: any_of<> names no component, so nothing could match");
    static void describe(filter& wanted) {
        wanted.alternatives.push_back(component_mask::of<std::remove_const_t<Ts>...>());
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
