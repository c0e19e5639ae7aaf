// flecs: cached queries with loops over whole tables, pairs of ChildOf for large families, and the component Parent, which
// leaves children in one table, where it is faster.
#include <cstddef>
#include <cstdint>
#include <flecs.h>
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

struct state {
    flecs::world world;
    std::vector<flecs::entity> entities = {};
    std::vector<flecs::entity> parents = {};
    std::vector<flecs::entity> others = {};

    state() {
        world.component<Position>();
        world.component<Velocity>();
        world.component<Extra>();
        world.component<Value>();
        world.component<Sum>();
    }
};
using shared = std::shared_ptr<state>;

shared moving(std::size_t n) {
    auto made = std::make_shared<state>();
    for (std::size_t i = 0; i != n; ++i)
        made->entities.push_back(made->world.entity().insert([i](Position& p, Velocity& v) {
            p = {static_cast<float>(i % 256), 0, 0};
            v = step;
        }));
    return made;
}

enum class storage { pairs, component };

shared family(std::size_t n, std::size_t fanout, storage how) {
    auto made = std::make_shared<state>();
    for (std::size_t i = 0; i != n / fanout; ++i) made->parents.push_back(made->world.entity().set(Sum{}));
    for (std::size_t i = 0; i != n; ++i) {
        const flecs::entity parent = made->parents[i / fanout];
        const flecs::entity e = how == storage::pairs ? made->world.entity().child_of(parent)
                                                      : made->world.entity(flecs::Parent{parent});
        made->entities.push_back(e.set(Value{value_of(i)}));
    }
    return made;
}

std::size_t count(const flecs::world& world, flecs::id_t id) {
    return static_cast<std::size_t>(ecs_count_id(world, id));
}
template <typename T> std::size_t count(const flecs::world& world) { return count(world, world.id<T>()); }

void iterate(group& group, std::size_t n) {
    const auto s = moving(n);
    for (const flecs::entity e : s->entities) e.set(start);
    const auto query = s->world.query_builder<Position, const Velocity>().cached().build();
    group.variant("flecs, run", [s, query] {
        query.run([](flecs::iter& it) {
            while (it.next()) {
                auto* p = &it.field<Position>(0)[0];
                const auto* v = &it.field<const Velocity>(1)[0];
                for (std::size_t i = 0; i != it.count(); ++i) move(p[i], v[i]);
            }
        });
        return s->entities[0].get<Position>().x;
    });
    const auto other = moving(n);
    for (const flecs::entity e : other->entities) e.set(start);
    group.variant(
        "flecs, each",
        [s = other, query = other->world.query_builder<Position, const Velocity>().cached().build()] {
            query.each(move);
            return s->entities[0].get<Position>().x;
        });
}

template <std::size_t... I> void fill(flecs::world& world, std::index_sequence<I...> /*kinds*/) {
    for (std::size_t i = 0; i != each_kind; ++i) (world.entity().set(Value{1}).set(Kind<I>{2}), ...);
}

void fragmented(group& group) {
    const auto s = std::make_shared<state>();
    fill(s->world, std::make_index_sequence<kinds>{});
    const auto query = s->world.query_builder<Value>().cached().build();
    const flecs::entity one = query.first();
    group.variant("flecs, each", [s, query, one] {
        query.each([](Value& v) { v.value *= 1.0001; });
        return one.get<Value>().value;
    });
}

void random_access(group& group, std::size_t n) {
    const auto s = moving(n);
    bench::shuffle(s->entities);
    group.variant("flecs, get", [s] {
        double sum = 0;
        for (const flecs::entity e : s->entities) sum += static_cast<double>(e.get<Position>().x);
        return sum;
    });
}

void spawn(group& group, std::size_t n) {
    group.variant(
        "flecs, insert", [] { return std::make_shared<state>(); },
        [n](shared& s) {
            for (std::size_t i = 0; i != n; ++i)
                s->world.entity().insert([](Position& p, Velocity& v) {
                    p = start;
                    v = step;
                });
            return count<Position>(s->world);
        });
}

void spawn_bulk(group& group, std::size_t n) {
    group.variant(
        "flecs, ecs_bulk_init", [] { return std::make_shared<state>(); },
        [n](shared& s) {
            std::vector<Position> positions(n, start);
            std::vector<Velocity> velocities(n, step);
            void* data[]{positions.data(), velocities.data()};
            ecs_bulk_desc_t all{};
            all.count = static_cast<std::int32_t>(n);
            all.ids[0] = s->world.id<Position>();
            all.ids[1] = s->world.id<Velocity>();
            all.data = data;
            ecs_bulk_init(s->world, &all);
            return count<Position>(s->world);
        });
}

void despawn(group& group, std::size_t n) {
    group.variant(
        "flecs, destruct", [n] { return moving(n); },
        [](shared& s) {
            for (const flecs::entity e : s->entities) e.destruct();
            return count<Position>(s->world);
        });
}

void despawn_bulk(group& group, std::size_t n) {
    group.variant(
        "flecs, delete_with", [n] { return moving(n); },
        [](shared& s) {
            s->world.delete_with<Position>();
            return count<Position>(s->world);
        });
}

void add_remove(group& group, std::size_t n) {
    const auto s = moving(n);
    group.variant("flecs, set + remove", [s] {
        for (const flecs::entity e : s->entities) e.set(Extra{4, 5, 6});
        const std::size_t with = count<Extra>(s->world);
        for (const flecs::entity e : s->entities) e.remove<Extra>();
        return with * 2 + count<Extra>(s->world);
    });
}

double result(const state& s) {
    return digest(s.parents.size(), [&](std::size_t parent) { return s.parents[parent].get<Sum>().value; });
}

void relation(group& group, std::size_t n, std::size_t fanout) {
    const auto paired = family(n, fanout, storage::pairs);
    // A table per parent: the parent is asked for once per table.
    const auto tables =
        paired->world.query_builder<const Value>().with(flecs::ChildOf, flecs::Wildcard).cached().build();
    group.variant("flecs, tables of (ChildOf, *)", [s = paired, tables] {
        tables.run([](flecs::iter& it) {
            while (it.next()) {
                const auto* values = &it.field<const Value>(0)[0];
                double total = 0;
                for (std::size_t i = 0; i != it.count(); ++i) total += values[i].value;
                it.pair(1).second().get_mut<Sum>().value = total;
            }
        });
        return result(*s);
    });
    // A component per child: the parent's sum is asked for once per child.
    const auto held = family(n, fanout, storage::component);
    const auto children = held->world.query_builder<const Value, const flecs::Parent>().cached().build();
    const auto sums = held->world.query_builder<Sum>().cached().build();
    group.variant("flecs, Parent component", [s = held, children, sums] {
        sums.each([](Sum& sum) { sum.value = 0; });
        children.each([&](const Value& value, const flecs::Parent& parent) {
            s->world.entity(parent.value).get_mut<Sum>().value += value.value;
        });
        return result(*s);
    });
}

void reparent(group& group, std::size_t n, std::size_t fanout) {
    const auto add = [&](const char* name, storage how) {
        const auto s = family(n, fanout, how);
        for (std::size_t i = 0; i != s->parents.size(); ++i) s->others.push_back(s->world.entity());
        group.variant(name, [s, fanout, how] {
            for (const auto* targets : {&s->others, &s->parents})
                for (std::size_t child = 0; child != s->entities.size(); ++child) {
                    const flecs::entity target = (*targets)[child / fanout];
                    if (how == storage::pairs)
                        s->entities[child].child_of(target);
                    else
                        s->entities[child].set(flecs::Parent{target});
                }
            return count<Value>(s->world);
        });
    };
    add("flecs, child_of", storage::pairs);
    add("flecs, Parent component", storage::component);
}

void target_death(group& group, std::size_t n, std::size_t fanout) {
    const auto add = [&](const char* name, storage how) {
        group.variant(
            name, [=] { return family(n, fanout, how); },
            [](shared& s) {
                for (const flecs::entity parent : s->parents) parent.destruct();
                return count<Value>(s->world);
            });
    };
    add("flecs, child_of", storage::pairs);
    add("flecs, Parent component", storage::component);
}

void propagation(group& group, const forest& scene) {
    const auto plant = [&](storage how) {
        auto made = std::make_shared<state>();
        made->world.component<Local>();
        made->world.component<Global>();
        for (std::size_t i = 0; i != scene.parents.size(); ++i) {
            flecs::entity e = made->world.entity();
            if (scene.parents[i] != bench::nobody) {
                const flecs::entity parent = made->entities[scene.parents[i]];
                e = how == storage::pairs ? e.child_of(parent) : e.set(flecs::Parent{parent});
            }
            made->entities.push_back(e.insert([i](Local& local, Global& global) {
                local.value = bench::local_of(i);
                global.value = local.value;
            }));
        }
        return made;
    };
    const auto paired = plant(storage::pairs);
    const auto cascade = paired->world.query_builder<const Local, const Global, Global>()
                             .term_at(1)
                             .parent()
                             .cascade()
                             .cached()
                             .build();
    group.variant("flecs, cascade over (ChildOf, *)", [s = paired, cascade] {
        cascade.run([](flecs::iter& it) {
            while (it.next()) {
                const auto* locals = &it.field<const Local>(0)[0];
                const Global& parent = it.field<const Global>(1)[0];
                auto* globals = &it.field<Global>(2)[0];
                for (std::size_t i = 0; i != it.count(); ++i)
                    globals[i].value = parent.value * locals[i].value;
            }
        });
        return s->entities.back().get<Global>().value.m[3];
    });
    const auto held = plant(storage::component);
    const auto by_depth = held->world.query_builder<const Local, Global, const flecs::Parent>()
                              .group_by(flecs::ParentDepth)
                              .cached()
                              .build();
    group.variant("flecs, Parent by depth", [s = held, by_depth] {
        constexpr std::uint64_t most_levels = 16; // as the manual does it
        for (std::uint64_t depth = 0; depth != most_levels; ++depth)
            by_depth.set_group(depth).each(
                [&](const Local& local, Global& global, const flecs::Parent& parent) {
                    global.value = s->world.entity(parent.value).get<Global>().value * local.value;
                });
        return s->entities.back().get<Global>().value.m[3];
    });
}

} // namespace

constexpr const char* how = "cached queries, whole tables; ChildOf pairs, and the component Parent";
const peer flecs_peer{"flecs",  how,        iterate,      fragmented,   random_access,
                      spawn,    spawn_bulk, despawn,      despawn_bulk, add_remove,
                      relation, reparent,   target_death, propagation};

} // namespace peers
