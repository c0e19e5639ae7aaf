// Relating many entities at once with data: one target and many, lists and queries, what observers and ticks see of it.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::to;
using pecs::world;
using support::caught;
using support::Fragile;
using support::Name;
using support::Position;

struct Owes {
    static constexpr pecs::relation_rules rules{};
    int coins = 1;
};
struct Tree {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
    Name name;
};
struct Mark {
    static constexpr pecs::relation_rules rules{};
};
struct Trades {
    static constexpr pecs::relation_rules rules{.many = true};
    int volume = 1;
};
struct Friends {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
    int years = 0;
};
struct DependsOn {
    static constexpr pecs::relation_rules rules{.acyclic = true, .many = true};
};
template <class Base, bool Many> struct With : Base {
    static constexpr pecs::relation_rules rules{.many = Many};
    With() = default;
    explicit With(int n) : Base{n} {}
};
using Brittle = With<Fragile, false>;
using BrittleEdge = With<Fragile, true>;
/// Relations without a default value can only be given with one.
struct Priced {
    static constexpr pecs::relation_rules rules{};
    explicit Priced(int given) : price{given} {}
    int price;
};

using list = std::vector<entity>;

std::string dump(const world& w) {
    std::string text = std::to_string(w.size()) + '\n';
    w.each_entity([&](entity e) {
        text += pecs::to_string(e);
        const auto one = [&](entity target, int data) {
            text += ' ' + pecs::to_string(target) + '=' + std::to_string(data);
        };
        if (w.has<Owes>(e)) one(w.target<Owes>(e), w.get<Owes>(e).coins);
        if (w.has<Tree>(e)) one(w.target<Tree>(e), w.get<Tree>(e).name.number());
        if (w.has<Brittle>(e)) one(w.target<Brittle>(e), w.get<Brittle>(e).number());
        w.each_target<Trades>(e, [&](entity other, const Trades& t) { one(other, t.volume); });
        w.each_target<Friends>(e, [&](entity other, const Friends& f) { one(other, f.years); });
        w.each_target<BrittleEdge>(e, [&](entity other, const BrittleEdge& b) { one(other, b.number()); });
        w.each_target<DependsOn>(e, [&](entity other) { one(other, 0); });
        text += '\n';
    });
    return text;
}

template <class E, class F> void refused(const world& w, F f) {
    const std::string before = dump(w);
    (void)caught<E>(f);
    boost::ut::expect(dump(w) == before and w.validate());
}

/// Everything that observers are told of a relation, by each of them in its order.
template <class R> struct diary {
    explicit diary(world& w)
        : added{w.observe<R>(pecs::on_add, [this](entity e) { note("add", e); })},
          set{w.observe<R>(pecs::on_set, [this](entity e, R& value) { note("set", e, value.coins); })},
          related{w.observe<R>(pecs::on_relate, [this](entity e, entity before, entity after) {
              note("relate " + pecs::to_string(before) + ' ' + pecs::to_string(after), e);
          })} {}
    void note(const std::string& what, entity e, int n = 0) {
        text += what + ' ' + pecs::to_string(e) + ' ' + std::to_string(n) + '\n';
    }
    std::string text;
    pecs::observer added;
    pecs::observer set;
    pecs::observer related;
};

std::string sorted(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    std::ranges::sort(lines);
    std::string all;
    for (const std::string& line : lines) all += line + '\n';
    return all;
}
} // namespace

int main() {
    using namespace boost::ut;

    "each entity of a list gets a copy, whether it has the relation or not"_test = [] {
        world w;
        const entity bank = w.spawn();
        const entity king = w.spawn();
        const entity bare = w.spawn(Position::of(1));
        const entity other = w.spawn(Position::of(2), to<Owes>(king, Owes{7}));
        const entity same = w.spawn(to<Owes>(bank, Owes{8}));
        const entity left = w.spawn(to<Owes>(king, Owes{9}));
        w.relate_batch<Owes>(list{bare, other, same}, bank, Owes{30});
        for (const entity e : {bare, other, same})
            expect(w.target<Owes>(e) == bank and w.get<Owes>(e).coins == 30_i);
        expect(w.get<Owes>(left).coins == 9_i and w.target<Owes>(left) == king);
        expect(w.get<Position>(other).number() == 2_i and w.validate());
        w.relate_batch<Owes>(list{}, bank, Owes{1});
        w.relate_batch<Mark>(list{bare, other}, bank, Mark{});
        expect(w.source_count<Owes>(bank) == 3_ul and w.source_count<Mark>(bank) == 2_ul);
        w.relate_batch<Priced>(list{bare}, bank, Priced{5});
        expect(w.get<Priced>(bare).price == 5_i and w.validate());
    };

    "the same for all that a query matches"_test = [] {
        world w;
        const entity bank = w.spawn();
        const entity king = w.spawn();
        const auto twice = [&](auto query, int n) {
            w.relate_batch<Owes>(query, bank, Owes{n});
            query.each([&](entity e) { expect(w.target<Owes>(e) == bank and w.get<Owes>(e).coins == n); });
            expect(w.validate());
        };
        w.spawn_batch(20, Position::of(1));
        w.spawn_batch(20, Position::of(2), to<Owes>(king, Owes{7}));
        w.spawn_batch(20, Name::of(2), to<Owes>(king, Owes{7}));
        twice(w.query<pecs::with<Position>>(), 3);
        expect(w.source_count<Owes>(bank) == 40_ul and w.source_count<Owes>(king) == 20_ul);
        twice(w.query<pecs::with<Name>>(), 4); // nobody with a name has this target: no row moves
        w.disable(w.query<>().of<Owes>(bank).first());
        twice(w.query<>().of<Owes>(pecs::any), 5); // asked one by one
        expect(w.source_count<Owes>(bank) == 60_ul);
        w.relate_batch<Owes>(w.query<>().of<Owes>(bank), king, Owes{6});
        expect(w.query<>().of<Owes>(king).count() == 59_ul);
    };

    "edges that are there get the data, others are made with it"_test = [] {
        world w;
        const entity hub = w.spawn();
        const entity a = w.spawn(Position::of(1), to<Trades>(hub, Trades{4}));
        const entity b = w.spawn(Position::of(2));
        w.relate_batch<Trades>(list{b, a}, hub, Trades{9});
        expect(w.get<Trades>(a, hub).volume == 9_i and w.get<Trades>(b, hub).volume == 9_i);
        expect(w.target_count<Trades>(a) == 1_ul);
        w.relate_batch<Trades>(w.query<const Position>(), a, Trades{2});
        expect(w.get<Trades>(a, a).volume == 2_i and w.get<Trades>(b, a).volume == 2_i);
        w.relate<Friends>(hub, a, Friends{1});
        w.relate_batch<Friends>(list{a, hub, b}, hub, Friends{3});
        for (const entity e : {a, b, hub})
            expect(w.get<Friends>(hub, e).years == 3_i and w.get<Friends>(e, hub).years == 3_i);
        w.relate_batch<DependsOn>(list{a, b}, hub, DependsOn{});
        expect(w.source_count<DependsOn>(hub) == 2_ul and w.validate());
    };

    "a value may come from the world itself"_test = [] {
        world w;
        const entity root = w.spawn();
        const entity first = w.spawn(to<Tree>(root, Tree{Name::of(5)}));
        list some;
        for (int i = 0; i != 100; ++i) some.push_back(w.spawn());
        w.relate_batch<Tree>(some, root, w.get<Tree>(first));
        for (const entity e : some) expect(w.get<Tree>(e).name.number() == 5_i);
        expect(w.get<Tree>(first).name.number() == 5_i and w.validate());
    };

    "observers are told what the single verb tells"_test = [] {
        world one;
        world many;
        std::array<std::string, 2> told;
        for (world* w : {&one, &many}) {
            const entity bank = w->spawn();
            const entity king = w->spawn();
            list some{w->spawn(), w->spawn(to<Owes>(king)), w->spawn(to<Owes>(king)),
                      w->spawn(Position::of(1), to<Owes>(bank)), w->spawn(to<Owes>(bank))};
            const diary<Owes> seen{*w};
            if (w == &one)
                for (const entity e : some) w->relate<Owes>(e, bank, Owes{8});
            else
                w->relate_batch<Owes>(some, bank, Owes{8});
            told[w == &one ? 0 : 1] = sorted(seen.text);
            expect(w->validate());
        }
        expect(told[0] == told[1]) << told[0] << told[1];
        expect(told[0].find("set 3v1 8") != std::string::npos) << told[0];
    };

    "of a query, too, and of edges"_test = [] {
        world w;
        const entity bank = w.spawn();
        const entity king = w.spawn();
        w.spawn_batch(5, to<Owes>(king));
        w.spawn_batch(5, Position::of(1), to<Owes>(bank));
        std::size_t set = 0;
        std::size_t related = 0;
        const auto sets =
            w.observe<Owes>(pecs::on_set, [&](std::span<const entity> some, std::span<Owes> data) {
                for (const Owes& each : data) set += each.coins == 8 ? 1 : 100;
                expect(some.size() == data.size());
            });
        const auto relates = w.observe<Owes>(pecs::on_relate, [&](entity, entity from, entity now) {
            related += from == king && now == bank ? 1 : 100;
        });
        w.relate_batch<Owes>(w.query<>().of<Owes>(pecs::any), bank, Owes{8});
        expect(set == 10_ul and related == 5_ul);

        std::vector<int> volumes;
        std::size_t edges = 0;
        const auto edge_sets = w.observe<Trades>(
            pecs::on_set, [&](entity, entity, Trades& data) { volumes.push_back(data.volume); });
        const auto edge_relates = w.observe<Trades>(pecs::on_relate, [&](entity, entity, entity now) {
            edges += now == bank ? 1 : 100;
            throw std::runtime_error{"after the change"};
        });
        const list some{king, w.spawn(to<Owes>(king)), w.query<>().of<Owes>(bank).first()};
        expect(throws<std::runtime_error>([&] { w.relate<Trades>(king, bank); }));
        expect(throws<std::runtime_error>([&] { w.relate_batch<Trades>(some, bank, Trades{6}); }));
        expect(edges == 3_ul and volumes.size() == 1_ul and volumes[0] == 6_i) << "all were told";
        for (const entity e : some) expect(w.get<Trades>(e, bank).volume == 6_i);
        expect(w.validate());
    };

    "new data is a change, for lists and for families that keep their rows"_test = [] {
        world w;
        const entity bank = w.spawn();
        const entity king = w.spawn();
        const entity a = w.spawn(to<Owes>(bank));
        const entity b = w.spawn(Position::of(1), to<Owes>(bank));
        w.track<Owes>();
        pecs::tick since = w.now();
        w.relate_batch<Owes>(list{a}, bank, Owes{2}); // the same target: only the data is new
        expect(w.query<>().changed<Owes>(since).count() == 1_ul);
        since = w.now();
        w.relate_batch<Owes>(w.query<const Position>(), king, Owes{3});
        expect(w.query<>().changed<Owes>(since).first() == b);
        since = w.now();
        w.relate_batch<Owes>(list{a, b}, king);
        expect(w.get<Owes>(a).coins == 2_i and w.query<>().added<Owes>(since).empty());
    };

    "what makes no sense is refused, and nothing changes"_test = [] {
        world w;
        const entity bank = w.spawn();
        const entity e = w.spawn(Position::of(1), to<Owes>(bank, Owes{4}), to<Trades>(bank));
        const entity leaf = w.spawn(to<Tree>(e, Tree{Name::of(1)}), to<DependsOn>(e));
        const entity dead = w.spawn();
        w.despawn(dead);
        refused<pecs::dead_entity>(w, [&] { w.relate_batch<Owes>(list{e, dead}, bank, Owes{5}); });
        refused<pecs::dead_entity>(w, [&] { w.relate_batch<Trades>(list{e, dead}, bank, Trades{5}); });
        refused<pecs::repeated_entity>(w, [&] { w.relate_batch<Owes>(list{e, leaf, e}, bank, Owes{5}); });
        refused<pecs::repeated_entity>(w, [&] { w.relate_batch<Trades>(list{e, e}, bank, Trades{5}); });
        refused<pecs::dead_target>(w, [&] { w.relate_batch<Owes>(list{e}, dead, Owes{5}); });
        refused<pecs::dead_target>(w, [&] { w.relate_batch<Trades>(list{e}, pecs::null, Trades{5}); });
        refused<pecs::relation_cycle>(w,
                                      [&] { w.relate_batch<Tree>(list{bank, e}, leaf, Tree{Name::of(2)}); });
        refused<pecs::relation_cycle>(
            w, [&] { w.relate_batch<Tree>(w.query<const Position>(), leaf, Tree{Name::of(2)}); });
        refused<pecs::relation_cycle>(w,
                                      [&] { w.relate_batch<DependsOn>(list{bank, e}, leaf, DependsOn{}); });
        w.each_entity([&](entity) {
            refused<pecs::world_locked>(w, [&] { w.relate_batch<Owes>(list{e}, bank, Owes{5}); });
            refused<pecs::world_locked>(w, [&] { w.relate_batch<Owes>(w.query<Position>(), bank, Owes{5}); });
            refused<pecs::world_locked>(w, [&] { w.relate_batch<Trades>(list{e}, bank, Trades{5}); });
        });
    };

    "a copy that throws changes nothing"_test = [] {
        Fragile::forget();
        {
            world w;
            const entity bank = w.spawn();
            const entity king = w.spawn();
            list some;
            for (int i = 0; i != 6; ++i) {
                some.push_back(w.spawn());
                if (i % 2 == 0) w.relate<Brittle>(some.back(), i == 0 ? bank : king, Brittle{i});
                if (i % 3 == 0) w.relate<BrittleEdge>(some.back(), bank, BrittleEdge{i});
            }
            const Brittle value{50};
            const BrittleEdge edge{60};
            const auto fails = [&](auto verb) {
                int failures = 0;
                for (;; ++failures) {
                    const std::string before = dump(w);
                    Fragile::until_throw = failures;
                    try {
                        verb();
                        Fragile::until_throw = -1;
                        return failures;
                    } catch (const std::runtime_error&) {
                        Fragile::until_throw = -1;
                        expect(dump(w) == before and w.validate());
                    }
                }
            };
            expect(fails([&] { w.relate_batch<Brittle>(some, bank, value); }) >= 6_i);
            expect(fails([&] { w.relate_batch<Brittle>(w.query<>().of<Brittle>(bank), king, value); }) >=
                   6_i);
            expect(fails([&] { w.relate_batch<BrittleEdge>(some, bank, edge); }) >= 6_i);
            for (const entity e : some)
                expect(w.get<Brittle>(e).number() == 50_i and w.get<BrittleEdge>(e, bank).number() == 60_i);
        }
        expect(Fragile::log.alive() == 0_ul and Fragile::log.wrong == 0_ul);
    };
}
