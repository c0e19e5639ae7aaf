// The components and relations of the fuzzer: one of every kind of storage, one of every rule. Each with data can be made
// from a number and gives it back; see tests/support/components.hpp.
#pragma once

#include "prelude.hpp"

import pecs;

namespace fuzz {

using pecs::entity;
using support::Frozen;
using support::Name;
using support::Position;
using support::Tracked;

struct Heat { // moves within its set, and knows where it is
    static constexpr auto storage = pecs::component_storage::sparse;
    Tracked value;
    static Heat of(int n) { return {Tracked::of(n)}; }
    [[nodiscard]] int number() const { return value.number(); }
};
struct Stable { // stays where it is
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    Name text;
    static Stable of(int n) { return {Name::of(n)}; }
    [[nodiscard]] int number() const { return text.number(); }
};
struct Mark { // a sparse tag
    static constexpr auto storage = pecs::component_storage::sparse;
    static Mark of(int /*n*/) { return {}; }
};

// Relations with one target.
struct Child {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
    static Child of(int /*n*/) { return {}; }
};
struct Owner {
    static constexpr pecs::relation_rules rules{};
    static constexpr pecs::change_tracking tracking = pecs::change_tracking::rows;
    int since = 0;
    static Owner of(int n) { return {n}; }
    [[nodiscard]] int number() const { return since; }
};
struct Guard {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::forbid};
    static Guard of(int /*n*/) { return {}; }
};
struct Follows {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::cascade};
    Tracked mood;
    static Follows of(int n) { return {Tracked::of(n)}; }
    [[nodiscard]] int number() const { return mood.number(); }
};

// Relations with many.
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
    Name why;
    static Likes of(int n) { return {Name::of(n)}; }
    [[nodiscard]] int number() const { return why.number(); }
};
struct Needs {
    static constexpr pecs::relation_rules rules{
        .on_target_death = pecs::target_death::cascade, .acyclic = true, .many = true};
    static Needs of(int /*n*/) { return {}; }
};
struct Uses {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::forbid, .many = true};
    static Uses of(int /*n*/) { return {}; }
};
struct Friend {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
    int years = 0;
    static Friend of(int n) { return {n}; }
    [[nodiscard]] int number() const { return years; }
};

// Resources: one that can move, and one that cannot.
struct Clock {
    Tracked value;
    explicit Clock(int n) : value{n} {}
    [[nodiscard]] int number() const { return value.number(); }
    void write(int n) {
        std::destroy_at(&value);
        std::construct_at(&value, n);
    }
};
struct Seat {
    Name value;
    explicit Seat(int n) : value{Name::of(n)} {}
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    ~Seat() = default;
    [[nodiscard]] int number() const { return value.number(); }
    void write(int n) { value = Name::of(n); }
};

template <class... Ts> struct list {
    static constexpr std::size_t size = sizeof...(Ts);
};
using parts = list<Position, Name, Frozen, Heat, Stable, Mark, pecs::prefab, Child, Owner, Guard, Follows>;
using links = list<Child, Owner, Guard, Follows>;
using edges = list<Likes, Needs, Uses, Friend>;
using tracked_parts = list<Position, Name, Heat, Stable, Child, Owner, Follows>;
inline constexpr std::size_t first_link = parts::size - links::size;

template <class T, class... Ts> consteval std::size_t place_in(list<Ts...> /*all*/) {
    const bool same[] = {std::is_same_v<T, Ts>...};
    std::size_t at = 0;
    while (!same[at]) ++at;
    return at;
}
template <class T> inline constexpr std::size_t part = place_in<T>(parts{});
template <class R> inline constexpr std::size_t link = place_in<R>(links{});
template <class R> inline constexpr std::size_t edge = place_in<R>(edges{});
template <class... Ts> inline constexpr unsigned mask = (0U | ... | (1U << part<Ts>));

inline constexpr std::array part_names{"Position", "Name",  "Frozen", "Heat",  "Stable", "Mark",
                                       "prefab",   "Child", "Owner",  "Guard", "Follows"};
inline constexpr std::array edge_names{"Likes", "Needs", "Uses", "Friend"};
inline constexpr std::array link_rules{Child::rules, Owner::rules, Guard::rules, Follows::rules};
inline constexpr std::array edge_rules{Likes::rules, Needs::rules, Uses::rules, Friend::rules};

/// The ids of the types, for verbs by id.
template <class... Ts> [[nodiscard]] pecs::component_id id_in(list<Ts...> /*all*/, std::size_t number) {
    const std::array ids{pecs::id_of<Ts>()...};
    return ids[number];
}

/// Calls `f` with the type of a number as a template argument.
template <class... Ts, class F> void with_type(list<Ts...> /*all*/, std::size_t number, F&& f) {
    std::size_t at = 0;
    ((at++ == number ? f.template operator()<Ts>() : void()), ...);
}
/// Calls `f` for all types.
template <class... Ts, class F> void each_type(list<Ts...> /*all*/, F&& f) {
    (f.template operator()<Ts>(), ...);
}

/// The sets of components that verbs with several components take; `f` gets the types.
inline constexpr std::size_t bundles = 12;
template <class F> void with_bundle(std::size_t number, F&& f) {
    switch (number) {
    case 0: return f.template operator()<Position>();
    case 1: return f.template operator()<Name>();
    case 2: return f.template operator()<Frozen>();
    case 3: return f.template operator()<Heat>();
    case 4: return f.template operator()<Stable>();
    case 5: return f.template operator()<Mark>();
    case 6: return f.template operator()<Name, Position>();
    case 7: return f.template operator()<Frozen, Heat>();
    case 8: return f.template operator()<Stable, Name, Mark>();
    case 9: return f.template operator()<Position, Frozen, Stable>();
    case 10: return f.template operator()<Mark, Heat>();
    default: return f.template operator()<Frozen, Position, Name>();
    }
}

} // namespace fuzz
