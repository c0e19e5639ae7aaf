// Commands and observers: while a loop runs, the structure of the world stays as it is. What is to change is recorded, and
// applied when the loop is over. Observers are told of what happens then.
#include <cstdio>

import pecs;

struct Health {
    int points;
};
struct Poison {
    int strength;
};
struct Wreck {};
struct Explosion {};
struct At {
    static constexpr pecs::relation_rules rules{};
};

int main() {
    pecs::world world;
    const auto tank = world.spawn(Health{10}, Poison{4});
    const auto bike = world.spawn(Health{3}, Poison{4});
    world.spawn(Health{7});

    // Called for each entity that comes to have a Wreck, whoever gives it one; until the handle ends.
    const pecs::observer losses = world.observe<Wreck>(
        pecs::on_add, [](pecs::entity e) { std::printf("entity %u is lost\n", e.index()); });

    auto later = world.record();
    for (int round = 1; round <= 3; ++round) {
        world.query<Health, const Poison>().each([&](pecs::entity e, Health& health, const Poison& poison) {
            health.points -= poison.strength;
            if (health.points > 0) return;
            later.exchange<Health, Poison>(e, Wreck{});
            later.spawn(Explosion{}, pecs::to<At>(e)); // the new entity's handle is good at once
        });
        world.apply(later); // and the recorder is empty again
        std::printf("round %d: %zu wrecks, %zu explosions\n", round, world.query<pecs::with<Wreck>>().count(),
                    world.query<pecs::with<Explosion>>().count());
    }

    // Between recording and applying, a command may come to nothing. Nothing breaks; ask, and you are told.
    later.add(tank, Wreck{});
    later.despawn(bike);
    later.add(bike, Poison{1});
    for (const pecs::failed_command& failed : world.apply(later, pecs::on_failure::report))
        std::printf("%s\n", failed.message().c_str());
    std::printf("%zu entities are left\n", world.size());
}

/* Output:
entity 1 is lost
round 1: 1 wrecks, 1 explosions
round 2: 1 wrecks, 1 explosions
entity 0 is lost
round 3: 2 wrecks, 2 explosions
pecs: entity 0v1 already has the component 'Wreck': use set() to replace its value
pecs: entity 1v1 is not alive in this world: test with alive() before using a kept handle
4 entities are left
*/
