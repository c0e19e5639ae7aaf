#include "stage.hpp"

import pecs;

namespace fuzz {
namespace {

template <class T> void compare_part(const pecs::world& world, entity e, const thing& t) {
    const auto wrong = [&](const char* what) {
        throw mismatch{std::string{part_names[part<T>]} + " of " + text(e) + ": " + what};
    };
    if (world.has<T>(e) != t.holds<T>()) wrong(t.holds<T>() ? "it is missing" : "it should not be there");
    if (world.enabled<T>(e) != t.shows<T>()) wrong("wrongly enabled or disabled");
    if constexpr (!std::is_empty_v<T>) {
        const T* const there = world.try_get<T>(e);
        if ((there != nullptr) != t.holds<T>()) wrong("try_get");
        if (there != nullptr && there->number() != t.numbers[part<T>]) wrong("another value");
    }
}

template <class R> void compare_edges(const pecs::world& world, const model& now) {
    const auto& expected = now.edge_sets[edge<R>];
    const std::string name = edge_names[edge<R>];
    std::size_t count = 0;
    world.each_edge<R>([&](entity a, entity b) {
        require(expected.contains({a, b}), name + ": an edge that should not be there");
        count += R::rules.symmetric && a != b ? 2 : 1;
    });
    require(count == expected.size(), name + ": another number of edges");
    std::map<entity, std::size_t> sources;
    std::map<entity, std::size_t> targets;
    for (const auto& [ends, data] : expected) {
        require(world.has<R>(ends.first, ends.second), name + ": an edge is missing");
        ++targets[ends.first];
        ++sources[ends.second];
        if constexpr (!std::is_empty_v<R>)
            require(world.get<R>(ends.first, ends.second).number() == data, name + ": another value");
    }
    for (const auto& [e, t] : now.things) {
        require(world.targets<R>(e).size() == targets[e], name + ": targets of " + text(e));
        require(world.sources<R>(e).size() == sources[e], name + ": sources of " + text(e));
        require(world.has<R>(e) == (targets[e] != 0), name + ": has of " + text(e));
    }
}

} // namespace

void compare(arena& all, std::size_t turn) {
    const pecs::world& world = all.world();
    require(world.validate(), "the world is not valid");
    require(world.size() == all.now.things.size(), "there are " + std::to_string(world.size()) +
                                                       " entities, not " +
                                                       std::to_string(all.now.things.size()));
    for (const auto& [e, t] : all.now.things) {
        require(world.alive(e), text(e) + " is dead");
        require(world.enabled(e) == !t.off, text(e) + " is wrongly enabled or disabled");
        each_type(parts{}, [&]<class T>() { compare_part<T>(world, e, t); });
        each_type(links{}, [&]<class R>() {
            require(world.target<R>(e) == t.targets[link<R>], "the target of " + text(e) + " in " +
                                                                  part_names[part<R>] + " is " +
                                                                  text(world.target<R>(e)));
        });
    }
    if (!all.now.gone.empty()) require(!world.alive(all.now.gone.back()), "a dead entity lives");
    each_type(edges{}, [&]<class R>() { compare_edges<R>(world, all.now); });
    compare_queries(all, turn);
}

} // namespace fuzz
