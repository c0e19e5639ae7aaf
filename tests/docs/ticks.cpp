// The snippets of docs/ticks.md.
#include <boost/ut.hpp>

#include <cstddef>
#include <utility>
#include <vector>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float dx = 0, dy = 0;
};
struct Sprite {
    float x = 0, y = 0;
};
// clang-format off
struct Health {
    static constexpr pecs::change_tracking tracking = pecs::change_tracking::rows;
    int points = 100;
};
// clang-format on
struct Transform {
    float x = 0;
};

// clang-format off
struct Burning {
    static constexpr auto storage = pecs::component_storage::sparse;
    float heat = 1;
};
class renderer {
public:
    void update(pecs::world& world) {
        world.query<const Position, Sprite>().changed<Position>(seen_)
             .each([](const Position& p, Sprite& s) { s.x = p.x, s.y = p.y; });
        seen_ = world.now();
    }

private:
    pecs::tick seen_; // before everything: the first update sees all
};
// clang-format on
} // namespace

int main() {
    using namespace boost::ut;

    "the smallest example"_test = [] {
        pecs::world world;
        const pecs::entity e = world.spawn(Position{1, 1}, Sprite{});
        renderer screen;
        screen.update(world);
        expect(world.get<Sprite>(e).x == 1.0_f);
        world.get<Sprite>(e).x = 7;
        screen.update(world);
        expect(world.get<Sprite>(e).x == 7.0_f) << "no position has changed";
        world.get<Position>(e).x = 2;
        screen.update(world);
        expect(world.get<Sprite>(e).x == 2.0_f);
    };

    "sparse components"_test = [] {
        pecs::world world;
        (void)world.spawn(Position{}, Burning{});
        const pecs::entity tree = world.spawn(Position{});
        world.track<Burning, Position>();
        const pecs::tick seen = world.now();
        std::size_t found = 0;
        const auto count = [&](auto&&...) { ++found; };
        world.add(tree, Burning{});
        // clang-format off
        world.query<const Position>().added<Burning>(seen).each(count);   // have caught fire
        world.query<const Burning>().changed<Burning>(seen)
             .changed<Position>(seen).each(count);                        // burn otherwise, and have moved
        // clang-format on
        expect(found == 1_u);
        world.get<Position>(tree).x = 1;
        expect(world.query<const Burning>().changed<Burning>(seen).changed<Position>(seen).first() == tree);
    };

    "conditions"_test = [] {
        pecs::world world;
        const pecs::entity army = world.spawn();
        const pecs::entity camp = world.spawn();
        const pecs::entity soldier =
            world.spawn(Position{}, Velocity{}, Health{}, pecs::to<pecs::child_of>(camp));
        const pecs::tick seen;
        std::size_t found = 0;
        const auto count = [&](auto&&...) { ++found; };
        // clang-format off
        world.query<const Position>().changed<Position>(seen).each(count);        // may have been written, or are new
        world.query<const Position>().added<Position>(seen).each(count);          // have got it
        world.query<>().changed<pecs::child_of>(seen).each(count);                // have another parent, or got one
        world.query<const Health>().changed<Health>(seen).changed<Position>(seen)
             .of<pecs::child_of>(army).each(count);                               // both, and in the army
        // clang-format on
        expect(found == 3_u);
        world.reparent(soldier, army);
        expect(world.query<>().changed<pecs::child_of>(seen).contains(soldier));
    };

    "a reparent"_test = [] {
        pecs::world world;
        const pecs::entity sun = world.spawn(Transform{});
        const pecs::entity mars = world.spawn(Transform{});
        const pecs::entity moon = world.spawn(Transform{}, pecs::to<pecs::child_of>(mars));
        std::vector<pecs::entity> moved;
        // clang-format off
        world.track<pecs::child_of>();
        const pecs::tick seen = world.now();
        world.reparent(moon, sun);
        world.query<const Transform>().changed<pecs::child_of>(seen)
             .each([&](pecs::entity e, const Transform&) { moved.push_back(e); }); // moon, and nobody else
        // clang-format on
        expect(moved.size() == 1_u and bool{moved[0] == moon});
    };

    "rows"_test = [] {
        pecs::world world;
        const pecs::entity e = world.spawn(Health{20});
        (void)world.spawn(Health{100});
        world.track<Health>();
        const pecs::tick seen = world.now();
        // clang-format off
        world.query<pecs::tracked<Health>>().each([](pecs::tracked_ref<Health> health) {
            if (health->points < 50) health.write().points += 1; // only these have changed
        });
        // clang-format on
        expect(world.query<>().changed<Health>(seen).count() == 1_u and
               world.query<>().changed<Health>(seen).contains(e));
    };
}
