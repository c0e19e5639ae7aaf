#include <boost/ut.hpp>

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/errors.hpp"
#include "../support/memory.hpp"

import pecs;

namespace {

struct Position {
    int x = 0;
};
struct Velocity {
    int dx = 0;
};
struct Tag {};
struct Name {
    std::string text;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    int how_much = 0;
    static constexpr pecs::relation_rules rules{};
};
struct Needs {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::forbid};
};
struct Knows {
    int years = 0;
    static constexpr pecs::relation_rules rules{.many = true};
};
struct Married {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
};

/// What was told, as text.
struct journal {
    std::string text;

    void operator()(const std::string& what) { text += (text.empty() ? "" : " ") + what; }
    std::string take() { return std::exchange(text, {}); }
};

std::string id(pecs::entity e) { return e ? std::to_string(e.index()) : "-"; }

/// Writes down on_relate of `R`.
template <class R> pecs::observer note_targets(pecs::world& world, journal& notes, const std::string& label) {
    return world.observe<R>(pecs::on_relate,
                            [&notes, label](pecs::entity e, pecs::entity old, pecs::entity now) {
                                notes(label + id(e) + ":" + id(old) + ">" + id(now));
                            });
}
/// Writes down additions and removals of `T`.
template <class T>
std::pair<pecs::observer, pecs::observer> note_presence(pecs::world& world, journal& notes,
                                                        const std::string& label) {
    return {
        world.observe<T>(pecs::on_add, [&notes, label](pecs::entity e) { notes("+" + label + id(e)); }),
        world.observe<T>(pecs::on_remove, [&notes, label](pecs::entity e) { notes("-" + label + id(e)); })};
}
/// Writes down beginnings and ends.
std::pair<pecs::observer, pecs::observer> note_lives(pecs::world& world, journal& notes) {
    return {world.observe(pecs::on_spawn, [&notes](pecs::entity e) { notes("born" + id(e)); }),
            world.observe(pecs::on_despawn, [&notes](pecs::entity e) { notes("dies" + id(e)); })};
}

} // namespace

int main() {
    using namespace boost::ut;

    // --- one type

    "an add observer sees the value in place"_test = [] {
        pecs::world world;
        int seen = 0;
        const pecs::observer watch = world.observe<Position>(pecs::on_add, [&](pecs::entity e, Position& p) {
            seen += p.x;
            expect(world.has<Position>(e));
            p.x += 100;
        });
        const pecs::entity a = world.spawn(Position{1});
        const pecs::entity b = world.spawn(Velocity{1});
        expect(seen == 1_i);
        world.add(b, Position{2});
        expect(seen == 3_i);
        world.set(b, Position{50});
        world.add(a, Velocity{});
        expect(seen == 3_i) << "neither a new value nor another component";
        expect(world.get<Position>(a).x == 101_i);
        expect(world.validate());
    };
    "a remove observer still sees the value"_test = [] {
        pecs::world world;
        journal notes;
        const auto watch = world.observe<Name>(pecs::on_remove, [&](pecs::entity e, const Name& n) {
            notes(n.text + (world.has<Name>(e) ? "!" : "?"));
        });
        const pecs::entity a = world.spawn(Name{"ann"});
        const pecs::entity b = world.spawn(Name{"bob"}, Position{});
        const pecs::entity c = world.spawn(Name{"cy"});
        world.remove<Name>(a);
        world.despawn(b);
        world.exchange<Name>(c, Position{3});
        expect(notes.take() == "ann! bob! cy!");
        world.despawn(a);
        expect(notes.take().empty());
    };
    "a set observer is told of values for components that were there"_test = [] {
        pecs::world world;
        journal notes;
        const auto set = world.observe<Position>(
            pecs::on_set, [&](pecs::entity, const Position& p) { notes("set" + std::to_string(p.x)); });
        const auto add = world.observe<Position>(
            pecs::on_add, [&](pecs::entity, const Position& p) { notes("add" + std::to_string(p.x)); });
        const pecs::entity e = world.spawn(Tag{});
        world.set(e, Position{1});
        world.set(e, Position{2});
        world.set(e, Position{3}, Velocity{1});
        world.get<Position>(e).x = 9;
        world.by_id().set(e, pecs::id_of<Position>(), &world.get<Position>(e));
        expect(notes.take() == "add1 set2 set3 set9");
    };
    "tags are observed without a value"_test = [] {
        pecs::world world;
        journal notes;
        const auto watch = note_presence<Tag>(world, notes, "t");
        const pecs::entity e = world.spawn(Tag{}, Position{});
        world.remove<Tag>(e);
        world.add<Tag>(e);
        world.set(e, Tag{});
        world.despawn(e);
        expect(notes.take() == "+t0 -t0 +t0 -t0");
    };

    // --- sets

    "a set of types is told of when an entity comes to have all of them, and when it no longer has"_test =
        [] {
            pecs::world world;
            journal notes;
            const auto add = world.observe<Position, Tag, Velocity>(
                pecs::on_add, [&](pecs::entity e, const Position& p, const Velocity& v) {
                    notes("+" + id(e) + ":" + std::to_string(p.x) + "," + std::to_string(v.dx));
                });
            const auto gone = world.observe<Position, Tag, Velocity>(
                pecs::on_remove, [&](pecs::entity e, const Position& p, const Velocity& v) {
                    notes("-" + id(e) + ":" + std::to_string(p.x) + "," + std::to_string(v.dx));
                });
            const pecs::entity e = world.spawn(Position{1});
            world.add(e, Velocity{2});
            expect(notes.take().empty());
            world.add(e, Tag{});
            world.add(e, Name{});
            world.set(e, Position{3});
            expect(notes.take() == "+0:1,2");
            world.remove<Velocity>(e);
            world.remove<Tag>(e);
            expect(notes.take() == "-0:3,2");
            (void)world.spawn(Velocity{4}, Position{5}, Tag{});
            expect(notes.take() == "+1:5,4");
        };
    "a value for one of a set is told of once, and only if all were there"_test = [] {
        pecs::world world;
        journal notes;
        const auto watch = world.observe<Position, Velocity>(
            pecs::on_set, [&](pecs::entity, const Position& p, const Velocity& v) {
                notes(std::to_string(p.x) + "," + std::to_string(v.dx));
            });
        const pecs::entity e = world.spawn(Position{1});
        world.set(e, Position{2});
        world.set(e, Position{3}, Velocity{3});
        expect(notes.take().empty());
        world.set(e, Position{4});
        world.set(e, Velocity{5}, Position{5});
        expect(notes.take() == "4,3 5,5");
    };
    "beginnings and ends can be of entities with some components alone"_test = [] {
        pecs::world world;
        journal notes;
        const auto born = world.observe<Position>(pecs::on_spawn, [&](pecs::entity e, const Position& p) {
            notes("born" + id(e) + ":" + std::to_string(p.x));
        });
        const auto dies =
            world.observe<Tag>(pecs::on_despawn, [&](pecs::entity e) { notes("dies" + id(e)); });
        const pecs::entity a = world.spawn(Position{7});
        const pecs::entity b = world.spawn(Tag{});
        world.add(b, Position{8});
        world.despawn(a);
        world.despawn(b);
        expect(notes.take() == "born0:7 dies1");
    };

    // --- order

    "observers are told in the order in which they subscribed"_test = [] {
        pecs::world world;
        journal notes;
        const auto first = world.observe<Position>(pecs::on_add, [&](pecs::entity) { notes("first"); });
        const auto second = world.observe(pecs::on_spawn, [&](pecs::entity) { notes("second"); });
        const auto third = world.observe<Velocity>(pecs::on_add, [&](pecs::entity) { notes("third"); });
        const auto fourth = world.observe<Position>(pecs::on_add, [&](pecs::entity) { notes("fourth"); });
        (void)world.spawn(Velocity{}, Position{});
        expect(notes.take() == "first second third fourth");
    };
    "in an exchange the removal is told before and the addition after"_test = [] {
        pecs::world world;
        journal notes;
        const auto add = world.observe<Velocity>(
            pecs::on_add, [&](pecs::entity e) { notes(world.has<Position>(e) ? "add too early" : "add"); });
        const auto gone = world.observe<Position>(pecs::on_remove, [&](pecs::entity e) {
            notes(world.has<Velocity>(e) ? "remove too late" : "remove");
        });
        const pecs::entity e = world.spawn(Position{});
        world.exchange<Position>(e, Velocity{});
        expect(notes.take() == "remove add");
    };
    "in a batch an observer is told of all entities before the next observer is told of any"_test = [] {
        pecs::world world;
        journal notes;
        const auto one = world.observe<Tag>(pecs::on_add, [&](pecs::entity e) { notes("a" + id(e)); });
        const auto two = world.observe<Tag>(pecs::on_add, [&](pecs::entity e) { notes("b" + id(e)); });
        const pecs::entity list[] = {world.spawn(Position{}), world.spawn(Velocity{}),
                                     world.spawn(Position{})};
        world.add_batch(std::span{list}, Tag{});
        expect(notes.take() == "a0 a1 a2 b0 b1 b2");
    };

    // --- batches and spans

    "a callback with spans is called once per run of a batch"_test = [] {
        pecs::world world;
        journal notes;
        const auto watch = world.observe<Position>(
            pecs::on_add, [&](std::span<const pecs::entity> all, std::span<Position> values) {
                expect(all.size() == values.size());
                for (std::size_t i = 0; i != all.size(); ++i)
                    expect(&values[i] == &world.get<Position>(all[i]));
                notes(std::to_string(all.size()));
                for (Position& p : values) p.x += 1;
            });
        const auto gone = world.observe<Position>(pecs::on_remove, [&](std::span<const pecs::entity> all) {
            notes("-" + std::to_string(all.size()));
        });
        const auto made = world.spawn_batch(5, Position{1});
        const std::vector<pecs::entity> five{made.begin(), made.end()};
        expect(notes.take() == "5");
        expect(world.get<Position>(five[4]).x == 2_i);
        (void)world.spawn_batch<Position, Tag>(3);
        (void)world.spawn_batch<Position>(2, [](Position& p) { p.x = 4; });
        (void)world.spawn(Position{});
        expect(notes.take() == "3 2 1");
        world.remove_batch<Position>(world.query<Tag, Position>());
        expect(notes.take() == "-3");
        world.add_batch(world.query<Tag>(), Position{});
        expect(notes.take() == "3");
        const pecs::entity some[] = {five[0], five[1], five[3]};
        world.remove_batch<Position>(std::span{some});
        expect(notes.take() == "-2 -1") << "rows that lie side by side";
        world.add_batch(std::span{some}, Position{});
        expect(notes.take() == "3") << "their new rows do";
        world.despawn_batch(world.query<Tag>());
        expect(notes.take() == "-3");
        expect(world.validate());
    };
    "values set in a batch are told of as one run"_test = [] {
        pecs::world world;
        journal notes;
        const auto set = world.observe<Position>(pecs::on_set, [&](std::span<const pecs::entity> all) {
            notes("set" + std::to_string(all.size()));
        });
        const auto add = world.observe<Position>(pecs::on_add, [&](std::span<const pecs::entity> all) {
            notes("add" + std::to_string(all.size()));
        });
        const auto made = world.spawn_batch(4, Tag{});
        const std::vector<pecs::entity> list{made.begin(), made.end()};
        world.set_batch(list, Position{1});
        world.set_batch(list, Position{2});
        world.set_batch(world.query<Tag>(), Position{3});
        expect(notes.take() == "add4 set4 set4");
    };

    // --- relations

    "a relation is told of with its old and its new target"_test = [] {
        pecs::world world;
        journal notes;
        const auto watch = note_targets<Likes>(world, notes, "");
        const pecs::entity a = world.spawn();
        const pecs::entity b = world.spawn();
        const pecs::entity c = world.spawn(pecs::to<Likes>(a));
        world.relate<Likes>(c, b);
        world.relate<Likes>(c, b);
        world.relate<Likes>(c, a, Likes{3});
        world.unrelate<Likes>(c);
        world.relate<Likes>(c, c);
        world.despawn(c);
        expect(notes.take() == "2:->0 2:0>1 2:1>0 2:0>- 2:->2 2:2>-");
    };
    "where there is a new target it is there already, and where there is none the old one still is"_test =
        [] {
            pecs::world world;
            const auto watch = world.observe<Likes>(pecs::on_relate,
                                                    [&](pecs::entity e, pecs::entity old, pecs::entity now) {
                                                        expect(world.target<Likes>(e) == (now ? now : old));
                                                        expect(world.get<Likes>(e).how_much == 7_i);
                                                    });
            const pecs::entity a = world.spawn();
            const pecs::entity b = world.spawn();
            const pecs::entity c = world.spawn(pecs::to<Likes>(a, Likes{7}));
            world.relate<Likes>(c, b);
            world.relate<Likes>(c, a, Likes{7});
            world.unrelate<Likes>(c);
            world.relate<Likes>(c, a, Likes{7});
            world.despawn(a);
            expect(!world.has<Likes>(c));
        };
    "the data of a relation is observed as a component"_test = [] {
        pecs::world world;
        journal notes;
        const auto add = world.observe<Likes>(
            pecs::on_add, [&](pecs::entity, Likes& l) { notes("+" + std::to_string(l.how_much)); });
        const auto set = world.observe<Likes>(
            pecs::on_set, [&](pecs::entity, Likes& l) { notes("=" + std::to_string(l.how_much)); });
        const auto gone = world.observe<Likes>(
            pecs::on_remove, [&](pecs::entity, Likes& l) { notes("-" + std::to_string(l.how_much)); });
        const pecs::entity a = world.spawn();
        const pecs::entity b = world.spawn();
        const pecs::entity c = world.spawn(pecs::to<Likes>(a, Likes{1}));
        world.relate<Likes>(c, b);
        world.relate<Likes>(c, b, Likes{2});
        world.relate<Likes>(c, a, Likes{3});
        world.despawn(a);
        expect(notes.take() == "+1 =2 =3 -3");
    };
    "relation events are not missing when a target dies"_test = [] {
        pecs::world world;
        journal notes;
        const auto likes = note_targets<Likes>(world, notes, "L");
        const auto child = note_targets<ChildOf>(world, notes, "C");
        const auto lives = note_lives(world, notes);
        const pecs::entity root = world.spawn();
        const pecs::entity fan = world.spawn(pecs::to<Likes>(root));
        const pecs::entity kid = world.spawn(pecs::to<ChildOf>(root));
        (void)world.spawn(pecs::to<ChildOf>(kid), pecs::to<Likes>(fan));
        notes.take();
        world.despawn(root);
        expect(notes.take() == "L3:1>- L1:0>- C2:0>- C3:2>- dies0 dies2 dies3");
        expect(world.size() == 1_u);
        expect(world.validate());
    };
    "relation events are not missing on a copy"_test = [] {
        pecs::world world;
        journal notes;
        const auto likes = note_targets<Likes>(world, notes, "L");
        const auto child = note_targets<ChildOf>(world, notes, "C");
        const auto knows = note_targets<Knows>(world, notes, "K");
        const auto add = note_presence<Position>(world, notes, "p");
        const pecs::entity root = world.spawn(Position{});
        const pecs::entity kid = world.spawn(pecs::to<ChildOf>(root), pecs::to<Likes>(root), Position{});
        world.relate<Knows>(root, kid);
        notes.take();
        world.despawn(world.clone(kid));
        expect(notes.take() == "L2:->0 C2:->0 +p2 L2:0>- C2:0>- -p2");
        (void)world.clone_subtree<ChildOf>(root);
        expect(notes.take() == "L3:->2 C3:->2 K2:->3 +p2 +p3");
        (void)world.spawn_from<ChildOf>(root, Position{4}, pecs::to<Likes>(kid));
        expect(notes.take() == "L4:->1 L5:->4 C5:->4 K4:->5 +p4 +p5");
    };
    "relation events are not missing in batches"_test = [] {
        pecs::world world;
        journal notes;
        const auto watch = note_targets<Likes>(world, notes, "");
        const pecs::entity a = world.spawn();
        const pecs::entity b = world.spawn();
        (void)world.spawn_batch(2, Tag{}, pecs::to<Likes>(a));
        expect(notes.take() == "2:->0 3:->0");
        world.relate_batch<Likes>(world.query<Tag>(), b); // hands rows over
        expect(notes.take() == "2:0>1 3:0>1");
        const pecs::entity list[] = {world.spawn(Tag{}), world.spawn(pecs::to<Likes>(b))};
        notes.take();
        world.relate_batch<Likes>(std::span{list}, a);
        expect(notes.take() == "4:->0 5:1>0");
        world.unrelate_batch<Likes>(world.query<Tag, Likes>());
        expect(notes.take() == "4:0>- 2:1>- 3:1>-");
        const pecs::entity dying[] = {a, list[1]};
        world.despawn_batch(std::span{dying});
        expect(notes.take() == "5:0>-");
        expect(world.validate());
    };
    "a span callback gets the sources of a family that loses its target"_test = [] {
        pecs::world world;
        journal notes;
        const auto watch = world.observe<Likes>(
            pecs::on_relate, [&](std::span<const pecs::entity> all, pecs::entity old, pecs::entity now) {
                notes(std::to_string(all.size()) + ":" + id(old) + ">" + id(now));
            });
        const pecs::entity a = world.spawn();
        const pecs::entity b = world.spawn();
        (void)world.spawn_batch(6, Position{}, pecs::to<Likes>(a));
        world.relate_batch<Likes>(world.query<Position>(), b);
        world.despawn(b);
        expect(notes.take() == "6:->0 6:0>1 6:1>-");
    };
    "an entity that loses several relations at once is told of in each"_test = [] {
        pecs::world world;
        journal notes;
        const auto likes = note_targets<Likes>(world, notes, "L");
        const auto needs = note_targets<Needs>(world, notes, "N");
        const auto gone = note_presence<Likes>(world, notes, "l");
        const pecs::entity a = world.spawn();
        const pecs::entity b = world.spawn();
        const pecs::entity e = world.spawn(pecs::to<Likes>(a), pecs::to<Needs>(b));
        notes.take();
        expect(throws<pecs::target_in_use>([&] { world.despawn(b); }));
        expect(notes.take().empty()) << "nothing happens, nobody is told";
        world.despawn(a);
        expect(notes.take() == "L2:0>- -l2");
        const pecs::entity both[] = {e, b};
        world.despawn_batch(std::span{both});
        expect(notes.take() == "N2:1>-");
    };
    "edges of relations with many targets are told of one by one"_test = [] {
        pecs::world world;
        journal notes;
        const auto watch = note_targets<Knows>(world, notes, "");
        const auto set =
            world.observe<Knows>(pecs::on_set, [&](pecs::entity e, pecs::entity target, const Knows& k) {
                notes(id(e) + "=" + id(target) + ":" + std::to_string(k.years));
            });
        const pecs::entity a = world.spawn();
        const pecs::entity b = world.spawn(pecs::to<Knows>(a));
        const pecs::entity c = world.spawn();
        world.relate<Knows>(b, c, Knows{1});
        world.relate<Knows>(b, c);
        world.relate<Knows>(b, c, Knows{2});
        expect(notes.take() == "1:->0 1:->2 1=2:2");
        const pecs::entity both[] = {a, c};
        world.relate_batch<Knows>(std::span{both}, b);
        expect(notes.take() == "0:->1 2:->1");
        world.unrelate<Knows>(b, c);
        world.unrelate_batch<Knows>(std::span{both}, b);
        expect(notes.take() == "1:2>- 0:1>- 2:1>-");
        world.relate<Knows>(a, a);
        world.relate<Knows>(a, c);
        world.relate<Knows>(c, a);
        notes.take();
        world.despawn(a);
        expect(notes.take() == "0:0>- 0:2>- 1:0>- 2:0>-");
        (void)world.spawn_batch(2, pecs::to<Knows>(b));
        expect(notes.take() == "0:->1 3:->1");
        world.unrelate_batch<Knows>(std::vector{world.sources<Knows>(b)[0]});
        expect(notes.take() == "0:1>-");
        expect(world.validate());
    };
    "an edge of a symmetric relation is told of from both ends"_test = [] {
        pecs::world world;
        journal notes;
        const auto watch = note_targets<Married>(world, notes, "");
        const pecs::entity a = world.spawn();
        const pecs::entity b = world.spawn(pecs::to<Married>(a));
        expect(notes.take() == "1:->0 0:->1");
        world.relate<Married>(a, b);
        expect(notes.take().empty());
        const pecs::entity both[] = {a, b};
        world.unrelate_batch<Married>(std::span{both});
        expect(notes.take() == "0:1>- 1:0>-") << "once from each end";
        world.relate<Married>(a, a);
        expect(notes.take() == "0:->0");
        world.relate<Married>(b, a);
        notes.take();
        world.despawn(a);
        expect(notes.take() == "0:0>- 0:1>- 1:0>-");
    };
    "reparenting and placing tell of what they change"_test = [] {
        pecs::world world;
        journal notes;
        const auto watch = note_targets<pecs::child_of>(world, notes, "");
        const auto rank =
            world.observe<pecs::sibling_rank<>>(pecs::on_add, [&](pecs::entity e) { notes("r" + id(e)); });
        const pecs::entity a = world.spawn();
        const pecs::entity b = world.spawn();
        const pecs::entity c = world.spawn(pecs::to<pecs::child_of>(a));
        const pecs::entity d = world.spawn(pecs::to<pecs::child_of>(a));
        notes.take();
        world.place_first(d);
        expect(notes.take() == "r3 r2");
        world.reparent(c, b);
        world.reparent(c, pecs::null);
        expect(notes.take() == "2:0>1 2:1>-");
    };

    // --- other ways to change a world

    "verbs by id tell, and observers by id are told"_test = [] {
        pecs::world world;
        journal notes;
        const pecs::component_id score = pecs::register_component(
            {.name = "observed score", .size = sizeof(int), .alignment = alignof(int)});
        const pecs::component_id ids[] = {score};
        const pecs::component_id likes[] = {pecs::id_of<Likes>()};
        const auto add = world.by_id().observe(pecs::on_add, ids, [&](pecs::entity e) {
            notes("+" + std::to_string(*static_cast<int*>(world.by_id().get(e, score))));
        });
        const auto set = world.by_id().observe(pecs::on_set, ids, [&](pecs::entity e) {
            notes("=" + std::to_string(*static_cast<int*>(world.by_id().get(e, score))));
        });
        const auto gone = world.by_id().observe(pecs::on_remove, ids, [&](std::span<const pecs::entity> all) {
            notes("-" + std::to_string(all.size()));
        });
        const auto target = world.by_id().observe(pecs::on_relate, likes,
                                                  [&](pecs::entity e, pecs::entity old, pecs::entity now) {
                                                      notes(id(e) + ":" + id(old) + ">" + id(now));
                                                  });
        const auto lives = note_lives(world, notes);
        const pecs::entity a = world.by_id().spawn(ids);
        const int seven = 7;
        world.by_id().set(a, score, &seven);
        world.by_id().remove(a, score);
        world.by_id().add(a, score, &seven);
        expect(notes.take() == "+0 born0 =7 -1 +7");
        const pecs::relation_link link[] = {{pecs::id_of<Likes>(), a}};
        const pecs::entity b = world.by_id().spawn({}, link);
        world.by_id().relate(b, pecs::id_of<Likes>(), b);
        world.by_id().unrelate(b, pecs::id_of<Likes>());
        world.by_id().relate(b, pecs::id_of<Likes>(), a);
        expect(notes.take() == "1:->0 born1 1:0>1 1:1>- 1:->0");
        world.despawn(a);
        expect(notes.take() == "-1 1:0>- dies0");
        expect(throws<pecs::unsupported_component>([&] {
            (void)world.by_id().observe(pecs::on_relate, ids,
                                        [](pecs::entity, pecs::entity, pecs::entity) {});
        }));
        expect(throws<pecs::unsupported_component>([&] {
            const pecs::component_id only_tag[] = {pecs::id_of<Tag>()};
            (void)world.by_id().observe(pecs::on_set, only_tag, [](pecs::entity) {});
        }));
        expect(throws<pecs::unsupported_component>(
            [&] { (void)world.by_id().observe(pecs::on_add, {}, [](pecs::entity) {}); }));
        const auto none = support::caught<pecs::unsupported_component>([&] {
            (void)world.by_id().observe(pecs::on_relate, {}, [](pecs::entity, pecs::entity, pecs::entity) {});
        });
        expect(support::mentions(none, "exactly one"));
    };
    "applied commands tell of what happens, not of what was recorded"_test = [] {
        pecs::world world;
        journal notes;
        const auto presence = note_presence<Position>(world, notes, "p");
        const auto set = world.observe<Position>(pecs::on_set, [&](pecs::entity e) { notes("=p" + id(e)); });
        const auto targets = note_targets<Likes>(world, notes, "L");
        const auto edges = note_targets<Knows>(world, notes, "K");
        const auto lives = note_lives(world, notes);
        const pecs::entity a = world.spawn();
        const pecs::entity b = world.spawn(Position{});
        notes.take();
        auto recorder = world.record();
        const pecs::entity made = recorder.spawn(Position{1}, pecs::to<Likes>(a));
        recorder.add(a, Position{});
        recorder.remove<Position>(a);
        recorder.set(b, Position{2});
        recorder.relate<Likes>(b, a);
        recorder.relate<Likes>(b, b);
        recorder.despawn(recorder.spawn(Position{}));
        world.apply(recorder);
        expect(notes.take() == "+p2 L2:->0 born2 =p1 L1:->1") << "one change per entity";
        recorder.relate<Knows>(a, b, Knows{1});
        recorder.unrelate<Knows>(a, b);
        recorder.despawn(made);
        world.apply(recorder);
        expect(notes.take() == "K0:->1 K0:1>- -p2 L2:0>- dies2");
        recorder.despawn(a);
        recorder.remove<Position>(b);
        world.apply(recorder);
        expect(notes.take() == "dies0 -p1");
    };
    "clear tells that everything ends, and the end of a world tells nothing"_test = [] {
        journal notes;
        std::optional<pecs::world> world{std::in_place};
        const auto lives = note_lives(*world, notes);
        const auto presence = note_presence<Position>(*world, notes, "p");
        const auto edges = note_targets<Knows>(*world, notes, "K");
        const pecs::entity a = world->spawn(Position{});
        (void)world->spawn(pecs::to<Knows>(a));
        notes.take();
        world->clear();
        expect(notes.take() == "dies1 dies0 -p0 K1:0>-");
        (void)world->spawn(Position{});
        notes.take();
        world.reset();
        expect(notes.take().empty());
        expect(!lives.first) << "the handle knows";
    };

    // --- handles

    "the end of a handle ends its observer"_test = [] {
        pecs::world world;
        int seen = 0;
        {
            const auto watch = world.observe(pecs::on_spawn, [&](pecs::entity) { ++seen; });
            (void)world.spawn();
        }
        (void)world.spawn();
        expect(seen == 1_i);
        pecs::observer kept;
        expect(!kept);
        kept = world.observe(pecs::on_spawn, [&](pecs::entity) { ++seen; });
        pecs::observer moved = std::move(kept);
        (void)world.spawn();
        expect(seen == 2_i);
        moved.stop();
        moved.stop();
        expect(!moved);
        (void)world.spawn();
        expect(seen == 2_i);
        moved = world.observe(pecs::on_spawn, [&](pecs::entity) { seen += 10; });
        moved = world.observe(pecs::on_spawn, [&](pecs::entity) { seen += 100; });
        (void)world.spawn();
        expect(seen == 102_i) << "the handle had one observer at a time";
    };
    "observers go with a world that is moved"_test = [] {
        pecs::world world;
        int seen = 0;
        const auto watch = world.observe(pecs::on_spawn, [&](pecs::entity) { ++seen; });
        pecs::world other{std::move(world)};
        (void)other.spawn();
        expect(seen == 1_i);
    };
    "a handle may be part of what the world ends"_test = [] {
        struct Holder {
            pecs::observer watch;
        };
        int seen = 0;
        pecs::world world;
        const pecs::entity e =
            world.spawn(Holder{world.observe(pecs::on_despawn, [&](pecs::entity) { ++seen; })});
        (void)world.spawn(Holder{world.observe(pecs::on_spawn, [&](pecs::entity) { ++seen; })});
        world.despawn(e);
        expect(seen == 2_i) << "a beginning and an end";
        (void)world.spawn();
        expect(seen == 3_i);
    };
    "an observer may end itself and others"_test = [] {
        pecs::world world;
        journal notes;
        pecs::observer second;
        pecs::observer first =
            world.observe(pecs::on_spawn, [&, text = std::string{"first, and long enough"}](pecs::entity) {
                first.stop();
                second.stop();
                notes(text.substr(0, 5));
            });
        second = world.observe(pecs::on_spawn, [&](pecs::entity) { notes("second"); });
        const auto third = world.observe(pecs::on_spawn, [&](pecs::entity) { notes("third"); });
        (void)world.spawn_batch(2, Position{});
        expect(notes.take() == "first third third");
        (void)world.spawn();
        expect(notes.take() == "third");
    };
    "an observer that subscribes in an observer is told from the next time on"_test = [] {
        pecs::world world;
        journal notes;
        std::vector<pecs::observer> more;
        const auto first = world.observe(pecs::on_spawn, [&](pecs::entity) {
            notes("first");
            more.push_back(world.observe(pecs::on_spawn, [&](pecs::entity) { notes("new"); }));
        });
        (void)world.spawn();
        expect(notes.take() == "first");
        (void)world.spawn();
        expect(notes.take() == "first new");
    };
    "callbacks that can only be moved will do, and end once"_test = [] {
        support::watched_memory memory;
        {
            pecs::world world{&memory};
            auto owned = std::make_shared<int>(0);
            const std::weak_ptr<int> seen = owned;
            auto watch = world.observe(pecs::on_spawn, [mine = std::make_unique<std::shared_ptr<int>>(
                                                            std::move(owned))](pecs::entity) { ++**mine; });
            (void)world.spawn();
            expect(*seen.lock() == 1_i);
            watch.stop();
            expect(seen.expired());
        }
        expect(memory.clean());
    };

    // --- what an observer may do

    "an observer cannot change the structure"_test = [] {
        pecs::world world;
        auto recorder = world.record();
        int tried = 0;
        const pecs::entity other = world.spawn(Velocity{});
        const auto watch = world.observe<Position>(pecs::on_add, [&](pecs::entity e) {
            expect(throws<pecs::world_locked>([&] { (void)world.spawn(); }));
            expect(throws<pecs::world_locked>([&] { world.despawn(other); }));
            expect(throws<pecs::world_locked>([&] { world.add(e, Tag{}); }));
            expect(throws<pecs::world_locked>([&] { world.remove<Position>(e); }));
            expect(throws<pecs::world_locked>([&] { world.relate<Likes>(e, other); }));
            expect(throws<pecs::world_locked>([&] { world.relate<Knows>(e, other); }));
            expect(throws<pecs::world_locked>([&] { world.clear(); }));
            expect(throws<pecs::world_locked>([&] { world.apply(recorder); }));
            world.get<Velocity>(other).dx = 5;
            recorder.add(e, Tag{});
            ++tried;
        });
        const pecs::entity e = world.spawn(Position{});
        expect(tried == 1_i);
        world.apply(recorder);
        expect(world.has<Tag>(e));
        expect(world.get<Velocity>(other).dx == 5_i);
        expect(world.validate());
    };
    "a recorder cannot be used by observers of what it recorded"_test = [] {
        pecs::world world;
        auto recorder = world.record();
        auto next = world.record();
        int tried = 0;
        const auto watch = world.observe<Position>(pecs::on_add, [&](pecs::entity e) {
            expect(throws<pecs::world_locked>([&] { recorder.add(e, Tag{}); }));
            expect(throws<pecs::world_locked>([&] { (void)recorder.spawn(); }));
            expect(throws<pecs::world_locked>([&] { recorder.clear(); }));
            next.add(e, Tag{});
            ++tried;
        });
        const pecs::entity e = recorder.spawn(Position{});
        world.apply(recorder);
        world.apply(next);
        expect(tried == 1_i);
        expect(world.has<Tag>(e));
    };
    "a value set by an observer is told of, to a depth"_test = [] {
        pecs::world world;
        journal notes;
        const auto first = world.observe<Position>(pecs::on_set, [&](pecs::entity e, const Position& p) {
            notes("p" + std::to_string(p.x));
            world.set(e, Velocity{p.x});
        });
        const auto second = world.observe<Velocity>(
            pecs::on_set, [&](pecs::entity, const Velocity& v) { notes("v" + std::to_string(v.dx)); });
        const pecs::entity list[] = {world.spawn(Position{}, Velocity{}),
                                     world.spawn(Position{}, Velocity{})};
        world.set_batch(std::span{list}, Position{1});
        expect(notes.take() == "p1 v1 p1 v1");
        const auto loop = world.observe<Velocity>(
            pecs::on_set, [&](pecs::entity e, const Velocity& v) { world.set(e, Velocity{v.dx + 1}); });
        expect(throws<pecs::capacity_exceeded>([&] { world.set(list[0], Velocity{}); }));
        expect(world.validate());
    };

    "an observer may set values while edges and entities go"_test = [] {
        pecs::world world;
        journal notes;
        const auto set = world.observe<Position>(pecs::on_set, [&](pecs::entity e) { notes("=" + id(e)); });
        const auto edges =
            world.observe<Knows>(pecs::on_relate, [&](pecs::entity e, pecs::entity old, pecs::entity) {
                notes(id(e) + ":" + id(old));
                world.set(e, Position{1});
            });
        const auto dies = world.observe(pecs::on_despawn, [&](pecs::entity e) {
            notes("dies" + id(e));
            world.set(e, Position{2});
        });
        const pecs::entity a = world.spawn(Position{});
        const pecs::entity b = world.spawn(Position{});
        world.relate<Knows>(a, b);
        world.relate<Knows>(a, a);
        world.relate<Knows>(b, a);
        notes.take();
        const pecs::entity both[] = {a, b};
        world.despawn_batch(std::span{both});
        expect(notes.take() == "0:1 =0 0:0 =0 1:0 =1 dies0 =0 dies1 =1");
        expect(world.empty() && world.validate());
    };

    // --- exceptions

    "nothing has changed if an observer throws before a change"_test = [] {
        pecs::world world;
        const auto refuse = [](pecs::entity) { throw std::runtime_error{"no"}; };
        const pecs::entity target = world.spawn();
        const pecs::entity e =
            world.spawn(Position{1}, Name{"ann"}, pecs::to<Likes>(target), pecs::to<ChildOf>(target));
        const pecs::entity f = world.spawn(Position{2}, Name{"bob"});
        auto watch = world.observe<Position>(pecs::on_remove, refuse);
        const auto fails = [&](auto&& verb) {
            expect(throws<std::runtime_error>(verb));
            expect(world.size() == 3_u && world.get<Position>(e).x == 1_i &&
                   world.get<Name>(f).text == "bob");
            expect(world.target<Likes>(e) == target && !world.has<Tag>(e) && !world.has<Tag>(f));
            expect(world.validate());
        };
        const pecs::entity both[] = {e, f};
        fails([&] { world.remove<Position>(e); });
        fails([&] { world.exchange<Position>(e, Tag{}); });
        fails([&] { world.remove_batch<Position>(std::span{both}); });
        fails([&] { world.exchange_batch<Position, Name>(std::span{both}, Tag{}, Velocity{1}); });
        fails([&] { world.exchange_batch<Position>(world.query<Position>(), Tag{}); });
        fails([&] { world.despawn(e); });
        fails([&] { world.despawn(target); });
        fails([&] { world.despawn_batch(std::span{both}); });
        fails([&] { world.despawn_batch(world.query<Position>()); });
        fails([&] { world.by_id().remove(e, pecs::id_of<Position>()); });
        fails([&] { world.clear(); });
        watch = world.observe<Likes>(pecs::on_relate, [](pecs::entity, pecs::entity, pecs::entity now) {
            if (!now) throw std::runtime_error{"no"};
        });
        fails([&] { world.unrelate<Likes>(e); });
        fails([&] { world.despawn(target); });
        watch.stop();
        world.despawn(target);
        expect(world.size() == 1_u);
    };
    "a change stays if an observer throws after it, and all others are told"_test = [] {
        pecs::world world;
        journal notes;
        const auto first = world.observe<Position>(pecs::on_add, [&](pecs::entity e) {
            notes("a" + id(e));
            throw std::runtime_error{"first " + id(e)};
        });
        const auto second = world.observe<Position>(pecs::on_add, [&](pecs::entity e) {
            notes("b" + id(e));
            throw std::logic_error{"second"};
        });
        const auto caught = [](auto&& verb) -> std::string {
            try {
                verb();
            } catch (const std::runtime_error& e) {
                return e.what();
            }
            return "nothing";
        };
        expect(caught([&] { (void)world.spawn(Position{}); }) == "first 0");
        expect(world.size() == 1_u);
        expect(caught([&] { (void)world.spawn_batch(2, Position{}); }) == "first 1");
        expect(world.size() == 3_u);
        expect(notes.take() == "a0 b0 a1 a2 b1 b2");
        auto recorder = world.record();
        (void)recorder.spawn(Position{});
        const pecs::entity tagged = recorder.spawn(Tag{});
        recorder.add(tagged, Position{});
        recorder.despawn(world.query<Position>().first());
        expect(caught([&] { world.apply(recorder); }) == "first 3");
        expect(world.size() == 4_u && recorder.empty()) << "everything was applied";
        expect(world.validate());
    };
    "an exception during a copy leaves the copy"_test = [] {
        pecs::world world;
        const pecs::entity a = world.spawn(Position{});
        const auto watch =
            world.observe<Position>(pecs::on_add, [](pecs::entity) { throw std::runtime_error{"no"}; });
        expect(throws<std::runtime_error>([&] { (void)world.clone(a); }));
        expect(world.size() == 2_u);
        expect(throws<std::runtime_error>([&] { (void)world.clone_subtree(a); }));
        expect(world.size() == 3_u);
        expect(world.validate());
    };
    "an entity that got another parent has no old place, also if an observer throws"_test = [] {
        pecs::world world;
        const pecs::entity a = world.spawn();
        const pecs::entity b = world.spawn();
        const pecs::entity c = world.spawn(pecs::to<pecs::child_of>(a));
        const pecs::entity d = world.spawn(pecs::to<pecs::child_of>(a));
        world.place_first(c);
        auto watch =
            world.observe<pecs::child_of>(pecs::on_relate, [](pecs::entity, pecs::entity, pecs::entity) {
                throw std::runtime_error{"no"};
            });
        expect(throws<std::runtime_error>([&] { world.reparent(c, b); }));
        watch.stop();
        world.relate<pecs::child_of>(c, a);
        expect(world.ordered_children(a)[0] == d);
    };
    "nothing is told twice or late after memory ran out"_test = [] {
        support::watched_memory memory;
        {
            pecs::world world{&memory};
            journal notes;
            const pecs::entity target = world.spawn();
            std::vector<pecs::entity> list;
            for (int i = 0; i != 20; ++i) list.push_back(world.spawn(Position{i}, pecs::to<Likes>(target)));
            const auto watch = note_presence<Position>(world, notes, "p");
            const auto likes = note_targets<Likes>(world, notes, "L");
            for (std::size_t fault = 0;; ++fault) {
                support::faults::arm(fault, false);
                try {
                    world.exchange_batch<Position>(list, Name{});
                    support::faults::disarm();
                    break;
                } catch (const std::bad_alloc&) {
                    support::faults::disarm();
                    expect(notes.take().empty()) << "nobody was told of what did not happen";
                    (void)world.spawn();
                    expect(notes.take().empty());
                }
                expect(world.validate());
            }
            expect(world.has<Name>(list[3]));
        }
        expect(memory.clean());
    };
}
