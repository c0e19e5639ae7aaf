// Ownership with cascade: what lies in a chest is gone with the chest, what a hero carries with the hero. An item is in
// one place at a time, so moving it is one call, and nothing has to be kept in step by hand.
#include <cstdio>

import pecs;

struct Name {
    const char* text;
};
struct Weight {
    double kg;
};
struct In { // an item in a bag, a bag in a chest: a tree whose parts go with the whole
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Equips { // a hero wields one weapon; if the weapon breaks, the hero stays
    static constexpr pecs::relation_rules rules{};
};

/// What everything below an entity weighs together, however deep it is packed.
double load_of(const pecs::world& world, pecs::entity holder) {
    double total = 0;
    for (auto [weight] : world.query<const Weight>().under<In>(holder)) total += weight.kg;
    return total;
}

void list(const pecs::world& world, pecs::entity holder, int indent = 0) {
    std::printf("%*s%s\n", indent, "", world.get<Name>(holder).text);
    for (const pecs::entity inside : world.children<In>(holder)) list(world, inside, indent + 2);
}

int main() {
    using pecs::to;
    pecs::world world;
    const auto hero = world.spawn(Name{"hero"});
    const auto chest = world.spawn(Name{"chest"});
    const auto bag = world.spawn(Name{"bag"}, Weight{0.5}, to<In>(hero));
    const auto sword = world.spawn(Name{"sword"}, Weight{3}, to<In>(hero));
    world.relate<Equips>(hero, sword);
    const auto rope = world.spawn(Name{"rope"}, Weight{2}, to<In>(bag));
    world.spawn_batch(3, Name{"coin"}, Weight{0.01}, to<In>(chest));
    world.spawn(Name{"crown"}, Weight{1}, to<In>(chest));

    list(world, hero);
    list(world, chest);

    world.relate_batch<In>(world.query<>().of<In>(chest), bag); // take all
    std::printf("the hero carries %.2f kg, the chest holds %.2f kg\n", load_of(world, hero),
                load_of(world, chest));

    try {
        world.relate<In>(bag, rope);
    } catch (const pecs::relation_cycle&) {
        std::puts("a bag does not fit into what is in it");
    }

    world.despawn(sword); // it breaks
    std::printf("the hero wields %s\n", world.has<Equips>(hero) ? "something" : "nothing");

    world.despawn(hero); // with bag, rope, coins and crown
    std::printf("left:\n");
    world.each_entity([&](pecs::entity e) { std::printf("  %s\n", world.get<Name>(e).text); });
}

/* Output:
hero
  bag
    rope
  sword
chest
  coin
  coin
  coin
  crown
the hero carries 6.53 kg, the chest holds 0.00 kg
a bag does not fit into what is in it
the hero wields nothing
left:
  chest
*/
