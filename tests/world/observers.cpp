// Observers of components and of the lives of entities: who is told of what, and in which order.
#include <boost/ut.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../support/errors.hpp"
#include "observed/journal.hpp"

import pecs;

namespace {
using noted::id;
using noted::journal;
using noted::Knows;
using noted::Likes;
using noted::Name;
using noted::note_lives;
using noted::note_presence;
using noted::note_targets;
using noted::Position;
using noted::Tag;
using noted::Velocity;
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
}
