// The terms of a query as a type: the cache that belongs to it, and the terms that a relation adds.
export module pecs.query:static_query;

import pecs.std;
import pecs.archetype;
import :cache;
import :terms;

export namespace pecs::detail {

/// The cache of one type of query in one storage.
template <class... Terms> struct static_query {
    static inline constinit std::atomic<std::uint32_t> number{none};

    static void describe(filter& wanted) { (term<Terms>::describe(wanted), ...); }
    static attachment* make(const storage& all) { return make_cache(all, &describe); }
    static inline constinit thread_local query_note last{};

    /// What matches in the storage, up to date: one comparison if this thread has asked before and no archetype came
    /// or went since.
    [[nodiscard, gnu::always_inline]] static inline const query_note& in(const storage& all) {
        if (last.version != all.version()) [[unlikely]]
            renew(last, all, number, &make);
        return last;
    }
};

/// Whether a term already asks for the relation `R`.
template <class R, class Term> inline constexpr bool asks_for = std::same_as<R, std::remove_const_t<Term>>;
template <class R, class... Ts>
inline constexpr bool asks_for<R, with<Ts...>> = (std::same_as<R, std::remove_const_t<Ts>> || ...);

/// The terms of a query with `with<R>` added, where it is not there yet.
template <class Rs, class... Terms> struct related_terms;
template <class... Terms> struct related_terms<types<>, Terms...> {
    using list = types<Terms...>;
};
template <class R, class... Rs, class... Terms>
struct related_terms<types<R, Rs...>, Terms...>
    : std::conditional_t<(asks_for<R, Terms> || ...), related_terms<types<Rs...>, Terms...>,
                         related_terms<types<Rs...>, Terms..., with<R>>> {};

} // namespace pecs::detail
