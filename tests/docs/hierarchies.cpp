// The snippets of docs/hierarchies.md.
#include <boost/ut.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

import pecs;

namespace {
struct Local {
    double x = 0;
};
struct Global {
    double x = 0;
};
struct Burning {};
struct Aims {
    pecs::entity at;
    void map_entities(const pecs::entity_map& map) { at = map(at); }
};
std::size_t painted = 0;
void paint(pecs::entity /*part*/) { ++painted; }
std::size_t traced = 0;
void trace(pecs::entity /*above*/) { ++traced; }
} // namespace

int main() {
    using namespace boost::ut;

    "the smallest example"_test = [] {
        pecs::world world;
        const auto ship = world.spawn(pecs::name{"ship"}, Global{10});
        const auto turret =
            world.spawn(pecs::name{"turret"}, Local{2}, Global{}, pecs::to<pecs::child_of>(ship));
        const auto gun = world.spawn(pecs::name{"gun"}, Local{1}, Global{}, pecs::to<pecs::child_of>(turret));

        for (const pecs::entity part : world.children(ship)) paint(part);
        const auto second = world.clone_subtree(ship);      // a fleet of two
        world.reparent(world.find("turret", second), ship); // which lends its turret
        world.despawn(second);                              // with all that is still below it
        expect(painted == 1_ul and world.size() == 5_ul and world.child_count(ship) == 2_ul);
        expect(world.alive(gun));
    };

    "look around, and values"_test = [] {
        pecs::world world;
        const auto ship = world.spawn(pecs::name{"ship"}, Global{10});
        const auto turret = world.spawn(Local{2}, Global{}, pecs::to<pecs::child_of>(ship));
        const auto gun = world.spawn(Local{1}, Global{}, pecs::to<pecs::child_of>(turret));
        for (const pecs::entity above : world.ancestors(gun)) trace(above); // turret, ship
        for (const pecs::entity part : world.descendants(ship)) world.add(part, Burning{});
        world.remove_batch<Burning>(world.descendants(turret));
        expect(traced == 2_ul and world.has<Burning>(turret) and not world.has<Burning>(gun));

        world.query<Global, const Local, pecs::up<pecs::child_of, const Global>>()
            .parents_first<pecs::child_of>()
            .each([](Global& g, const Local& l, const Global& parent) { g.x = parent.x + l.x; });
        expect(world.get<Global>(gun).x == 13.0_d);

        if (world.can_relate(ship, gun)) world.reparent(ship, gun); // it cannot: the gun is part of the ship
        world.reparent(gun, ship);
        world.reparent(turret, pecs::null);
        expect(bool{world.parent(gun) == ship} and not world.parent(ship) and not world.parent(turret));
    };

    "names and paths"_test = [] {
        pecs::world world;
        const auto ship = world.spawn(pecs::name{"ship"});
        const auto turret = world.spawn(pecs::name{"turret"}, pecs::to<pecs::child_of>(ship));
        const auto gun = world.spawn(pecs::name{"gun"}, pecs::to<pecs::child_of>(turret));
        const auto found = world.find("ship/turret/gun");  // from an entity without a parent on
        const auto below = world.find("turret/gun", ship); // from the children of one on
        const auto child = world.find_child(ship, "turret");
        std::puts(world.path_of(found).c_str()); // ship/turret/gun
        expect(bool{found == gun} and bool{below == gun} and bool{child == turret});
        expect(world.path_of(found) == std::string{"ship/turret/gun"});
    };

    "the order of siblings"_test = [] {
        pecs::world world;
        const auto ship = world.spawn();
        const auto turret = world.spawn(pecs::to<pecs::child_of>(ship));
        const auto gun = world.spawn(pecs::to<pecs::child_of>(ship));
        world.place_first(gun);
        world.place_last(turret);
        world.place_before(turret, gun);
        world.place_after(gun, turret);
        world.place_all(std::array{gun, turret}); // many at once
        for (const pecs::entity part : world.ordered_children(ship)) paint(part);
        expect(bool{world.ordered_children(ship)[0] == gun});
    };

    "copies"_test = [] {
        pecs::world world;
        const auto ship = world.spawn();
        const auto turret = world.spawn(pecs::to<pecs::child_of>(ship));
        const auto gun = world.spawn(Aims{turret}, pecs::to<pecs::child_of>(turret));
        const auto spare = world.clone(gun);                   // one entity, same parent
        const auto sister = world.clone_subtree(ship);         // with all below it
        const auto docked = world.clone_subtree(turret, ship); // under another parent; pecs::null: under none
        const auto fleet = world.clone_subtree(ship, 100);     // a list of 100 roots
        expect(bool{world.parent(spare) == turret} and world.descendants(sister).size() == 3_ul);
        expect(bool{world.parent(docked) == ship} and fleet.size() == 100_ul);
        world.query<const Aims>().under<pecs::child_of>(sister).each(
            [&](const Aims& aims) { expect(bool{world.parent(aims.at) == sister}); });
    };
}
