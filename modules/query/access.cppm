// From the terms of a query to values: which columns, and the loop that hands rows to a callback.
export module pecs.query:access;

import pecs.std;
import pecs.archetype;
import :row;
import :terms;

export namespace pecs::detail {

/// A cursor whose values no other cursor reaches.
template <class C> struct restricted_cursor {
    using type = C;
};
template <class T> struct restricted_cursor<T*> {
    using type = T* __restrict;
};
template <class C> using restricted = typename restricted_cursor<C>::type;

/// How the values of a list of terms are reached: once per query the tables, once per family the cursors.
template <class List> struct term_access;
template <class... Ds> struct term_access<types<Ds...>> {
    static_assert(named_once<Ds...>, "pecs: a component is named twice in the query: its values come once");

    using row_type = row<typename term<Ds>::argument...>;
    using cursors = cursor_pack<std::index_sequence_for<Ds...>, typename term<Ds>::cursor...>;
    struct tables {
        std::byte* const* of[sizeof...(Ds) + 1];
    };

    /// Whether cursors may differ from one piece of a run to another.
    static constexpr bool varies = (varying_term<Ds> || ...);

    [[nodiscard]] static tables locate(const storage& all) { return {{term<Ds>::columns(all)..., nullptr}}; }
    [[nodiscard]] static cursors at(const tables& columns, const spot& where) noexcept {
        return [&]<std::size_t... I>(std::index_sequence<I...>) -> cursors {
            return {{term<Ds>::at(columns.of[I], where)}...};
        }(std::index_sequence_for<Ds...>{});
    }

    /// The cursors at row 0 of the archetype at hand: for loops over many small families, most of which share it.
    struct base {
        const archetype* place = nullptr;
        cursors first{};
    };
    [[nodiscard]] static cursors at(const tables& columns, base& known, const spot& where) noexcept {
        return [&]<std::size_t... I>(std::index_sequence<I...>) -> cursors {
            if (known.place != where.place) {
                known.place = where.place;
                known.first = {{base_of<Ds>(columns.of[I], where)}...};
            }
            return known.first.apply(
                [&](auto... cs) -> cursors { return {{from_base<Ds>(cs, columns.of[I], where)}...}; });
        }(std::index_sequence_for<Ds...>{});
    }

    /// Asks for the values of a family, which will be needed soon.
    static void fetch(const tables& columns, base& known, const spot& where, std::size_t count) noexcept {
        at(columns, known, where).apply([&](auto... cs) { (fetch_values(cs, count), ...); });
    }

    /// Whether a callback takes the arguments as they are, or with the entity before them.
    template <class F> static constexpr bool takes_row = std::invocable<F&, typename term<Ds>::argument...>;
    template <class F>
    static constexpr bool takes_entity = std::invocable<F&, entity, typename term<Ds>::argument...>;

    template <class F> static consteval void require_callback() {
        static_assert(
            takes_row<F> || takes_entity<F>,
            "pecs: the callback does not fit the query: it must take, in the order of the terms, T& for T, "
            "const T& for const T and T* for optional<T>, nothing for tags and conditions, and may take a "
            "pecs::entity before them");
    }
    template <class F, class... Cs> static void call(F& f, const entity* handles, std::size_t i, Cs... cs) {
        if constexpr (takes_row<F>)
            f(cs[i]...);
        else if constexpr (takes_entity<F>)
            f(handles[i], cs[i]...);
    }
    /// Calls `f` for `count` rows from `first` on. Four rows per step: so clang combines the rows of struct columns into
    /// vectors, which it does not do for the plain loop (see docs/decisions/four-rows.md). A callback that takes the
    /// entity does something of its own for each, often a look-up: it is called in one place, so that it is put there.
    template <class F, class... Cs>
    static void run(F& f, const entity* handles, std::size_t first, std::size_t count, Cs... cs) {
        if constexpr (!takes_row<F> || (std::same_as<std::remove_const_t<Ds>, entity> || ...)) {
            for (std::size_t i = first; i != first + count; ++i) call(f, handles, i, cs...);
            return;
        }
        const std::size_t whole = first + count / 4 * 4;
        for (std::size_t i = first; i != whole; i += 4)
            for (std::size_t k = 0; k != 4; ++k) call(f, handles, i + k, cs...);
        for (std::size_t k = 0; k != count % 4; ++k) call(f, handles, whole + k, cs...);
    }
    /// The same with the promise that columns do not overlap.
    template <class F, class... Cs>
    static void run_independent(F& f, const entity* handles, std::size_t first, std::size_t count,
                                restricted<Cs>... cs) {
        run(f, handles, first, count, cs...);
    }

private:
    /// Whether the place of a term's values is known from that of row 0, whatever the family.
    template <class D>
    static constexpr bool has_base =
        !term<D>::by_family && requires(typename term<D>::cursor first) { *(first + 1); };

    template <class T> static void fetch_values(T* first, std::size_t count) noexcept {
        const auto* const bytes = reinterpret_cast<const std::byte*>(first);
        for (std::size_t i = 0; i < count * sizeof(T); i += cache_line) __builtin_prefetch(bytes + i);
    }
    template <class C> static void fetch_values(const C& one, std::size_t /*count*/) noexcept {
        if constexpr (requires { one.address(); }) __builtin_prefetch(one.address());
    }
    template <class D>
    [[nodiscard]] static typename term<D>::cursor base_of(std::byte* const* columns, spot where) noexcept {
        if constexpr (has_base<D>) {
            where.row = 0;
            return term<D>::at(columns, where);
        } else {
            return {};
        }
    }
    template <class D, class C>
    [[nodiscard]] static C from_base(C known, std::byte* const* columns, const spot& where) noexcept {
        if constexpr (has_base<D>)
            return known + where.row;
        else
            return term<D>::at(columns, where);
    }
};

} // namespace pecs::detail
