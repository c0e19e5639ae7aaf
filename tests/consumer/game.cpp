// What a user's program looks like to the build: it includes what it needs, then imports pecs.
#include <cstdio>
#include <string>

import pecs;

struct Position {
    float x, y;
};

int main() {
    const auto mask = pecs::component_mask::of<Position>();
    const std::string name{pecs::type_of(pecs::id_of<Position>()).name};
    std::printf("pecs %d.%d knows %s\n", pecs::library_version.major, pecs::library_version.minor,
                name.c_str());
    return mask.count() == 1 && name == "Position" ? 0 : 1;
}
