// The snippets of docs/many_targets.md.
#include <boost/ut.hpp>

#include <cstddef>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};
struct Trades {
    static constexpr pecs::relation_rules rules{.many = true};
    int volume = 1;
};
struct Friends {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
    int years = 0;
};
struct Needs {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::cascade, .many = true};
};
std::size_t greeted = 0;
void greet(pecs::entity e) { greeted += e ? 1 : 0; }
} // namespace

int main() {
    using namespace boost::ut;

    "relate"_test = [] {
        pecs::world world;
        const auto cy = world.spawn(Position{});
        // clang-format off
const auto ann = world.spawn();
const auto bob = world.spawn(pecs::to<Likes>(ann));                    // from the start, one target of each relation
world.relate<Likes>(bob, cy);                                          // one more
world.relate<Trades>(bob, cy, Trades{5});                              // with data
world.relate<Trades>(bob, cy);                                         // it is there: nothing happens
world.unrelate<Likes>(bob, ann);                                       // this target
world.unrelate<Trades>(bob);                                           // all targets

world.relate_batch<Likes>(world.query<const Position>(), ann);         // many sources, all of them or none
world.unrelate_batch<Likes>(world.query<const Position>(), ann);
world.relate_batch<Trades>(world.query<const Position>(), ann, Trades{3}); // with data, also for edges that are there
        // clang-format on
        expect(world.stats().edges == 2_ul and world.has<Likes>(bob, cy));
        expect(world.get<Trades>(cy, ann).volume == 3_i);
    };

    "ask"_test = [] {
        pecs::world world;
        const auto ann = world.spawn();
        const auto cy = world.spawn();
        const auto bob =
            world.spawn(Position{}, pecs::to<Likes>(cy), pecs::to<Trades>(cy), pecs::to<ChildOf>(ann));
        world.relate<Friends>(ann, bob, Friends{3});
        expect(world.get<Friends>(bob, ann).years == 3_i);
        greeted = 0;
        for (const pecs::entity e : world.targets<Likes>(bob)) greet(e);
        for (const pecs::entity e : world.sources<Likes>(cy)) greet(e);
        const bool likes = world.has<Likes>(bob) && world.has<Likes>(bob, cy);
        expect(likes and greeted == 2_ul);
        int sum = 0;
        // clang-format off
world.get<Trades>(bob, cy).volume += 1;
world.each_target<Trades>(bob, [&](pecs::entity, Trades& t) { sum += t.volume; });
world.each_source<Trades>(cy, [&](pecs::entity, Trades& t) { sum += t.volume; });
world.each_edge<Trades>([&](pecs::entity, pecs::entity, Trades& t) { sum += t.volume; });
        // clang-format on
        expect(sum == 6_i);
        world.query<Position>().of<Likes>(cy).each([](Position& p) { p.x += 1; });
        for (auto [e] : world.query<pecs::entity>().of<Likes>(cy).of<ChildOf>(ann)) greet(e);
        const auto lonely = world.query<>().of<Likes>(pecs::none).count();
        expect(greeted == 3_ul and lonely == 2_ul and world.get<Position>(bob).x == 1.0_f);
        // clang-format off
const auto owes = pecs::register_component({.name = "owes", .relation = true, .rules = {.many = true}});
world.by_id().relate(bob, owes, cy);
const auto debtors = world.by_id().query().of(owes, cy).count(); // or pecs::any, pecs::none
        // clang-format on
        expect(debtors == 1_ul);
    };

    "rules"_test = [] {
        pecs::world world;
        const auto base = world.spawn();
        world.relate<Needs>(world.spawn(pecs::to<Likes>(base)), base);
        world.despawn(base);
        expect(world.empty());
    };
}
