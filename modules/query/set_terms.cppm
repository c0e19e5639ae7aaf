// Terms about sparse components. Which entities have them is asked of each row (`row_test`); the value is looked up by the
// entity. They can stand wherever other components can, but in `columns()` and `families()`: values of a sparse component do
// not lie side by side as the rows do.
export module pecs.query:set_terms;

import pecs.std;
import pecs.archetype;
import :filter;
import :target_terms;
import :terms;

export namespace pecs::detail {

/// A value for those that have one.
template <class T> struct optional_set_cursor {
    const sparse_set* set = nullptr;
    const extras* beside = nullptr; ///< null if nothing is disabled
    const entity* handles = nullptr;
    [[nodiscard]] T* operator[](std::size_t i) const noexcept {
        T* const found = set == nullptr ? nullptr : reinterpret_cast<T*>(set->find(handles[i]));
        if (found == nullptr || beside == nullptr) return found;
        return beside->disabled(handles[i], set->id()) ? nullptr : found;
    }
};

/// What required and optional terms share. The set is handed on where others hand on a table of columns.
template <class T> struct set_term {
    using component = std::remove_const_t<T>;
    static constexpr bool reads_only = std::is_const_v<T> || std::is_empty_v<component>;
    static constexpr bool by_family = false;

    [[nodiscard]] static std::byte* const* columns(const storage& all) noexcept {
        return reinterpret_cast<std::byte* const*>(all.beside().set(known_id<component>()));
    }
    [[nodiscard]] static const sparse_set* set_in(std::byte* const* columns) noexcept {
        return reinterpret_cast<const sparse_set*>(columns);
    }
};

template <class T>
    requires in_set<std::remove_const_t<T>>
struct term<T> : set_term<T> {
    using argument = T&;
    using cursor = set_cursor<T>;
    static constexpr bool has_data = !std::is_empty_v<typename set_term<T>::component>;

    static void describe(filter& wanted) {
        require_component<typename set_term<T>::component>();
        wanted.require(id_of<typename set_term<T>::component>());
    }
    [[nodiscard]] static cursor at(std::byte* const* columns, const spot& where) noexcept {
        return {set_term<T>::set_in(columns), where.place->entities() + where.row};
    }
    using question = std::byte* const*;
    [[nodiscard]] static question ask(const storage& all) noexcept { return set_term<T>::columns(all); }
    [[nodiscard]] static bool present(question columns, const spot& where) noexcept {
        return columns != nullptr && set_term<T>::set_in(columns)->contains(where.which());
    }
};

template <class T>
    requires in_set<std::remove_const_t<T>>
struct term<optional<T>> : set_term<T> {
    using argument = T*;
    using cursor = optional_set_cursor<T>;
    static constexpr bool has_data = true;
    static_assert(!std::is_empty_v<typename set_term<T>::component>,
                  "pecs: a tag has no value, so optional<Tag> gives nothing; ask with has()");

    static void describe(filter& wanted) {
        require_component<typename set_term<T>::component>();
        wanted.allow(id_of<typename set_term<T>::component>());
    }
    [[nodiscard]] static cursor at(std::byte* const* columns, const spot& where) noexcept {
        const extras& beside = where.all->beside();
        return {set_term<T>::set_in(columns), beside.disabled_count() == 0 ? nullptr : &beside,
                where.place->entities() + where.row};
    }
    using question = always;
};

/// Whether rows have to be asked for a term.
template <class Term> inline constexpr bool asks_rows = in_set<std::remove_const_t<Term>>;
template <class... Ts> inline constexpr bool asks_rows<with<Ts...>> = (asks_rows<Ts> || ...);
template <class... Ts> inline constexpr bool asks_rows<without<Ts...>> = (asks_rows<Ts> || ...);
template <class... Ts> inline constexpr bool asks_rows<any_of<Ts...>> = (asks_rows<Ts> || ...);
/// Whether a term hands out values of a sparse component.
template <class Term> inline constexpr bool gives_sparse = in_set<std::remove_const_t<Term>>;
template <class T> inline constexpr bool gives_sparse<optional<T>> = in_set<std::remove_const_t<T>>;

} // namespace pecs::detail
