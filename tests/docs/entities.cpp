// The snippets of docs/entities.md.
#include <boost/ut.hpp>

#include <cstdio>
#include <memory_resource>
#include <string>
#include <vector>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float dx = 0, dy = 0;
};
struct Name {
    std::string text;
};
struct Frozen {}; // empty: a tag, stored nowhere
struct Seed {};
struct Plant {
    int height = 0;
};
} // namespace

int main() {
    using namespace boost::ut;

    "smallest example"_test = [] {
        pecs::world world;
        const pecs::entity e = world.spawn(Position{1, 2}, Name{"moon"});
        world.add(e, Velocity{0, 1}, Frozen{});
        world.get<Position>(e).x += 10;
        world.remove<Frozen>(e);
        world.despawn(e);
        expect(not world.alive(e));
    };

    "verbs"_test = [] {
        pecs::world world;
        const pecs::entity e = world.spawn(Seed{});
        world.exchange<Seed>(e, Plant{1});  // removes Seed, adds Plant, in one move
        world.set(e, Plant{2}, Position{}); // replaces Plant, adds Position
        if (world.has<Plant, Position>(e)) world.get<Plant>(e).height = 3;
        if (Name* name = world.try_get<Name>(e)) name->text = "oak";
        expect(world.get<Plant>(e).height == 3_i);
    };

    "batches"_test = [] {
        pecs::world world;
        world.spawn_batch(1000, Position{0, 0}, Velocity{1, 1}); // copies
        auto fresh = world.spawn_batch<Position, Velocity>(
            1000, // made one by one
            [](pecs::entity e, Position& p, Velocity&) { p.x = static_cast<float>(e.index()); });
        std::vector<pecs::entity> some(fresh.begin(), fresh.begin() + 10);
        world.add_batch(some, Frozen{});                      // a list ...
        world.despawn_batch(world.query<Position, Frozen>()); // ... or a query
        expect(world.size() == 1990_ul);
    };

    "accessor"_test = [] {
        pecs::world world;
        const pecs::entity a = world.spawn(Position{1, 1});
        const pecs::entity b = world.spawn(Position{2, 2}, Velocity{});
        auto position = world.access<const Position>();
        float sum = 0;
        for (pecs::entity e : {a, b}) sum += position[e].x;
        expect(sum == 3.0_f);
    };

    "types made at run time"_test = [] {
        pecs::world world;
        const auto health =
            pecs::register_component({.name = "health", .size = sizeof(int), .alignment = alignof(int)});
        const pecs::entity e = world.spawn(Position{});
        auto by_id = world.by_id();
        by_id.add(e, health); // zero bytes, as no other default was given
        *static_cast<int*>(by_id.get(e, health)) = 100;
        expect(by_id.has(e, *pecs::find_component("health")));
    };

    "memory"_test = [] {
        std::pmr::unsynchronized_pool_resource pool;
        pecs::world world{&pool};
        world.reserve<Position, Velocity>(10'000); // these spawns will not allocate
        world.spawn_batch(10'000, Position{}, Velocity{});
        world.clear();
        world.shrink(); // forgets empty archetypes, gives back memory
        for (const auto& archetype : world.stats().archetypes)
            std::printf("%zu entities, %zu bytes\n", archetype.entities, archetype.bytes_reserved);
        expect(world.stats().entities == 0_ul);
    };
}
