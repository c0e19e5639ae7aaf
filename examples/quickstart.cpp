// The words of PECS: entities, component types, and sets of them.
#include <cstdio>
#include <string>

import pecs;

struct Position {
    float x, y;
};
struct Velocity {
    float dx, dy;
};
struct Frozen {}; // empty: a tag

int main() {
    const pecs::entity moon{7, 2};
    std::printf("entity %s\n", pecs::to_string(moon).c_str());

    const auto moving = pecs::component_mask::of<Position, Velocity>();
    const auto stuck = pecs::component_mask::of<Position, Velocity, Frozen>();
    std::printf("stuck contains moving: %s\n", stuck.contains(moving) ? "yes" : "no");
    stuck.each([](pecs::component_id id) {
        const pecs::component_type& type = pecs::type_of(id);
        std::printf("  %.*s, %zu bytes\n", static_cast<int>(type.name.size()), type.name.data(), type.size);
    });
}

/* Output:
entity 7v2
stuck contains moving: yes
  Position, 8 bytes
  Velocity, 8 bytes
  Frozen, 0 bytes
*/
