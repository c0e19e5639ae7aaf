// Queries, and what they must find according to the model.
#pragma once

#include "model.hpp"
#include "prelude.hpp"
#include "types.hpp"

import pecs;

namespace fuzz {

/// Calls `f(query, fits)` for the query of a number; `fits(entity, thing)` says what it finds. The batch verbs take the
/// first ones.
inline constexpr std::size_t batch_questions = 10;
inline constexpr std::size_t questions = 22;
template <class F>
void ask_simple(std::size_t number, pecs::world& w, const model& now, entity target, F&& f) {
    using pecs::any;
    using pecs::disabled_too;
    using pecs::none;
    using pecs::with;
    using pecs::without;
    switch (number) {
    case 0:
        return f(w.query<const Position>(),
                 [](entity, const thing& t) { return t.visible() && t.shows<Position>(); });
    case 1:
        return f(w.query<const Name, without<Frozen>>(),
                 [](entity, const thing& t) { return t.visible() && t.shows<Name>() && !t.holds<Frozen>(); });
    case 2:
        return f(w.query<with<Heat, Position>>(), [](entity, const thing& t) {
            return t.visible() && t.shows<Heat>() && t.shows<Position>();
        });
    case 3:
        return f(w.query<>().of<Child>(target), [target](entity, const thing& t) {
            return t.visible() && t.shows<Child>() && t.targets[link<Child>] == target;
        });
    case 4:
        return f(w.query<>().of<Owner>(target), [target](entity, const thing& t) {
            return t.visible() && t.shows<Owner>() && t.targets[link<Owner>] == target;
        });
    case 5:
        return f(w.query<>().of<Likes>(target), [target, &now](entity e, const thing& t) {
            return t.visible() && now.has_edge(edge<Likes>, e, target);
        });
    case 6:
        return f(w.query<const Frozen>().of<Follows>(any), [](entity, const thing& t) {
            return t.visible() && t.shows<Frozen>() && t.shows<Follows>();
        });
    case 7:
        return f(w.query<disabled_too, with<Mark>>(),
                 [](entity, const thing& t) { return !t.holds<pecs::prefab>() && t.holds<Mark>(); });
    case 8:
        return f(w.query<>().of<Child>(target).template of<Owner>(target), [target](entity, const thing& t) {
            return t.visible() && t.shows<Child>() && t.shows<Owner>() && t.targets[link<Child>] == target &&
                   t.targets[link<Owner>] == target;
        });
    default:
        return f(w.query<>().under<Child>(target), [target, &now](entity e, const thing& t) {
            return t.visible() && t.shows<Child>() && e != target && now.climbs(link<Child>, e, target);
        });
    }
}
template <class F> void ask(std::size_t number, pecs::world& w, const model& now, entity target, F&& f) {
    using pecs::any;
    using pecs::any_of;
    using pecs::disabled_too;
    using pecs::having;
    using pecs::none;
    using pecs::optional;
    using pecs::with;
    switch (number) {
    case 10: return f(w.query<>(), [](entity, const thing& t) { return t.visible(); });
    case 11:
        return f(w.query<any_of<Frozen, Mark>, optional<const Stable>>(), [](entity, const thing& t) {
            return t.visible() && (t.holds<Frozen>() || t.holds<Mark>());
        });
    case 12:
        return f(w.query<disabled_too, optional<pecs::prefab>>(), [](entity, const thing&) { return true; });
    case 13:
        return f(w.query<const Position, with<pecs::prefab>>(), [](entity, const thing& t) {
            return !t.off && t.shows<Position>() && t.shows<pecs::prefab>();
        });
    case 14:
        return f(w.query<>().of<Owner>(none),
                 [](entity, const thing& t) { return t.visible() && !t.holds<Owner>(); });
    case 15:
        return f(w.query<const Name>().of<Owner>(having<const Position>), [&now](entity, const thing& t) {
            return t.visible() && t.shows<Name>() && t.shows<Owner>() &&
                   now.things.at(t.targets[link<Owner>]).holds<Position>();
        });
    case 16:
        return f(w.query<const Position, pecs::exact>(), [](entity, const thing& t) {
            return t.visible() && t.shows<Position>() && t.has == mask<Position> && t.plain();
        });
    case 17:
        return f(w.query<>().of<Needs>(any),
                 [&now](entity e, const thing& t) { return t.visible() && now.has_edges(edge<Needs>, e); });
    case 18:
        return f(w.query<const Position>().of<Friend>(none), [&now](entity e, const thing& t) {
            return t.visible() && t.shows<Position>() && !now.has_edges(edge<Friend>, e);
        });
    case 19:
        return f(w.query<const Heat, const Stable>(),
                 [](entity, const thing& t) { return t.visible() && t.shows<Heat>() && t.shows<Stable>(); });
    case 20:
        return f(w.query<>().of<Friend>(target).template of<Child>(any),
                 [target, &now](entity e, const thing& t) {
                     return t.visible() && t.shows<Child>() && now.has_edge(edge<Friend>, e, target);
                 });
    case 21:
        return f(w.query<pecs::up<Child, const Name>>(), [&now](entity, const thing& t) {
            if (!t.visible() || !t.shows<Child>()) return false;
            for (entity at = t.targets[link<Child>]; at; at = now.things.at(at).targets[link<Child>])
                if (now.things.at(at).holds<Name>()) return true;
            return false;
        });
    default: return ask_simple(number, w, now, target, f);
    }
}

} // namespace fuzz
