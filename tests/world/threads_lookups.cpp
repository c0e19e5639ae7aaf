// Several threads ask one world at once, in every way there is to ask about single entities: components, relations, edges,
// trees, names, places, resources, what is disabled; typed and by id. (Queries are in `query.threads` and
// `query.threads_relations`.) Built with the thread sanitizer this shows every race.
#include <boost/ut.hpp>

#include "../support/parallel.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::child_of;
using pecs::entity;
using pecs::id_of;
using pecs::to;
using pecs::world;
using support::in_parallel;
using support::threads;

struct Value {
    long value = 0;
};
struct Label {
    std::string text;
};
struct Lit {
    static constexpr auto storage = pecs::component_storage::sparse;
    long heat = 0;
};
struct Stone {
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    long weight = 0;
};
struct Aims {
    static constexpr pecs::relation_rules rules{};
    long power = 0;
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
    long years = 0;
};
struct Near {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
};
struct Score {
    long points = 0;
};
struct Clock {
    long now = 0;
};
/// Types that nobody has used before all threads ask for them at once.
template <int> struct Unused {
    long value = 0;
};
template <int> struct UnusedLink {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
template <int> struct UnusedEdge {
    static constexpr pecs::relation_rules rules{.many = true};
    long value = 0;
};

/// A tree with all that can be asked about, and handles of which some are dead.
struct scene {
    world w;
    std::vector<entity> all;

    scene() {
        w.set_resource(Score{3});
        all.push_back(w.spawn(pecs::name{"n0"}, Value{1}));
        for (std::size_t i = 1; i != 60; ++i) {
            const entity parent = all[i / 3];
            const auto value = static_cast<long>(i);
            const pecs::name name{"n" + std::to_string(i)};
            all.push_back(i % 2 == 0 ? w.spawn(name, Value{value}, to<child_of>(parent))
                                     : w.spawn(name, Label{"label"}, to<child_of>(parent),
                                               to<Aims>(all[i / 2], Aims{value})));
        }
        for (std::size_t i = 1; i < all.size(); i += 2) {
            w.relate<Knows>(all[i], all[i / 2], Knows{2});
            w.relate<Knows>(all[i], all[i - 1], Knows{3});
            w.relate<Near>(all[i], all[i / 3]);
        }
        for (std::size_t i = 0; i < all.size(); i += 4) w.add(all[i], Lit{5}, Stone{6});
        for (std::size_t i = 0; i < all.size(); i += 7) w.disable(all[i]);
        for (std::size_t i = 2; i < all.size(); i += 10) w.disable<Value>(all[i]);
        w.place_first(all[2]);
        w.despawn(all[59]);
        w.despawn(all[58]);
        all.push_back(pecs::null);
    }
};

long one(bool yes) { return yes ? 1 : 0; }
long count(std::size_t n) { return static_cast<long>(n); }

/// So that it matters in which place a summand comes.
long shifted(long sum) { return sum % 1'000'000'007 * 3; }

long components(const scene& s) {
    const world& w = s.w;
    const auto values = w.access<Value>();
    const auto stones = w.access<Stone>();
    long sum = count(w.size()) + one(w.empty());
    for (const entity e : s.all) {
        sum = shifted(sum) + one(w.alive(e)) + one(w.has<Value>(e)) + one(w.has<Lit>(e)) + one(w.enabled(e)) +
              one(w.enabled<Value>(e)) + one(w.enabled<Lit>(e));
        if (const Value* const value = w.try_get<Value>(e)) sum += value->value + w.get<Value>(e).value;
        if (const Label* const label = w.try_get<Label>(e)) sum += count(label->text.size());
        if (const Lit* const lit = w.try_get<Lit>(e)) sum += lit->heat;
        if (const Value* const value = values.try_get(e)) sum += value->value + values[e].value;
        if (const Stone* const stone = stones.try_get(e)) sum += stone->weight;
    }
    w.each_entity([&](entity e) { sum += e.index(); });
    return sum;
}

long relations(const scene& s) {
    const world& w = s.w;
    long sum = 0;
    for (const entity e : s.all) {
        const entity aim = w.target<Aims>(e);
        sum = shifted(sum) + aim.index() + one(w.has<Aims>(e, aim)) + count(w.source_count<Aims>(e));
        w.each_source<Aims>(e, [&](entity source) { sum += source.index(); });
        w.each_source(e, [&](entity source, pecs::component_id) { sum += 2 * source.index(); });
        for (const entity target : w.targets<Knows>(e))
            sum += w.get<Knows>(e, target).years + w.try_get<Knows>(e, target)->years;
        for (const entity source : w.sources<Knows>(e)) sum += source.index() + one(w.has<Knows>(source, e));
        w.each_target<Knows>(e, [&](entity target, const Knows& k) { sum += target.index() * k.years; });
        w.each_source<Knows>(e, [&](entity source, const Knows& k) { sum += source.index() * k.years; });
        sum += count(w.target_count<Near>(e)) + count(w.sources<Near>(e).size());
    }
    w.each_edge<Knows>([&](entity source, entity, const Knows& k) { sum += source.index() + k.years; });
    w.each_edge<Near>([&](entity source, entity target) { sum += source.index() * target.index(); });
    return sum;
}

long trees(const scene& s) {
    const world& w = s.w;
    long sum = count(w.roots().size());
    for (const entity e : s.all) {
        sum = shifted(sum) + w.parent(e).index() + w.root_of(e).index() + count(w.child_count(e));
        for (const entity above : w.ancestors(e)) sum += above.index() + one(w.is_ancestor(above, e));
        for (const entity child : w.children(e)) sum += child.index() + one(w.can_relate(e, child));
        for (const entity below : w.descendants(e)) sum += below.index();
        long place = 1;
        for (const entity child : w.ordered_children(e)) sum += child.index() * place++;
        if (w.alive(e)) sum += count(w.depth(e));
    }
    return sum;
}

long paths(const scene& s) {
    const world& w = s.w;
    long sum = 0;
    for (const entity e : s.all) {
        if (!w.alive(e)) continue;
        const std::string path = w.path_of(e);
        sum = shifted(sum) + one(w.find(path) == e) + count(path.size());
        const entity parent = w.parent(e);
        if (!parent) continue;
        const pecs::name& name = w.get<pecs::name>(e);
        sum += one(w.find_child(parent, name.view()) == e) + one(w.find(name.view(), parent) == e);
    }
    return sum;
}

/// The verbs by id are those of a world that is not const, but these only read.
long by_id(scene& s) {
    const auto verbs = s.w.by_id();
    const auto [value, aims, knows] = std::array{id_of<Value>(), id_of<Aims>(), id_of<Knows>()};
    auto found = verbs.query();
    found.with(value);
    long sum = one(found.empty()) + found.first().index();
    for (const entity e : s.all) {
        sum = shifted(sum) + one(verbs.has(e, value)) + one(verbs.enabled(e, value)) + one(found.contains(e));
        if (const auto* const at = static_cast<const Value*>(verbs.try_get(e, value)))
            sum += at->value + static_cast<const Value*>(verbs.get(e, value))->value;
        sum += verbs.target(e, aims).index() + count(verbs.sources(e, knows).size());
        for (const entity target : verbs.targets(e, knows))
            sum += one(verbs.has(e, knows, target)) +
                   static_cast<const Knows*>(verbs.get(e, knows, target))->years +
                   static_cast<const Knows*>(verbs.try_get(e, knows, target))->years;
    }
    return sum;
}

long rest(const scene& s) {
    const world& w = s.w;
    long sum = w.resource<Score>().points + one(w.has_resource<Clock>());
    sum += one(w.try_resource<Score>() != nullptr) + one(w.try_resource<Clock>() != nullptr);
    const auto some = w.query<const Value>();
    sum += one(some.empty()) + some.first().index();
    for (const entity e : s.all) {
        if (!some.contains(e)) continue;
        auto [value] = some.get(e);
        sum += value.value;
    }
    auto [top] = w.query<const Value, pecs::without<child_of>, pecs::disabled_too>().single();
    sum += top.value;
    const pecs::world_stats stats = w.stats();
    return sum + count(stats.entities + stats.edges + stats.sparse_values + stats.disabled + stats.resources);
}

template <int N> long unused(const scene& s) {
    const world& w = s.w;
    long sum = one(w.has_resource<Unused<N>>());
    for (const entity e : s.all) {
        sum += one(w.has<Unused<N>>(e)) + one(w.try_get<Unused<N>>(e) != nullptr);
        sum += one(bool{w.target<UnusedLink<N>>(e)}) + count(w.source_count<UnusedLink<N>>(e));
        sum += count(w.targets<UnusedEdge<N>>(e).size() + w.descendants<UnusedLink<N>>(e).size());
        sum += one(w.try_get<UnusedEdge<N>>(e, s.all[0]) != nullptr);
    }
    return sum;
}

/// All threads ask the same of one world, and must learn what one thread learns of a world alike.
template <class Ask> void compare(Ask ask) {
    using namespace boost::ut;
    for (int round = 0; round != 10; ++round) {
        scene alone;
        scene shared;
        const long expected = ask(alone);
        std::atomic<int> right = 0;
        in_parallel([&](int) { right += ask(shared) == expected ? 1 : 0; });
        expect(right.load() == threads) << round;
        expect(shared.w.validate());
    }
}
} // namespace

int main() {
    using namespace boost::ut;

    "components, also sparse ones, and what is disabled"_test = [] {
        compare([](scene& s) { return components(s); });
    };
    "targets and sources, of one and of many"_test = [] { compare([](scene& s) { return relations(s); }); };
    "ancestors, descendants, depths and places"_test = [] { compare([](scene& s) { return trees(s); }); };
    "paths there and back"_test = [] { compare([](scene& s) { return paths(s); }); };
    "look-ups by id"_test = [] { compare([](scene& s) { return by_id(s); }); };
    "resources, single matches of queries, figures"_test = [] { compare([](scene& s) { return rest(s); }); };
    "different questions at once"_test = [] {
        scene alone;
        scene shared;
        const std::vector<long> expected{components(alone), relations(alone), trees(alone) + paths(alone),
                                         by_id(alone) + rest(alone)};
        std::vector<long> learned(threads);
        in_parallel([&](int thread) {
            long& mine = learned[static_cast<std::size_t>(thread)];
            if (thread == 0) mine = components(shared);
            if (thread == 1) mine = relations(shared);
            if (thread == 2) mine = trees(shared) + paths(shared);
            if (thread == 3) mine = by_id(shared) + rest(shared);
        });
        expect(learned == expected);
    };
    "types that nobody has used"_test = [] {
        scene s;
        std::atomic<long> found = 0;
        in_parallel([&](int) { found += unused<0>(s) + unused<1>(s) + unused<2>(s) + unused<3>(s); });
        expect(found.load() == 0_l);
    };
}
