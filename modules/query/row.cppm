// One row of a query: what a range-for over it gives. An aggregate of references for structured bindings, and no
// `std::tuple`, because binding to a tuple needs `<tuple>` in the user's file.
export module pecs.query:row;

import pecs.std;

export namespace pecs {

/// The arguments of a query for one entity (references, pointers for optional terms, the entity), in the order of the
/// terms: `auto [position, velocity] = row`.
template <class... As> struct row {
    static_assert(sizeof...(As) <= 12, "pecs: rows have at most 12 values; use each() for more");
};
template <> struct row<> {};
template <class A> struct row<A> {
    A a;
};
template <class A, class B> struct row<A, B> {
    A a;
    B b;
};
template <class A, class B, class C> struct row<A, B, C> {
    A a;
    B b;
    C c;
};
template <class A, class B, class C, class D> struct row<A, B, C, D> {
    A a;
    B b;
    C c;
    D d;
};
template <class A, class B, class C, class D, class E> struct row<A, B, C, D, E> {
    A a;
    B b;
    C c;
    D d;
    E e;
};
template <class A, class B, class C, class D, class E, class F> struct row<A, B, C, D, E, F> {
    A a;
    B b;
    C c;
    D d;
    E e;
    F f;
};
template <class A, class B, class C, class D, class E, class F, class G> struct row<A, B, C, D, E, F, G> {
    A a;
    B b;
    C c;
    D d;
    E e;
    F f;
    G g;
};
template <class A, class B, class C, class D, class E, class F, class G, class H>
struct row<A, B, C, D, E, F, G, H> {
    A a;
    B b;
    C c;
    D d;
    E e;
    F f;
    G g;
    H h;
};
template <class A, class B, class C, class D, class E, class F, class G, class H, class I>
struct row<A, B, C, D, E, F, G, H, I> {
    A a;
    B b;
    C c;
    D d;
    E e;
    F f;
    G g;
    H h;
    I i;
};
template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J>
struct row<A, B, C, D, E, F, G, H, I, J> {
    A a;
    B b;
    C c;
    D d;
    E e;
    F f;
    G g;
    H h;
    I i;
    J j;
};
template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J, class K>
struct row<A, B, C, D, E, F, G, H, I, J, K> {
    A a;
    B b;
    C c;
    D d;
    E e;
    F f;
    G g;
    H h;
    I i;
    J j;
    K k;
};
template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J, class K,
          class L>
struct row<A, B, C, D, E, F, G, H, I, J, K, L> {
    A a;
    B b;
    C c;
    D d;
    E e;
    F f;
    G g;
    H h;
    I i;
    J j;
    K k;
    L l;
};

} // namespace pecs

export namespace pecs::detail {

template <std::size_t I, class C> struct cursor_leaf {
    C cursor;
};

/// A few cursors side by side.
template <class Indices, class... Cs> struct cursor_pack;
template <std::size_t... I, class... Cs>
struct cursor_pack<std::index_sequence<I...>, Cs...> : cursor_leaf<I, Cs>... {
    template <class F> decltype(auto) apply(F&& f) const { return f(cursor_leaf<I, Cs>::cursor...); }
};

} // namespace pecs::detail
