// Saving by hand: a program knows best what is worth keeping. Entities are written as lines of text with the components
// that matter, and read into another world, where handles differ: a map leads from old ones to new ones.
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <unordered_map>

import pecs;

struct Position {
    float x = 0, y = 0;
};
struct Health {
    int points = 0;
};
struct Animation { // not worth saving
    float phase = 0;
};

/// One line per entity, parents before their children: handle, parent, name, then what it has.
std::string save(const pecs::world& world) {
    std::ostringstream out;
    world
        .query<pecs::entity, const pecs::name, pecs::optional<const Position>, pecs::optional<const Health>>()
        .parents_first<pecs::child_of>()
        .each([&](pecs::entity e, const pecs::name& name, const Position* position, const Health* health) {
            out << e.bits() << ' ' << world.parent(e).bits() << ' ' << name.view();
            if (position != nullptr) out << " position " << position->x << ' ' << position->y;
            if (health != nullptr) out << " health " << health->points;
            out << '\n';
        });
    return out.str();
}

void load(pecs::world& world, const std::string& text) {
    std::unordered_map<std::uint64_t, pecs::entity> made; // by the handle that it had
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) {
        std::istringstream words{line};
        std::uint64_t handle = 0;
        std::uint64_t parent = 0;
        std::string name;
        words >> handle >> parent >> name;
        const auto e = world.spawn(pecs::name{name});
        made[handle] = e;
        if (parent != 0) world.reparent(e, made.at(parent));
        for (std::string what; words >> what;) {
            if (what == "position") {
                Position read;
                words >> read.x >> read.y;
                world.add(e, read);
            } else if (what == "health") {
                Health read;
                words >> read.points;
                world.add(e, read);
            }
        }
    }
}

int main() {
    pecs::world world;
    world.despawn(world.spawn()); // so that the first handle is used for the second time
    const auto ship = world.spawn(pecs::name{"ship"}, Position{3, 4}, Animation{0.5F});
    const auto gun = world.spawn(pecs::name{"gun"}, Health{80}, pecs::to<pecs::child_of>(ship));
    world.spawn(pecs::name{"lamp"}, Position{0, 1}, Health{5}, pecs::to<pecs::child_of>(gun));

    const std::string saved = save(world);
    std::fputs(saved.c_str(), stdout);

    pecs::world copy;
    load(copy, saved);
    std::puts("");
    for (auto [e, name] : copy.query<pecs::entity, const pecs::name>())
        std::printf("%s is entity %u now\n", copy.path_of(e).c_str(), e.index());
    std::printf("the lamp has %d points\n", copy.get<Health>(copy.find("ship/gun/lamp")).points);
}

/* Output:
8589934592 0 ship position 3 4
4294967297 8589934592 gun health 80
4294967298 4294967297 lamp position 0 1 health 5

ship is entity 0 now
ship/gun is entity 1 now
ship/gun/lamp is entity 2 now
the lamp has 5 points
*/
