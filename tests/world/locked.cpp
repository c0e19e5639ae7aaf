// While somebody looks at a world, by any loop, from an observer or from the initialiser of a batch, every verb that would
// change its structure throws `world_locked`, and nothing has changed.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/snapshot.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::child_of;
using pecs::entity;
using pecs::id_of;
using pecs::to;
using pecs::world;
using support::Position;
using support::Velocity;

struct Aims {
    static constexpr pecs::relation_rules rules{};
    int power = 0;
    [[nodiscard]] int number() const { return power; }
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
    int years = 0;
};
struct Lit {
    static constexpr auto storage = pecs::component_storage::sparse;
    int heat = 0;
    [[nodiscard]] int number() const { return heat; }
};
struct Score {
    int points = 0;
};
struct Clock {
    int now = 0;
};
struct Mark {};

/// A small tree with names, places, edges, prefabs and disabled parts.
struct scene {
    world w;
    entity root = w.spawn(pecs::name{"root"}, Position::of(1));
    entity first = w.spawn(pecs::name{"first"}, Position::of(2), to<child_of>(root));
    entity second = w.spawn(pecs::name{"second"}, Velocity::of(3), Lit{4}, to<child_of>(root));
    entity third = w.spawn(Position::of(5), to<child_of>(root), to<Aims>(first, Aims{6}));
    entity lone = w.spawn(Position::of(7), Lit{8});
    entity gone = w.spawn();
    entity tank = w.spawn(Position::of(9));
    pecs::commands later = w.record();
    pecs::commands empty = w.record();

    scene() {
        w.despawn(gone);
        w.place_all(std::array{second, first});
        w.relate<Knows>(first, second, Knows{10});
        w.relate<Knows>(first, lone, Knows{11});
        w.disable(third);
        w.disable<Position>(lone);
        w.make_prefab(tank);
        w.set_resource(Score{12});
        later.add(lone, Velocity::of(1));
    }

    [[nodiscard]] std::string dump() const {
        std::string text = support::snapshot<Position, Velocity, Lit, Aims, Mark, pecs::prefab>(w) +
                           support::targets<child_of, Aims>(w);
        w.each_entity([&](entity e) {
            text += w.path_of(e) + (w.enabled(e) ? " +" : " -") + (w.enabled<Position>(e) ? "+" : "-");
            for (const entity child : w.ordered_children(e)) text += ' ' + pecs::to_string(child);
            text += '\n';
        });
        w.each_edge<Knows>([&](entity source, entity target, const Knows& k) {
            text += pecs::to_string(source) + ' ' + pecs::to_string(target) + ' ' + std::to_string(k.years);
        });
        text += '\n' + std::to_string(w.resource<Score>().points) + (w.has_resource<Clock>() ? " clock" : "");
        return text + ' ' + std::to_string(later.size());
    }
};

/// Calls `check` with every verb, as a function to call.
template <class Check> void each_component_verb(scene& s, Check check) {
    world& w = s.w;
    const std::array list{s.first, s.third};
    const std::array ids{id_of<Position>()};
    const Velocity velocity = Velocity::of(1);
    check("spawn", [&] { (void)w.spawn(Position::of(1)); });
    check("spawn with a target", [&] { (void)w.spawn(to<child_of>(s.root), to<Knows>(s.first)); });
    check("spawn_batch", [&] { (void)w.spawn_batch(3, Position::of(1), Lit{1}); });
    check("spawn_batch with an initialiser", [&] { (void)w.spawn_batch<Position>(3, [](Position&) {}); });
    check("despawn", [&] { w.despawn(s.third); });
    check("despawn_batch", [&] { w.despawn_batch(list); });
    check("despawn_batch of a query", [&] { w.despawn_batch(w.query<Position>()); });
    check("clear", [&] { w.clear(); });
    check("add", [&] { w.add(s.first, Velocity::of(1)); });
    check("add_batch", [&] { w.add_batch(list, Velocity::of(1)); });
    check("add_batch of a query", [&] { w.add_batch(w.query<Position>(), Velocity::of(1)); });
    check("remove", [&] { w.remove<Position>(s.first); });
    check("remove_batch", [&] { w.remove_batch<Position>(list); });
    check("remove_batch of a query", [&] { w.remove_batch<Position>(w.query<Position>()); });
    check("exchange", [&] { w.exchange<Position>(s.first, Velocity::of(1)); });
    check("exchange_batch", [&] { w.exchange_batch<Position>(list, Velocity::of(1)); });
    check("set that adds", [&] { w.set(s.first, Velocity::of(1)); });
    check("set_batch, even if all are there", [&] { w.set_batch(list, Position::of(99)); });
    check("add of a sparse component", [&] { w.add(s.first, Lit{1}); });
    check("add_batch of a sparse component", [&] { w.add_batch(list, Lit{1}); });
    check("remove of a sparse component", [&] { w.remove<Lit>(s.second); });
    check("set that adds a sparse component", [&] { w.set(s.first, Lit{1}); });
    check("set_batch of a sparse component", [&] { w.set_batch(std::array{s.second}, Lit{1}); });
    check("by_id spawn", [&] { (void)w.by_id().spawn(ids); });
    check("by_id add", [&] { w.by_id().add(s.first, id_of<Velocity>()); });
    check("by_id add of a value", [&] { w.by_id().add(s.first, id_of<Velocity>(), &velocity); });
    check("by_id set that adds", [&] { w.by_id().set(s.first, id_of<Velocity>(), &velocity); });
    check("by_id remove", [&] { w.by_id().remove(s.first, id_of<Position>()); });
    check("reserve", [&] { w.reserve<Position>(100); });
    check("shrink", [&] { w.shrink(); });
    check("compact", [&] { w.compact(); });
}
template <class Check> void each_relation_verb(scene& s, Check check) {
    world& w = s.w;
    const std::array list{s.first, s.second};
    check("relate", [&] { w.relate<Aims>(s.first, s.second); });
    check("relate to another", [&] { w.relate<Aims>(s.third, s.second); });
    check("relate with data", [&] { w.relate<Aims>(s.third, s.first, Aims{99}); });
    check("relate to one of many", [&] { w.relate<Knows>(s.second, s.first); });
    check("relate with data of an edge", [&] { w.relate<Knows>(s.first, s.second, Knows{99}); });
    check("relate_batch", [&] { w.relate_batch<Aims>(list, s.lone); });
    check("relate_batch of a query", [&] { w.relate_batch<Aims>(w.query<Position>(), s.second); });
    check("relate_batch to one of many", [&] { w.relate_batch<Knows>(list, s.third); });
    check("unrelate", [&] { w.unrelate<Aims>(s.third); });
    check("unrelate of one", [&] { w.unrelate<Knows>(s.first, s.second); });
    check("unrelate of many", [&] { w.unrelate<Knows>(s.first); });
    check("unrelate_batch", [&] { w.unrelate_batch<Aims>(std::array{s.third}); });
    check("unrelate_batch of one", [&] { w.unrelate_batch<Knows>(std::array{s.first}, s.second); });
    check("unrelate_batch of many", [&] { w.unrelate_batch<Knows>(std::array{s.first}); });
    check("by_id relate", [&] { w.by_id().relate(s.first, id_of<Aims>(), s.second); });
    check("by_id relate to one of many", [&] { w.by_id().relate(s.second, id_of<Knows>(), s.first); });
    check("by_id unrelate", [&] { w.by_id().unrelate(s.third, id_of<Aims>()); });
    check("by_id unrelate of one", [&] { w.by_id().unrelate(s.first, id_of<Knows>(), s.second); });
    check("by_id unrelate of many", [&] { w.by_id().unrelate(s.first, id_of<Knows>()); });
    check("despawn of a target", [&] { w.despawn(s.root); });
}
template <class Check> void each_tree_verb(scene& s, Check check) {
    world& w = s.w;
    check("reparent", [&] { w.reparent(s.first, s.second); });
    check("reparent to none", [&] { w.reparent(s.first, pecs::null); });
    check("place_first", [&] { w.place_first(s.first); });
    check("place_last", [&] { w.place_last(s.second); });
    check("place_before", [&] { w.place_before(s.third, s.second); });
    check("place_after", [&] { w.place_after(s.second, s.third); });
    check("place_all", [&] { w.place_all(std::array{s.third, s.first}); });
    check("add of a name", [&] { w.add(s.third, pecs::name{"third"}); });
    check("set of a new name", [&] { w.set(s.third, pecs::name{"third"}); });
    check("remove of a name", [&] { w.remove<pecs::name>(s.first); });
    check("clone", [&] { (void)w.clone(s.first); });
    check("clone_subtree", [&] { (void)w.clone_subtree(s.root); });
    check("clone_subtree elsewhere", [&] { (void)w.clone_subtree(s.first, s.lone); });
    check("clone_subtree of many", [&] { (void)w.clone_subtree(s.root, 2); });
    check("make_prefab", [&] { w.make_prefab(s.root); });
    check("spawn_from", [&] { (void)w.spawn_from(s.tank, Velocity::of(1)); });
    check("spawn_from_batch", [&] { (void)w.spawn_from_batch(s.tank, 3, to<child_of>(s.root)); });
}
template <class Check> void each_other_verb(scene& s, Check check) {
    world& w = s.w;
    const std::array list{s.first, s.lone};
    check("disable", [&] { w.disable(s.first); });
    check("enable", [&] { w.enable(s.third); });
    check("disable of a component", [&] { w.disable<Position>(s.first); });
    check("enable of a component", [&] { w.enable<Position>(s.lone); });
    check("disable_batch", [&] { w.disable_batch(list); });
    check("enable_batch", [&] { w.enable_batch(std::array{s.third}); });
    check("disable_batch of a component", [&] { w.disable_batch<Position>(list); });
    check("enable_batch of a component", [&] { w.enable_batch<Position>(list); });
    check("disable_batch of a query", [&] { w.disable_batch(w.query<Position>()); });
    check("enable_batch of a query", [&] { w.enable_batch(w.query<pecs::disabled_too>()); });
    check("by_id disable", [&] { w.by_id().disable(s.first, id_of<Position>()); });
    check("by_id enable", [&] { w.by_id().enable(s.lone, id_of<Position>()); });
    check("emplace_resource", [&] { w.emplace_resource<Clock>(); });
    check("set_resource", [&] { w.set_resource(Score{99}); });
    check("remove_resource", [&] { w.remove_resource<Score>(); });
    check("record", [&] { (void)w.record(); });
    check("apply", [&] { (void)w.apply(s.later); });
    check("apply of nothing", [&] { (void)w.apply(s.empty); });
}

/// Looks at the world in every way there is, and calls `inside` meanwhile with the name of the way, at least once.
template <class Inside> void look_by_queries(scene& s, Inside inside) {
    world& w = s.w;
    w.query<const Position>().each([&](const Position&) { inside("each"); });
    for ([[maybe_unused]] auto [p] : w.query<const Position>()) inside("a range-for");
    for ([[maybe_unused]] auto [es, ps] : w.query<const Position>().columns()) inside("columns");
    for ([[maybe_unused]] auto [target, es] : w.query<>().families<child_of>()) inside("families");
    w.query<>().of<child_of>(s.root).each([&](entity) { inside("of"); });
    w.query<>().of<Knows>(s.lone).each([&](entity) { inside("of edges"); });
    w.query<>().under<child_of>(s.root).each([&](entity) { inside("under"); });
    w.query<>().parents_first<child_of>().each([&](entity) { inside("parents_first"); });
    w.query<>().children_first<child_of>().each([&](entity) { inside("children_first"); });
    w.query<const Lit>().each([&](const Lit&) { inside("each of a sparse component"); });
    w.query<const Position>().each_sorted([](const Position& p) { return p.x; },
                                          [&](const Position&) { inside("each_sorted"); });
    const auto children = w.query<>().by<child_of>();
    inside("by");
}
template <class Inside> void look_by_loops(scene& s, Inside inside) {
    world& w = s.w;
    w.by_id().query().each([&](const pecs::family_view&) { inside("a query by id"); });
    w.each_entity([&](entity) { inside("each_entity"); });
    w.each_source<child_of>(s.root, [&](entity) { inside("each_source"); });
    w.each_source(s.root, [&](entity, pecs::component_id) { inside("each_source of all relations"); });
    w.each_source<Knows>(s.lone, [&](entity) { inside("each_source of edges"); });
    w.each_target<Knows>(s.first, [&](entity) { inside("each_target"); });
    w.each_edge<Knows>([&](entity, entity) { inside("each_edge"); });
    for ([[maybe_unused]] const entity child : w.children(s.root)) inside("children");
    for ([[maybe_unused]] const entity above : w.ancestors(s.first)) inside("ancestors");
}
template <class Inside> void look_by_calls(scene& s, Inside inside) {
    world& w = s.w;
    {
        const auto before = w.observe<Mark>(pecs::on_remove, [&](entity) { inside("on_remove"); });
        const auto after = w.observe<Mark>(pecs::on_add, [&](entity) { inside("on_add"); });
        w.add(s.lone, Mark{});
        w.remove<Mark>(s.lone);
    }
    {
        const auto changed = w.observe<Position>(pecs::on_set, [&](entity) { inside("on_set"); });
        w.set(s.lone, Position::of(7));
    }
    {
        const auto aimed =
            w.observe<Aims>(pecs::on_relate, [&](entity, entity, entity) { inside("on_relate"); });
        w.relate<Aims>(s.lone, s.first);
        w.unrelate<Aims>(s.lone);
    }
    {
        const auto known =
            w.observe<Knows>(pecs::on_relate, [&](entity, entity, entity) { inside("on_relate of edges"); });
        w.relate<Knows>(s.lone, s.first);
        w.unrelate<Knows>(s.lone, s.first);
    }
    (void)w.spawn_batch<Mark, Position>(1, [&](Position&) { inside("an initialiser"); });
}

/// Every verb of a kind is refused, in every way to look at a world.
template <class Verbs, class Look> void refuse(Verbs each_verb, Look look) {
    using namespace boost::ut;
    scene s;
    std::size_t refused = 0;
    look(s, [&](const std::string& way) {
        each_verb(s, [&](const std::string& verb, auto f) {
            const std::string before = s.dump();
            bool locked = false;
            try {
                f();
            } catch (const pecs::world_locked&) {
                locked = true;
            }
            // What follows would be a loop over a world that has changed.
            if (!locked) throw std::logic_error{verb + " was not refused in " + way};
            expect(s.dump() == before and s.w.validate()) << verb << "in" << way;
            ++refused;
        });
    });
    expect(refused > 50_ul);
    scene undisturbed;
    look(undisturbed, [](const std::string&) {});
    expect(bool{s.w.spawn() == undisturbed.w.spawn()}) << "no handle was used up";
    s.w.apply(s.later);
    expect(s.w.has<Velocity>(s.lone) and s.w.validate()) << "nothing recorded was lost";
}
} // namespace

int main() {
    using namespace boost::ut;

    const auto queries = [](scene& s, auto inside) { look_by_queries(s, inside); };
    const auto loops = [](scene& s, auto inside) { look_by_loops(s, inside); };
    const auto calls = [](scene& s, auto inside) { look_by_calls(s, inside); };

    "no entity or component comes or goes while somebody looks"_test = [&] {
        const auto verbs = [](scene& s, auto check) { each_component_verb(s, check); };
        refuse(verbs, queries);
        refuse(verbs, loops);
        refuse(verbs, calls);
    };

    "no relation changes while somebody looks"_test = [&] {
        const auto verbs = [](scene& s, auto check) { each_relation_verb(s, check); };
        refuse(verbs, queries);
        refuse(verbs, loops);
        refuse(verbs, calls);
    };

    "no parent, place, name or copy comes while somebody looks"_test = [&] {
        const auto verbs = [](scene& s, auto check) { each_tree_verb(s, check); };
        refuse(verbs, queries);
        refuse(verbs, loops);
        refuse(verbs, calls);
    };

    "nothing is disabled, no resource changes and nothing is applied while somebody looks"_test = [&] {
        const auto verbs = [](scene& s, auto check) { each_other_verb(s, check); };
        refuse(verbs, queries);
        refuse(verbs, loops);
        refuse(verbs, calls);
    };

    "whoever looks may ask anything meanwhile"_test = [] {
        const auto everything = [](scene& s, auto inside) {
            look_by_queries(s, inside);
            look_by_loops(s, inside);
        };
        scene s;
        const world& w = s.w;
        everything(s, [&](const std::string& way) {
            expect(bool{w.find("root/first") == s.first} and bool{w.find_child(s.root, "second") == s.second})
                << way;
            expect(w.path_of(s.second) == std::string{"root/second"} and w.depth(s.first) == 1_ul) << way;
            expect(w.descendants(s.root).size() == 3_ul and w.roots().size() == 1_ul) << way;
            expect(bool{w.ordered_children(s.root)[0] == s.second} and w.can_relate(s.first, s.second))
                << way;
            expect(w.targets<Knows>(s.first).size() == 2_ul and w.sources<Knows>(s.lone).size() == 1_ul)
                << way;
            expect(w.resource<Score>().points == 12_i and not w.enabled(s.third)) << way;
            s.w.set(s.second, Lit{4}, Velocity::of(3)); // both are there
        });
        expect(w.validate());
    };
}
