// Several threads read one world at once, in every way there is to read relations, trees, ticks and run-time queries. All of
// them meet what is remembered (caches, orders by depth, tracking) for the first time together, round after round. Built
// with the thread sanitizer this shows every race.
#include <boost/ut.hpp>

#include "../support/parallel.hpp"

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::to;
using pecs::world;
using support::in_parallel;
using support::threads;

struct PartOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    static constexpr pecs::relation_rules rules{};
    int much = 0;
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
    int years = 0;
};
struct Value {
    static constexpr auto tracking = pecs::change_tracking::rows;
    long value = 0;
};
struct Weight {
    long value = 0;
};
struct Lit {
    static constexpr auto storage = pecs::component_storage::sparse;
    long heat = 0;
};
struct Clock {
    long now = 0;
};
template <int> struct Fresh {
    int value = 0;
};

/// A forest with edges, and its entities.
struct forest {
    world w;
    std::vector<entity> all;

    explicit forest(int round) {
        w.set_resource(Clock{2});
        for (int tree = 0; tree != 4; ++tree) {
            all.push_back(w.spawn(Value{1}, Weight{1}));
            for (int i = 0; i != 30; ++i) {
                const entity parent = all[all.size() - 1 - static_cast<std::size_t>(i) / 3];
                all.push_back(
                    i % 2 == 0
                        ? w.spawn(Value{1}, to<PartOf>(parent))
                        : w.spawn(Value{1}, Weight{1}, to<PartOf>(parent),
                                  to<Likes>(all[static_cast<std::size_t>(round) % all.size()], Likes{1})));
            }
        }
        for (std::size_t i = 1; i < all.size(); i += 3) w.relate<Knows>(all[i], all[i / 2], Knows{1});
        for (std::size_t i = 0; i < all.size(); i += 5) w.add(all[i], Lit{1});
        w.disable(all[3]);
        w.add(all[1], pecs::name{"one"});
    }
};

long typed(const forest& f) {
    const world& w = f.w;
    long sum = 0;
    for (const entity e : f.all) {
        w.query<const Value>().of<PartOf>(e).each([&](const Value& v) { sum += v.value; });
        w.query<>().of<Knows>(e).each([&](entity) { ++sum; });
        sum += static_cast<long>(w.source_count<Likes>(e) + w.targets<Knows>(e).size());
        sum += w.query<const Value>().contains(e) ? 1 : 0;
    }
    const auto children = w.query<const Value>().by<PartOf>();
    for (const entity e : f.all) children.each(e, [&](const Value& v) { sum += v.value; });
    for (auto [parent, entities, values] : w.query<const Value>().families<PartOf>())
        sum += static_cast<long>(entities.size() + values.size()) + (parent ? 1 : 0);
    w.query<const Weight, pecs::at_target<PartOf, const Value>>().each(
        [&](const Weight& m, const Value& v) { sum += m.value + v.value; });
    w.query<const Value, pecs::res<const Clock>>().each(
        [&](const Value& v, const Clock& c) { sum += v.value * c.now; });
    w.query<const Lit>().each([&](const Lit& l) { sum += l.heat; });
    w.query<const Value>().each_sorted([](const Value& v) { return v.value; },
                                       [&](const Value& v) { sum += v.value; });
    return sum;
}

long trees(const forest& f) {
    const world& w = f.w;
    long sum = 0;
    w.query<const Value>().parents_first<PartOf>().each([&](const Value& v) { sum += v.value; });
    w.query<const Value>().children_first<PartOf>().each([&](const Value& v) { sum += v.value; });
    w.query<const Value>().under<PartOf>(f.all[0]).each([&](const Value& v) { sum += v.value; });
    w.query<pecs::up<PartOf, const Weight>>().each([&](const Weight& m) { sum += m.value; });
    for (const entity e : f.all) {
        sum += static_cast<long>(w.depth<PartOf>(e) + w.child_count<PartOf>(e));
        for (const entity above : w.ancestors<PartOf>(e)) sum += above.index() % 3;
    }
    sum += static_cast<long>(w.roots<PartOf>().size() + w.descendants<PartOf>(f.all[0]).size());
    return sum + static_cast<long>(w.path_of<PartOf>(f.all[1]).size());
}

long ticked(const forest& f) {
    const pecs::tick since; // before everything
    const world& w = f.w;
    long sum = 0;
    w.query<const Value>().changed<Value>(since).each([&](const Value& v) { sum += v.value; });
    w.query<const Weight>().added<Weight>(since).each([&](const Weight& m) { sum += m.value; });
    sum += static_cast<long>(w.query<>().changed<PartOf>(since).count());
    return sum;
}

/// Run-time queries belong to a thread, but the world that they read to all.
long by_id(forest& f) {
    long sum = 0;
    auto some = f.w.by_id().query();
    some.with(pecs::id_of<Value>()).without(pecs::id_of<Lit>()).optional(pecs::id_of<Weight>());
    some.each([&](const pecs::family_view& family) {
        for (const Value& v : family.values<const Value>()) sum += v.value;
    });
    auto below = f.w.by_id().query();
    below.of(pecs::id_of<PartOf>(), f.all[0]);
    return sum + static_cast<long>(some.count() + below.count());
}

/// Runs on all threads at once, with everything cold, what one thread does in a world alike; the sums must be the same.
template <class Read> void compare(Read read) {
    using namespace boost::ut;
    for (int round = 0; round != 20; ++round) {
        forest alone{round};
        forest shared{round};
        const long expected = read(alone);
        std::atomic<int> right = 0;
        in_parallel([&](int) { right += read(shared) == expected ? 1 : 0; });
        expect(right.load() == threads) << round;
        expect(shared.w.validate());
    }
}
} // namespace

int main() {
    using namespace boost::ut;

    "relations, edges, families, resources, sparse components"_test = [] {
        compare([](forest& f) { return typed(f); });
    };
    "trees, with their orders cold"_test = [] { compare([](forest& f) { return trees(f); }); };
    "changes, with their tracking cold"_test = [] { compare([](forest& f) { return ticked(f); }); };
    "run-time queries"_test = [] { compare([](forest& f) { return by_id(f); }); };
    "all of it at once"_test = [] {
        compare([](forest& f) { return typed(f) + trees(f) + by_id(f) + ticked(f); });
    };

    "threads that write different values of tracked types"_test = [] {
        forest f{1};
        f.w.track<Value, Weight>();
        const pecs::tick since = f.w.now();
        in_parallel([&](int thread) {
            if (thread == 0) f.w.query<Value>().each([](Value& v) { v.value = 2; });
            if (thread == 1) f.w.query<Weight>().each([](Weight& m) { m.value = 3; });
            if (thread == 2) (void)f.w.now();
        });
        expect(f.w.query<>().changed<Value>(since).count() == f.w.query<const Value>().count());
        expect(f.w.query<>().changed<Weight>(since).count() == f.w.query<const Weight>().count());
    };

    "several worlds, each changed by a thread of its own, with types that all meet at once"_test = [] {
        std::vector<std::string> ends(threads);
        in_parallel([&](int thread) {
            world w;
            std::vector<entity> all;
            for (int i = 0; i != 300; ++i) {
                const entity root = w.spawn(Fresh<0>{i}, Value{i});
                all.push_back(w.spawn(Fresh<1>{i}, to<PartOf>(root), to<Likes>(root)));
                w.relate<Knows>(root, all.back());
                w.add(root, Fresh<2>{i}, Lit{i});
                if (i % 3 == 0) w.despawn(root);
                if (i % 50 == 0) w.shrink();
            }
            auto later = w.record();
            w.query<entity, const Fresh<0>>().each([&](entity e, const Fresh<0>&) {
                later.remove<Fresh<0>>(e);
                later.add(e, Fresh<3>{1});
            });
            w.apply(later);
            std::string& text = ends[static_cast<std::size_t>(thread)];
            for (auto [e, three] : w.query<entity, const Fresh<3>>()) text += pecs::to_string(e) + ' ';
            text += std::to_string(w.query<>().parents_first<PartOf>().count());
            text += w.validate() ? "" : "not valid";
        });
        for (const std::string& each : ends) expect(each == ends[0] and each.size() > 500_ul);
    };

    "types registered at run time by all threads at once are all there, each once"_test = [] {
        std::vector<std::vector<pecs::component_id>> ids(threads);
        in_parallel([&](int thread) {
            for (int i = 0; i != 20; ++i) {
                const std::string name = "made." + std::to_string(thread) + '.' + std::to_string(i);
                const auto id = pecs::register_component({.name = name, .size = 4, .alignment = 4});
                ids[static_cast<std::size_t>(thread)].push_back(id);
                if (pecs::find_component(name) != id || pecs::type_of(id).name != name) return;
            }
        });
        std::vector<bool> seen(pecs::max_components, false);
        for (const auto& list : ids) {
            expect(list.size() == 20_ul);
            for (const auto id : list) {
                expect(not seen[id.index()]);
                seen[id.index()] = true;
            }
        }
    };
}
