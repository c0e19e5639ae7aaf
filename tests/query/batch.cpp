// Batch verbs over queries: whole archetypes move at once, and all of them or none.
#include <boost/ut.hpp>

#include "../support/components.hpp"

#include <cstddef>
#include <stdexcept>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
using support::Fragile;
using support::Name;
using support::Position;
using support::Tracked;

struct Even {};
struct Odd {};
struct Level {
    int value;
};

std::vector<entity> fill(world& w, int count) {
    std::vector<entity> all;
    for (int i = 0; i != count; ++i) {
        const entity e = w.spawn(Level{i}, Name::of(i));
        if (i % 2 == 0)
            w.add(e, Even{});
        else
            w.add(e, Odd{}, Tracked::of(i));
        all.push_back(e);
    }
    return all;
}
} // namespace

int main() {
    using namespace boost::ut;

    "add gives every match the values and keeps the others"_test = [] {
        world w;
        const auto all = fill(w, 10);
        w.add_batch(w.query<Even>(), Position::of(7), support::Frozen{});
        for (int i = 0; i != 10; ++i) {
            const entity e = all[static_cast<std::size_t>(i)];
            expect(w.has<Position>(e) == (i % 2 == 0) and w.has<support::Frozen>(e) == (i % 2 == 0));
            expect(w.get<Level>(e).value == i and w.get<Name>(e).number() == i);
            if (i % 2 == 0) expect(w.get<Position>(e).number() == 7_i);
        }
        expect(w.validate());
    };

    "remove takes the components of all matches, and their values end"_test = [] {
        {
            world w;
            fill(w, 10);
            w.remove_batch<Tracked>(w.query<Odd>());
            expect(w.query<Tracked>().empty() and w.query<Odd>().count() == 5_ul and w.validate());
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "exchange does both in one move"_test = [] {
        world w;
        fill(w, 10);
        w.exchange_batch<Even>(w.query<Even, const Level>(), Odd{}, Tracked::of(1));
        expect(w.query<Even>().empty() and w.query<Odd, Tracked>().count() == 10_ul and w.validate());
    };

    "set replaces where there is a value and adds where there is none"_test = [] {
        world w;
        fill(w, 10);
        w.set_batch(w.query<Level>(), Tracked::of(5), Level{1});
        std::size_t right = 0;
        w.query<const Tracked, const Level>().each(
            [&](const Tracked& t, const Level& l) { right += t.number() == 5 && l.value == 1 ? 1U : 0U; });
        expect(right == 10_ul and w.validate());
    };

    "despawn ends all matches"_test = [] {
        world w;
        const auto all = fill(w, 10);
        w.despawn_batch(w.query<Odd>());
        expect(w.size() == 5_ul and w.alive(all[0]) and not w.alive(all[1]) and w.validate());
        w.despawn_batch(w.query<>());
        expect(w.empty());
    };

    "rows keep their order"_test = [] {
        world w;
        for (int i = 0; i != 6; ++i) w.spawn(Level{i});
        w.add_batch(w.query<Level>(), Odd{});
        std::vector<int> order;
        w.query<const Level>().each([&](const Level& l) { order.push_back(l.value); });
        expect(order == std::vector<int>{0, 1, 2, 3, 4, 5});
    };

    "if one archetype does not fit, nothing changes"_test = [] {
        world w;
        fill(w, 10);
        expect(throws<pecs::duplicate_component>([&] { w.add_batch(w.query<Level>(), Even{}); }));
        expect(throws<pecs::missing_component>([&] { w.remove_batch<Tracked>(w.query<Level>()); }));
        expect(w.query<Even>().count() == 5_ul and w.query<Tracked>().count() == 5_ul and w.validate());
    };

    "a copy that throws leaves everything as it was"_test = [] {
        world w;
        fill(w, 10);
        const Fragile value = Fragile::of(1);
        for (int fail_at = 0; fail_at != 10; ++fail_at) {
            Fragile::until_throw = fail_at;
            expect(throws<std::runtime_error>([&] { w.add_batch(w.query<Level>(), Position{}, value); }));
            Fragile::until_throw = -1;
            expect(w.query<Position>().empty() and w.query<Level>().count() == 10_ul and w.validate());
        }
        w.add_batch(w.query<Level>(), value);
        expect(w.query<Fragile>().count() == 10_ul);
    };

    "a batch inside a loop is refused"_test = [] {
        world w;
        fill(w, 4);
        w.query<Even>().each([&] {
            expect(throws<pecs::world_locked>([&] { w.despawn_batch(w.query<Odd>()); }));
            expect(throws<pecs::world_locked>([&] { w.add_batch(w.query<Odd>(), Position{}); }));
        });
        expect(w.size() == 4_ul);
    };
}
