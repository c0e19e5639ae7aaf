// Where the memory of a world comes from, where it goes, and how it is given back.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/memory.hpp"
#include "../support/snapshot.hpp"

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
using support::Frozen;
using support::Huge;
using support::Name;
using support::Owned;
using support::Position;
using support::Tracked;
using support::Velocity;
using support::watched_memory;

std::string dump(const world& w) {
    return support::snapshot<Position, Velocity, Name, Owned, Frozen, Tracked, Huge>(w);
}

/// The figures of the archetype with exactly these components; all zero if there is none.
template <class... Ts> pecs::archetype_stats figures(const world& w) {
    for (const auto& one : w.stats().archetypes)
        if (one.components == pecs::component_mask::of<Ts...>()) return one;
    return {};
}

void fill(world& w, int count) {
    for (int i = 0; i != count; ++i) {
        const entity e = w.spawn(Position::of(i), Name::of(i), Tracked::of(i));
        if (i % 2 == 0) w.add(e, Velocity::of(i), Owned::of(i));
        if (i % 3 == 0) w.add(e, Frozen{}, Huge::of(i));
        if (i % 5 == 0) w.remove<Name>(e);
        if (i % 7 == 0) w.despawn(e);
    }
}
} // namespace

int main() {
    using namespace boost::ut;

    "a new world reports one archetype without entities"_test = [] {
        const world w;
        const auto stats = w.stats();
        expect(stats.entities == 0_ul and stats.families == 0_ul and stats.bytes_used == 0_ul);
        expect(stats.bytes_reserved > 0_ul);
        expect(stats.archetypes.size() == 1_ul and stats.archetypes[0].components.empty());
    };

    "the figures of an archetype say what is in it"_test = [] {
        world w;
        (void)w.spawn_batch(100, Position::of(1), Velocity::of(1), Frozen{});
        const auto one = figures<Frozen, Velocity, Position>(w);
        expect(one.entities == 100_ul and one.families == 1_ul);
        expect(one.bytes_used == 100 * (24 + sizeof(entity))) << "a tag takes nothing";
        expect(one.rows_reserved >= 100_ul and one.rows_reserved <= 128_ul);
        expect(one.bytes_reserved >= one.rows_reserved * (24 + sizeof(entity)));
    };

    "the figures of the world are the sums over its archetypes"_test = [] {
        world w;
        fill(w, 200);
        const auto stats = w.stats();
        std::size_t entities = 0;
        std::size_t families = 0;
        std::size_t used = w.size() * 16; // the records
        std::size_t reserved = 0;
        for (const auto& one : stats.archetypes) {
            entities += one.entities;
            families += one.families;
            used += one.bytes_used;
            reserved += one.bytes_reserved;
            expect(one.bytes_used <= one.bytes_reserved);
        }
        expect(stats.entities == w.size() and entities == w.size());
        expect(stats.families == families and stats.bytes_used == used);
        expect(stats.bytes_reserved > reserved) << "records and tables come on top";
    };

    // To within a few bytes: those between the entries of the hash table are not known exactly.
    "the bytes reported are the bytes taken"_test = [] {
        watched_memory memory;
        world w{&memory};
        const auto agree = [&](const char* when) {
            const auto reported = w.stats().bytes_reserved;
            expect(reported <= memory.bytes() and memory.bytes() <= reported + 256)
                << when << reported << "of" << memory.bytes();
        };
        agree("new");
        fill(w, 1000);
        agree("filled");
        w.shrink();
        agree("shrunk");
        w.clear();
        agree("cleared");
        w.shrink();
        agree("shrunk to nothing");
    };

    "a world gives back every byte"_test = [] {
        watched_memory memory;
        {
            world w{&memory};
            expect(memory.blocks() > 0_ul);
            fill(w, 500);
            (void)w.spawn_batch(100, Name::of(1), Huge::of(1));
            w.clear();
            fill(w, 100);
        }
        expect(memory.clean());
    };

    "a world takes memory from nowhere else"_test = [] {
        watched_memory memory;
        std::pmr::memory_resource* const usual =
            std::pmr::set_default_resource(std::pmr::null_memory_resource());
        {
            world w{&memory};
            fill(w, 500);
            const auto fresh = w.spawn_batch(10, Position::of(1));
            const std::vector<entity> list{fresh.begin(), fresh.end()};
            w.add_batch(list, Name::of(1));
            w.set_batch(list, Name::of(2), Velocity::of(1));
            w.shrink();
            expect(w.validate());
        }
        std::pmr::set_default_resource(usual);
        expect(memory.clean());
    };

    "a world that cannot be made leaves nothing behind"_test = [] {
        watched_memory memory;
        bool made = false;
        for (std::size_t successes = 0; !made; ++successes) {
            support::faults::arm(successes, false);
            try {
                const world w{&memory};
                made = true;
            } catch (const std::bad_alloc&) {
                expect(memory.clean()) << successes;
            }
            support::faults::disarm();
            expect((successes < 100_ul) >> fatal);
        }
        expect(memory.clean());
    };

    "reserved room needs no further allocation"_test = [] {
        watched_memory memory;
        world w{&memory};
        w.reserve<Position, Velocity>(1000);
        (void)w.spawn(Velocity::of(0), Position::of(0));
        const auto before = memory.allocations();
        for (int i = 1; i != 500; ++i) (void)w.spawn(Position::of(i), Velocity::of(i));
        (void)w.spawn_batch(500, Velocity::of(1), Position::of(1));
        expect(memory.allocations() == before);
        expect(w.size() == 1000_ul and w.validate());
    };

    "room can be reserved for entities alone"_test = [] {
        watched_memory memory;
        world w{&memory};
        w.reserve(1000);
        expect(w.empty() and w.stats().archetypes.size() == 1_ul);
        const auto records = memory.bytes();
        (void)w.spawn_batch(1000);
        expect(memory.bytes() - records <= 1024 * sizeof(entity) + 64) << "only the column of handles is new";
    };

    "shrink forgets empty archetypes, which come back when they are needed"_test = [] {
        world w;
        fill(w, 100);
        const entity e = w.spawn(Huge::of(1), Owned::of(2));
        w.remove<Huge>(e);
        const auto before = w.stats().archetypes.size();
        w.shrink();
        expect(w.stats().archetypes.size() < before);
        for (const auto& one : w.stats().archetypes) expect(one.entities != 0_ul or one.components.empty());
        w.add(e, Huge::of(3));
        expect(w.get<Huge>(e).number() == 3_i and w.get<Owned>(e).number() == 2_i and w.validate());
        w.clear();
        w.shrink();
        expect(w.stats().archetypes.size() == 1_ul and w.validate());
        fill(w, 100);
        expect(w.validate());
    };

    "what comes and goes does not add up"_test = [] {
        watched_memory memory;
        world w{&memory};
        std::vector<std::size_t> bytes;
        for (int round = 0; round != 10; ++round) {
            fill(w, 300);
            w.clear();
            w.shrink();
            bytes.push_back(memory.bytes());
        }
        expect(std::ranges::adjacent_find(bytes, std::ranges::not_equal_to{}) == bytes.end());
    };

    "shrink and compact change nothing that can be seen"_test = [] {
        world w;
        fill(w, 300);
        const std::string before = dump(w);
        w.compact();
        expect(dump(w) == before and w.validate());
        w.shrink();
        expect(dump(w) == before and w.validate());
        w.compact();
        w.shrink();
        expect(dump(w) == before and w.validate());
    };

    "compact gives back the room for growth and keeps the archetypes"_test = [] {
        world w;
        (void)w.spawn_batch(100, Position::of(1));
        w.despawn(w.spawn(Velocity::of(1)));
        expect(figures<Position>(w).rows_reserved == 128_ul and figures<Velocity>(w).rows_reserved == 8_ul);
        w.compact();
        expect(figures<Position>(w).rows_reserved == 100_ul and figures<Velocity>(w).rows_reserved == 0_ul);
        expect(w.stats().archetypes.size() == 3_ul);
        (void)w.spawn(Position::of(2));
        (void)w.spawn(Velocity::of(2));
        expect(w.size() == 102_ul and w.validate());
    };

    "after shrink an entity takes its components, its handle and its record, and little more"_test = [] {
        constexpr std::size_t count = 100'000;
        watched_memory memory;
        world w{&memory};
        for (std::size_t i = 0; i != count; ++i) (void)w.spawn(Position::of(1), Velocity::of(2));
        w.shrink();
        const double ideal = count * (24 + 8 + 16);
        expect(static_cast<double>(w.stats().bytes_reserved) <= 1.1 * ideal);
        expect(static_cast<double>(memory.bytes()) <= 1.1 * ideal);
        expect(w.stats().bytes_used == count * (24 + 8 + 16));
    };

    "clear keeps the memory for the next entities"_test = [] {
        watched_memory memory;
        world w{&memory};
        (void)w.spawn_batch(1000, Position::of(1), Huge::of(1));
        const auto bytes = memory.bytes();
        w.clear();
        expect(memory.bytes() == bytes and w.stats().archetypes.size() == 2_ul);
        (void)w.spawn_batch(1000, Position::of(1), Huge::of(1));
        expect(memory.bytes() == bytes and w.validate());
    };

    "a world can be moved, with all that is in it"_test = [] {
        Tracked::forget();
        watched_memory memory;
        {
            world from{&memory};
            fill(from, 100);
            const std::string before = dump(from);
            const auto objects = Tracked::log.moved;
            world to{std::move(from)};
            expect(dump(to) == before and to.validate());
            expect(Tracked::log.moved == objects) << "no component was touched";
            (void)to.spawn(Position::of(1));
        }
        expect(memory.clean() and Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "assignment ends the world that was there"_test = [] {
        Tracked::forget();
        watched_memory one;
        watched_memory two;
        {
            world a{&one};
            world b{&two};
            fill(a, 50);
            fill(b, 70);
            const std::string before = dump(b);
            a = std::move(b);
            expect(dump(a) == before and a.validate());
            expect(one.clean() and not two.clean());
            b = world{&one}; // a world that was moved from can be assigned to
            (void)b.spawn(Tracked::of(1));
            expect(b.size() == 1_ul and dump(a) == before);
            std::swap(a, b);
            expect(dump(b) == before and a.size() == 1_ul);
            world& same = a;
            a = std::move(same);
            expect(a.size() == 1_ul and a.validate());
        }
        expect(one.clean() and two.clean());
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "worlds live side by side and share component ids"_test = [] {
        world a;
        world b;
        const entity in_a = a.spawn(Name::of(1));
        const entity in_b = b.spawn(Frozen{}, Name::of(2));
        expect(in_a == in_b) << "handles mean something in their world only";
        expect(a.get<Name>(in_a).number() == 1_i and b.get<Name>(in_b).number() == 2_i);
        expect(not a.has<Frozen>(in_a) and b.has<Frozen>(in_b));
        expect(a.by_id().get(in_a, pecs::id_of<Name>()) == static_cast<void*>(&a.get<Name>(in_a)));
        expect(b.by_id().get(in_b, pecs::id_of<Name>()) == static_cast<void*>(&b.get<Name>(in_b)));
        a.despawn(in_a);
        expect(b.alive(in_b) and b.validate());
        expect(std::ranges::any_of(b.stats().archetypes, [](const auto& one) {
            return one.components == pecs::component_mask::of<Name, Frozen>();
        }));
    };

    "many worlds at once"_test = [] {
        std::vector<world> worlds(50);
        for (int i = 0; i != 50; ++i) fill(worlds[static_cast<std::size_t>(i)], i);
        worlds.erase(worlds.begin(), worlds.begin() + 25);
        std::ranges::rotate(worlds, worlds.begin() + 10);
        for (const world& w : worlds) expect(w.validate());
    };
}
