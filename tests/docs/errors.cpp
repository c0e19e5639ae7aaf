// The snippets of docs/errors.md.
#include <boost/ut.hpp>

#include <cstdio>
#include <string>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
} // namespace

int main() {
    using namespace boost::ut;

    "smallest example"_test = [] {
        pecs::world world;
        const pecs::entity e = world.spawn();
        std::string said;
        try {
            (void)world.get<Position>(e);
        } catch (const pecs::error& error) {
            said = error.what();
        }
        try {
            world.get<Position>(e).x = 1;
        } catch (const pecs::missing_component& error) {
            std::puts(
                error.what()); // pecs: entity 0v1 has no component 'Position': add it first, or ask with ...
            world.add(error.which(), Position{1, 0});
        }
        expect(world.get<Position>(e).x == 1.0_f);
        expect(said.starts_with("pecs: entity 0v1 has no component '") and
               said.find("Position': add it first, or ask with ") != std::string::npos);
    };

    "inside a loop"_test = [] {
        pecs::world world;
        world.spawn_batch(3, Position{});
        std::size_t refused = 0;
        for (auto [e, p] : world.query<pecs::entity, const Position>()) {
            try {
                if (p.x == 0) world.despawn(e);
            } catch (const pecs::world_locked&) {
                ++refused;
            }
        }
        expect(refused == 3_ul and world.size() == 3_ul);
    };
}
