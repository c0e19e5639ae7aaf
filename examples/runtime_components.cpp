// Component types that exist only at run time, as an editor or a script has them: described, not compiled. They live
// side by side with C++ types, in the same archetypes.
#include <cstddef>
#include <cstdio>
#include <span>

import pecs;

struct Position {
    float x, y;
};

/// A table of all entities that have a component, with the fields of floats that it consists of.
void show(pecs::world& world, pecs::component_id id) {
    const pecs::component_type& type = pecs::type_of(id);
    std::printf("%.*s:\n", static_cast<int>(type.name.size()), type.name.data());
    auto query = world.by_id().query();
    query.with(id).each([&](const pecs::family_view& family) {
        for (std::size_t i = 0; i != family.size(); ++i) {
            std::printf("  entity %u:", family.entities()[i].index());
            const auto* field = reinterpret_cast<const float*>(&family.bytes(id)[i * type.size]);
            for (std::size_t k = 0; k != type.size / sizeof(float); ++k) std::printf(" %g", field[k]);
            std::puts("");
        }
    });
}

int main() {
    pecs::world world;
    const auto position = pecs::id_of<Position>(); // the id of a C++ type
    const auto mass =
        pecs::register_component({.name = "mass", .size = sizeof(float), .alignment = alignof(float)});
    const auto hidden = pecs::register_component({.name = "hidden"}); // without a size: a tag
    const auto orbits =
        pecs::register_component({.name = "orbits", .relation = true, .rules = pecs::hierarchy});

    auto by_id = world.by_id();
    const auto sun = world.spawn(Position{0, 0});
    const float heavy = 333000;
    by_id.add(sun, mass, &heavy);

    const pecs::component_id parts[] = {position, mass};
    const pecs::relation_link links[] = {{orbits, sun}};
    const auto earth = by_id.spawn(parts, links); // zero bytes, as no other default was described
    *static_cast<float*>(by_id.get(earth, mass)) = 1;
    world.get<Position>(earth).x = 150; // typed and untyped reach the same value
    by_id.add(sun, hidden);

    show(world, mass);
    show(world, position);

    auto visible = world.by_id().query();
    visible.with(position).without(hidden);
    std::printf("%zu is visible\n", visible.count());
    std::printf("earth orbits the sun: %s\n", by_id.target(earth, orbits) == sun ? "yes" : "no");

    world.despawn(sun); // the rules hold for relations made at run time, too
    std::printf("%zu are left\n", world.size());
}

/* Output:
mass:
  entity 1: 1
  entity 0: 333000
Position:
  entity 1: 150 0
  entity 0: 0 0
1 is visible
earth orbits the sun: yes
0 are left
*/
