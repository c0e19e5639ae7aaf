// gaia-ecs: queries with loops over whole chunks, pairs of ChildOf, which make an archetype per parent, and a component
// that names the parent where that is faster.
#include <cstddef>
#include <cstdint>
#include <gaia/gaia.h>
#include <memory>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "input.hpp"

#include "peer.hpp"

namespace peers {
namespace {

using bench::forest;
using bench::Global;
using bench::group;
using bench::Local;
namespace ecs = gaia::ecs;

constexpr std::size_t most_archetypes = 10'000; // beyond, making them takes minutes

struct Parent {
    ecs::Entity parent;
};

struct state {
    ecs::World world;
    std::vector<ecs::Entity> entities = {};
    std::vector<ecs::Entity> parents = {};
    std::vector<ecs::Entity> others = {};
};
using shared = std::shared_ptr<state>;

template <typename T> std::size_t count(state& s) { return s.world.query().all<T>().count(); }

void spawn_one(ecs::World& world, ecs::Entity e, const Position& p) {
    world.build(e).add<Position>().add<Velocity>();
    world.acc_mut(e).set<Position>(Position{p}).set<Velocity>(Velocity{step});
}

shared moving(std::size_t n) {
    auto made = std::make_shared<state>();
    for (std::size_t i = 0; i != n; ++i) {
        made->entities.push_back(made->world.add());
        spawn_one(made->world, made->entities.back(), {static_cast<float>(i % 256), 0, 0});
    }
    return made;
}

shared family(std::size_t n, std::size_t fanout, bool paired) {
    auto made = std::make_shared<state>();
    for (std::size_t i = 0; i != n / fanout; ++i) {
        made->parents.push_back(made->world.add());
        made->world.add<Sum>(made->parents.back(), Sum{0});
    }
    for (std::size_t i = 0; i != n; ++i) {
        const ecs::Entity e = made->world.add();
        const ecs::Entity parent = made->parents[i / fanout];
        if (paired)
            made->world.build(e).add<Value>().child(parent);
        else
            made->world.build(e).add<Value>().add<Parent>();
        made->world.set<Value>(e) = {value_of(i)};
        if (!paired) made->world.set<Parent>(e) = {parent};
        made->entities.push_back(e);
    }
    return made;
}

void iterate(group& group, std::size_t n) {
    const auto make = [n] {
        auto made = moving(n);
        for (const ecs::Entity e : made->entities) made->world.set<Position>(e) = start;
        return made;
    };
    const auto by_chunk = make();
    group.variant("gaia-ecs, chunks",
                  [s = by_chunk, query = by_chunk->world.query().all<Position&>().all<Velocity>()]() mutable {
                      query.each([](ecs::Iter& it) {
                          auto p = it.view_mut<Position>(0);
                          const auto v = it.view<Velocity>(1);
                          for (std::uint32_t i = 0; i != it.size(); ++i) move(p[i], v[i]);
                      });
                      return s->world.get<Position>(s->entities[0]).x;
                  });
    const auto by_row = make();
    group.variant("gaia-ecs, each",
                  [s = by_row, query = by_row->world.query().all<Position&>().all<Velocity>()]() mutable {
                      query.each(move);
                      return s->world.get<Position>(s->entities[0]).x;
                  });
}

template <std::size_t... I> void fill(state& s, std::index_sequence<I...> /*kinds*/) {
    const auto fill_one = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        const ecs::Entity e = s.world.add();
        s.world.add<Value>(e, Value{1});
        s.world.add<Kind<K>>(e, Kind<K>{2});
        s.entities.push_back(e);
    };
    for (std::size_t i = 0; i != each_kind; ++i) (fill_one(std::integral_constant<std::size_t, I>{}), ...);
}

void fragmented(group& group) {
    const auto s = std::make_shared<state>();
    fill(*s, std::make_index_sequence<kinds>{});
    group.variant("gaia-ecs, each", [s, query = s->world.query().all<Value&>()]() mutable {
        query.each([](Value& v) { v.value *= 1.0001; });
        return s->world.get<Value>(s->entities[0]).value;
    });
}

void random_access(group& group, std::size_t n) {
    const auto s = moving(n);
    bench::shuffle(s->entities);
    group.variant("gaia-ecs, get", [s] {
        double sum = 0;
        for (const ecs::Entity e : s->entities) sum += static_cast<double>(s->world.get<Position>(e).x);
        return sum;
    });
}

void spawn(group& group, std::size_t n) {
    group.variant(
        "gaia-ecs, build", [] { return std::make_shared<state>(); },
        [n](shared& s) {
            for (std::size_t i = 0; i != n; ++i) spawn_one(s->world, s->world.add(), start);
            return count<Position>(*s);
        });
}

void spawn_bulk(group& group, std::size_t n) {
    group.variant(
        "gaia-ecs, copy_n", [] { return std::make_shared<state>(); },
        [n](shared& s) {
            const ecs::Entity first = s->world.add();
            spawn_one(s->world, first, start);
            s->world.copy_n(first, static_cast<std::uint32_t>(n - 1));
            return count<Position>(*s);
        });
}

void despawn(group& group, std::size_t n) {
    group.variant(
        "gaia-ecs, del", [n] { return moving(n); },
        [](shared& s) {
            for (const ecs::Entity e : s->entities) s->world.del(e);
            return count<Position>(*s);
        });
}

void add_remove(group& group, std::size_t n) {
    const auto s = moving(n);
    group.variant("gaia-ecs, add + del", [s] {
        for (const ecs::Entity e : s->entities) s->world.add<Extra>(e, Extra{4, 5, 6});
        const std::size_t with = count<Extra>(*s);
        for (const ecs::Entity e : s->entities) s->world.del<Extra>(e);
        return with * 2 + count<Extra>(*s);
    });
}

double result(const state& s) {
    return digest(s.parents.size(),
                  [&](std::size_t parent) { return s.world.get<Sum>(s.parents[parent]).value; });
}

void relation(group& group, std::size_t n, std::size_t fanout) {
    if (n / fanout <= most_archetypes) {
        const auto paired = family(n, fanout, true);
        group.variant(
            "gaia-ecs, groups of ChildOf",
            [s = paired, query = paired->world.query().all<Value>().group_by(ecs::ChildOf)]() mutable {
                s->world.query().all<Sum&>().each([](Sum& sum) { sum.value = 0; });
                query.each([&](ecs::Iter& it) { // one call per chunk; a large family has several
                    const auto values = it.view<Value>(0);
                    double total = 0;
                    for (std::uint32_t i = 0; i != it.size(); ++i) total += values[i].value;
                    const ecs::Entity parent = s->world.target(it.view<ecs::Entity>()[0], ecs::ChildOf);
                    s->world.sset<Sum>(parent).value += total;
                });
                return result(*s);
            });
    }
    const auto pointing = family(n, fanout, false);
    group.variant("gaia-ecs, child",
                  [s = pointing, query = pointing->world.query().all<Value>().all<Parent>(),
                   sums = pointing->world.query().all<Sum&>()]() mutable {
                      sums.each([](Sum& sum) { sum.value = 0; });
                      query.each([&](const Value& value, const Parent& of) {
                          s->world.sset<Sum>(of.parent).value += value.value;
                      });
                      return result(*s);
                  });
}

void reparent(group& group, std::size_t n, std::size_t fanout) {
    if (n / fanout > most_archetypes) return;
    const auto s = family(n, fanout, true);
    for (std::size_t i = 0; i != s->parents.size(); ++i) s->others.push_back(s->world.add());
    group.variant("gaia-ecs, child", [s, fanout] {
        for (const auto* targets : {&s->others, &s->parents})
            for (std::size_t child = 0; child != s->entities.size(); ++child)
                s->world.child(s->entities[child], (*targets)[child / fanout]);
        return count<Value>(*s);
    });
}

ecs::GroupId depth_of(const ecs::World& world, const ecs::Archetype& archetype, ecs::Entity) {
    for (const ecs::Entity id : archetype.ids_view()) {
        if (!id.pair() || id.id() != ecs::ChildOf.id()) continue;
        ecs::GroupId depth = 1;
        for (ecs::Entity at = world.get(id.gen()); (at = world.target(at, ecs::ChildOf)) != ecs::EntityBad;)
            ++depth;
        return depth;
    }
    return 0;
}

void propagation(group& group, const forest& scene) {
    if (scene.parents.size() > most_archetypes) return;
    const auto s = std::make_shared<state>();
    for (std::size_t i = 0; i != scene.parents.size(); ++i) {
        const ecs::Entity e = s->world.add();
        auto build = s->world.build(e);
        build.add<Local>().add<Global>();
        if (scene.parents[i] != bench::nobody) build.child(s->entities[scene.parents[i]]);
        build.commit();
        s->world.acc_mut(e).set<Local>({bench::local_of(i)}).set<Global>({bench::local_of(i)});
        s->entities.push_back(e);
    }
    auto nodes = s->world.query()
                     .all<Local>()
                     .all<Global&>()
                     .all(ecs::Pair(ecs::ChildOf, ecs::All))
                     .group_by(ecs::ChildOf, depth_of);
    group.variant("gaia-ecs, groups by depth", [s, nodes]() mutable {
        nodes.each([&](ecs::Iter& it) {
            const auto locals = it.view<Local>(0);
            auto globals = it.view_mut<Global>(1);
            const auto entities = it.view<ecs::Entity>();
            const Global& parent = s->world.get<Global>(s->world.target(entities[0], ecs::ChildOf));
            for (std::uint32_t i = 0; i != it.size(); ++i) globals[i].value = parent.value * locals[i].value;
        });
        return s->world.get<Global>(s->entities.back()).value.m[3];
    });
}

} // namespace

constexpr const char* how =
    "queries over chunks; pairs of ChildOf, up to 10k parents; not in target_death, which crashes it";
const peer gaia_peer{"gaia-ecs", how,     iterate,    fragmented, random_access, spawn,   spawn_bulk,
                     despawn,    nullptr, add_remove, relation,   reparent,      nullptr, propagation};

} // namespace peers
