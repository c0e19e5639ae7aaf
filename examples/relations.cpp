// Relations in queries: ships dock at stations and serve factions; stations belong to factions, too. Ships of one
// station, ships with any or no station, several relations at once, and questions about the target's own components
// and relations.
#include <cstddef>
#include <cstdio>

import pecs;

struct Name {
    const char* text;
};
struct Cargo {
    int tons;
};
struct UnderAttack {}; // a tag
struct DockedTo {      // when the station is gone, the ships are free
    static constexpr pecs::relation_rules rules{};
};
struct Serves { // a faction cannot be dissolved while somebody serves it
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::forbid};
};

int main() {
    using pecs::to;
    pecs::world world;
    const auto traders = world.spawn(Name{"traders"});
    const auto pirates = world.spawn(Name{"pirates"});
    const auto port = world.spawn(Name{"port"}, to<Serves>(traders));
    const auto cave = world.spawn(Name{"cave"}, to<Serves>(pirates), UnderAttack{});
    world.spawn(Name{"Alba"}, Cargo{20}, to<DockedTo>(port), to<Serves>(traders));
    world.spawn(Name{"Brig"}, Cargo{35}, to<DockedTo>(port), to<Serves>(traders));
    world.spawn(Name{"Crow"}, Cargo{5}, to<DockedTo>(cave), to<Serves>(pirates));
    world.spawn(Name{"Dart"}, Cargo{9}, to<DockedTo>(port), to<Serves>(pirates));
    const auto eagle = world.spawn(Name{"Eagle"}, Cargo{50}, to<Serves>(traders));

    std::puts("docked at the port:"); // the sources of one target: contiguous rows, found by one look-up
    for (auto [name, cargo] : world.query<const Name, const Cargo>().of<DockedTo>(port))
        std::printf("  %s, %d tons\n", name.text, cargo.tons);

    std::puts("pirates at the port:"); // two relations at once
    for (auto [name] : world.query<const Name>().of<DockedTo>(port).of<Serves>(pirates))
        std::printf("  %s\n", name.text);

    const auto ships = world.query<const Cargo>(); // whatever the target, and no target at all
    const std::size_t docked = ships.of<DockedTo>(pecs::any).count();
    const std::size_t free = ships.of<DockedTo>(pecs::none).count();
    std::printf("%zu ships are docked, %zu is not\n", docked, free);

    std::puts("stations and who is there:"); // one pass over all families: those with the same targets
    for (auto [station, faction, entities, cargo] : world.query<const Cargo>().families<DockedTo, Serves>()) {
        int tons = 0;
        for (const Cargo& each : cargo) tons += each.tons;
        std::printf("  %s, %s: %d tons\n", world.get<Name>(station).text, world.get<Name>(faction).text,
                    tons);
    }

    std::puts("ships whose station is under attack:"); // asked of the target, once per family
    world.query<const Name>()
        .of<DockedTo>(pecs::having<const Name, pecs::with<UnderAttack>>)
        .each([](const Name& ship, const Name& station) {
            std::printf("  %s at the %s\n", ship.text, station.text);
        });

    std::puts("ships and the faction of their station:"); // the target's target
    using owner_of_station = pecs::at_target<DockedTo, pecs::at_target<Serves, const Name>>;
    for (auto [ship, owner] : world.query<const Name, owner_of_station>())
        std::printf("  %s is with the %s\n", ship.text, owner.text);

    world.relate<DockedTo>(eagle, port);
    world.relate_batch<DockedTo>(world.query<>().of<DockedTo>(port), cave); // the whole fleet moves, in bulk
    std::printf("the cave has %zu ships now\n", world.source_count<DockedTo>(cave));

    try {
        world.despawn(pirates);
    } catch (const pecs::target_in_use&) {
        std::puts("the pirates still have followers");
    }
    world.despawn(cave); // its ships are free, none is lost
    std::printf("%zu ships are free\n", ships.of<DockedTo>(pecs::none).count());
}

/* Output:
docked at the port:
  Dart, 9 tons
  Alba, 20 tons
  Brig, 35 tons
pirates at the port:
  Dart
4 ships are docked, 1 is not
stations and who is there:
  port, traders: 55 tons
  cave, pirates: 5 tons
  port, pirates: 9 tons
ships whose station is under attack:
  Crow at the cave
ships and the faction of their station:
  Alba is with the traders
  Brig is with the traders
  Crow is with the pirates
  Dart is with the traders
the cave has 5 ships now
the pirates still have followers
5 ships are free
*/
