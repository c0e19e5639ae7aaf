// Terms about the target of a relation instead of the entity itself. What they ask is found out once per family, as all
// entities of a family have the same target.
//
//   term                       entities                                     callback gets
//   at_target<R, Term>         whose target in R fits the term              what the term gives, of the target
//   up<R, const T>             of whose targets, one after another,         const T&, of the nearest one
//                              at least one has T
//   optional<up<R, const T>>   all                                          const T*, null if none has it
//
// `at_target` nests: at_target<MemberOf, at_target<DefendsBase, with<UnderAttack>>>.
export module pecs.query:target_terms;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :filter;
import :terms;

export namespace pecs {

/// The term, asked of the target of the entity's relation `R`.
template <class R, class Term> struct at_target {};
/// The value of the target of the entity's relation `R`, or of the target's target, and so on: the nearest one.
template <class R, class T> struct up {};
/// In the place of a target: those that fit the terms.
template <class... Terms> struct having_terms {};
template <class... Terms> inline constexpr having_terms<Terms...> having{};

} // namespace pecs

export namespace pecs::detail {

/// The same value for all rows of a family.
template <class A> struct shared_cursor {
    A value;
    [[nodiscard]] A operator[](std::size_t /*i*/) const noexcept { return value; }
};
template <class T> struct shared_cursor<T&> {
    T* value;
    [[nodiscard]] T& operator[](std::size_t /*i*/) const noexcept { return *value; }
};

/// The target of a family in a relation that its archetype has.
template <class R> [[nodiscard]] inline entity target_at(const spot& where) noexcept {
    const relation_index& related = *where.place->relations();
    if (related.count() == 1) return where.group->target;
    return where.place->target(*where.group, related.position(known_id<R>()));
}

/// What conditions and terms with data have in common.
template <class R, class Term> struct target_condition {
    static constexpr bool has_data = term<Term>::has_data;
    static constexpr bool reads_only = term<Term>::reads_only;
    static constexpr bool by_family = true;

    static void describe(filter& wanted) {
        require_relation<R>();
        wanted.required.set(id_of<R>());
    }
    [[nodiscard]] static spot target_spot(const spot& where) noexcept {
        return {*where.all, where.all->entities()[target_at<R>(where)], term<Term>::by_family};
    }
    [[nodiscard]] static bool present(const spot& where) {
        if constexpr (term<Term>::by_family) {
            const spot target = target_spot(where);
            return fits_archetype(*target.place) && term<Term>::present(target);
        } else {
            return term<Term>::present(target_spot(where));
        }
    }

private:
    /// Whether the target's archetype has what the nested term needs to be asked.
    [[nodiscard]] static bool fits_archetype(const archetype& place) { return term<Term>::askable(place); }
};

template <class R, class Term, bool HasData = term<Term>::has_data>
struct target_term : target_condition<R, Term> {};

template <class R, class Term> struct target_term<R, Term, true> : target_condition<R, Term> {
    using argument = typename term<Term>::argument;
    using cursor = shared_cursor<argument>;
    using span = argument;

    [[nodiscard]] static std::byte* const* columns(const storage& all) { return term<Term>::columns(all); }
    [[nodiscard]] static cursor at(std::byte* const* columns, const spot& where) noexcept {
        const auto values = term<Term>::at(columns, target_condition<R, Term>::target_spot(where));
        if constexpr (requires { cursor{&values[0]}; })
            return {&values[0]};
        else
            return {values[0]};
    }
    [[nodiscard]] static span view(cursor value, std::uint32_t /*first*/, std::size_t /*count*/) noexcept {
        return value[0];
    }
};

template <class R, class Term> struct term<at_target<R, Term>> : target_term<R, Term> {
    [[nodiscard]] static bool askable(const archetype& place) { return place.mask().test(id_of<R>()); }
};

/// The value of the nearest target that has one, or null.
template <class R, class T> [[nodiscard]] inline T* find_up(std::byte* const* columns, const spot& where) {
    const component_id relation = known_id<R>();
    for (entity at = target_at<R>(where); at; at = where.all->target(at, relation)) {
        const entity_record& record = where.all->entities()[at];
        if (std::byte* const first = columns[record.archetype]; first != nullptr)
            return reinterpret_cast<T*>(first) + record.row;
    }
    return nullptr;
}

template <class R, class T> struct up_term {
    using component = std::remove_const_t<T>;
    static constexpr bool has_data = true;
    static constexpr bool reads_only = true;
    static constexpr bool by_family = true;

    static consteval void require() {
        require_relation<R>();
        require_component<component>();
        static_assert(std::is_const_v<T>,
                      "pecs: up<R, const T> only reads: several entities share the value");
        static_assert(!std::is_empty_v<component>,
                      "pecs: a tag has no value, so up<R, const Tag> gives nothing");
        static_assert(R::rules.acyclic,
                      "pecs: up<R, const T> needs an acyclic relation, or it might never end");
    }
    [[nodiscard]] static std::byte* const* columns(const storage& all) {
        return all.columns_of(known_id<component>());
    }
};

template <class R, class T> struct term<up<R, T>> : up_term<R, T> {
    using argument = T&;
    using cursor = shared_cursor<T&>;
    using span = T&;

    static void describe(filter& wanted) {
        up_term<R, T>::require();
        wanted.required.set(id_of<R>());
    }
    [[nodiscard]] static cursor at(std::byte* const* columns, const spot& where) {
        return {find_up<R, T>(columns, where)};
    }
    [[nodiscard]] static bool present(const spot& where) {
        return find_up<R, T>(up_term<R, T>::columns(*where.all), where) != nullptr;
    }
    [[nodiscard]] static span view(cursor value, std::uint32_t /*first*/, std::size_t /*count*/) noexcept {
        return *value.value;
    }
};

template <class R, class T> struct term<optional<up<R, T>>> : up_term<R, T> {
    using argument = T*;
    using cursor = shared_cursor<T*>;
    using span = T*;

    static void describe(filter& wanted) {
        up_term<R, T>::require();
        wanted.optional.set(id_of<R>());
    }
    [[nodiscard]] static cursor at(std::byte* const* columns, const spot& where) {
        if (!where.place->mask().test(id_of<R>())) return {nullptr};
        return {find_up<R, T>(columns, where)};
    }
    [[nodiscard]] static bool present(const spot& /*where*/) noexcept { return true; }
    [[nodiscard]] static span view(cursor value, std::uint32_t /*first*/, std::size_t /*count*/) noexcept {
        return value.value;
    }
};

} // namespace pecs::detail
