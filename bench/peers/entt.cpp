// EnTT: owning groups where two components are visited together, storages where one is, and, as EnTT has no relations,
// the representations of parents and children that its users write.
#include <cstddef>
#include <cstdint>
#include <entt/entity/registry.hpp>
#include <memory>
#include <type_traits>
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

struct Linked { // beside a value: the next child of the same parent
    entt::entity next;
};
struct FirstChild {
    entt::entity child;
};
struct Parent {
    entt::entity parent;
};
struct Slot { // in a parent's list
    entt::entity parent;
    std::uint32_t place;
};
struct Children {
    std::vector<entt::entity> list;
};
struct Node {
    entt::entity parent;
    std::uint32_t order; // parents have lower ones
};

struct state {
    entt::registry registry;
    std::vector<entt::entity> entities;
    std::vector<entt::entity> parents;
    std::vector<entt::entity> others;
};

state moving(std::size_t n) {
    state made;
    for (std::size_t i = 0; i != n; ++i) {
        const entt::entity e = made.registry.create();
        made.registry.emplace<Position>(e, static_cast<float>(i % 256), 0.0F, 0.0F);
        made.registry.emplace<Velocity>(e, step);
        made.entities.push_back(e);
    }
    return made;
}

template <typename... Parts> state family(std::size_t n, std::size_t fanout, const Parts&... parts) {
    state made;
    for (std::size_t i = 0; i != n / fanout; ++i) {
        made.parents.push_back(made.registry.create());
        made.registry.emplace<Sum>(made.parents.back());
        (made.registry.emplace<Parts>(made.parents.back(), parts), ...);
    }
    for (std::size_t i = 0; i != n; ++i) {
        made.entities.push_back(made.registry.create());
        made.registry.emplace<Value>(made.entities.back(), value_of(i));
    }
    return made;
}

state listed(std::size_t n, std::size_t fanout) {
    state made = family(n, fanout, Children{});
    for (std::size_t i = 0; i != n; ++i) {
        auto& list = made.registry.get<Children>(made.parents[i / fanout]).list;
        made.registry.emplace<Slot>(made.entities[i], made.parents[i / fanout],
                                    static_cast<std::uint32_t>(list.size()));
        list.push_back(made.entities[i]);
    }
    return made;
}

template <typename T> std::shared_ptr<T> kept(T made) { return std::make_shared<T>(std::move(made)); }

void iterate(group& group, std::size_t n) {
    const auto make = [n] {
        auto s = kept(moving(n));
        for (const entt::entity e : s->entities) s->registry.get<Position>(e) = start;
        return s;
    };
    const auto grouped = make();
    (void)grouped->registry.group<Position, Velocity>();
    group.variant("EnTT, owning group", [s = grouped] {
        s->registry.group<Position, Velocity>().each(move);
        return s->registry.get<Position>(s->entities[0]).x;
    });
    group.variant("EnTT, view", [s = make()] {
        s->registry.view<Position, const Velocity>().each(move);
        return s->registry.get<Position>(s->entities[0]).x;
    });
}

template <std::size_t... I> void fill(entt::registry& registry, std::index_sequence<I...> /*kinds*/) {
    const auto fill_one = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        for (std::size_t i = 0; i != each_kind; ++i) {
            const entt::entity e = registry.create();
            registry.emplace<Value>(e, 1.0);
            registry.emplace<Kind<K>>(e, 2.0F);
        }
    };
    (fill_one(std::integral_constant<std::size_t, I>{}), ...);
}

void fragmented(group& group) {
    const auto s = kept(state{});
    fill(s->registry, std::make_index_sequence<kinds>{});
    group.variant("EnTT, view", [s] {
        s->registry.view<Value>().each([](Value& v) { v.value *= 1.0001; });
        return s->registry.storage<Value>().begin()->value;
    });
}

void random_access(group& group, std::size_t n) {
    const auto s = kept(moving(n));
    bench::shuffle(s->entities);
    group.variant("EnTT, storage (unchecked)", [s] {
        double sum = 0;
        const auto& positions = s->registry.storage<Position>();
        for (const entt::entity e : s->entities) sum += static_cast<double>(positions.get(e).x);
        return sum;
    });
    group.variant("EnTT, storage, if contained", [s] { // checks generations, as PECS does
        double sum = 0;
        const auto& positions = s->registry.storage<Position>();
        for (const entt::entity e : s->entities)
            if (positions.contains(e)) sum += static_cast<double>(positions.get(e).x);
        return sum;
    });
}

void spawn(group& group, std::size_t n) {
    group.variant(
        "EnTT, create + emplace", [] { return state{}; },
        [n](state& s) {
            auto& positions = s.registry.storage<Position>();
            auto& velocities = s.registry.storage<Velocity>();
            for (std::size_t i = 0; i != n; ++i) {
                const entt::entity e = s.registry.create();
                positions.emplace(e, start);
                velocities.emplace(e, step);
            }
            return positions.size();
        });
}

void spawn_bulk(group& group, std::size_t n) {
    group.variant(
        "EnTT, create + insert", [] { return state{}; },
        [n](state& s) {
            s.entities.resize(n);
            s.registry.create(s.entities.begin(), s.entities.end());
            s.registry.insert(s.entities.begin(), s.entities.end(), start);
            s.registry.insert(s.entities.begin(), s.entities.end(), step);
            return s.registry.storage<Position>().size();
        });
}

void despawn(group& group, std::size_t n) {
    group.variant(
        "EnTT, destroy", [n] { return moving(n); },
        [](state& s) {
            for (const entt::entity e : s.entities) s.registry.destroy(e);
            return s.registry.storage<Position>().size();
        });
}

void despawn_bulk(group& group, std::size_t n) {
    group.variant(
        "EnTT, destroy a view", [n] { return moving(n); },
        [](state& s) {
            const auto all = s.registry.view<Position>();
            s.registry.destroy(all.begin(), all.end());
            return s.registry.storage<Position>().size();
        });
    group.variant(
        "EnTT, clear", [n] { return moving(n); },
        [](state& s) {
            s.registry.clear();
            return s.registry.storage<Position>().size();
        });
}

void add_remove(group& group, std::size_t n) {
    const auto s = kept(moving(n));
    group.variant("EnTT, emplace + remove", [s] {
        auto& extras = s->registry.storage<Extra>();
        for (const entt::entity e : s->entities) extras.emplace(e, Extra{4, 5, 6});
        const std::size_t with = extras.size();
        for (const entt::entity e : s->entities) extras.erase(e);
        return with * 2 + extras.size();
    });
}

double result(state& s) {
    return digest(s.parents.size(),
                  [&](std::size_t parent) { return s.registry.get<Sum>(s.parents[parent]).value; });
}

void relation(group& group, std::size_t n, std::size_t fanout) {
    const auto linked = kept(family(n, fanout, FirstChild{entt::null}));
    for (std::size_t i = n; i-- != 0;) {
        auto& first = linked->registry.get<FirstChild>(linked->parents[i / fanout]);
        linked->registry.emplace<Linked>(linked->entities[i], first.child);
        first.child = linked->entities[i];
    }
    group.variant("EnTT, parent_list", [s = linked] {
        const auto& values = s->registry.storage<Value>();
        const auto& links = s->registry.storage<Linked>();
        s->registry.view<Sum, const FirstChild>().each([&](Sum& sum, const FirstChild& first) {
            double total = 0;
            for (entt::entity e = first.child; e != entt::null; e = links.get(e).next)
                total += values.get(e).value;
            sum.value = total;
        });
        return result(*s);
    });
    group.variant("EnTT, parent_slice", [s = kept(listed(n, fanout))] {
        const auto& values = s->registry.storage<Value>();
        s->registry.view<Sum, const Children>().each([&](Sum& sum, const Children& children) {
            double total = 0;
            for (const entt::entity e : children.list) total += values.get(e).value;
            sum.value = total;
        });
        return result(*s);
    });
    const auto pointing = kept(family(n, fanout));
    for (std::size_t i = 0; i != n; ++i)
        pointing->registry.emplace<Parent>(pointing->entities[i], pointing->parents[i / fanout]);
    (void)pointing->registry.group<Value, Parent>();
    group.variant("EnTT, child", [s = pointing] {
        auto& sums = s->registry.storage<Sum>();
        for (auto& sum : sums) sum.value = 0;
        s->registry.group<Value, Parent>().each(
            [&](const Value& value, const Parent& of) { sums.get(of.parent).value += value.value; });
        return result(*s);
    });
}

// A list per parent with places in it, so that a child leaves in O(1), and children can be asked for.
void reparent(group& group, std::size_t n, std::size_t fanout) {
    const auto s = kept(listed(n, fanout));
    for (std::size_t i = 0; i != s->parents.size(); ++i) {
        s->others.push_back(s->registry.create());
        s->registry.emplace<Children>(s->others.back());
    }
    group.variant("EnTT, parent_slice", [s, fanout] {
        auto& lists = s->registry.storage<Children>();
        auto& slots = s->registry.storage<Slot>();
        for (const auto* targets : {&s->others, &s->parents})
            for (std::size_t child = 0; child != s->entities.size(); ++child) {
                const entt::entity e = s->entities[child];
                Slot& slot = slots.get(e);
                auto& from = lists.get(slot.parent).list;
                from[slot.place] = from.back();
                slots.get(from.back()).place = slot.place;
                from.pop_back();
                auto& to = lists.get((*targets)[child / fanout]).list;
                slot = {(*targets)[child / fanout], static_cast<std::uint32_t>(to.size())};
                to.push_back(e);
            }
        return slots.size();
    });
}

void target_death(group& group, std::size_t n, std::size_t fanout) {
    group.variant(
        "EnTT, parent_slice", [=] { return listed(n, fanout); },
        [](state& s) {
            auto& lists = s.registry.storage<Children>();
            for (const entt::entity parent : s.parents) {
                const auto& list = lists.get(parent).list;
                s.registry.destroy(list.begin(), list.end());
                s.registry.destroy(parent);
            }
            return s.registry.storage<Value>().size();
        });
}

void propagation(group& group, const forest& scene) {
    const auto s = kept(state{});
    for (std::uint32_t i = 0; i != scene.parents.size(); ++i) {
        const entt::entity e = s->registry.create();
        const Local local{bench::local_of(i)};
        s->registry.emplace<Local>(e, local);
        s->registry.emplace<Global>(e, local.value);
        if (scene.parents[i] != bench::nobody) s->registry.emplace<Node>(e, s->entities[scene.parents[i]], i);
        s->entities.push_back(e);
    }
    auto nodes = s->registry.group<Local, Node, Global>();
    nodes.sort<Node>([](const Node& a, const Node& b) { return a.order < b.order; });
    group.variant("EnTT, sorted owning group", [s] {
        const auto& globals = s->registry.storage<Global>();
        s->registry.group<Local, Node, Global>().each(
            [&](const Local& local, const Node& node, Global& global) {
                global.value = globals.get(node.parent).value * local.value;
            });
        return s->registry.get<Global>(s->entities.back()).value.m[3];
    });
}

} // namespace

constexpr const char* how = "owning groups and storages; parents and children as users write them";
const peer entt_peer{"EnTT",  how,          iterate,    fragmented, random_access, spawn,        spawn_bulk,
                     despawn, despawn_bulk, add_remove, relation,   reparent,      target_death, propagation};

} // namespace peers
