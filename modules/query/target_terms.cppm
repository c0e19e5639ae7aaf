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
    [[nodiscard]] const void* address() const noexcept { return value; }
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

    /// The question of the term itself, and, where it is about a target again, that for the relation.
    struct question {
        typename term<Term>::question nested;
        std::byte* const* relation;
    };
    [[nodiscard]] static question ask(const storage& all) {
        if constexpr (std::same_as<typename term<Term>::question, always>)
            return {};
        else if constexpr (term<Term>::by_family)
            return {term<Term>::ask(all), term<Term>::needed(all)};
        else
            return {term<Term>::ask(all), nullptr};
    }
    [[nodiscard]] static bool present(const question& asked, const spot& where) {
        if constexpr (std::same_as<typename term<Term>::question, always>) {
            return true;
        } else {
            const spot target = target_spot(where);
            if (asked.relation != nullptr && asked.relation[target.archetype_id] == nullptr) return false;
            return term<Term>::present(asked.nested, target);
        }
    }
    /// What an archetype must have to be asked at all.
    [[nodiscard]] static std::byte* const* needed(const storage& all) { return all.columns_of(id_of<R>()); }
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

template <class R, class Term> struct term<at_target<R, Term>> : target_term<R, Term> {};

/// Where the nearest of an entity's targets, their targets and so on is that has a column; null if none has.
[[nodiscard]] const entity_record* find_above(const storage& all, component_id relation,
                                              std::byte* const* columns, entity from) noexcept;

/// The value of the nearest target that has one, or null. Mostly it is the first one that is asked.
template <class R, class T> [[nodiscard]] inline T* find_up(std::byte* const* columns, const spot& where) {
    const entity target = target_at<R>(where);
    if constexpr (in_set<std::remove_const_t<T>>) {
        if (columns == nullptr) return nullptr;
        const auto& set = *reinterpret_cast<const sparse_set*>(columns);
        for (entity at = target; at; at = where.all->target(at, known_id<R>()))
            if (std::byte* const found = set.find(at)) return reinterpret_cast<T*>(found);
        return nullptr;
    } else {
        const entity_record* record = &where.all->entities()[target];
        if (columns[record->archetype] == nullptr) [[unlikely]] {
            record = find_above(*where.all, known_id<R>(), columns, target);
            if (record == nullptr) return nullptr;
        }
        return reinterpret_cast<T*>(columns[record->archetype]) + record->row;
    }
}

template <class R, class T> struct up_term {
    using component = std::remove_const_t<T>;
    static constexpr bool has_data = true;
    static constexpr bool reads_only = true;
    static constexpr bool by_family = true;

    static consteval void require() {
        require_relation<R>();
        require_component<component>();
        static_assert(
            std::is_const_v<T>,
            "pecs: up<R, const T> only reads, as several entities share the value: write const before T");
        static_assert(!std::is_empty_v<component>,
                      "pecs: a tag has no value, so up<R, const Tag> gives nothing; with one step, use "
                      "at_target<R, with<Tag>>");
        static_assert(
            !relation<R> || acyclic<R>,
            "pecs: up<R, const T> needs an acyclic relation, or it might never end: declare .acyclic = "
            "true in its rules, or use at_target<R, const T>");
    }
    [[nodiscard]] static std::byte* const* columns(const storage& all) {
        if constexpr (in_set<component>)
            return reinterpret_cast<std::byte* const*>(all.beside().set(known_id<component>()));
        else
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
    using question = std::byte* const*;
    [[nodiscard]] static question ask(const storage& all) { return up_term<R, T>::columns(all); }
    [[nodiscard]] static bool present(question columns, const spot& where) {
        return find_up<R, T>(columns, where) != nullptr;
    }
    [[nodiscard]] static std::byte* const* needed(const storage& all) { return all.columns_of(id_of<R>()); }
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
    using question = always;
    [[nodiscard]] static span view(cursor value, std::uint32_t /*first*/, std::size_t /*count*/) noexcept {
        return value.value;
    }
};

} // namespace pecs::detail
