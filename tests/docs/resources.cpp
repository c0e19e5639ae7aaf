// The snippets of docs/resources.md.
#include <boost/ut.hpp>

#include <cstddef>
#include <random>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float dx = 0, dy = 0;
};
struct Clock {
    float step = 0;
};
struct Score {
    int points = 0;
};
struct Generator {
    explicit Generator(int seed) : engine{static_cast<unsigned>(seed)} {}
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;
    std::mt19937 engine;
};
} // namespace

int main() {
    using namespace boost::ut;

    "the smallest example"_test = [] {
        pecs::world world;
        const pecs::entity e = world.spawn(Position{1, 1}, Velocity{2, 2});
        // clang-format off
        world.set_resource(Clock{0.5F});
        world.query<Position, const Velocity, pecs::res<const Clock>>()
             .each([](Position& p, const Velocity& v, const Clock& clock) { p.x += v.dx * clock.step; });
        // clang-format on
        expect(world.get<Position>(e).x == 2.0_f);
    };

    "verbs"_test = [] {
        pecs::world world;
        world.emplace_resource<Generator>(42);            // made in place: it need not be movable
        world.set_resource(Score{});                      // a value; one that was there is replaced
        world.resource<Score>().points += 10;             // throws missing_resource if there is none
        const Score* score = world.try_resource<Score>(); // null if there is none
        if (world.has_resource<Generator>()) world.remove_resource<Generator>();
        expect(score->points == 10_i and not world.has_resource<Generator>());
    };

    "in queries"_test = [] {
        pecs::world world;
        world.set_resource(Score{10});
        (void)world.spawn_batch(5, Position{});
        for (auto [entities, positions, score] : world.query<const Position, pecs::res<Score>>().columns())
            score.points += static_cast<int>(positions.size());
        expect(world.resource<Score>().points == 15_i);
    };
}
