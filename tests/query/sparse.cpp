// Sparse components in every term and function of queries, driven by rows and by their set.
#include <boost/ut.hpp>

#include "../support/components.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
using support::Position;
using support::Velocity;

struct Heat {
    static constexpr auto storage = pecs::component_storage::sparse;
    int value = 0;
};
struct Fixed {
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    int value = 0;
};
struct Marked {
    static constexpr auto storage = pecs::component_storage::sparse;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};

template <class Query> std::set<entity> all_of(const Query& query) {
    std::set<entity> found;
    query.each([&](entity e, auto&&...) { found.insert(e); });
    return found;
}
using list = std::set<entity>;

} // namespace

int main() {
    using namespace boost::ut;

    "a sparse component in every term"_test = [] {
        world w;
        const entity both = w.spawn(Position::of(1), Heat{1});
        const entity only = w.spawn(Heat{2}, Marked{});
        const entity none = w.spawn(Position::of(3));
        expect(bool{all_of(w.query<Heat>()) == list{both, only}});
        expect(bool{all_of(w.query<const Heat, Position>()) == list{both}});
        expect(bool{all_of(w.query<pecs::with<Heat, Marked>>()) == list{only}});
        expect(bool{all_of(w.query<Marked>()) == list{only}});
        expect(bool{all_of(w.query<pecs::without<Heat>>()) == list{none}});
        expect(bool{all_of(w.query<pecs::any_of<Position, Marked>>()) == list{both, only, none}});
        expect(bool{all_of(w.query<pecs::any_of<Marked, Fixed>>()) == list{only}});
        expect(bool{all_of(w.query<Position, pecs::exact>()) == list{none}});
        expect(bool{all_of(w.query<Position, Heat, pecs::exact>()) == list{both}});
        expect(bool{all_of(w.query<Heat, pecs::optional<Position>, pecs::exact>()) == list{both}});
        w.query<Position, pecs::optional<const Heat>>().each([&](entity e, Position&, const Heat* h) {
            expect((h != nullptr) == (e == both) and (h == nullptr or h->value == 1));
        });
        expect(w.query<Fixed>().empty() and w.query<const Fixed, const Position>().count() == 0_ul);
    };

    "the smaller side drives, and the result is the same"_test = [] {
        world w;
        std::vector<entity> made;
        for (int i = 0; i != 100; ++i) made.push_back(w.spawn(Position::of(i)));
        for (int i = 90; i >= 0; i -= 10) w.add(made[static_cast<std::size_t>(i)], Heat{i}); // by the set
        const auto query = w.query<const Position, const Heat>();
        int sum = 0;
        std::vector<int> order;
        query.each([&](const Position& p, const Heat& h) {
            sum += p.number() == h.value ? 1 : 1000;
            order.push_back(h.value);
        });
        expect(sum == 10_i and bool{order == std::vector<int>{90, 80, 70, 60, 50, 40, 30, 20, 10, 0}})
            << "in the order of the set";
        for (int i = 0; i != 100; ++i)
            if (i % 10 != 0) w.add(made[static_cast<std::size_t>(i)], Heat{i}); // by rows
        for (int i = 0; i != 300; ++i) w.spawn(Heat{i});
        sum = 0;
        order.clear();
        query.each([&](const Position& p, const Heat& h) {
            sum += p.number() == h.value ? 1 : 1000;
            order.push_back(h.value);
        });
        expect(sum == 100_i and query.count() == 100_ul);
        expect(std::ranges::is_sorted(order)) << "in the order of the rows";
    };

    "every function of a query"_test = [] {
        world w;
        for (int i = 0; i != 20; ++i) w.spawn(Position::of(i));
        const entity a = w.spawn(Position::of(1), Heat{5});
        const entity b = w.spawn(Position::of(2), Heat{4});
        auto query = w.query<const Position, Heat>();
        expect(query.count() == 2_ul and not query.empty() and query.contains(a) and
               not query.contains(pecs::null));
        expect(bool{query.first() == a} or bool{query.first() == b});
        int rows = 0;
        for (auto [p, h] : query) rows += h.value, h.value += 10;
        expect(rows == 9_i);
        auto [p, h] = query.get(a);
        expect(p.number() == 1_i and h.value == 15_i);
        expect(throws<pecs::no_match>([&] { (void)query.get(w.spawn(Position{})); }));
        std::vector<int> sorted;
        query.each_sorted([](const Position&, const Heat& each) { return each.value; },
                          [&](const Position&, const Heat& each) { sorted.push_back(each.value); });
        expect(sorted == std::vector<int>{14, 15});
        w.remove<Heat>(b);
        auto [p2, h2] = query.single();
        expect(h2.value == 15_i and p2.number() == 1_i);
        w.add(b, Heat{1});
        expect(throws<pecs::not_single>([&] { (void)query.single(); }));
        std::size_t spanned = 0;
        for (auto [entities, positions] : w.query<const Position, pecs::with<Heat>>().columns())
            spanned += entities.size() == positions.size() ? positions.size() : 1000;
        expect(spanned == 2_ul);
        query.each(pecs::independent, [](const Position&, Heat& each) { each.value = 0; });
        expect(w.get<Heat>(a).value == 0_i);
    };

    "sparse components of sources, targets and ancestors"_test = [] {
        world w;
        const entity top = w.spawn(Heat{1});
        const entity mid = w.spawn(Fixed{2}, pecs::to<ChildOf>(top));
        const entity low = w.spawn(Heat{3}, pecs::to<ChildOf>(mid));
        const entity twin = w.spawn(pecs::to<ChildOf>(mid));
        expect(bool{all_of(w.query<Heat>().of<ChildOf>(mid)) == list{low}});
        expect(bool{all_of(w.query<Heat>().of<ChildOf>(pecs::none)) == list{top}});
        expect(bool{all_of(w.query<pecs::without<Heat>>().of<ChildOf>(mid)) == list{twin}});
        expect(bool{all_of(w.query<pecs::at_target<ChildOf, const Heat>>()) == list{mid}});
        expect(bool{all_of(w.query<>().of<ChildOf>(pecs::having<const Fixed>)) == list{low, twin}});
        expect(bool{all_of(w.query<pecs::at_target<ChildOf, pecs::without<Heat>>>()) == list{low, twin}});
        int seen = 0;
        w.query<const Heat, pecs::up<ChildOf, const Heat>>().each(
            [&](entity e, const Heat& own, const Heat& above) {
                seen += e == low && own.value == 3 && above.value == 1 ? 1 : 100;
            });
        expect(seen == 1_i);
        w.query<pecs::optional<pecs::up<ChildOf, const Fixed>>>().each(
            [&](entity e, const Fixed* f) { expect((f != nullptr) == (e == low or e == twin)); });
        std::vector<entity> order;
        w.query<Heat>().parents_first<ChildOf>().each([&](entity e, Heat&) { order.push_back(e); });
        expect(order.size() == 2_ul and bool{order[0] == top} and bool{order[1] == low});
        expect(bool{all_of(w.query<Heat>().under<ChildOf>(top)) == list{low}});
        const auto by = w.query<const Heat>().by<ChildOf>();
        int found = 0;
        by.each(mid, [&](const Heat& h) { found += h.value; });
        expect(found == 3_i and by.count(mid) == 1_ul and by.count(top) == 0_ul);
        for (auto [parent, entities] : w.query<pecs::with<Heat>>().families<ChildOf>())
            expect(bool{parent == mid} and entities.size() == 1_ul);
        w.query<pecs::with<Heat>>().families<ChildOf>().each(
            [&](entity parent, auto entities) { expect(bool{parent == mid} and entities.size() == 1_ul); });
    };

    "with edges of many targets"_test = [] {
        world w;
        const entity star = w.spawn();
        const entity a = w.spawn(Heat{1});
        const entity b = w.spawn();
        w.relate<Likes>(a, star);
        w.relate<Likes>(b, star);
        expect(bool{all_of(w.query<Heat>().of<Likes>(star)) == list{a}});
        expect(bool{all_of(w.query<pecs::without<Heat>>().of<Likes>(pecs::any)) == list{b}});
    };

    "rows that match side by side are one run"_test = [] {
        world w;
        std::vector<entity> made;
        for (int i = 0; i != 10; ++i) made.push_back(w.spawn(Position::of(i)));
        for (const std::size_t i : {2U, 3U, 4U, 8U}) w.add(made[i], Marked{});
        std::size_t runs = 0;
        std::size_t rows = 0;
        for (auto [entities, positions] : w.query<Position, pecs::with<Marked>>().columns())
            ++runs, rows += positions.size();
        expect(runs == 2_ul and rows == 4_ul);
    };

    "queries built at run time"_test = [] {
        world w;
        const entity a = w.spawn(Position::of(1), Heat{1});
        const entity b = w.spawn(Position::of(2));
        const entity c = w.spawn(Position::of(3), Heat{1});
        auto query = w.by_id().query();
        query.with(pecs::id_of<Position>()).optional(pecs::id_of<Heat>());
        std::size_t views = 0;
        query.each([&](const pecs::family_view& view) {
            ++views;
            expect(view.size() == 1_ul and view.values<Heat>().empty() and
                   view.values<Position>().size() == 1_ul);
            expect(view.has(pecs::id_of<Heat>()) == (view.entities()[0] != b));
        });
        expect(views == 3_ul);
        query.without(pecs::id_of<Heat>());
        expect(query.count() == 1_ul and bool{query.first() == b} and query.contains(b) and
               not query.contains(a));
        auto any = w.by_id().query();
        any.any_of({pecs::id_of<Heat>(), pecs::id_of<Velocity>()}).exact().optional(pecs::id_of<Position>());
        expect(any.count() == 2_ul and any.contains(c));
    };
}
