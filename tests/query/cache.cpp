// What a query remembers is never noticed, except as speed: whatever happens to archetypes and worlds, the next use is
// right, and the order is that of the archetypes' creation.
#include <boost/ut.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;

struct A {
    int value;
};
struct B {
    int value;
};
struct C {};
struct D {};

std::vector<int> values(const world& w) {
    std::vector<int> all;
    w.query<const A>().each([&](const A& a) { all.push_back(a.value); });
    return all;
}
using numbers = std::vector<int>;
bool same(const numbers& a, const numbers& b) { return a == b; }
} // namespace

int main() {
    using namespace boost::ut;

    "archetypes made after the first use are found"_test = [] {
        world w;
        const auto q = w.query<const A>();
        expect(q.empty());
        w.spawn(A{1});
        expect(q.count() == 1_ul);
        const entity e = w.spawn(A{2}, C{});
        expect(same(values(w), numbers{1, 2}));
        w.add(e, D{});
        expect(same(values(w), numbers{1, 2}) and q.count() == 2_ul);
    };

    "archetypes collected by shrink are forgotten"_test = [] {
        world w;
        const auto q = w.query<const A>();
        const entity e = w.spawn(A{1}, C{});
        w.spawn(A{2});
        expect(q.count() == 2_ul);
        w.despawn(e);
        w.shrink();
        expect(same(values(w), numbers{2}) and q.count() == 1_ul);
        w.spawn(B{3}); // may use the id of the archetype that is gone
        w.spawn(A{4}, D{});
        expect(same(values(w), numbers{2, 4}) and q.count() == 2_ul);
        expect(w.query<const B>().count() == 1_ul);
    };

    "the order does not depend on when a query was used first"_test = [] {
        world early;
        world late;
        (void)early.query<const A>().count();
        for (world* w : {&early, &late}) {
            w->spawn(A{1}, C{});
            if (w == &early) expect(same(values(*w), numbers{1}));
            const entity gone = w->spawn(A{2});
            w->spawn(A{3}, D{});
            w->despawn(gone);
            w->shrink();
            if (w == &early) expect(same(values(*w), numbers{1, 3}));
            w->spawn(A{4}, C{}, D{});
            w->spawn(A{5});
        }
        expect(same(values(early), numbers{1, 3, 4, 5}) and same(values(late), values(early)));
    };

    "a query survives that its world is moved"_test = [] {
        world w;
        w.spawn(A{1});
        const auto q = w.query<const A>();
        world moved{std::move(w)};
        moved.spawn(A{2}, C{});
        expect(q.count() == 2_ul and same(values(moved), numbers{1, 2}));
        world assigned;
        assigned.spawn(A{7});
        assigned = std::move(moved);
        assigned.spawn(A{3}, D{});
        expect(q.count() == 3_ul and same(values(assigned), numbers{1, 2, 3}));
    };

    "worlds do not share what a query remembers"_test = [] {
        world one;
        world two;
        one.spawn(A{1});
        expect(same(values(one), numbers{1}) and values(two).empty());
        two.spawn(A{2}, C{});
        expect(same(values(one), numbers{1}) and same(values(two), numbers{2}));
    };

    "clear empties and fills again"_test = [] {
        world w;
        w.spawn(A{1});
        expect(same(values(w), numbers{1}));
        w.clear();
        expect(values(w).empty());
        w.spawn(A{2});
        expect(same(values(w), numbers{2}));
    };

    "a thousand archetypes, ten of which match"_test = [] {
        world w;
        std::vector<pecs::component_id> ids;
        for (int i = 0; i != 10; ++i)
            ids.push_back(pecs::register_component({.name = "bit" + std::to_string(i)}));
        for (unsigned set = 0; set != 1000; ++set) {
            std::vector<pecs::component_id> chosen;
            for (unsigned bit = 0; bit != 10; ++bit)
                if ((set >> bit & 1U) != 0) chosen.push_back(ids[bit]);
            const entity e = w.by_id().spawn(chosen);
            if (set % 100 == 7) w.add(e, A{static_cast<int>(set)});
        }
        expect(w.query<const A>().count() == 10_ul);
        expect(same(values(w), numbers{7, 107, 207, 307, 407, 507, 607, 707, 807, 907}));
    };
}
