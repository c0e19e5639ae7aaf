// Entities and components that are disabled: queries skip them, everything else sees them, and nothing moves.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"

#include <cstddef>
#include <set>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
using support::caught;
using support::Frozen;
using support::Position;
using support::Velocity;

struct Heat {
    static constexpr auto storage = pecs::component_storage::sparse;
    int value = 0;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Aims {
    static constexpr pecs::relation_rules rules{};
};
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};

using list = std::vector<entity>;
/// Entities in the order of a query.
struct visited {
    list entities;
    [[nodiscard]] bool operator==(const list& other) const { return entities == other; }
    [[nodiscard]] std::size_t size() const { return entities.size(); }
};
template <class Query> visited all_of(const Query& query) {
    visited found;
    query.each([&](entity e, auto&&...) { found.entities.push_back(e); });
    return found;
}

/// Entities that are enabled, disabled, or no good for a list.
struct lamps {
    world w;
    entity on = w.spawn(Position::of(1));
    entity off = w.spawn(Position::of(2));
    entity lacking = w.spawn();
    entity dead = w.spawn();

    lamps() {
        w.despawn(dead);
        w.disable(off);
        w.disable<Position>(off);
    }
    /// True if `f` throws an `E` about an entity, and has changed nothing.
    template <class E, class F> [[nodiscard]] bool refuse(entity which, F f) const {
        return caught<E>(f).which() == which && w.enabled(on) && w.enabled<Position>(on) && !w.enabled(off) &&
               !w.enabled<Position>(off) && w.enabled(lacking) && w.validate();
    }
};
} // namespace

int main() {
    using namespace boost::ut;

    "queries skip a disabled entity, and nothing else does"_test = [] {
        world w;
        const entity a = w.spawn(Position::of(1));
        const entity b = w.spawn(Position::of(2));
        const entity c = w.spawn(Position::of(3));
        const Position* const where = &w.get<Position>(b);
        w.disable(b);
        const auto query = w.query<const Position>();
        expect(all_of(query) == list{a, c} and query.count() == 2_ul and not query.contains(b));
        expect(throws<pecs::no_match>([&] { (void)query.get(b); }));
        int rows = 0;
        for (auto [p] : query) rows += p.number();
        expect(rows == 4_i);
        std::size_t runs = 0;
        for (auto [entities, positions] : query.columns()) runs += positions.size() == 1 ? 1 : 100;
        expect(runs == 2_ul);
        query.columns().each([&](auto entities, auto) { runs += entities.size(); });
        expect(runs == 4_ul);
        expect(&w.get<Position>(b) == where and w.has<Position>(b) and w.alive(b) and not w.enabled(b));
        expect(w.size() == 3_ul and w.query<pecs::disabled_too>().count() == 3_ul);
        w.disable(a);
        expect(bool{query.first() == c} and query.count() == 1_ul);
        auto [only] = query.single();
        expect(only.number() == 3_i);
        w.enable(a);
        w.enable(b);
        expect(all_of(query) == list{a, b, c} and w.enabled(b) and w.validate());
    };

    "a disabled component hides the entity from queries that require it"_test = [] {
        world w;
        const entity a = w.spawn(Position::of(1), Velocity::of(1), Frozen{}, Heat{1});
        const entity b = w.spawn(Position::of(2), Velocity::of(2), Frozen{}, Heat{2});
        w.disable<Velocity>(a);
        expect(all_of(w.query<Position>()) == list{a, b} and all_of(w.query<Velocity>()) == list{b});
        expect(all_of(w.query<Position, const Velocity>()) == list{b});
        expect(all_of(w.query<pecs::with<Velocity>>()) == list{b});
        expect(w.query<pecs::without<Velocity>>().empty()); // it is there
        expect(all_of(w.query<pecs::any_of<Velocity>>()) == list{a, b});
        expect(all_of(w.query<Velocity, pecs::disabled_too>()) == list{a, b});
        expect(w.has<Velocity>(a) and w.get<Velocity>(a).number() == 1_i and not w.enabled<Velocity>(a));
        expect(w.enabled(a) and w.enabled<Velocity>(b) and not w.enabled<Velocity>(pecs::null));
        w.query<const Position, pecs::optional<const Velocity>>().each(
            [&](entity e, const Position&, const Velocity* v) { expect((v == nullptr) == (e == a)); });
        for (auto [p, v] : w.query<const Position, pecs::optional<const Velocity>>())
            expect((v == nullptr) == (p.number() == 1));
        for (auto [entities, p, v] : w.query<const Position, pecs::optional<const Velocity>>().columns())
            expect(entities.size() == 1_ul and v.empty() == (p[0].number() == 1));
        w.disable<Frozen>(b);
        w.disable<Heat>(b);
        expect(all_of(w.query<pecs::with<Frozen>>()) == list{a} and all_of(w.query<Heat>()) == list{a});
        w.query<pecs::optional<const Heat>>().each(
            [&](entity e, const Heat* h) { expect((h == nullptr) == (e == b)); });
        expect(w.validate());
    };

    "a component that comes again is enabled, one that gets a value stays as it is"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1), Velocity::of(1), Heat{1});
        w.disable<Position>(e);
        w.disable<Heat>(e);
        w.set(e, Position::of(4), Heat{4});
        expect(not w.enabled<Position>(e) and not w.enabled<Heat>(e));
        w.remove<Position, Heat>(e);
        w.add(e, Position::of(1), Heat{1});
        expect(w.enabled<Position>(e) and w.enabled<Heat>(e));
        w.disable<Position>(e);
        w.exchange<Position>(e, Frozen{});
        w.add(e, Position{});
        expect(w.enabled<Position>(e));
        w.disable<Position>(e);
        w.remove_batch<Position>(w.query<pecs::with<Position>, pecs::disabled_too>());
        w.add(e, Position{});
        expect(w.enabled<Position>(e));
        w.disable(e);
        w.disable<Velocity>(e);
        w.despawn(e);
        const entity next = w.spawn(Velocity::of(1));
        expect(next.index() == e.index() and w.enabled(next) and w.enabled<Velocity>(next) and w.validate());
    };

    "a relation that is disabled, and ends with its target"_test = [] {
        world w;
        const entity target = w.spawn();
        const entity e = w.spawn(Position::of(1), pecs::to<Aims>(target));
        w.disable<Aims>(e);
        expect(w.query<Position>().of<Aims>(target).empty() and
               w.query<Position>().of<Aims>(pecs::any).empty());
        expect(w.query<Position>().count() == 1_ul and bool{w.target<Aims>(e) == target});
        w.despawn(target);
        const entity other = w.spawn();
        w.relate<Aims>(e, other);
        expect(w.enabled<Aims>(e) and w.query<Position>().of<Aims>(other).count() == 1_ul and w.validate());
    };

    "every way through relations skips what is disabled"_test = [] {
        world w;
        const entity top = w.spawn(Position::of(0));
        list made;
        for (int i = 1; i != 7; ++i) made.push_back(w.spawn(Position::of(i), pecs::to<ChildOf>(top)));
        w.disable(made[2]);
        w.disable<Position>(made[4]);
        const list shown{made[0], made[1], made[3], made[5]};
        expect(all_of(w.query<Position>().of<ChildOf>(top)) == shown);
        expect(all_of(w.query<Position>().under<ChildOf>(top)) == shown);
        expect(all_of(w.query<Position>().parents_first<ChildOf>()).size() == 5_ul);
        expect(w.query<Position>().of<ChildOf>(top).count() == 4_ul);
        {
            const auto by = w.query<const Position>().by<ChildOf>();
            visited seen;
            by.each(top, [&](entity e, const Position&) { seen.entities.push_back(e); });
            expect(seen == shown and by.count(top) == 4_ul);
            const auto maybe = w.query<pecs::optional<const Position>>().by<ChildOf>();
            std::size_t nulls = 0;
            maybe.each(top, [&](entity, const Position* p) { nulls += p == nullptr ? 1 : 0; });
            expect(nulls == 1_ul and maybe.count(top) == 5_ul);
        } // they hold the lock
        std::size_t rows = 0;
        for (auto [parent, entities, positions] : w.query<const Position>().families<ChildOf>())
            rows += bool{parent == top} ? positions.size() : 100;
        w.query<const Position>().families<ChildOf>().each(
            [&](entity, auto, auto positions) { rows += positions.size(); });
        expect(rows == 8_ul);
        const entity liked = w.spawn();
        w.relate<Likes>(made[0], liked);
        w.relate<Likes>(made[2], liked);
        expect(all_of(w.query<Position>().of<Likes>(liked)) == list{made[0]});
        w.disable(top); // a target that is disabled is still one
        expect(all_of(w.query<Position>().of<ChildOf>(top)) == shown);
        expect(w.query<pecs::at_target<ChildOf, const Position>>().count() == 5_ul);
    };

    "batch verbs over a query leave the disabled alone"_test = [] {
        world w;
        const auto made = w.spawn_batch(10, Position::of(1));
        const list entities(made.begin(), made.end());
        w.disable_batch(list{entities[3], entities[4]});
        w.add_batch(w.query<Position>(), Velocity::of(1));
        expect(w.query<Velocity, pecs::disabled_too>().count() == 8_ul and not w.has<Velocity>(entities[3]));
        w.relate_batch<Aims>(w.query<Position>(), entities[0]);
        expect(not w.has<Aims>(entities[4]) and w.has<Aims>(entities[5]));
        w.disable_batch<Position>(w.query<pecs::without<Velocity>, pecs::disabled_too>());
        expect(not w.enabled<Position>(entities[3]));
        w.enable_batch(w.query<pecs::disabled_too>());
        expect(w.query<>().count() == 10_ul and w.query<Position>().count() == 8_ul);
        w.despawn_batch(w.query<Position>());
        expect(w.size() == 2_ul and w.validate());
        expect(throws<pecs::missing_component>([&] { w.disable_batch<Velocity>(list{entities[3]}); }));
    };

    "a list that is refused disables and enables nobody"_test = [] {
        lamps l;
        world& w = l.w;
        const list twice{l.on, l.off, l.lacking, l.on};
        expect(l.refuse<pecs::repeated_entity>(l.on, [&] { w.disable_batch(twice); }));
        expect(l.refuse<pecs::repeated_entity>(l.on, [&] { w.enable_batch(twice); }));
        expect(l.refuse<pecs::repeated_entity>(l.on, [&] { w.disable_batch<Position>(list{l.on, l.on}); }));
        expect(l.refuse<pecs::repeated_entity>(l.off, [&] { w.enable_batch<Position>(list{l.off, l.off}); }));
        const list on{l.on, l.dead};
        const list off{l.off, l.dead};
        expect(l.refuse<pecs::dead_entity>(l.dead, [&] { w.disable_batch(on); }));
        expect(l.refuse<pecs::dead_entity>(l.dead, [&] { w.enable_batch(off); }));
        expect(l.refuse<pecs::dead_entity>(l.dead, [&] { w.disable_batch<Position>(on); }));
        expect(l.refuse<pecs::dead_entity>(l.dead, [&] { w.enable_batch<Position>(off); }));
        const auto lacks = [&](auto f) { return l.refuse<pecs::missing_component>(l.lacking, f); };
        expect(lacks([&] { w.disable_batch<Position>(list{l.on, l.lacking}); }));
        expect(lacks([&] { w.enable_batch<Position>(list{l.off, l.lacking}); }));
    };

    "references to values outlast disabling and enabling"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1), Heat{2}, pecs::to<Aims>(w.spawn()));
        w.spawn_batch(5, Position::of(3), Heat{4});
        const Position* const position = w.try_get<Position>(e);
        const Heat* const heat = w.try_get<Heat>(e);
        const auto stay = [&] { return w.try_get<Position>(e) == position and w.try_get<Heat>(e) == heat; };
        w.disable(e);
        expect(stay());
        w.disable<Position>(e);
        w.disable<Heat>(e);
        expect(stay());
        w.disable_batch(w.query<Position>());
        w.enable<Position>(e);
        w.enable_batch(w.query<pecs::disabled_too>());
        expect(stay() and position->number() == 1_i and heat->value == 2_i);
    };

    "misuse is refused, and while a query iterates nothing is disabled"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1));
        const entity dead = w.spawn();
        w.despawn(dead);
        expect(throws<pecs::dead_entity>([&] { w.disable(dead); }));
        expect(throws<pecs::dead_entity>([&] { w.enable(dead); }));
        expect(throws<pecs::dead_entity>([&] { w.disable<Position>(dead); }));
        expect(throws<pecs::missing_component>([&] { w.disable<Velocity>(e); }));
        expect(not w.enabled(dead) and not w.enabled(pecs::null));
        auto later = w.record();
        w.query<Position>().each([&](entity each, Position&) {
            expect(throws<pecs::world_locked>([&] { w.disable(each); }));
            expect(throws<pecs::world_locked>([&] { w.enable<Position>(each); }));
            later.disable(each);
        });
        w.apply(later);
        expect(w.query<Position>().empty() and not w.enabled(e));
        w.disable(e); // twice is once
        w.enable(e);
        expect(w.enabled(e));
    };

    "commands disable and enable in their order"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1), Velocity::of(1));
        auto later = w.record();
        const entity fresh = later.spawn(Position::of(2), Heat{1});
        later.disable(fresh);
        later.disable<Heat>(fresh);
        later.disable<Position>(e);
        later.remove<Position>(e);
        later.add(e, Position::of(3)); // comes anew
        later.disable<Velocity>(e);
        later.disable<Frozen>(e); // is not there
        later.disable(pecs::null);
        const auto failed = w.apply(later, pecs::on_failure::report);
        expect(failed.size() == 2_ul);
        expect(failed[0].kind == pecs::command_kind::disable);
        expect(failed[0].reason == pecs::command_failure::missing_component);
        expect(failed[1].reason == pecs::command_failure::dead_entity);
        expect(not w.enabled(fresh) and not w.enabled<Heat>(fresh) and w.enabled<Position>(fresh));
        expect(w.enabled<Position>(e) and not w.enabled<Velocity>(e) and w.validate());
        later.enable(fresh);
        later.enable<Velocity>(e);
        w.apply(later);
        expect(w.enabled(fresh) and w.enabled<Velocity>(e));
    };

    "copies are disabled as their originals are"_test = [] {
        world w;
        const entity root = w.spawn(Position::of(1), Velocity::of(1));
        const entity child = w.spawn(Heat{1}, pecs::to<pecs::child_of>(root));
        w.disable(child);
        w.disable<Position>(root);
        w.disable<Velocity>(root);
        const entity copy = w.clone_subtree(root);
        expect(w.enabled(copy) and not w.enabled<Position>(copy) and not w.enabled(w.descendants(copy)[0]));
        const entity other = w.spawn_from(root, Position::of(5)); // what is given is enabled
        expect(w.enabled<Position>(other) and not w.enabled<Velocity>(other) and w.validate());
    };

    "by id, and in queries built at run time"_test = [] {
        world w;
        const entity a = w.spawn(Position::of(1));
        const entity b = w.spawn(Position::of(2));
        const auto id = pecs::id_of<Position>();
        w.by_id().disable(a, id);
        expect(not w.by_id().enabled(a, id) and w.by_id().enabled(b, id));
        auto query = w.by_id().query();
        query.with(id);
        expect(query.count() == 1_ul and bool{query.first() == b} and not query.contains(a));
        query.disabled_too();
        expect(query.count() == 2_ul);
        w.by_id().enable(a, id);
        expect(w.enabled<Position>(a));
        w.disable(b);
        w.clear();
        expect(w.query<>().empty() and w.validate());
        const entity next = w.spawn(Position::of(1));
        expect(w.enabled(next) and w.query<Position>().count() == 1_ul);
        w.disable(next);
        w.shrink();
        expect(not w.enabled(next) and w.validate());
    };
}
