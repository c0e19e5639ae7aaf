#include <boost/ut.hpp>

#include <cstddef>
#include <functional>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/memory.hpp"

import pecs;

namespace {

using pecs::entity;

struct Position {
    int x = 0;
};
struct Burning {
    int heat = 0;
    std::string fuel{}; // so that it does not move as bytes
    static constexpr auto storage = pecs::component_storage::sparse;
};
struct Marked {
    int by = 0;
    static constexpr auto storage = pecs::component_storage::sparse_stable;
};
struct Wet {
    static constexpr auto storage = pecs::component_storage::sparse;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Follows {
    static constexpr pecs::relation_rules rules{};
};

/// What was told, as text.
struct journal {
    std::string text;

    void operator()(const std::string& what) { text += (text.empty() ? "" : " ") + what; }
    std::string take() { return std::exchange(text, {}); }
};

std::string id(entity e) { return e ? std::to_string(e.index()) : "-"; }

/// Observes all that can happen to `Burning`, and to `Position` together with `Burning`.
struct witness {
    journal notes;
    std::vector<pecs::observer> kept;

    auto one(const char* label) {
        return [this, label](entity e, Burning& b) {
            notes(std::string{label} + id(e) + "/" + std::to_string(b.heat));
        };
    }
    auto two(const char* label) {
        return [this, label](entity e, Position& p, Burning& b) {
            notes(std::string{label} + id(e) + "/" + std::to_string(p.x) + "/" + std::to_string(b.heat));
        };
    }
    explicit witness(pecs::world& world) {
        kept.push_back(world.observe<Burning>(pecs::on_add, one("add")));
        kept.push_back(world.observe<Burning>(pecs::on_remove, one("remove")));
        kept.push_back(world.observe<Burning>(pecs::on_set, one("set")));
        kept.push_back(world.observe<Burning>(pecs::on_spawn, one("spawn")));
        kept.push_back(world.observe<Burning>(pecs::on_despawn, one("despawn")));
        kept.push_back(world.observe<Position, Burning>(pecs::on_add, two("ADD")));
        kept.push_back(world.observe<Position, Burning>(pecs::on_remove, two("REMOVE")));
        kept.push_back(world.observe<Position, Burning>(pecs::on_set, two("SET")));
        kept.push_back(world.observe<Position, Burning>(pecs::on_spawn, two("SPAWN")));
        kept.push_back(world.observe<Position, Burning>(pecs::on_despawn, two("DESPAWN")));
    }
    std::string take() { return notes.take(); }
};

} // namespace

int main() {
    using namespace boost::ut;

    "the verbs of one entity tell of sparse components"_test = [] {
        pecs::world world;
        witness all{world};
        const entity e = world.spawn();
        expect(all.take() == "");
        world.add(e, Burning{1});
        expect(all.take() == "add0/1");
        world.add(e, Position{7});
        expect(all.take() == "ADD0/7/1");
        world.set(e, Burning{2});
        expect(all.take() == "set0/2 SET0/7/2");
        world.set(e, Position{8});
        expect(all.take() == "SET0/8/2");
        world.set(e, Marked{1}, Burning{3});
        expect(all.take() == "set0/3 SET0/8/3");
        world.remove<Burning>(e);
        expect(all.take() == "remove0/3 REMOVE0/8/3");
        world.set(e, Burning{4}, Position{9});
        expect(all.take() == "add0/4 ADD0/9/4");
        world.remove<Position>(e);
        expect(all.take() == "REMOVE0/9/4");
        world.exchange<Burning>(e, Position{10});
        expect(all.take() == "remove0/4");
        world.exchange<Position>(e, Burning{5});
        expect(all.take() == "add0/5");
        world.exchange<Marked>(e, Position{11}, Wet{});
        expect(all.take() == "ADD0/11/5");
        world.despawn(e);
        expect(all.take() == "remove0/5 despawn0/5 REMOVE0/11/5 DESPAWN0/11/5");
        (void)world.spawn(Burning{6}, Position{1});
        expect(all.take() == "add0/6 spawn0/6 ADD0/1/6 SPAWN0/1/6");
        (void)world.spawn(Burning{7});
        expect(all.take() == "add1/7 spawn1/7");
        world.clear();
        expect(all.take() == "remove1/7 remove0/6 despawn1/7 despawn0/6 REMOVE0/1/6 DESPAWN0/1/6");
    };

    "what an observer sees before and after is in place"_test = [] {
        pecs::world world;
        journal notes;
        const auto state = [&](entity e) {
            return std::string{world.has<Burning>(e) ? "b" : "-"} + (world.has<Marked>(e) ? "m" : "-");
        };
        const auto gone = world.observe<Burning>(pecs::on_remove, [&](entity e) { notes("<" + state(e)); });
        const auto come = world.observe<Marked>(pecs::on_add, [&](entity e) { notes(">" + state(e)); });
        const entity e = world.spawn(Burning{1});
        world.exchange<Burning>(e, Marked{1});
        expect(notes.take() == "<b- >-m");
        world.exchange<Marked>(e, Burning{1});
        const std::vector list{e};
        world.exchange_batch<Burning>(list, Marked{1});
        expect(notes.take() == "<b- >-m");
        world.exchange<Marked>(e, Burning{1});
        pecs::commands later = world.record();
        later.exchange<Burning>(e, Marked{2});
        world.apply(later);
        expect(notes.take() == "<b- >-m");
    };

    "batches tell of sparse components in the order of their lists"_test = [] {
        pecs::world world;
        witness all{world};
        (void)world.spawn_batch(2, Burning{1}, Position{5});
        expect(all.take() == "add0/1 add1/1 spawn0/1 spawn1/1 ADD0/5/1 ADD1/5/1 SPAWN0/5/1 SPAWN1/5/1");
        (void)world.spawn_batch<Burning>(1);
        expect(all.take() == "add2/0 spawn2/0");
        (void)world.spawn_batch<Burning>(1, [](Burning& b) { b.heat = 3; });
        expect(all.take() == "add3/3 spawn3/3");
        world.clear();
        (void)all.take();
        const entity a = world.spawn(Position{1});
        const entity b = world.spawn();
        const entity c = world.spawn(Position{3});
        const std::vector list{c, b, a};
        const auto name = [](entity e) { return id(e); };
        world.add_batch(list, Burning{1});
        expect(all.take() == "add" + name(c) + "/1 add" + name(b) + "/1 add" + name(a) + "/1 ADD" + name(c) +
                                 "/3/1 ADD" + name(a) + "/1/1");
        const std::vector two{a, b};
        world.set_batch(two, Burning{2}, Wet{});
        expect(all.take() == "set" + name(a) + "/2 set" + name(b) + "/2 SET" + name(a) + "/1/2");
        world.remove_batch<Burning>(two);
        expect(all.take() == "remove" + name(a) + "/2 remove" + name(b) + "/2 REMOVE" + name(a) + "/1/2");
        world.set_batch(list, Burning{4});
        expect(all.take() == "add" + name(b) + "/4 add" + name(a) + "/4 set" + name(c) + "/4 ADD" + name(a) +
                                 "/1/4 SET" + name(c) + "/3/4");
        world.exchange_batch<Burning>(std::vector{b}, Position{2});
        expect(all.take() == "remove" + name(b) + "/4");
        world.remove_batch<Position>(world.query<Position, pecs::with<Burning>>());
        expect(all.take().starts_with("REMOVE"));
        world.add_batch(world.query<pecs::with<Burning>>(), Position{6});
        expect(all.take().starts_with("ADD"));
        world.add_batch(world.query<pecs::without<Burning>>(), Burning{6});
        expect(all.take() == "add" + name(b) + "/6 ADD" + name(b) + "/2/6");
        world.remove_batch<Burning>(world.query<Position>());
        expect(all.take().starts_with("remove"));
        world.add_batch(std::vector{c, a}, Burning{7});
        (void)all.take();
        world.despawn_batch(list);
        expect(all.take() == "remove" + name(c) + "/7 remove" + name(a) + "/7 despawn" + name(c) +
                                 "/7 despawn" + name(a) + "/7 REMOVE" + name(c) + "/6/7 REMOVE" + name(a) +
                                 "/6/7 DESPAWN" + name(c) + "/6/7 DESPAWN" + name(a) + "/6/7");
        (void)world.spawn(Burning{8});
        (void)all.take();
        world.despawn_batch(world.query<Burning>());
        expect(all.take().starts_with("remove"));
        expect(world.empty());
    };

    "families that end or lose their target are told of with their sparse values"_test = [] {
        pecs::world world;
        witness all{world};
        const entity root = world.spawn();
        (void)world.spawn(Burning{1}, pecs::to<ChildOf>(root));
        const entity other = world.spawn(Burning{2}, pecs::to<Follows>(root));
        journal notes;
        const auto lost = world.observe<Follows, Burning>(
            pecs::on_remove, [&](entity e, Burning& b) { notes(id(e) + "/" + std::to_string(b.heat)); });
        (void)all.take();
        world.despawn(root);
        expect(all.take() == "remove1/1 despawn1/1");
        expect(notes.take() == "2/2");
        expect(world.has<Burning>(other));
    };

    "copies and prefabs are told of with their sparse values"_test = [] {
        pecs::world world;
        const entity e = world.spawn(Burning{1}, Position{2});
        const entity child = world.spawn(Burning{3}, pecs::to<ChildOf>(e));
        witness all{world};
        (void)world.clone(child);
        expect(all.take() == "add2/3 spawn2/3");
        (void)world.clone_subtree<ChildOf>(e);
        expect(all.take() == "add3/1 add4/3 add5/3 spawn3/1 spawn4/3 spawn5/3 ADD3/2/1 SPAWN3/2/1");
        const entity model = world.spawn(pecs::prefab{}, Burning{6});
        (void)all.take();
        (void)world.spawn_from(model);
        expect(all.take() == "add7/6 spawn7/6");
        (void)world.spawn_from(model, Burning{7}, Position{1});
        expect(all.take() == "add8/7 spawn8/7 ADD8/1/7 SPAWN8/1/7");
        (void)world.spawn_from_batch(model, 2, Position{1});
        expect(all.take().starts_with("add9/6 add10/6 spawn9/6 spawn10/6 ADD9/1/6 "));
    };

    "commands tell what has come of sparse components"_test = [] {
        pecs::world world;
        witness all{world};
        const entity e = world.spawn(Position{1});
        pecs::commands later = world.record();
        later.add(e, Burning{1});
        later.set(e, Burning{2});
        world.apply(later);
        expect(all.take() == "add0/2 ADD0/1/2");
        later.remove<Burning>(e);
        later.add(e, Burning{3});
        world.apply(later);
        expect(all.take() == "set0/3 SET0/1/3");
        later.remove<Burning>(e);
        later.set(e, Position{2});
        world.apply(later);
        expect(all.take() == "remove0/3 REMOVE0/1/3");
        later.add(e, Burning{1});
        later.remove<Burning>(e);
        (void)later.spawn(Burning{4});
        world.apply(later);
        expect(all.take() == "add1/4 spawn1/4");
        later.exchange<Position>(e, Burning{5});
        world.apply(later);
        expect(all.take() == "add0/5");
        later.set(e, Burning{6});
        later.despawn(e);
        world.apply(later);
        expect(all.take() == "remove0/5 despawn0/5");
    };

    "verbs by id tell of sparse components, and observe them"_test = [] {
        pecs::world world;
        witness all{world};
        const pecs::component_id burning = pecs::id_of<Burning>();
        journal notes;
        const std::vector ids{burning, pecs::id_of<Wet>()};
        const auto wet = world.by_id().observe(pecs::on_add, ids, [&](entity e) { notes(id(e)); });
        const entity e = world.by_id().spawn(std::vector{burning});
        expect(all.take() == "add0/0 spawn0/0");
        const Burning hot{5};
        world.by_id().set(e, burning, &hot);
        expect(all.take() == "set0/5");
        world.by_id().remove(e, burning);
        expect(all.take() == "remove0/5");
        world.by_id().add(e, pecs::id_of<Wet>());
        expect(notes.take() == "");
        world.by_id().add(e, burning, &hot);
        expect(all.take() == "add0/5");
        expect(notes.take() == "0");
        world.by_id().remove(e, burning);
        world.by_id().set(e, burning, &hot);
        expect(all.take() == "remove0/5 add0/5");
        expect(notes.take() == "0");
    };

    "spans of entities come for rows side by side that have the sparse components"_test = [] {
        pecs::world world;
        std::vector<std::size_t> sizes;
        const auto spans = world.observe<Burning>(
            pecs::on_add, [&](std::span<const entity> some) { sizes.push_back(some.size()); });
        const auto columns = world.observe<Position, Wet>(
            pecs::on_add, [&](std::span<const entity> some, std::span<Position> values) {
                expect(some.size() == values.size());
                sizes.push_back(100 + some.size());
            });
        (void)world.spawn_batch(10, Burning{1});
        expect(sizes == std::vector<std::size_t>{10});
        sizes.clear();
        const std::span made = world.spawn_batch(5, Position{1});
        const std::vector list(made.begin(), made.end());
        world.add(list[2], Wet{});
        world.add_batch(std::vector{list[0], list[1], list[3]}, Wet{}, Burning{1});
        expect(sizes == std::vector<std::size_t>{101, 2, 1, 102, 101});
    };

    "an exception before a change leaves the sparse components as they were"_test = [] {
        pecs::world world;
        const entity e = world.spawn(Position{1}, Burning{1, "wood"});
        bool angry = true;
        const auto veto = world.observe<Burning>(pecs::on_remove, [&](entity, Burning&) {
            if (angry) throw std::runtime_error{"no"};
        });
        const auto unchanged = [&] {
            return world.get<Burning>(e).fuel == "wood" && world.get<Position>(e).x == 1 &&
                   !world.has<Marked>(e) && world.validate();
        };
        const auto refused = [&](auto verb) {
            try {
                verb();
                return false;
            } catch (const std::runtime_error&) {
                return unchanged();
            }
        };
        expect(refused([&] { world.remove<Burning>(e); }));
        expect(refused([&] { world.remove<Burning, Position>(e); }));
        expect(refused([&] { world.exchange<Burning>(e, Marked{1}); }));
        expect(refused([&] { world.exchange_batch<Burning, Position>(std::vector{e}, Marked{1}); }));
        expect(refused([&] { world.remove_batch<Burning>(std::vector{e}); }));
        expect(refused([&] { world.by_id().remove(e, pecs::id_of<Burning>()); }));
        expect(refused([&] { world.despawn(e); }));
        expect(refused([&] { world.despawn_batch(std::vector{e}); }));
        expect(refused([&] { world.clear(); }));
        pecs::commands later = world.record();
        later.exchange<Burning>(e, Marked{3});
        expect(refused([&] { world.apply(later); }));
        journal notes;
        const auto moved = world.observe<Position>(pecs::on_remove, [&](entity) { notes("moved"); });
        const auto marked = world.observe<Marked>(pecs::on_add, [&](entity) { notes("marked"); });
        world.remove<Position>(e); // nothing is left of what was refused
        expect(notes.take() == "moved");
        angry = false;
        world.apply(later);
        expect(notes.take() == "marked");
        expect(world.get<Marked>(e).by == 3);
    };

    "an error leaves nothing behind that later changes would tell"_test = [] {
        pecs::world world;
        witness all{world};
        const entity e = world.spawn(Position{1});
        expect(throws<pecs::duplicate_component>([&] { world.add(e, Burning{1}, Position{2}); }));
        expect(throws<pecs::missing_component>([&] { world.remove<Burning>(e); }));
        world.remove<Position>(e);
        world.add(e, Position{3});
        expect(all.take() == "");
        const auto late =
            world.observe<Burning>(pecs::on_add, [](entity) { throw std::runtime_error{"late"}; });
        expect(throws<std::runtime_error>([&] { world.add(e, Burning{2}); }));
        expect(world.has<Burning>(e));
        expect(all.take() == "add0/2 ADD0/3/2");
    };

    "values may be set inside of observers, and the structure may not change"_test = [] {
        pecs::world world;
        journal notes;
        const entity other = world.spawn(Marked{0});
        const auto added = world.observe<Burning>(pecs::on_add, [&](entity, Burning& b) {
            b.heat += 1;
            world.set(other, Marked{b.heat});
            expect(throws<pecs::world_locked>([&] { world.add(other, Wet{}); }));
            expect(throws<pecs::world_locked>([&] { world.set(other, Burning{1}); }));
        });
        const auto gone =
            world.observe<Burning>(pecs::on_remove, [&](entity, Burning&) { world.set(other, Marked{-1}); });
        const auto marked =
            world.observe<Marked>(pecs::on_set, [&](entity, Marked& m) { notes(std::to_string(m.by)); });
        const entity e = world.spawn();
        world.add(e, Burning{1});
        world.exchange<Burning>(e, Wet{});
        world.add_batch(std::vector{e, world.spawn()}, Burning{5});
        expect(notes.take() == "2 -1 6 6");
    };

    "nobody is told of what did not happen because memory ran out"_test = [] {
        using verb = std::function<void(pecs::world&, const std::vector<entity>&)>;
        const std::vector<verb> verbs{
            [](pecs::world& w, const auto& list) { w.add(list[0], Marked{1}); },
            [](pecs::world& w, const auto& list) { w.exchange<Burning>(list[0], Marked{1}); },
            [](pecs::world& w, const auto& list) { w.exchange<Burning>(list[0], Marked{1}, Wet{}); },
            [](pecs::world& w, const auto& list) { w.set(list[0], Marked{1}, Burning{2}); },
            [](pecs::world& w, const auto& list) { w.remove<Burning>(list[0]); },
            [](pecs::world& w, const auto& list) { w.add_batch(list, Marked{1}); },
            [](pecs::world& w, const auto& list) { w.exchange_batch<Position, Burning>(list, Marked{1}); },
            [](pecs::world& w, const auto& list) { w.set_batch(list, Marked{1}, Burning{2}); },
            [](pecs::world& w, const auto& list) { w.remove_batch<Burning>(list); },
            [](pecs::world& w, const auto& list) { w.by_id().add(list[0], pecs::id_of<Marked>()); },
            [](pecs::world& w, const auto& list) { w.by_id().remove(list[0], pecs::id_of<Burning>()); },
            [](pecs::world& w, const auto& list) { w.despawn_batch(list); },
            [](pecs::world& w, const auto&) { (void)w.spawn_batch(40, Burning{1}, Marked{2}); },
            [](pecs::world& w, const auto& list) { (void)w.clone(list[0]); },
        };
        for (const verb& each : verbs) {
            support::watched_memory memory;
            bool done = false;
            for (std::size_t fault = 0; !done; ++fault) {
                pecs::world world{&memory};
                std::vector<entity> list;
                for (int i = 0; i != 20; ++i) list.push_back(world.spawn(Position{i}, Burning{1, "wood"}));
                std::size_t told = 0;
                const auto count = [&](entity) { ++told; };
                const pecs::observer observers[] = {
                    world.observe<Burning>(pecs::on_remove, count),
                    world.observe<Marked>(pecs::on_add, count),
                    world.observe<Burning>(pecs::on_add, count),
                    world.observe<Position, Burning>(pecs::on_set, count),
                };
                support::faults::arm(fault, false);
                try {
                    each(world, list);
                    done = !support::faults::happened();
                    support::faults::disarm();
                    expect(told != 0_u);
                } catch (const std::bad_alloc&) {
                    support::faults::disarm();
                    expect(told == 0_u);
                    expect(world.size() == list.size());
                    bool same = true;
                    for (const entity e : list)
                        same = same && world.get<Burning>(e).fuel == "wood" && !world.has<Marked>(e) &&
                               world.has<Position>(e);
                    expect(same);
                    world.add(list[0], Wet{});
                    world.remove<Position>(list[1]);
                    expect(told == 0_u) << "nothing is left of what failed";
                }
                expect(world.validate());
            }
            expect(memory.clean());
        }
    };
}
