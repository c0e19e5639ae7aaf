// What tests of observers share: components, and a journal of what was told.
#pragma once

#include <string>
#include <utility>

import pecs;

namespace noted {

struct Position {
    int x = 0;
};
struct Velocity {
    int dx = 0;
};
struct Tag {};
struct Name {
    std::string text;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    int how_much = 0;
    static constexpr pecs::relation_rules rules{};
};
struct Needs {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::forbid};
};
struct Knows {
    int years = 0;
    static constexpr pecs::relation_rules rules{.many = true};
};
struct Married {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
};

/// What was told, as text.
struct journal {
    std::string text;

    void operator()(const std::string& what) { text += (text.empty() ? "" : " ") + what; }
    std::string take() { return std::exchange(text, {}); }
};

inline std::string id(pecs::entity e) { return e ? std::to_string(e.index()) : "-"; }

/// Writes down on_relate of `R`.
template <class R> pecs::observer note_targets(pecs::world& world, journal& notes, const std::string& label) {
    return world.observe<R>(pecs::on_relate,
                            [&notes, label](pecs::entity e, pecs::entity old, pecs::entity now) {
                                notes(label + id(e) + ":" + id(old) + ">" + id(now));
                            });
}
/// Writes down additions and removals of `T`.
template <class T>
std::pair<pecs::observer, pecs::observer> note_presence(pecs::world& world, journal& notes,
                                                        const std::string& label) {
    return {
        world.observe<T>(pecs::on_add, [&notes, label](pecs::entity e) { notes("+" + label + id(e)); }),
        world.observe<T>(pecs::on_remove, [&notes, label](pecs::entity e) { notes("-" + label + id(e)); })};
}
/// Writes down beginnings and ends.
inline std::pair<pecs::observer, pecs::observer> note_lives(pecs::world& world, journal& notes) {
    return {world.observe(pecs::on_spawn, [&notes](pecs::entity e) { notes("born" + id(e)); }),
            world.observe(pecs::on_despawn, [&notes](pecs::entity e) { notes("dies" + id(e)); })};
}

} // namespace noted
