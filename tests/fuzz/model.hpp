// What a world should be, in maps: slow, small, and easy to believe. Each verb has a function that says what is wrong with
// it (a set of problems, any of which the world may name) and one that does it.
#pragma once

#include "prelude.hpp"
#include "types.hpp"

import pecs;

namespace fuzz {

/// What a verb may throw, as bits.
enum problem : unsigned {
    fine = 0,
    dead_entity = 1,
    missing_component = 2,
    duplicate_component = 4,
    repeated_entity = 8,
    dead_target = 16,
    target_in_use = 32,
    relation_cycle = 64,
    world_locked = 128,
    foreign_commands = 256,
    no_match = 512,
    another = 1024,
    unsupported = 2048,
    unknown_component = 4096,
    not_siblings = 8192,
    missing_resource = 16384,
};
using problems = unsigned;
[[nodiscard]] std::string describe(problems all);

/// The place of an entity among its siblings, which counts under one parent. It is vague if others got places while the
/// entity had another parent: then it lies anywhere among them.
struct place {
    bool there = false;
    entity parent{};
    int key = 0;
    bool vague = false;
    bool operator==(const place&) const = default;
};

struct thing {
    unsigned has = 0;       ///< parts
    unsigned off_parts = 0; ///< those that are disabled
    bool off = false;       ///< all of it is
    std::array<int, parts::size> numbers{};
    std::array<entity, links::size> targets{};
    unsigned touched = 0;       ///< parts that were written since the tick that was noted
    unsigned fresh = 0;         ///< those that were added
    std::optional<int> label{}; ///< the name, by number
    place rank{};

    template <class T> [[nodiscard]] bool holds() const { return (has & mask<T>) != 0; }
    /// Whether queries that require a part see it.
    template <class T> [[nodiscard]] bool shows() const { return holds<T>() && (off_parts & mask<T>) == 0; }
    /// Whether queries see it that say nothing about prefabs or what is disabled.
    [[nodiscard]] bool visible() const { return !off && !holds<pecs::prefab>(); }

    /// Whether it has nothing beside its parts.
    [[nodiscard]] bool plain() const { return !label && !rank.there; }

    void give(std::size_t which, int number);
    void write(std::size_t which, int number);
    void drop(std::size_t which);
    void give_all(unsigned which, int number);
    void drop_all(unsigned which);
    /// Relates to a target; without data, what is there is kept, or else is the default.
    void relate(std::size_t relation, entity target, std::optional<int> data);
    bool operator==(const thing&) const = default;
};

using entities = std::vector<entity>;
using pair_of_entities = std::pair<entity, entity>;

struct model {
    std::map<entity, thing> things;
    std::array<std::map<pair_of_entities, int>, edges::size> edge_sets; ///< symmetric ones both ways
    entities gone;
    std::array<std::optional<int>, 2> resources;

    [[nodiscard]] bool alive(entity e) const { return things.contains(e); }

    // --- what is wrong

    [[nodiscard]] problems with(entity e) const { return alive(e) ? fine : dead_entity; }
    [[nodiscard]] problems with_list(const entities& all) const;
    [[nodiscard]] problems change(entity e, unsigned added, unsigned removed) const;
    [[nodiscard]] problems change_all(const entities& all, unsigned added, unsigned removed) const;
    [[nodiscard]] problems target(entity e) const { return alive(e) ? fine : dead_target; }
    [[nodiscard]] problems relate(const entities& all, std::size_t relation, entity target) const;
    [[nodiscard]] problems add_edges(const entities& all, std::size_t relation, entity target) const;
    /// Of ending edges to one target, or to all if it is null.
    [[nodiscard]] problems cut_edges(const entities& all, std::size_t relation, entity target) const;
    [[nodiscard]] problems despawn(const entities& all) const;

    // --- what it does

    void add(entity e, unsigned which, int number) { things.at(e).give_all(which, number); }
    void link_edge(std::size_t relation, entity a, entity b, int data, bool replace);
    void cut_edge(std::size_t relation, entity a, entity b);
    void cut_all_edges(std::size_t relation, entity a);
    /// Ends entities with all that follows.
    void end(const entities& all);
    void clear();

    // --- questions

    [[nodiscard]] bool has_edge(std::size_t relation, entity a, entity b) const {
        return edge_sets[relation].contains({a, b});
    }
    [[nodiscard]] bool has_edges(std::size_t relation, entity a) const;
    /// Whether a way along a relation leads from one to the other; of length 0, too.
    [[nodiscard]] bool climbs(std::size_t relation, entity from, entity to) const;
    [[nodiscard]] bool leads(std::size_t relation, entity from, entity to) const;
    /// An entity and all below it, parents first.
    [[nodiscard]] entities tree(std::size_t relation, entity root) const;
    [[nodiscard]] std::set<entity> dying(const entities& all) const;
    /// The children of an entity in a relation, in the order of their handles.
    [[nodiscard]] entities children(std::size_t relation, entity parent) const;
};

} // namespace fuzz
