// The snippets of docs/commands.md.
#include <boost/ut.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
struct Health {
    int points = 0;
};
struct Explosion {};
struct Wreck {};
struct At {
    static constexpr pecs::relation_rules rules{};
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
} // namespace

int main() {
    using namespace boost::ut;

    "the first example"_test = [] {
        pecs::world world;
        world.spawn(Health{1});
        world.spawn(Health{0});
        // clang-format off
auto later = world.record();
world.query<const Health>().each([&](pecs::entity e, const Health& health) {
    if (health.points <= 0) {
        later.spawn(Explosion{}, pecs::to<At>(e));
        later.add(e, Wreck{});
        later.remove<Health>(e);
    }
});
world.apply(later);
        // clang-format on
        expect(world.size() == 3_ul and world.query<Health>().count() == 1_ul);
        expect(world.query<pecs::with<Wreck>>().count() == 1_ul and later.empty());
    };

    "record"_test = [] {
        pecs::world world;
        auto later = world.record();
        const auto base = world.spawn();
        // clang-format off
const auto ship = later.spawn(Position{1, 2});                 // the handle is good at once ...
const auto gun = later.spawn(pecs::to<ChildOf>(ship));         // ... for commands, as a target, in values
later.add(gun, Position{3, 4});
later.set(gun, Position{5, 6});
later.exchange<Position>(gun, Wreck{});
later.relate<ChildOf>(gun, base);
later.unrelate<ChildOf>(gun);
later.despawn(gun);
later.clear();                                                 // forget it all
        // clang-format on
        world.apply(later);
        expect(!world.alive(ship) and world.size() == 1_ul);
    };

    "apply"_test = [] {
        pecs::world world;
        world.spawn_batch(10, Health{3});
        // clang-format off
std::vector<pecs::commands> recorders;
for (int i = 0; i != 4; ++i) recorders.push_back(world.record());
std::vector<std::thread> threads;
for (auto& mine : recorders)
    threads.emplace_back([&] {
        std::as_const(world).query<const Health>().each([&](pecs::entity e, const Health&) { mine.set(e, Wreck{}); });
    });
for (auto& thread : threads) thread.join();
world.apply(recorders);
        // clang-format on
        expect(world.query<pecs::with<Wreck>>().count() == 10_ul);
    };

    "what fails"_test = [] {
        pecs::world world;
        auto later = world.record();
        later.despawn(pecs::null);
        for (const pecs::failed_command& failed : world.apply(later, pecs::on_failure::report))
            std::puts(failed.message().c_str());
        expect(later.empty());
    };
}
