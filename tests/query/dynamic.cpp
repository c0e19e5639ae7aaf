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
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
    int much = 1;
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
};
struct Lit {
    static constexpr auto storage = pecs::component_storage::sparse;
};

const pecs::component_id a = pecs::id_of<A>();
const pecs::component_id b = pecs::id_of<B>();
const pecs::component_id mark = pecs::id_of<Mark>();
const pecs::component_id child_of = pecs::id_of<ChildOf>();
const pecs::component_id likes = pecs::id_of<Likes>();
const pecs::component_id knows = pecs::id_of<Knows>();

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

    "one target, any, or none: the words of typed queries"_test = [] {
        scene s;
        s.w.relate<ChildOf>(s.both, s.only_a);
        s.w.relate<ChildOf>(s.marked, s.both);
        const auto verbs = s.w.by_id();
        expect(same(found(verbs.query().of(child_of, s.only_a)), list{s.both}));
        expect(same(found(verbs.query().of(child_of, pecs::any)), found(verbs.query().with(child_of))));
        expect(verbs.query().of(child_of, pecs::any).count() == 2_ul);
        expect(same(found(verbs.query().of(child_of, pecs::none)), list{s.only_a, s.only_b}));
    };

    "relations with many targets choose rows"_test = [] {
        scene s;
        s.w.relate_batch<Likes>(list{s.only_b, s.only_a, s.both}, s.marked);
        s.w.relate<Likes>(s.only_a, s.only_b);
        s.w.relate<Knows>(s.both, s.marked);
        s.w.relate<ChildOf>(s.both, s.only_b);
        const auto verbs = s.w.by_id();
        expect(same(found(verbs.query().of(likes, s.marked)), list{s.only_b, s.only_a, s.both}))
            << "in the order of the sources";
        expect(same(found(verbs.query().with(b).of(likes, s.marked)), list{s.only_b, s.both}));
        expect(same(found(verbs.query().of(likes, s.marked).of(likes, s.only_b)), list{s.only_a}));
        expect(same(found(verbs.query().of(likes, s.marked).of(child_of, s.only_b)), list{s.both}));
        expect(same(found(verbs.query().of(child_of, s.only_a).of(likes, s.marked)), list{}));
        expect(
            same(found(verbs.query().of(likes, s.marked).of(knows, pecs::none)), list{s.only_b, s.only_a}));
        expect(same(found(verbs.query().of(knows, s.both)), list{s.marked}));
        expect(same(found(verbs.query().of(knows, pecs::any)), list{s.marked, s.both}));
        expect(same(found(verbs.query().of(likes, pecs::any)), list{s.only_a, s.only_b, s.both}));
        expect(same(found(verbs.query().of(likes, pecs::none)), list{s.marked}));
        expect(same(found(verbs.query().of(likes, pecs::null)), list{}));
        auto q = verbs.query();
        q.with(a).of(likes, s.marked);
        expect(q.count() == 2_ul and q.first() == s.only_a and not q.empty());
        expect(q.contains(s.both) and not q.contains(s.only_b) and not q.contains(s.marked));
        s.w.disable(s.only_a);
        expect(q.first() == s.both and not q.contains(s.only_a));
        q.disabled_too();
        expect(q.count() == 2_ul);
        s.w.despawn(s.marked);
        expect(q.empty() and verbs.query().of(likes, pecs::any).count() == 0_ul);
        expect(s.w.query<pecs::disabled_too>().of<Likes>(pecs::any).count() == 1_ul);
    };

    "sources that lie side by side come together, with their values"_test = [] {
        world w;
        const entity sun = w.spawn();
        const auto made = w.spawn_batch(10, A{1});
        const list some(made.begin(), made.end());
        w.relate_batch<Likes>(some, sun);
        w.unrelate<Likes>(some[4], sun); // the last source takes its place
        std::vector<std::size_t> sizes;
        int sum = 0;
        w.by_id().query().with(a).of(likes, sun).each([&](const pecs::family_view& view) {
            sizes.push_back(view.size());
            for (const A& value : view.values<const A>()) sum += value.value;
            expect(throws<pecs::world_locked>([&] { w.spawn(); }));
        });
        expect(sizes == std::vector<std::size_t>{4, 1, 4} and sum == 9_i);
        w.add(some[1], Lit{});
        std::size_t lit = 0;
        w.by_id()
            .query()
            .optional(pecs::id_of<Lit>())
            .of(likes, sun)
            .each([&](const pecs::family_view& view) {
                lit += view.has(pecs::id_of<Lit>()) ? view.size() : 0;
            });
        expect(lit == 1_ul) << "those that differ in a sparse component come apart";
    };

    "what is no relation has no targets"_test = [] {
        scene s;
        auto q = s.w.by_id().query();
        expect(throws<pecs::unsupported_component>([&] { q.of(a, s.both); }));
        expect(throws<pecs::unsupported_component>([&] { q.of(a, pecs::any); }));
        expect(throws<pecs::unsupported_component>([&] { q.of(mark, pecs::none); }));
        expect(throws<pecs::unsupported_component>([&] { q.with(likes); }));
        expect(throws<pecs::unknown_component>([&] { q.of(pecs::component_id{60000}, pecs::any); }));
        expect(q.count() == 4_ul);
    };
}
