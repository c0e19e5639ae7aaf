// Queries built at run time, from component ids.
#include <boost/ut.hpp>

#include <cstddef>
#include <cstring>
#include <span>
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
    double value;
};
struct Mark {};

const pecs::component_id a = pecs::id_of<A>();
const pecs::component_id b = pecs::id_of<B>();
const pecs::component_id mark = pecs::id_of<Mark>();

struct scene {
    world w;
    entity only_a = w.spawn(A{1});
    entity both = w.spawn(A{2}, B{2});
    entity marked = w.spawn(A{3}, Mark{});
    entity only_b = w.spawn(B{4});
};

std::vector<entity> found(const pecs::dynamic_query& q) {
    std::vector<entity> all;
    q.each([&](const pecs::family_view& view) {
        for (const entity e : view.entities()) all.push_back(e);
    });
    return all;
}
using list = std::vector<entity>;
bool same(const list& x, const list& y) { return x == y; }
} // namespace

int main() {
    using namespace boost::ut;

    "terms mean what they mean in typed queries"_test = [] {
        scene s;
        const auto verbs = s.w.by_id();
        expect(same(found(verbs.query()), list{s.only_a, s.both, s.marked, s.only_b}));
        expect(same(found(verbs.query().with(a)), list{s.only_a, s.both, s.marked}));
        expect(same(found(verbs.query().with(a).without(b)), list{s.only_a, s.marked}));
        expect(same(found(verbs.query().any_of({b, mark})), list{s.both, s.marked, s.only_b}));
        expect(same(found(verbs.query().with(a).exact()), list{s.only_a}));
        expect(same(found(verbs.query().with(a).optional(b).exact()), list{s.only_a, s.both}));
    };

    "families come as bytes or as values"_test = [] {
        scene s;
        s.w.spawn(A{20}, B{20});
        std::size_t families = 0;
        s.w.by_id().query().with(a).with(b).each([&](const pecs::family_view& view) {
            ++families;
            expect(view.size() == 2_ul and view.has(a) and not view.has(mark));
            expect(view.bytes(a).size() == 2 * sizeof(A));
            int second = 0;
            std::memcpy(&second, view.bytes(a).data() + sizeof(A), sizeof second);
            expect(second == 20_i);
            for (B& value : view.values<B>()) value.value += 1;
            expect(view.values<const A>()[0].value == 2_i);
            expect(view.bytes(mark).empty() and view.values<float>().empty());
        });
        expect(families == 1_ul);
        expect(s.w.get<B>(s.both).value == 3.0_d);
    };

    "it remembers what matches, and notices what is new"_test = [] {
        scene s;
        auto q = s.w.by_id().query();
        q.with(a);
        expect(q.count() == 3_ul);
        s.w.spawn(A{5}, B{5}, Mark{});
        expect(q.count() == 4_ul);
        s.w.despawn(s.marked);
        s.w.shrink();
        expect(q.count() == 3_ul and q.first() == s.only_a);
        q.without(b); // changing the terms starts again
        expect(q.count() == 1_ul and not q.empty());
        expect(q.contains(s.only_a) and not q.contains(s.both) and not q.contains(s.marked));
    };

    "it is a value that can be moved"_test = [] {
        scene s;
        auto q = s.w.by_id().query();
        q.with(b);
        auto moved = std::move(q);
        expect(moved.count() == 2_ul);
        q = s.w.by_id().query();
        q.with(mark);
        std::swap(q, moved);
        expect(q.count() == 2_ul and moved.count() == 1_ul);
    };

    "the structure is locked while it goes through"_test = [] {
        scene s;
        s.w.by_id().query().each(
            [&](const pecs::family_view&) { expect(throws<pecs::world_locked>([&] { s.w.spawn(); })); });
        s.w.spawn();
    };

    "an id that was never given is refused"_test = [] {
        scene s;
        auto q = s.w.by_id().query();
        const pecs::component_id wrong{60000};
        expect(throws<pecs::unknown_component>([&] { q.with(wrong); }));
        expect(throws<pecs::unknown_component>([&] { q.without(wrong); }));
        expect(throws<pecs::unknown_component>([&] { q.any_of({a, wrong}); }));
        expect(throws<pecs::unknown_component>([&] { q.optional(wrong); }));
        expect(q.count() == 4_ul);
    };
}
