// The snippets of docs/queries.md.
#include <boost/ut.hpp>

#include <span>
#include <string>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float dx = 0, dy = 0;
};
struct Name {
    std::string text;
};
struct Player {
    int score = 0;
};
struct Frozen {};
struct Hidden {};
float total = 0;
void draw(const Position& p, const Name* name) { total += p.x + (name != nullptr ? 100.0F : 0.0F); }
void integrate(std::span<Position> positions, std::span<const Velocity> velocities) {
    for (std::size_t i = 0; i != positions.size(); ++i) positions[i].x += velocities[i].dx;
}
} // namespace

int main() {
    using namespace boost::ut;

    "smallest example"_test = [] {
        pecs::world world;
        world.spawn(Position{}, Velocity{1, 2});
        world.query<Position, const Velocity>().each([](Position& p, const Velocity& v) {
            p.x += v.dx;
            p.y += v.dy;
        });
        expect(world.get<Position>(world.query<Position>().first()).y == 2.0_f);
    };

    "terms"_test = [] {
        pecs::world world;
        world.spawn(Position{1, 1}, Name{"a"});
        world.spawn(Position{2, 2}, Frozen{}, Hidden{});
        world.query<const Position, pecs::optional<const Name>, pecs::without<Hidden>>().each(
            [](const Position& p, const Name* name) { draw(p, name); });
        expect(total == 101.0_f);
    };

    "loops"_test = [] {
        pecs::world world;
        world.spawn(Position{}, Velocity{1, 2});
        auto moving = world.query<Position, const Velocity>();

        moving.each([](Position& p, const Velocity& v) { p.x += v.dx; });
        moving.each(
            [](pecs::entity e, Position& p, const Velocity&) { p.y = static_cast<float>(e.index()); });
        for (auto [p, v] : moving) p.x += v.dx;
        for (auto [e, p] : world.query<pecs::entity, Position>()) p.y += static_cast<float>(e.index());
        for (auto [entities, positions, velocities] : moving.columns()) integrate(positions, velocities);

        expect(world.get<Position>(moving.first()).x == 3.0_f);
    };

    "questions"_test = [] {
        pecs::world world;
        const pecs::entity e = world.spawn(Player{7}, Position{});
        auto players = world.query<Player, const Position>();
        const bool some = !players.empty() && players.count() > 0 && players.contains(e);
        auto [player, where] = players.single(); // throws unless there is exactly one
        auto [same, there] = players.get(e);     // the row of one entity
        expect(some and player.score == 7_i and &same == &player and &where == &there);
    };

    "run time"_test = [] {
        pecs::world world;
        world.spawn(Position{3, 0});
        const auto position = pecs::id_of<Position>();
        auto query = world.by_id().query();
        query.with(position).without(pecs::id_of<Hidden>());
        query.each([&](const pecs::family_view& family) {
            for (Position& p : family.values<Position>()) p.x += 1; // or family.bytes(position)
        });
        expect(query.count() == 1_ul);
    };
}
