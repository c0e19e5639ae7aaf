// The snippet of docs/modules.md: a file that includes and imports in the right order.
// clang-format off
#include <cstdio> // includes first ...

import pecs; // ... imports last
// clang-format on

int main() {
    const pecs::world world;
    std::puts(world.empty() ? "compiled" : "full");
}
