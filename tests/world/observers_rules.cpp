// How long observers live, what they may do inside, and what becomes of their exceptions.
#include <boost/ut.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/memory.hpp"
#include "observed/journal.hpp"

import pecs;

namespace {
using noted::ChildOf;
using noted::id;
using noted::journal;
using noted::Knows;
using noted::Likes;
using noted::Name;
using noted::note_presence;
using noted::note_targets;
using noted::Position;
using noted::Tag;
using noted::Velocity;
} // namespace

int main() {
    using namespace boost::ut;

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
