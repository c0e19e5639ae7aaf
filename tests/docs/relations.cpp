// The snippets of docs/relations.md.
#include <boost/ut.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
struct Value {
    double value = 0;
};
struct Total {
    double value = 0;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Targets {
    static constexpr pecs::relation_rules rules{};
    int priority = 0;
};
struct Unit {
    int alarms = 0;
};
struct Squad {
    int number = 0;
};
struct UnderAttack {};
struct MemberOf {
    static constexpr pecs::relation_rules rules{};
};
struct Defends {
    static constexpr pecs::relation_rules rules{};
};
void alarm(Unit& unit, const Squad& squad) { unit.alarms += squad.number; }
float fired = 0;
void fire(const Position& p) { fired += p.x; }
std::size_t reports = 0;
void report(pecs::entity /*source*/, std::string_view by) {
    reports += by == "(anonymous namespace)::ChildOf" ? 100 : 1;
}
} // namespace

int main() {
    using namespace boost::ut;

    "relate"_test = [] {
        pecs::world world;
        const auto enemy = world.spawn();
        const auto other = world.spawn();
        const auto wreck = world.spawn();
        const auto ship = world.spawn(Position{10, 0});
        const auto gun = world.spawn(Position{1, 0}, pecs::to<ChildOf>(ship)); // from the start
        world.relate<Targets>(gun, enemy, Targets{5});                         // later, with data
        world.relate<Targets>(gun, other);                                     // another target, same data
        world.unrelate<Targets>(gun);

        const bool mounted = world.has<ChildOf>(gun) && world.has<ChildOf>(gun, ship);
        const pecs::entity parent = world.target<ChildOf>(gun); // null if there is none
        expect(mounted and parent == ship and not world.target<Targets>(gun));

        world.spawn_batch(100, Position{}, pecs::to<ChildOf>(ship));
        world.relate_batch<ChildOf>(world.query<>().of<ChildOf>(ship), wreck); // the whole crew changes ship
        world.unrelate_batch<ChildOf>(world.query<>().of<ChildOf>(wreck));
        world.relate_batch<Targets>(world.query<const Position>(), enemy,
                                    Targets{5}); // a copy of the data for each
        expect(world.source_count<Targets>(enemy) == 102_ul and world.get<Targets>(gun).priority == 5_i);
        expect(world.source_count<ChildOf>(wreck) == 0_ul and not world.has<ChildOf>(gun));
    };

    "ask"_test = [] {
        pecs::world world;
        const auto enemy = world.spawn();
        const auto ship = world.spawn(Position{10, 0}, Total{});
        const auto gun =
            world.spawn(Position{1, 0}, Value{3}, pecs::to<ChildOf>(ship), pecs::to<Targets>(enemy));
        world.spawn(Position{5, 0}, Value{4}, pecs::to<ChildOf>(ship));
        world.relate<Targets>(enemy, ship);
        world.query<Position>().of<ChildOf>(ship).each([](Position& p) { p.x += 1; });
        for (auto [p] : world.query<const Position>().of<ChildOf>(ship).of<Targets>(enemy)) fire(p);
        const auto free = world.query<>().of<ChildOf>(pecs::none).count();
        const auto bound = world.query<>().of<ChildOf>(pecs::any).count();
        expect(fired == 2.0_f and free == 2_ul and bound == 2_ul);

        auto total = world.access<Total>();
        for (auto [parent, children, values] : world.query<const Value>().families<ChildOf>()) {
            double sum = 0;
            for (const Value& v : values) sum += v.value;
            total[parent].value += sum; // two archetypes have children of the ship
        }
        expect(world.get<Total>(ship).value == 7.0_d);
        {
            const auto children = world.query<const Value>().by<ChildOf>();
            world.query<Total>().each([&](pecs::entity parent, Total& all) {
                children.each(parent, [&](const Value& v) { all.value += v.value; });
            });
        }
        expect(world.get<Total>(ship).value == 14.0_d);

        std::vector<pecs::entity> seen;
        world.each_source<ChildOf>(ship, [&](pecs::entity child) { seen.push_back(child); });
        world.each_source(ship, [&](pecs::entity source, pecs::component_id by) {
            report(source, pecs::type_of(by).name);
        });
        expect(seen.size() == 2_ul and reports >= 3_ul);

        world.despawn(
            ship); // the gun is a child and dies with it; whoever only targets it loses the relation
        expect(not world.alive(gun) and world.alive(enemy) and not world.has<Targets>(enemy));
    };

    "one pass"_test = [] {
        pecs::world world;
        const auto one = world.spawn(Total{});
        world.spawn_batch(3, Value{2}, pecs::to<ChildOf>(one));
        auto total = world.access<Total>();
        for (auto [parent, children, values] : world.query<const Value>().families<ChildOf>()) {
            double sum = 0;
            for (const Value& v : values) sum += v.value;
            total[parent].value = sum;
        }
        expect(world.get<Total>(one).value == 6.0_d);
    };

    "ask about targets"_test = [] {
        pecs::world world;
        const auto base = world.spawn(UnderAttack{});
        const auto alpha = world.spawn(Squad{7}, pecs::to<Defends>(base));
        const auto soldier = world.spawn(Unit{}, pecs::to<MemberOf>(alpha));
        world.query<Unit>()
            .of<MemberOf>(pecs::having<const Squad, pecs::at_target<Defends, pecs::with<UnderAttack>>>)
            .each([](Unit& unit, const Squad& squad) { alarm(unit, squad); });
        expect(world.get<Unit>(soldier).alarms == 7_i);
    };
}
