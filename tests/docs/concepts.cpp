// The snippets of docs/concepts.md.
#include <boost/ut.hpp>

#include <cstddef>
#include <utility>

import pecs;

namespace {
// clang-format off
struct Position { float x, y; };
struct DockedTo { static constexpr pecs::relation_rules rules{}; };
// clang-format on
struct Serves {
    static constexpr pecs::relation_rules rules{};
};
} // namespace

int main() {
    using namespace boost::ut;

    "the first example"_test = [] {
        // clang-format off
pecs::world world;
const auto port = world.spawn(Position{0, 0});
const auto ship = world.spawn(Position{3, 4}, pecs::to<DockedTo>(port));
for (auto [at] : world.query<Position>().of<DockedTo>(port)) at.x += 1;
        // clang-format on
        expect(world.get<Position>(ship).x == 4.0_f and world.get<Position>(port).x == 0.0_f);
    };

    "families are what shares all targets"_test = [] {
        pecs::world world;
        const auto port = world.spawn();
        const auto cave = world.spawn();
        const auto traders = world.spawn();
        const auto pirates = world.spawn();
        for (const auto [station, faction] : {std::pair{port, traders}, std::pair{port, pirates},
                                              std::pair{cave, pirates}, std::pair{port, pirates}})
            world.spawn(Position{}, pecs::to<DockedTo>(station), pecs::to<Serves>(faction));
        std::size_t families = 0;
        for (auto [station, faction, entities, positions] :
             world.query<const Position>().families<DockedTo, Serves>())
            families +=
                entities.size() == positions.size() && world.alive(station) && world.alive(faction) ? 1 : 0;
        expect(families == 3_ul);
    };
}
