// What tests of change ticks share: components, and what queries for changes find.
#pragma once

#include <boost/ut.hpp>

#include <cstddef>
#include <initializer_list>
#include <set>
#include <span>
#include <vector>

import pecs;

namespace ticked {
using pecs::entity;
using pecs::tick;
using pecs::world;

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float dx = 0, dy = 0;
};
struct Health {
    static constexpr pecs::change_tracking tracking = pecs::change_tracking::rows;
    int points = 100;
    bool operator==(const Health&) const = default;
};
struct Burning {
    static constexpr pecs::change_tracking tracking = pecs::change_tracking::rows;
};
struct Frozen {};
struct MemberOf {
    static constexpr pecs::relation_rules rules{};
    int rank = 0;
};
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};
struct Clock {
    int step = 1;
};

/// Sparse components, whose values are packed, or stay where they are.
struct Heat {
    static constexpr auto storage = pecs::component_storage::sparse;
    int degrees = 0;
    bool operator==(const Heat&) const = default;
};
struct Root {
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    int degrees = 0;
    bool operator==(const Root&) const = default;
};
struct Chosen {
    static constexpr auto storage = pecs::component_storage::sparse;
};

/// A set that the test framework does not try to print.
class entities {
public:
    entities() = default;
    entities(std::initializer_list<entity> list) : all_{list} {}
    explicit entities(std::span<const entity> list) : all_{list.begin(), list.end()} {}
    void insert(entity e) { all_.insert(e); }
    [[nodiscard]] bool contains(entity e) const { return all_.contains(e); }
    [[nodiscard]] std::size_t size() const { return all_.size(); }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] std::vector<entity> list() const { return {all_.begin(), all_.end()}; }
    bool operator==(const entities&) const = default;

private:
    std::set<entity> all_;
};

/// What a query gives, which all its ways to ask must agree on.
template <class Query> entities all_of(const Query& query) {
    entities found;
    std::size_t visited = 0;
    query.each_entity([&](entity e) {
        found.insert(e);
        ++visited;
        boost::ut::expect(query.contains(e));
    });
    boost::ut::expect(visited == found.size() and query.count() == visited);
    boost::ut::expect(query.empty() == found.empty());
    boost::ut::expect(found.contains(query.first()) or found.empty());
    return found;
}
template <class T> entities changed(const world& w, tick since) {
    return all_of(w.query<>().changed<T>(since));
}
template <class T> entities added(const world& w, tick since) { return all_of(w.query<>().added<T>(since)); }

} // namespace ticked
