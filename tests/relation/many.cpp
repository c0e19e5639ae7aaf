// Relations with many targets: the verbs, the rules for the dead, and what is refused.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::id_of;
using pecs::target_death;
using pecs::to;
using pecs::world;
using support::caught;
using support::Fragile;
using support::mentions;
using support::Name;
using support::Position;
using support::Tracked;

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
    static constexpr pecs::relation_rules rules{.on_target_death = target_death::cascade, .many = true};
};
struct Uses {
    static constexpr pecs::relation_rules rules{.on_target_death = target_death::forbid, .many = true};
};
struct DependsOn {
    static constexpr pecs::relation_rules rules{.acyclic = true, .many = true};
};
struct Twins {
    static constexpr pecs::relation_rules rules{
        .on_target_death = target_death::cascade, .many = true, .symmetric = true};
};
struct Wired {
    static constexpr pecs::relation_rules rules{
        .on_target_death = target_death::forbid, .many = true, .symmetric = true};
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Follows {
    static constexpr pecs::relation_rules rules{};
};
template <class Base> struct With : Base {
    static constexpr pecs::relation_rules rules{.many = true};
    With() = default;
    explicit With(Base value) : Base{std::move(value)} {}
};
using Counting = With<Tracked>;
using Breaking = With<Fragile>;

using list = std::vector<entity>;

/// (A comparison of vectors inside of `expect` would want to print entities.)
bool same(const list& a, const list& b) { return a == b; }

list copy(std::span<const entity> some) { return {some.begin(), some.end()}; }
list sorted(std::span<const entity> some) {
    list all = copy(some);
    std::ranges::sort(all);
    return all;
}
template <class Query> list found(const Query& query) {
    list all;
    query.each([&](entity e, auto&&...) { all.push_back(e); });
    std::ranges::sort(all);
    return all;
}

/// All edges of a relation in the order of the lists, as text.
template <class... Rs> std::string edges(const world& w) {
    std::string text = std::to_string(w.size());
    w.each_entity([&](entity e) {
        const auto describe = [&](std::span<const entity> ends) {
            for (const entity end : ends) text += ' ' + pecs::to_string(end);
            text += ';';
        };
        text += '\n' + pecs::to_string(e) + ':';
        ((describe(w.targets<Rs>(e)), describe(w.sources<Rs>(e))), ...);
    });
    return text;
}
std::string dump(const world& w) {
    return edges<Likes, Trades, Friends, Needs, Uses, DependsOn, Twins, Counting, Breaking>(w);
}

/// The error of type `E` that `f` must throw; the world must be as it was.
template <class E, class F> E refused(const world& w, F f) {
    const std::string before = dump(w);
    E error = caught<E>(f);
    boost::ut::expect(dump(w) == before and w.validate());
    return error;
}

} // namespace

int main() {
    using namespace boost::ut;

    "an entity has as many targets as it likes"_test = [] {
        world w;
        const entity ann = w.spawn();
        const entity bob = w.spawn();
        const entity cy = w.spawn(Position::of(1));
        w.relate<Likes>(ann, bob);
        w.relate<Likes>(ann, cy);
        w.relate<Likes>(bob, cy);
        w.relate<Likes>(ann, bob); // again
        expect(same(copy(w.targets<Likes>(ann)), list{bob, cy}) and
               same(copy(w.sources<Likes>(cy)), list{ann, bob}));
        expect(w.has<Likes>(ann) and w.has<Likes>(ann, cy) and not w.has<Likes>(cy));
        expect(not w.has<Likes>(cy, ann) and not w.has<Likes, Position>(cy));
        expect(w.target_count<Likes>(ann) == 2_ul and w.source_count<Likes>(cy) == 2_ul);
        w.unrelate<Likes>(ann, bob);
        expect(same(copy(w.targets<Likes>(ann)), list{cy}) and w.sources<Likes>(bob).empty());
        w.unrelate<Likes>(ann);
        expect(not w.has<Likes>(ann) and same(copy(w.sources<Likes>(cy)), list{bob}) and w.validate());
    };

    "edges do not move entities between archetypes"_test = [] {
        world w;
        const entity a = w.spawn(Position::of(3));
        const entity b = w.spawn(Position::of(4));
        const std::size_t before = w.stats().archetypes.size();
        const Position* const there = &w.get<Position>(a);
        w.relate<Trades>(a, b, Trades{5});
        expect(w.stats().archetypes.size() == before and &w.get<Position>(a) == there);
        expect(w.stats().edges == 1_ul and w.stats().bytes_reserved >= w.stats().bytes_used);
    };

    "each target has data of its own"_test = [] {
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const entity c = w.spawn();
        w.relate<Trades>(a, b, Trades{5});
        w.relate<Trades>(a, c);
        expect(w.get<Trades>(a, b).volume == 5_i and w.get<Trades>(a, c).volume == 1_i);
        w.relate<Trades>(a, b); // keeps the data
        w.relate<Trades>(a, c, Trades{7});
        w.get<Trades>(a, b).volume += 1;
        expect(w.get<Trades>(a, b).volume == 6_i and std::as_const(w).get<Trades>(a, c).volume == 7_i);
        expect(w.try_get<Trades>(b, a) == nullptr and w.try_get<Trades>(a, a) == nullptr);
        const Trades* const seen = std::as_const(w).try_get<Trades>(a, c);
        expect(seen == w.try_get<Trades>(a, c) and std::as_const(w).try_get<Trades>(c, a) == nullptr);
        int sum = 0;
        w.each_target<Trades>(a, [&](entity, Trades& t) { sum += t.volume; });
        w.each_source<Trades>(b, [&](entity source, const Trades& t) { sum += source == a ? t.volume : 0; });
        w.each_edge<Trades>([&](entity source, entity, Trades& t) { sum += source == a ? t.volume : 0; });
        std::as_const(w).each_edge<Trades>([&](entity, entity target) { sum += target == c ? 1 : 0; });
        expect(sum == 33_i);
    };

    "a symmetric relation is seen from both sides"_test = [] {
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const entity c = w.spawn();
        w.relate<Friends>(b, a, Friends{3});
        w.relate<Friends>(c, a);
        expect(same(copy(w.targets<Friends>(a)), list{b, c}) and
               same(copy(w.sources<Friends>(a)), list{b, c}));
        expect(w.has<Friends>(a, b) and w.has<Friends>(b, a) and w.get<Friends>(a, b).years == 3_i);
        w.get<Friends>(a, b).years = 4;
        expect(w.get<Friends>(b, a).years == 4_i);
        w.relate<Friends>(a, a, Friends{99}); // an own friend
        expect(w.target_count<Friends>(a) == 3_ul and w.get<Friends>(a, a).years == 99_i);
        std::size_t visited = 0;
        w.each_edge<Friends>([&](entity x, entity y) { visited += x < y || x == y ? 1 : 100; });
        expect(visited == 3_ul and w.stats().edges == 3_ul and w.validate());
        w.unrelate<Friends>(a, b);
        expect(not w.has<Friends>(b) and w.has<Friends>(c, a));
        w.unrelate<Friends>(a);
        expect(not w.has<Friends>(c) and not w.has<Friends>(a) and w.validate());
    };

    "spawn takes a target of each relation"_test = [] {
        world w;
        const entity sun = w.spawn();
        const entity moon =
            w.spawn(Name::of(7), to<Likes>(sun), to<Trades>(sun, Trades{9}), to<ChildOf>(sun));
        expect(w.has<Likes>(moon, sun) and w.get<Trades>(moon, sun).volume == 9_i);
        expect(w.target<ChildOf>(moon) == sun and w.get<Name>(moon).number() == 7_i);
        const list stars =
            copy(w.spawn_batch(5, Position::of(2), to<Trades>(moon, Trades{4}), to<Likes>(sun)));
        expect(same(copy(w.sources<Trades>(moon)), stars) and w.source_count<Likes>(sun) == 6_ul);
        for (const entity star : stars) expect(w.get<Trades>(star, moon).volume == 4_i);
        expect(w.spawn_batch(0, to<Likes>(sun)).empty() and w.validate());
        const entity only = w.spawn(to<Likes>(moon));
        expect(w.has<Likes>(only, moon) and w.validate());
    };

    "a spawn that fails leaves nothing"_test = [] {
        Fragile::forget();
        world w;
        const entity sun = w.spawn();
        const entity gone = w.spawn();
        w.relate<Likes>(gone, sun);
        w.despawn(gone);
        (void)refused<pecs::dead_target>(w, [&] { w.spawn(to<Likes>(sun), to<Trades>(gone)); });
        (void)refused<pecs::dead_target>(w, [&] { w.spawn_batch(3, to<Likes>(sun), to<Trades>(gone)); });
        Fragile::until_throw = 3;
        (void)refused<std::runtime_error>(
            w, [&] { w.spawn_batch(4, Position::of(1), to<Likes>(sun), to<Breaking>(sun, Breaking{})); });
        Fragile::until_throw = 2;
        const list some = copy(w.spawn_batch(4));
        (void)refused<std::runtime_error>(w, [&] { w.relate_batch<Breaking>(some, sun); });
        Fragile::until_throw = 0;
        (void)refused<std::runtime_error>(w, [&] { w.relate<Breaking>(some[0], sun); });
        Fragile::until_throw = -1;
        expect(w.size() == 5_ul and Fragile::log.alive() == 0_ul);
    };

    "lists and queries are related at once"_test = [] {
        world w;
        const entity sun = w.spawn();
        const entity moon = w.spawn();
        const list some = copy(w.spawn_batch(10, Position::of(1)));
        w.relate<Trades>(some[3], sun, Trades{50});
        w.relate_batch<Trades>(some, sun);
        expect(w.source_count<Trades>(sun) == 10_ul and w.get<Trades>(some[3], sun).volume == 50_i);
        w.relate_batch<Trades>(w.query<Position>(), moon);
        expect(w.source_count<Trades>(moon) == 10_ul and w.target_count<Trades>(some[9]) == 2_ul);
        w.unrelate_batch<Trades>(std::span{some}.first(4), sun);
        expect(w.source_count<Trades>(sun) == 6_ul);
        w.unrelate_batch<Trades>(w.query<>().of<Trades>(sun), moon);
        expect(same(sorted(w.sources<Trades>(moon)), list(some.begin(), some.begin() + 4)));
        w.unrelate_batch<Trades>(w.query<>().of<Trades>(pecs::any));
        expect(w.stats().edges == 0_ul and w.validate());
    };

    "what makes no sense is refused, and nothing changes"_test = [] {
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const entity gone = w.spawn();
        w.despawn(gone);
        w.relate<Likes>(a, b);
        expect(refused<pecs::dead_target>(w, [&] { w.relate<Likes>(a, gone); }).which() == gone);
        (void)refused<pecs::dead_target>(w, [&] { w.relate<Likes>(a, pecs::null); });
        (void)refused<pecs::dead_entity>(w, [&] { w.relate<Likes>(gone, a); });
        (void)refused<pecs::dead_entity>(w, [&] { w.unrelate<Likes>(gone); });
        (void)refused<pecs::dead_entity>(w, [&] { w.unrelate<Likes>(gone, a); });
        (void)refused<pecs::missing_component>(w, [&] { w.unrelate<Likes>(b); });
        const auto missing = refused<pecs::missing_component>(w, [&] { w.unrelate<Likes>(b, a); });
        expect(mentions(missing, "Likes' to entity 0v1") and missing.which() == b) << missing.what();
        (void)refused<pecs::missing_component>(w, [&] { w.unrelate<Trades>(a, b); });
        (void)refused<pecs::missing_component>(w, [&] { (void)w.get<Trades>(a, b); });
        (void)refused<pecs::dead_entity>(w, [&] { (void)w.get<Trades>(gone, b); });
        const std::array twice{a, b, a};
        (void)refused<pecs::repeated_entity>(w, [&] { w.relate_batch<Likes>(twice, b); });
        w.relate<Likes>(b, b);
        expect(refused<pecs::repeated_entity>(w, [&] { w.unrelate_batch<Likes>(twice, b); }).which() == a);
        expect(refused<pecs::repeated_entity>(w, [&] { w.unrelate_batch<Likes>(twice); }).which() == a);
        w.unrelate<Likes>(b);
        const std::array dead{a, gone};
        (void)refused<pecs::dead_entity>(w, [&] { w.relate_batch<Likes>(dead, b); });
        (void)refused<pecs::dead_entity>(w, [&] { w.unrelate_batch<Likes>(dead, b); });
        (void)refused<pecs::dead_entity>(w, [&] { w.unrelate_batch<Likes>(dead); });
        const std::array both{a, b};
        (void)refused<pecs::missing_component>(w, [&] { w.unrelate_batch<Likes>(both, b); });
        (void)refused<pecs::missing_component>(w, [&] { w.unrelate_batch<Likes>(both); });
        expect(w.targets<Likes>(gone).empty() and w.targets<Likes>(pecs::null).empty());
        expect(not w.has<Likes>(gone) and not w.has<Likes>(a, pecs::null));
    };

    "nothing changes while a loop looks"_test = [] {
        world w;
        const entity a = w.spawn(Position::of(1));
        const entity b = w.spawn();
        w.relate<Likes>(a, b);
        const auto locked = [&] {
            (void)refused<pecs::world_locked>(w, [&] { w.relate<Likes>(b, a); });
            (void)refused<pecs::world_locked>(w, [&] { w.unrelate<Likes>(a, b); });
            (void)refused<pecs::world_locked>(w, [&] { w.unrelate<Likes>(a); });
            (void)refused<pecs::world_locked>(w, [&] { w.spawn(to<Likes>(a)); });
            (void)refused<pecs::world_locked>(w, [&] { w.spawn_batch(2, to<Likes>(a)); });
            const std::array one{a};
            (void)refused<pecs::world_locked>(w, [&] { w.relate_batch<Likes>(one, a); });
            (void)refused<pecs::world_locked>(w, [&] { w.unrelate_batch<Likes>(one, b); });
            (void)refused<pecs::world_locked>(w, [&] { w.by_id().relate(b, id_of<Likes>(), a); });
        };
        w.query<Position>().each([&](Position&) { locked(); });
        for (auto [e] : w.query<entity>().of<Likes>(b)) {
            expect(e == a);
            locked();
        }
        w.each_source<Likes>(b, [&](entity) { locked(); });
        w.each_target<Likes>(a, [&](entity) { locked(); });
        w.each_edge<Likes>([&](entity, entity) { locked(); });
        w.unrelate<Likes>(a, b);
    };

    "queries find the sources of a target"_test = [] {
        world w;
        const entity sun = w.spawn();
        const entity moon = w.spawn(Position::of(0));
        const entity a = w.spawn(Position::of(1), to<ChildOf>(sun));
        const entity b = w.spawn(Position::of(2), Name::of(2), to<ChildOf>(moon));
        const entity c = w.spawn(Name::of(3));
        const std::array all{a, b, c};
        w.relate_batch<Likes>(all, sun);
        w.relate<Likes>(b, moon);
        w.relate<Trades>(b, sun);
        expect(same(found(w.query<>().of<Likes>(sun)), list{a, b, c}));
        expect(same(found(w.query<const Position>().of<Likes>(sun)), list{a, b}));
        expect(same(found(w.query<Name>().of<Likes>(sun).of<Likes>(moon)), list{b}));
        expect(same(found(w.query<>().of<Likes>(sun).of<ChildOf>(moon)), list{b}));
        expect(same(found(w.query<>().of<ChildOf>(sun).of<Likes>(sun)), list{a}));
        expect(same(found(w.query<>().of<ChildOf>(pecs::any).of<Likes>(sun)), list{a, b}));
        expect(same(found(w.query<>().of<Likes>(sun).of<ChildOf>(pecs::none)), list{c}));
        expect(same(found(w.query<>().of<Likes>(pecs::any)), list{a, b, c}));
        expect(same(found(w.query<>().of<Likes>(pecs::none)), list{sun, moon}));
        expect(same(found(w.query<Position>().of<Likes>(pecs::none)), list{moon}));
        expect(same(found(w.query<>().of<Trades>(sun).of<Likes>(pecs::any)), list{b}));
        expect(same(found(w.query<>().of<Likes>(sun).of<Trades>(pecs::none)), list{a, c}));
        expect(same(found(w.query<>().of<Trades>(pecs::any).of<ChildOf>(moon)), list{b}));
        expect(same(found(w.query<pecs::at_target<ChildOf, const Position>>().of<Likes>(sun)), list{b}));
        expect(same(found(w.query<>().of<Likes>(a)), list{}) and
               same(found(w.query<>().of<Counting>(a)), list{}));
        expect(w.query<>().of<Likes>(pecs::null).count() == 0_ul);
        expect(w.query<>().of<Counting>(pecs::none).count() == w.size());

        const auto likes = w.query<const Position>().of<Likes>(sun);
        expect(likes.count() == 2_ul and not likes.empty() and likes.first() == a);
        expect(likes.contains(a) and not likes.contains(c) and not likes.contains(moon));
        expect(likes.get(b).a.number() == 2_i);
        (void)refused<pecs::no_match>(w, [&] { (void)likes.get(c); });
        expect(w.query<const Name>().of<Likes>(moon).single().a.number() == 2_i);
        int sum = 0;
        for (auto [p] : likes) sum += p.number();
        for (auto [entities, positions] : likes.columns()) sum += positions[0].number();
        likes.columns().each([&](std::span<const entity> entities, std::span<const Position> positions) {
            sum += positions.size() == entities.size() ? 0 : 100;
        });
        likes.each_sorted([](const Position& p) { return -p.number(); },
                          [&](const Position& p) { sum = sum * 10 + p.number(); });
        expect(sum == 621_i);
    };

    "batches over a query by edges take those entities alone"_test = [] {
        world w;
        const entity sun = w.spawn();
        const list some = copy(w.spawn_batch(6, Position::of(1)));
        for (const std::size_t i : {1U, 2U, 5U}) w.relate<Likes>(some[i], sun);
        w.add_batch(w.query<>().of<Likes>(sun), Name::of(4));
        expect(same(found(w.query<Name>()), list{some[1], some[2], some[5]}));
        w.set_batch(w.query<>().of<Likes>(sun), Name::of(5));
        w.exchange_batch<Position>(w.query<Position>().of<Likes>(sun), 1.5);
        expect(w.query<double, Name>().count() == 3_ul and w.query<Position>().count() == 3_ul);
        w.relate_batch<Follows>(w.query<>().of<Likes>(sun), some[0]);
        expect(w.source_count<Follows>(some[0]) == 3_ul);
        w.remove_batch<double>(w.query<>().of<Likes>(pecs::any));
        w.unrelate_batch<Follows>(w.query<>().of<Likes>(sun));
        w.despawn_batch(w.query<>().of<Likes>(sun));
        expect(w.size() == 4_ul and w.source_count<Likes>(sun) == 0_ul and w.validate());
    };

    "the dead have no edges"_test = [] {
        Tracked::forget();
        {
            world w;
            const entity a = w.spawn();
            const entity b = w.spawn();
            const entity c = w.spawn();
            w.relate<Counting>(a, b);
            w.relate<Counting>(b, c);
            w.relate<Counting>(b, b);
            w.relate<Friends>(b, a);
            w.despawn(b);
            expect(not w.has<Counting>(a) and w.sources<Counting>(c).empty() and not w.has<Friends>(a));
            expect(Tracked::log.alive() == 0_ul and w.validate());
            const entity again = w.spawn();
            expect(again.index() == b.index() and w.sources<Counting>(again).empty());
            expect(not w.has<Counting>(again) and not w.has<Friends>(again));
            w.relate<Counting>(again, a);
            w.clear();
            expect(Tracked::log.alive() == 0_ul and w.validate() and w.stats().edges == 0_ul);
            const entity fresh = w.spawn();
            expect(not w.has<Counting>(fresh) and w.sources<Counting>(fresh).empty());
        }
        expect(Tracked::log.wrong == 0_ul);
    };

    "cascade: the sources die with their target, through all kinds of relations"_test = [] {
        world w;
        const entity root = w.spawn();
        const entity child = w.spawn(to<ChildOf>(root));                          // by family
        const entity needy = w.spawn(to<Needs>(child));                           // by edge
        const entity grandchild = w.spawn(to<ChildOf>(needy), to<Follows>(root)); // by family again
        const entity twin = w.spawn(to<Twins>(grandchild));                       // by symmetric edge
        const entity fan = w.spawn(to<Likes>(twin), to<Follows>(twin));           // stays, without both
        const entity other = w.spawn(to<Likes>(fan), to<Needs>(fan));
        const std::array cycle{root, twin};
        w.relate_batch<Needs>(cycle, needy);
        w.despawn(root);
        expect(w.size() == 2_ul and w.alive(fan) and w.alive(other) and w.validate());
        expect(not w.has<Likes>(fan) and not w.has<Follows>(fan) and w.has<Needs>(other, fan));
        expect(not w.alive(child) and not w.alive(grandchild));
        w.despawn(fan);
        expect(w.empty() and w.validate());
    };

    "a chain of a hundred thousand edges cascades"_test = [] {
        world w;
        entity last = w.spawn();
        const entity first = last;
        for (int i = 0; i != 100'000; ++i) last = w.spawn(to<Needs>(last));
        w.despawn(first);
        expect(w.empty() and w.validate());
    };

    "forbid and symmetric: either end stays as long as they are together"_test = [] {
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn(to<Wired>(a));
        (void)refused<pecs::target_in_use>(w, [&] { w.despawn(a); });
        (void)refused<pecs::target_in_use>(w, [&] { w.despawn(b); });
        w.unrelate<Wired>(a, b);
        w.despawn(a);
        w.relate<Wired>(b, b); // with itself: nobody else is left to mind
        w.despawn(b);
        const entity c = w.spawn();
        const std::array both{w.spawn(to<Wired>(c)), c};
        w.despawn_batch(both);
        expect(w.empty() and w.validate());
    };

    "forbid: a target stays as long as it is used"_test = [] {
        world w;
        const entity tool = w.spawn();
        const entity user = w.spawn(to<Uses>(tool), to<ChildOf>(tool));
        const entity other = w.spawn(Position::of(1), to<Uses>(tool), to<Likes>(user));
        const auto error = refused<pecs::target_in_use>(w, [&] { w.despawn(tool); });
        expect(error.which() == tool and error.component() == id_of<Uses>() and error.source() == other);
        const std::array both{tool, user};
        (void)refused<pecs::target_in_use>(w, [&] { w.despawn_batch(both); });
        (void)refused<pecs::target_in_use>(
            w, [&] { w.despawn_batch(w.query<>().of<ChildOf>(pecs::none).of<Uses>(pecs::none)); });
        const std::array named{other, tool}; // the user dies with its parent
        w.despawn_batch(named);
        expect(w.empty() and w.validate());
    };

    "forbid: what dies through an edge does not object"_test = [] {
        world w;
        const entity tool = w.spawn();
        const entity user = w.spawn(to<Uses>(tool), to<Needs>(tool));
        w.relate<Uses>(user, user);
        w.despawn(tool);
        expect(w.empty() and w.validate());
    };

    "whether a target would close a loop can be asked"_test = [] {
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const entity c = w.spawn();
        w.relate<DependsOn>(a, b);
        w.relate<DependsOn>(b, c);
        expect(not w.can_relate<DependsOn>(c, a) and not w.can_relate<DependsOn>(a, a));
        expect(w.can_relate<DependsOn>(a, c) and not w.can_relate<DependsOn>(a, pecs::null));
    };

    "acyclic: no way leads back"_test = [] {
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const entity c = w.spawn();
        const entity d = w.spawn();
        w.relate<DependsOn>(a, b);
        w.relate<DependsOn>(a, c);
        w.relate<DependsOn>(b, d);
        w.relate<DependsOn>(c, d); // two ways are no cycle
        const auto loop = refused<pecs::relation_cycle>(w, [&] { w.relate<DependsOn>(d, a); });
        expect(mentions(loop, "3v1 -> 0v1 -> 1v1 -> 3v1") and loop.which() == d) << loop.what();
        const auto self = refused<pecs::relation_cycle>(w, [&] { w.relate<DependsOn>(a, a); });
        expect(mentions(self, "0v1 -> 0v1")) << self.what();
        const std::array some{w.spawn(), d};
        (void)refused<pecs::relation_cycle>(w, [&] { w.relate_batch<DependsOn>(some, b); });
        (void)refused<pecs::relation_cycle>(w, [&] { w.by_id().relate(d, id_of<DependsOn>(), b); });
        w.unrelate<DependsOn>(b, d);
        w.unrelate<DependsOn>(c, d);
        w.relate<DependsOn>(d, a);
        entity last = w.spawn();
        const entity first = last;
        for (int i = 0; i != 20'000; ++i) {
            const entity next = w.spawn();
            w.relate<DependsOn>(last, next);
            last = next;
        }
        const auto far = refused<pecs::relation_cycle>(w, [&] { w.relate<DependsOn>(last, first); });
        expect(mentions(far, " -> ... -> ")) << far.what();
    };

    "by id: the same for relations made at run time"_test = [] {
        world w;
        const pecs::component_id owes = pecs::register_component({.name = "script.Owes",
                                                                  .size = 4,
                                                                  .alignment = 4,
                                                                  .relation = true,
                                                                  .rules = {.acyclic = true, .many = true}});
        const pecs::component_id mark = pecs::register_component(
            {.name = "script.Mark", .relation = true, .rules = {.many = true, .symmetric = true}});
        auto verbs = w.by_id();
        const entity a = w.spawn();
        const entity b = w.spawn();
        const entity c = w.spawn();
        verbs.relate(a, owes, b);
        verbs.relate(a, owes, c);
        verbs.relate(a, mark, b);
        expect(same(copy(verbs.targets(a, owes)), list{b, c}) and
               same(copy(verbs.sources(b, owes)), list{a}));
        expect(verbs.has(a, owes) and verbs.has(a, owes, c) and not verbs.has(c, owes, a));
        expect(verbs.has(b, mark, a) and verbs.target(a, owes) == pecs::null);
        *static_cast<int*>(verbs.get(a, owes, b)) += 7;
        verbs.relate(a, owes, b);
        expect(*static_cast<int*>(verbs.get(a, owes, b)) == 7_i);
        expect(verbs.try_get(b, owes, a) == nullptr and verbs.try_get(a, mark, b) == nullptr);
        expect(throws<pecs::relation_cycle>([&] { verbs.relate(c, owes, a); }));
        expect(throws<pecs::missing_component>([&] { verbs.unrelate(b, owes, a); }));
        expect(throws<pecs::missing_component>([&] { verbs.unrelate(b, owes); }));
        expect(throws<pecs::missing_component>([&] { (void)verbs.get(b, owes, a); }));
        expect(throws<pecs::unsupported_component>([&] { (void)verbs.get(a, mark, b); }));
        expect(throws<pecs::unsupported_component>([&] { (void)verbs.get(a, owes); }));
        expect(throws<pecs::unsupported_component>([&] { verbs.remove(a, owes); }));
        expect(throws<pecs::unsupported_component>([&] { verbs.add(a, owes); }));
        expect(throws<pecs::unsupported_component>([&] { verbs.query().with(owes); }));
        expect(verbs.query().of(owes, b).first() == a and verbs.query().of(mark, a).first() == b);
        expect(throws<pecs::invalid_component>([] {
            (void)pecs::register_component({.name = "odd", .relation = true, .rules = {.symmetric = true}});
        }));
        verbs.unrelate(a, owes, b);
        const pecs::relation_link links[] = {
            {owes, b}, {owes, c}, {id_of<ChildOf>(), a}, {id_of<Trades>(), a}};
        const entity d = verbs.spawn({}, links);
        expect(same(copy(verbs.targets(d, owes)), list{b, c}) and w.target<ChildOf>(d) == a);
        expect(w.get<Trades>(d, a).volume == 1_i);
        verbs.unrelate(d, owes);
        verbs.unrelate(d, id_of<ChildOf>(), a);
        expect(not verbs.has(d, owes) and not w.has<ChildOf>(d) and w.validate());
        std::size_t seen = 0;
        w.each_source(a, [&](entity e, pecs::component_id id) {
            seen += (e == d && id == id_of<Trades>()) || (e == b && id == mark) ? 1 : 100;
        });
        expect(seen == 2_ul);
    };

    "a world takes its edges along, and gives their memory back"_test = [] {
        support::watched_memory memory;
        {
            world w{&memory};
            const list some = copy(w.spawn_batch(100, Position::of(1)));
            for (std::size_t i = 0; i != 100; ++i)
                for (std::size_t k = 1; k != 40; ++k)
                    w.relate<Trades>(some[i], some[(i + k) % 100], Trades{int(k)});
            const std::string before = dump(w);
            world other{std::move(w)};
            expect(dump(other) == before and other.validate());
            other.compact();
            expect(dump(other) == before and other.validate());
            other.shrink();
            expect(dump(other) == before and other.validate());
            expect(other.get<Trades>(some[99], some[1]).volume == 2_i);
            other.unrelate_batch<Trades>(some);
            const std::size_t held = other.stats().bytes_reserved;
            other.shrink();
            expect(other.stats().bytes_reserved < held and other.validate());
            other.relate<Trades>(some[0], some[1]);
            world third;
            third = std::move(other);
            expect(third.has<Trades>(some[0], some[1]));
        }
        expect(memory.clean());
    };

    "running out of memory changes nothing"_test = [] {
        for (std::size_t successes = 0; successes != 40; ++successes) {
            support::watched_memory memory;
            {
                world w{&memory};
                const list some = copy(w.spawn_batch(40));
                for (std::size_t i = 1; i != 33; ++i) w.relate<Trades>(some[0], some[i]);
                for (std::size_t i = 1; i != 33; ++i) w.relate<Friends>(some[i], some[0]);
                const std::string before = dump(w);
                const auto attempt = [&](auto call) {
                    support::faults::arm(successes, false);
                    bool failed = false;
                    try {
                        call();
                    } catch (const std::bad_alloc&) {
                        failed = true;
                    }
                    support::faults::disarm();
                    expect(w.validate());
                    if (failed) expect(dump(w) == before);
                    return failed;
                };
                const bool failed = attempt([&] { w.relate_batch<Trades>(some, some[39]); }) ||
                                    attempt([&] { w.despawn_batch(std::array{some[39], some[38]}); });
                if (!failed) expect(w.size() == 38_ul);
            }
            {
                world w{&memory};
                const entity a = w.spawn();
                const std::string before = dump(w);
                support::faults::arm(successes, false);
                try {
                    w.spawn(Position::of(1), to<Trades>(a), to<Friends>(a), to<Likes>(a), to<ChildOf>(a));
                    support::faults::disarm();
                } catch (const std::bad_alloc&) {
                    support::faults::disarm();
                    expect(dump(w) == before);
                    expect(w.spawn() == entity{1, 1});
                }
                expect(w.validate());
            }
            expect(memory.clean());
        }
    };

    "twenty thousand targets, a million sources"_test = [] {
        world w;
        const entity hub = w.spawn();
        const list spokes = copy(w.spawn_batch(20'000));
        for (const entity spoke : spokes) w.relate<Trades>(hub, spoke);
        for (const entity spoke : spokes) w.relate<Trades>(hub, spoke, Trades{2});
        expect(w.target_count<Trades>(hub) == 20'000_ul and w.get<Trades>(hub, spokes[777]).volume == 2_i);
        for (std::size_t i = 0; i != spokes.size(); i += 2) w.unrelate<Trades>(hub, spokes[i]);
        expect(w.target_count<Trades>(hub) == 10'000_ul and w.validate());
        const list crowd = copy(w.spawn_batch(1'000'000, to<Likes>(hub)));
        expect(w.source_count<Likes>(hub) == 1'000'000_ul);
        for (std::size_t i = 0; i < crowd.size(); i += 3) w.unrelate<Likes>(crowd[i], hub);
        expect(w.source_count<Likes>(hub) == 666'666_ul);
        std::size_t visited = 0;
        w.query<>().of<Likes>(hub).each([&](entity e) { visited += w.alive(e) ? 1 : 0; });
        expect(visited == 666'666_ul);
        w.relate_batch<Needs>(crowd, hub);
        w.despawn(hub);
        expect(w.size() == 20'000_ul and w.validate());
    };
}
