// Batches of verbs for component types that are known only at run time: lists and queries, all or nothing.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"
#include "../support/snapshot.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

import pecs;

namespace {
using pecs::component_id;
using pecs::entity;
using pecs::id_of;
using pecs::to;
using pecs::world;
using support::caught;
using support::Fragile;
using support::Frozen;
using support::Name;
using support::Owned;
using support::Position;

template <class Base> struct Sparse : Base {
    static constexpr auto storage = pecs::component_storage::sparse;
    Sparse() = default;
    explicit Sparse(int n) : Base{n} {}
};
using Glow = Sparse<Fragile>;
struct Stable {
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    int value = 3;
    [[nodiscard]] int number() const { return value; }
};
struct Lit {
    static constexpr auto storage = pecs::component_storage::sparse;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Owes {
    static constexpr pecs::relation_rules rules{};
    int coins = 4;
    [[nodiscard]] int number() const { return coins; }
};
struct Trades {
    static constexpr pecs::relation_rules rules{.many = true};
    int volume = 5;
};
struct Knows {
    static constexpr pecs::relation_rules rules{.acyclic = true, .many = true};
};
struct Priced {
    static constexpr pecs::relation_rules rules{};
    explicit Priced(int given) : price{given} {}
    int price;
};

using list = std::vector<entity>;
constexpr component_id unknown{60000};

std::string dump(const world& w) {
    std::string text = support::snapshot<Position, Name, Frozen, Fragile, Glow, Stable, Lit, Owes>(w) +
                       support::targets<ChildOf, Owes>(w);
    w.each_entity([&](entity e) {
        w.each_target<Trades>(e, [&](entity other, const Trades& data) {
            text += pecs::to_string(other) + '=' + std::to_string(data.volume) + ' ';
        });
        w.each_target<Knows>(e, [&](entity other) { text += pecs::to_string(other) + ' '; });
        text += w.enabled<Position>(e) ? "\n" : "off\n";
    });
    return text;
}

/// The verb must throw `E`, and the world must be as it was.
template <class E, class F> bool refused(world& w, F verb) {
    const std::string before = dump(w);
    (void)caught<E>([&] { verb(w.by_id()); });
    return dump(w) == before && w.validate();
}

list copy(std::span<const entity> some) { return {some.begin(), some.end()}; }

/// A few entities in several archetypes.
struct scene {
    world w;
    entity hub = w.spawn();
    list some{w.spawn(), w.spawn(Name::of(1)), w.spawn(Name::of(2), to<ChildOf>(hub)), w.spawn(Lit{})};

    template <class Check> bool all(Check check) const {
        for (const entity e : some)
            if (!check(e)) return false;
        return w.validate();
    }
};
} // namespace

int main() {
    using namespace boost::ut;

    "many entities at once, with defaults and targets"_test = [] {
        world w;
        const entity hub = w.spawn();
        const std::array ids{id_of<Name>(), id_of<Stable>(), id_of<Frozen>(), id_of<Lit>(), id_of<Name>()};
        const std::array links{pecs::relation_link{id_of<Owes>(), hub},
                               pecs::relation_link{id_of<Trades>(), hub},
                               pecs::relation_link{id_of<Trades>(), hub}};
        const list made = copy(w.by_id().spawn_batch(100, ids, links));
        expect(made.size() == 100_ul and w.size() == 101_ul and w.validate());
        for (const entity e : made) {
            expect(w.has<Name, Frozen, Lit>(e) and w.get<Stable>(e).value == 3_i);
            expect(w.target<Owes>(e) == hub and w.get<Owes>(e).coins == 4_i);
            expect(w.target_count<Trades>(e) == 1_ul and w.get<Trades>(e, hub).volume == 5_i);
        }
        expect(w.by_id().spawn_batch(0, ids).empty() and w.by_id().spawn_batch(3, {}).size() == 3_ul);
        expect(w.size() == 104_ul);
    };

    "components of every kind come, change and go"_test = [] {
        scene s;
        auto verbs = s.w.by_id();
        const auto everywhere = [&](component_id id, const void* value) {
            verbs.add_batch(s.some, id);
            expect(s.all([&](entity e) { return verbs.has(e, id); }));
            verbs.remove_batch(s.some, id);
            expect(s.all([&](entity e) { return !verbs.has(e, id); }));
            verbs.add_batch(s.some, id, value);
            verbs.remove_batch(std::span{s.some}.first(2), id);
            verbs.set_batch(s.some, id, value); // two have it, two lack it
            expect(s.all([&](entity e) { return verbs.has(e, id); }));
        };
        const Position position = Position::of(7);
        const Glow glow{8};
        const Stable stable{9};
        everywhere(id_of<Position>(), &position);
        everywhere(id_of<Frozen>(), nullptr);
        everywhere(id_of<Glow>(), &glow);
        everywhere(id_of<Stable>(), &stable);
        expect(s.all([&](entity e) {
            return s.w.get<Position>(e).number() == 7 && s.w.get<Glow>(e).number() == 8 &&
                   s.w.get<Stable>(e).value == 9;
        }));
        verbs.remove_batch(list{s.some[3]}, id_of<Lit>());
        everywhere(id_of<Lit>(), nullptr);
        verbs.set_batch(s.some, id_of<Name>(), &s.w.get<Name>(s.some[2])); // a value of the world itself
        expect(s.all([&](entity e) { return s.w.get<Name>(e).number() == 2; }));
        expect(s.w.target<ChildOf>(s.some[2]) == s.hub and s.w.size() == 5_ul);
        verbs.add_batch(list{}, id_of<Fragile>());
        verbs.remove_batch(list{}, id_of<Fragile>());
        verbs.set_batch(list{}, id_of<Glow>(), &glow);
    };

    "the data of a relation that is there can be set"_test = [] {
        scene s;
        s.w.relate_batch<Owes>(s.some, s.hub);
        const Owes data{50};
        s.w.by_id().set_batch(s.some, id_of<Owes>(), &data);
        expect(s.all([&](entity e) { return s.w.get<Owes>(e).coins == 50; }));
        s.w.unrelate<Owes>(s.some[1]);
        expect(refused<pecs::unsupported_component>(
            s.w, [&](auto verbs) { verbs.set_batch(s.some, id_of<Owes>(), &data); }));
    };

    "targets of every kind come and go"_test = [] {
        scene s;
        auto verbs = s.w.by_id();
        const entity moon = s.w.spawn();
        s.w.relate<Owes>(s.some[1], moon, Owes{9});
        verbs.relate_batch(s.some, id_of<Owes>(), s.hub);
        expect(s.all([&](entity e) { return s.w.target<Owes>(e) == s.hub; }));
        expect(s.w.get<Owes>(s.some[0]).coins == 4_i and s.w.get<Owes>(s.some[1]).coins == 9_i) << "kept";
        verbs.unrelate_batch(s.some, id_of<Owes>(), s.hub);
        expect(s.all([&](entity e) { return !s.w.has<Owes>(e); }));
        verbs.relate_batch(s.some, id_of<ChildOf>(), moon);
        verbs.unrelate_batch(s.some, id_of<ChildOf>());
        expect(s.all([&](entity e) { return !s.w.has<ChildOf>(e); }));

        s.w.relate<Trades>(s.some[2], s.hub, Trades{70});
        verbs.relate_batch(s.some, id_of<Trades>(), s.hub);
        verbs.relate_batch(s.some, id_of<Trades>(), moon);
        expect(s.w.get<Trades>(s.some[2], s.hub).volume == 70_i and s.w.source_count<Trades>(s.hub) == 4_ul);
        verbs.unrelate_batch(s.some, id_of<Trades>(), moon);
        expect(s.all([&](entity e) { return s.w.target_count<Trades>(e) == 1; }));
        verbs.unrelate_batch(s.some, id_of<Trades>());
        expect(s.w.stats().edges == 0_ul);
        verbs.unrelate_batch(list{}, id_of<Trades>(), pecs::null);
    };

    "components are hidden and shown"_test = [] {
        scene s;
        auto verbs = s.w.by_id();
        verbs.add_batch(s.some, id_of<Position>());
        verbs.disable_batch(s.some, id_of<Position>());
        verbs.disable_batch(list{s.some[3]}, id_of<Lit>());
        expect(s.w.query<const Position>().empty() and s.w.query<Lit>().empty());
        verbs.enable_batch(std::span{s.some}.first(3), id_of<Position>());
        expect(s.w.query<const Position>().count() == 3_ul and s.w.validate());
    };

    "a query takes the place of a list"_test = [] {
        scene s;
        auto verbs = s.w.by_id();
        const Position position = Position::of(7);
        const auto named = [&] { return verbs.query().with(id_of<Name>()).count(); };
        auto names = verbs.query();
        names.with(id_of<Name>());
        verbs.add_batch(names, id_of<Frozen>());
        verbs.add_batch(names, id_of<Position>(), &position);
        verbs.add_batch(names, id_of<Lit>());
        expect(s.w.query<const Position, Frozen, Lit>().count() == named());
        verbs.set_batch(verbs.query().with(id_of<Lit>()), id_of<Position>(), &position);
        expect(s.w.query<const Position>().count() == 3_ul);
        verbs.disable_batch(names, id_of<Position>());
        expect(s.w.query<const Position>().count() == 1_ul);
        verbs.enable_batch(names, id_of<Position>());
        verbs.remove_batch(verbs.query().with(id_of<Position>()), id_of<Position>());
        expect(s.w.query<const Position>().empty());
        verbs.relate_batch(names, id_of<Owes>(), s.hub);
        verbs.relate_batch(names, id_of<Trades>(), s.hub);
        expect(s.w.source_count<Owes>(s.hub) == 2_ul and s.w.source_count<Trades>(s.hub) == 2_ul);
        verbs.unrelate_batch(verbs.query().of(id_of<Owes>(), s.hub), id_of<Owes>());
        verbs.unrelate_batch(verbs.query().of(id_of<Trades>(), s.hub), id_of<Trades>(), s.hub);
        expect(s.w.query<>().of<Owes>(pecs::any).empty() and s.w.stats().edges == 0_ul and s.w.validate());
    };

    "what makes no sense is refused, and nothing changes"_test = [] {
        scene s;
        world& w = s.w;
        const entity dead = w.spawn();
        w.despawn(dead);
        const int value = 0;
        const Owned owned = Owned::of(1);
        w.relate<Trades>(s.some[0], s.hub);
        w.relate<Knows>(s.hub, s.some[0]);
        const auto everybody = [&](auto bad, component_id id, const list& some, const list& having) {
            using error = decltype(bad);
            expect(refused<typename error::type>(w, [&](auto verbs) { verbs.add_batch(some, id); }));
            expect(refused<typename error::type>(w, [&](auto verbs) { verbs.add_batch(some, id, &value); }));
            expect(refused<typename error::type>(w, [&](auto verbs) { verbs.set_batch(some, id, &value); }));
            expect(refused<typename error::type>(w, [&](auto verbs) { verbs.remove_batch(having, id); }));
            expect(refused<typename error::type>(w, [&](auto verbs) { verbs.disable_batch(having, id); }));
            expect(refused<typename error::type>(w, [&](auto verbs) { verbs.enable_batch(having, id); }));
        };
        const list& some = s.some;
        everybody(std::type_identity<pecs::dead_entity>{}, id_of<Position>(), {some[0], dead}, {dead});
        everybody(std::type_identity<pecs::dead_entity>{}, id_of<Lit>(), {some[0], dead}, {some[3], dead});
        everybody(std::type_identity<pecs::repeated_entity>{}, id_of<Position>(), {some[0], some[0]},
                  {some[0], some[0]});
        everybody(std::type_identity<pecs::repeated_entity>{}, id_of<Lit>(), {some[0], some[0]},
                  {some[3], some[3]});
        everybody(std::type_identity<pecs::unknown_component>{}, unknown, some, some);
        everybody(std::type_identity<pecs::unsupported_component>{}, id_of<Trades>(), some, some);
        for (const component_id id : {id_of<Name>(), id_of<Lit>()}) {
            expect(refused<pecs::duplicate_component>(w, [&](auto verbs) { verbs.add_batch(some, id); }));
            expect(refused<pecs::missing_component>(w, [&](auto verbs) { verbs.remove_batch(some, id); }));
            expect(refused<pecs::missing_component>(w, [&](auto verbs) { verbs.disable_batch(some, id); }));
        }
        expect(refused<pecs::unsupported_component>(
            w, [&](auto verbs) { verbs.add_batch(some, id_of<Owned>(), &owned); }));
        expect(refused<pecs::unsupported_component>(
            w, [&](auto verbs) { verbs.add_batch(some, id_of<Owes>()); }));
        expect(refused<pecs::unsupported_component>(w, [&](auto verbs) {
            verbs.relate_batch(some, id_of<Priced>(), s.hub);
        })) << "no default";
        for (const component_id id : {id_of<Owes>(), id_of<Trades>()}) {
            const auto relate = [&](const list& who, entity target) {
                return [id, who, target](auto verbs) { verbs.relate_batch(who, id, target); };
            };
            expect(refused<pecs::dead_entity>(w, relate({some[0], dead}, s.hub)));
            expect(refused<pecs::repeated_entity>(w, relate({some[1], some[1]}, s.hub)));
            expect(refused<pecs::dead_target>(w, relate(some, dead)));
            expect(refused<pecs::missing_component>(w, [&](auto v) { v.unrelate_batch(some, id); }));
            expect(refused<pecs::missing_component>(w, [&](auto v) { v.unrelate_batch(some, id, s.hub); }));
            expect(refused<pecs::dead_entity>(w, [&](auto v) { v.unrelate_batch(list{dead}, id); }));
            expect(refused<pecs::dead_entity>(w, [&](auto v) { v.unrelate_batch(list{dead}, id, s.hub); }));
        }
        expect(refused<pecs::unsupported_component>(
            w, [&](auto verbs) { verbs.relate_batch(some, id_of<Name>(), s.hub); }));
        expect(refused<pecs::unsupported_component>(
            w, [&](auto verbs) { verbs.unrelate_batch(some, id_of<Name>()); }));
        const list upper{some[1], s.hub};
        expect(refused<pecs::relation_cycle>(
            w, [&](auto verbs) { verbs.relate_batch(upper, id_of<ChildOf>(), some[2]); }));
        expect(refused<pecs::relation_cycle>(
            w, [&](auto verbs) { verbs.relate_batch(list{some[0], some[1]}, id_of<Knows>(), s.hub); }));
        const std::array ids{id_of<Name>(), unknown};
        const std::array links{pecs::relation_link{id_of<Owes>(), dead}};
        expect(refused<pecs::unknown_component>(w, [&](auto verbs) { (void)verbs.spawn_batch(3, ids); }));
        expect(refused<pecs::dead_target>(w, [&](auto verbs) { (void)verbs.spawn_batch(0, {}, links); }));
    };

    "nothing changes while a loop looks"_test = [] {
        scene s;
        const Position position{};
        const auto locked = [&](auto verb) { expect(refused<pecs::world_locked>(s.w, verb)); };
        s.w.relate_batch<Trades>(s.some, s.hub);
        s.w.query<Lit>().each([&](entity) {
            locked([&](auto verbs) { (void)verbs.spawn_batch(2, {}); });
            locked([&](auto verbs) { verbs.add_batch(s.some, id_of<Position>()); });
            locked([&](auto verbs) { verbs.set_batch(s.some, id_of<Position>(), &position); });
            locked([&](auto verbs) { verbs.remove_batch(list{s.some[3]}, id_of<Lit>()); });
            locked([&](auto verbs) { verbs.disable_batch(list{s.some[3]}, id_of<Lit>()); });
            locked([&](auto verbs) { verbs.relate_batch(s.some, id_of<Owes>(), s.hub); });
            locked([&](auto verbs) { verbs.unrelate_batch(s.some, id_of<Trades>()); });
            locked([&](auto verbs) { verbs.unrelate_batch(s.some, id_of<Trades>(), s.hub); });
        });
    };

    "observers are told of all of them"_test = [] {
        scene s;
        auto verbs = s.w.by_id();
        for (const component_id id : {id_of<Position>(), id_of<Stable>()}) {
            list added;
            list set;
            list removed;
            const std::array ids{id};
            const auto adds = verbs.observe(pecs::on_add, ids, [&](entity e) { added.push_back(e); });
            const auto sets = verbs.observe(pecs::on_set, ids, [&](entity e) { set.push_back(e); });
            const auto ends = verbs.observe(pecs::on_remove, ids, [&](entity e) {
                expect(verbs.has(e, id));
                removed.push_back(e);
            });
            const list first{s.some[2], s.some[0]};
            const Position value{};
            verbs.add_batch(first, id, &value);
            expect(bool{added == first});
            verbs.set_batch(s.some, id, &value);
            const bool others = added == list{s.some[2], s.some[0], s.some[1], s.some[3]};
            expect(others and bool{set == list{s.some[0], s.some[2]}});
            verbs.remove_batch(s.some, id);
            expect(bool{removed == s.some});
            added.clear();
            const list made = copy(verbs.spawn_batch(3, ids));
            expect(bool{added == made} and s.w.validate());
        }
    };

    "observers are told of targets, and may stop what goes"_test = [] {
        scene s;
        auto verbs = s.w.by_id();
        for (const component_id id : {id_of<Owes>(), id_of<Trades>()}) {
            std::string text;
            bool stop = false;
            const std::array ids{id};
            const auto seen = verbs.observe(pecs::on_relate, ids, [&](entity e, entity from, entity now) {
                if (stop) throw std::runtime_error{"not now"};
                expect(e != s.hub);
                text += from ? '-' : ' ';
                text += now == s.hub ? '+' : ' ';
            });
            verbs.relate_batch(s.some, id, s.hub);
            expect(text == " + + + +");
            stop = true;
            expect(refused<std::runtime_error>(s.w, [&](auto v) { v.unrelate_batch(s.some, id); }));
            stop = false;
            verbs.unrelate_batch(s.some, id);
            expect(text == " + + + +- - - - ");
            text.clear();
            const std::array links{pecs::relation_link{id, s.hub}};
            (void)verbs.spawn_batch(2, {}, links);
            expect(text == " + +");
        }
        const std::array lit{id_of<Lit>()};
        const auto stays =
            verbs.observe(pecs::on_remove, lit, [](entity) { throw std::runtime_error{"not now"}; });
        expect(
            refused<std::runtime_error>(s.w, [&](auto v) { v.remove_batch(list{s.some[3]}, id_of<Lit>()); }));
    };

    "new values are a change"_test = [] {
        scene s;
        s.w.track<Position>();
        auto verbs = s.w.by_id();
        verbs.add_batch(s.some, id_of<Position>());
        const pecs::tick since = s.w.now();
        const Position value = Position::of(1);
        verbs.set_batch(list{s.some[0]}, id_of<Position>(), &value);
        expect(s.w.query<>().changed<Position>(since).first() == s.some[0]);
        expect(s.w.query<>().added<Position>(since).empty());
    };

    "a function that throws leaves the world as it was"_test = [] {
        Fragile::forget();
        {
            scene s;
            auto verbs = s.w.by_id();
            verbs.add_batch(list{s.some[1]}, id_of<Fragile>());
            verbs.add_batch(list{s.some[1]}, id_of<Glow>());
            const Fragile fragile{7};
            const Glow glow{8};
            const list others{s.some[0], s.some[2], s.some[3]};
            const std::array ids{id_of<Fragile>(), id_of<Name>(), id_of<Glow>()};
            for (int calls = 0; calls != 3; ++calls) {
                const auto fails = [&](auto verb) {
                    Fragile::until_throw = calls;
                    expect(refused<std::runtime_error>(s.w, verb));
                    Fragile::until_throw = -1;
                };
                fails([&](auto v) { v.set_batch(s.some, id_of<Fragile>(), &fragile); });
                fails([&](auto v) { v.set_batch(s.some, id_of<Glow>(), &glow); });
                fails([&](auto v) { v.add_batch(others, id_of<Fragile>()); });
                fails([&](auto v) { v.add_batch(others, id_of<Glow>(), &glow); });
                fails([&](auto v) { (void)v.spawn_batch(2, ids); });
            }
            expect(s.w.spawn() == entity{5, 1}) << "no handle was used up";
        }
        expect(Fragile::log.alive() == 0_ul and Fragile::log.wrong == 0_ul);
    };

    "everything is given back"_test = [] {
        support::watched_memory memory;
        {
            world w{&memory};
            const std::array ids{id_of<Name>(), id_of<Stable>()};
            const list some = copy(w.by_id().spawn_batch(500, ids));
            const Name name = Name::of(1);
            w.by_id().set_batch(some, id_of<Name>(), &name);
            w.by_id().relate_batch(std::span{some}.subspan(1), id_of<Trades>(), some[0]);
            w.by_id().remove_batch(some, id_of<Stable>());
            expect(w.validate());
        }
        expect(memory.clean());
    };
}
