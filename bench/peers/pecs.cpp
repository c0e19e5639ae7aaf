// PECS itself, driven as its documentation says.
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "input.hpp"

#include "peer.hpp"

import pecs;

namespace peers {
namespace {

using bench::forest;
using bench::Global;
using bench::group;
using bench::Local;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};

struct state {
    pecs::world world;
    std::vector<pecs::entity> entities;
    std::vector<pecs::entity> parents;
    std::vector<pecs::entity> others;
};

state moving(std::size_t n) {
    state made;
    for (std::size_t i = 0; i != n; ++i)
        made.entities.push_back(
            made.world.spawn(Position{static_cast<float>(i % 256), 0, 0}, Velocity{step}));
    return made;
}

state family(std::size_t n, std::size_t fanout) {
    state made;
    for (std::size_t i = 0; i != n / fanout; ++i) made.parents.push_back(made.world.spawn(Sum{}));
    for (std::size_t i = 0; i != n; ++i)
        made.entities.push_back(
            made.world.spawn(Value{value_of(i)}, pecs::to<ChildOf>(made.parents[i / fanout])));
    return made;
}

template <typename T> std::shared_ptr<T> kept(T made) { return std::make_shared<T>(std::move(made)); }

void iterate(group& group, std::size_t n) {
    const auto s = kept(state{});
    s->world.spawn_batch(n, Position{start}, Velocity{step});
    const pecs::entity one = s->world.query<pecs::entity, Position>().first();
    group.floor("PECS, each", [s, one] {
        s->world.query<Position, const Velocity>().each(move);
        return s->world.get<Position>(one).x;
    });
}

template <std::size_t... I> void fill(pecs::world& world, std::index_sequence<I...> /*kinds*/) {
    (world.spawn_batch(each_kind, Value{1}, Kind<I>{2}), ...);
}

void fragmented(group& group) {
    const auto s = kept(state{});
    fill(s->world, std::make_index_sequence<kinds>{});
    const pecs::entity one = s->world.query<pecs::entity, Value>().first();
    group.floor("PECS, each", [s, one] {
        s->world.query<Value>().each([](Value& v) { v.value *= 1.0001; });
        return s->world.get<Value>(one).value;
    });
}

void random_access(group& group, std::size_t n) {
    const auto s = kept(moving(n));
    bench::shuffle(s->entities);
    group.floor("PECS, accessor", [s] {
        double sum = 0;
        const auto position = s->world.access<const Position>();
        for (const pecs::entity e : s->entities) sum += static_cast<double>(position[e].x);
        return sum;
    });
    group.variant("PECS, get", [s] {
        double sum = 0;
        for (const pecs::entity e : s->entities) sum += static_cast<double>(s->world.get<Position>(e).x);
        return sum;
    });
}

void spawn(group& group, std::size_t n) {
    group.floor(
        "PECS, spawn", [] { return pecs::world{}; },
        [n](pecs::world& world) {
            for (std::size_t i = 0; i != n; ++i) world.spawn(Position{start}, Velocity{step});
            return world.size();
        });
}

void spawn_bulk(group& group, std::size_t n) {
    group.floor(
        "PECS, spawn_batch", [] { return pecs::world{}; },
        [n](pecs::world& world) {
            world.spawn_batch(n, Position{start}, Velocity{step});
            return world.size();
        });
}

void despawn(group& group, std::size_t n) {
    group.floor(
        "PECS, despawn", [n] { return moving(n); },
        [](state& s) {
            for (const pecs::entity e : s.entities) s.world.despawn(e);
            return s.world.size();
        });
}

void despawn_bulk(group& group, std::size_t n) {
    group.floor(
        "PECS, despawn_batch", [n] { return moving(n); },
        [](state& s) {
            s.world.despawn_batch(s.world.query<Position>());
            return s.world.size();
        });
}

// A component that comes and goes all the time is what sparse storage is for.
struct SparseExtra {
    static constexpr auto storage = pecs::component_storage::sparse;
    float x, y, z;
};

template <class T> std::size_t come_and_go(state& s) {
    for (const pecs::entity e : s.entities) s.world.add(e, T{4, 5, 6});
    const std::size_t with = s.world.query<pecs::with<T>>().count();
    for (const pecs::entity e : s.entities) s.world.remove<T>(e);
    return with * 2 + s.world.query<pecs::with<T>>().count();
}

void add_remove(group& group, std::size_t n) {
    const auto s = kept(moving(n));
    group.floor("PECS, sparse component", [s] { return come_and_go<SparseExtra>(*s); });
    group.variant("PECS, column", [s] { return come_and_go<Extra>(*s); });
}

void relation(group& group, std::size_t n, std::size_t fanout) {
    const auto s = kept(family(n, fanout));
    const auto result = [s] {
        return digest(s->parents.size(),
                      [&](std::size_t parent) { return s->world.get<Sum>(s->parents[parent]).value; });
    };
    group.floor("PECS, by", [s, result] {
        const auto children = s->world.query<const Value>().by<ChildOf>();
        s->world.query<Sum>().each([&](pecs::entity parent, Sum& sum) {
            double total = 0;
            children.each(parent, [&](const Value& value) { total += value.value; });
            sum.value = total;
        });
        return result();
    });
    group.variant("PECS, families", [s, result] {
        const auto sum = s->world.access<Sum>();
        s->world.query<const Value>().families<ChildOf>().each(
            [&](pecs::entity parent, std::span<const pecs::entity>, std::span<const Value> values) {
                double total = 0;
                for (const Value& value : values) total += value.value;
                sum[parent].value = total;
            });
        return result();
    });
}

void reparent(group& group, std::size_t n, std::size_t fanout) {
    const auto s = kept(family(n, fanout));
    for (std::size_t i = 0; i != s->parents.size(); ++i) s->others.push_back(s->world.spawn());
    group.floor("PECS, relate", [s, fanout] {
        for (const auto* targets : {&s->others, &s->parents})
            for (std::size_t child = 0; child != s->entities.size(); ++child)
                s->world.relate<ChildOf>(s->entities[child], (*targets)[child / fanout]);
        return s->world.query<Value>().count();
    });
}

void target_death(group& group, std::size_t n, std::size_t fanout) {
    group.floor(
        "PECS, despawn", [=] { return family(n, fanout); },
        [](state& s) {
            for (const pecs::entity parent : s.parents) s.world.despawn(parent);
            return s.world.query<Value>().count();
        });
}

void propagation(group& group, const forest& scene) {
    const auto s = kept(state{});
    for (std::size_t i = 0; i != scene.parents.size(); ++i) {
        const Local local{bench::local_of(i)};
        const Global global{local.value};
        s->entities.push_back(
            scene.parents[i] == bench::nobody
                ? s->world.spawn(local, global)
                : s->world.spawn(local, global, pecs::to<ChildOf>(s->entities[scene.parents[i]])));
    }
    group.floor("PECS, parents_first", [s] {
        s->world.query<Global, const Local, pecs::up<ChildOf, const Global>>().parents_first<ChildOf>().each(
            [](Global& global, const Local& local, const Global& parent) {
                global.value = parent.value * local.value;
            });
        return s->world.get<Global>(s->entities.back()).value.m[3];
    });
}

constexpr peer self{"PECS",   "as documented", iterate,      fragmented,   random_access,
                    spawn,    spawn_bulk,      despawn,      despawn_bulk, add_remove,
                    relation, reparent,        target_death, propagation};

} // namespace

const peer& pecs_itself() { return self; }

} // namespace peers
