// The snippets of docs/prefabs.md.
#include <boost/ut.hpp>

#include <cstddef>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
struct Armour {
    int points = 0;
};
struct Boss {};
struct Aims {
    pecs::entity at;
    void map_entities(const pecs::entity_map& map) { at = map(at); }
};
struct InstanceOf {
    static constexpr pecs::relation_rules rules{};
};
} // namespace

int main() {
    using namespace boost::ut;

    "the smallest example"_test = [] {
        pecs::world world;
        const auto army = world.spawn();
        const auto tank = world.spawn(Position{}, Armour{100});
        const auto gun = world.spawn(Aims{tank}, pecs::to<pecs::child_of>(tank));
        world.make_prefab(tank); // queries do not see it any more

        const auto first = world.spawn_from(tank); // a tank with a gun that aims at it
        const auto heavy = world.spawn_from(tank, Position{3, 4}, Armour{250}, Boss{});
        const auto platoon = world.spawn_from_batch(tank, 50, pecs::to<pecs::child_of>(army));

        expect(bool{world.get<Aims>(world.descendants(first)[0]).at == first});
        expect(bool{world.get<Aims>(gun).at == tank});
        expect(world.get<Armour>(heavy).points == 250_i and world.get<Position>(heavy).x == 3.0_f);
        expect(world.child_count(army) == 50_ul and platoon.size() == 50_ul);
        const auto copy = world.spawn_from(tank, pecs::to<InstanceOf>(tank));
        expect(bool{world.target<InstanceOf>(copy) == tank});
        world.despawn(copy);

        const auto copies = world.query<Armour>();                            // no prefabs
        const auto prefabs = world.query<Armour, pecs::with<pecs::prefab>>(); // nothing but prefabs
        const auto all = world.query<Armour, pecs::optional<pecs::prefab>>(); // both
        expect(copies.count() == 52_ul and prefabs.count() == 1_ul and all.count() == 53_ul);
    };
}
