// Which families of matching archetypes a query visits: the terms about targets are asked of each. What they need, tables
// of columns, is looked up once per loop.
export module pecs.query:family_test;

import pecs.std;
import pecs.archetype;
import :row;
import :terms;

export namespace pecs::detail {

/// What the terms of a query that are about targets ask of families, made ready for many of them.
template <class Indices, class... Terms> struct question_pack;
template <std::size_t... I, class... Terms>
struct question_pack<std::index_sequence<I...>, Terms...>
    : cursor_leaf<I, typename term<Terms>::question>... {
    explicit question_pack(const storage& all)
        : cursor_leaf<I, typename term<Terms>::question>{term<Terms>::ask(all)}... {}
    [[nodiscard]] bool answer(const spot& where) const {
        return (term<Terms>::present(cursor_leaf<I, typename term<Terms>::question>::cursor, where) && ...);
    }
};

/// Those terms of a list that must be asked of every family.
template <class Done, class... Rest> struct family_terms;
template <class... Done> struct family_terms<types<Done...>> {
    using questions = question_pack<std::index_sequence_for<Done...>, Done...>;
};
template <class... Done, class First, class... Rest>
struct family_terms<types<Done...>, First, Rest...>
    : family_terms<
          std::conditional_t<term<First>::by_family && !std::same_as<typename term<First>::question, always>,
                             types<Done..., First>, types<Done...>>,
          Rest...> {};

/// Whether families of a query fit its terms.
template <class... Terms> class family_test {
public:
    explicit family_test(const storage& all) : all_{&all}, asked_{all} {}
    [[nodiscard]] bool operator()(const archetype& place, const family& group) const {
        return asked_.answer(spot{*all_, place, &group, group.first});
    }

private:
    const storage* all_;
    typename family_terms<types<>, Terms...>::questions asked_;
};

} // namespace pecs::detail
