// The snippets of docs/batch.md.
#include <boost/ut.hpp>

#include <array>
#include <cstddef>
#include <vector>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float dx = 0, dy = 0;
};
struct Frozen {};
struct DockedTo {
    static constexpr pecs::relation_rules rules{};
};
struct Owes {
    static constexpr pecs::relation_rules rules{};
    int coins = 1;
};
} // namespace

int main() {
    using namespace boost::ut;

    "the first example"_test = [] {
        pecs::world world;
        // clang-format off
world.spawn_batch(1000, Position{0, 0}, Velocity{1, 1});
world.add_batch(world.query<const Position>(), Frozen{});
world.despawn_batch(world.query<const Position, Frozen>());
        // clang-format on
        expect(world.empty());
    };

    "verbs"_test = [] {
        pecs::world world;
        const auto port = world.spawn();
        // clang-format off
const auto made = world.spawn_batch<Position, Velocity>(100,
    [](pecs::entity e, Position& p, Velocity& v) { p.x = static_cast<float>(e.index()), v.dx = 1; });
const std::vector<pecs::entity> wave(made.begin(), made.end());   // a copy: the span ends with the next change
world.exchange_batch<Velocity>(wave, Frozen{});
world.set_batch(wave, Position{7, 7});
world.relate_batch<DockedTo>(world.query<pecs::with<Frozen>>(), port);
world.unrelate_batch<DockedTo>(world.query<>().of<DockedTo>(port));
world.relate_batch<Owes>(wave, port, Owes{30});
        // clang-format on
        expect(world.source_count<DockedTo>(port) == 0_ul and world.get<Position>(wave[3]).x == 7.0_f);
        expect(world.get<Owes>(wave[7]).coins == 30_i);
    };

    "by id"_test = [] {
        pecs::world world;
        const auto port = world.spawn();
        const std::array parts{pecs::id_of<Position>(), pecs::id_of<Frozen>()};
        const auto mana = pecs::register_component({.name = "mana", .size = 4, .alignment = 4});
        // clang-format off
auto by_id = world.by_id();
const auto fresh = by_id.spawn_batch(100, parts);       // default values
const std::vector<pecs::entity> crew(fresh.begin(), fresh.end());
by_id.add_batch(crew, mana);                            // zero bytes, as it was described without a default
by_id.relate_batch(crew, pecs::id_of<DockedTo>(), port);
by_id.remove_batch(by_id.query().with(mana), mana);
        // clang-format on
        expect(world.source_count<DockedTo>(port) == 100_ul and !by_id.has(crew[0], mana));
    };

    "all or nothing"_test = [] {
        pecs::world world;
        const auto e = world.spawn(Position{});
        const auto dead = world.spawn();
        world.despawn(dead);
        expect(throws<pecs::dead_entity>([&] { world.add_batch(std::vector{e, dead}, Frozen{}); }));
        expect(throws<pecs::repeated_entity>([&] { world.add_batch(std::vector{e, e}, Frozen{}); }));
        expect(!world.has<Frozen>(e));
    };
}
