// Observers of relations: old and new targets, deaths of targets, edges, trees.
#include <boost/ut.hpp>

#include <span>
#include <string>
#include <vector>

#include "observed/journal.hpp"

import pecs;

namespace {
using noted::ChildOf;
using noted::id;
using noted::journal;
using noted::Knows;
using noted::Likes;
using noted::Married;
using noted::Needs;
using noted::note_lives;
using noted::note_presence;
using noted::note_targets;
using noted::Position;
using noted::Tag;
} // namespace

int main() {
    using namespace boost::ut;

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
}
