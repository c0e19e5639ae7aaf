// Queries for changes of sparse components: each entity has ticks of its own, wherever its value is kept.
#include <boost/ut.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ticked.hpp"

import pecs;

namespace {
using pecs::entity;
using pecs::tick;
using pecs::to;
using pecs::world;
using ticked::added;
using ticked::changed;
using ticked::Chosen;
using ticked::entities;
using ticked::Health;
using ticked::Heat;
using ticked::MemberOf;
using ticked::Position;
using ticked::Root;

/// What holds for values that are packed, and for those that stay where they are.
template <class T> void behaves(const std::string& kind) {
    using namespace boost::ut;

    test("everything counts as changed when tracking begins, then only what is written: " + kind) = [] {
        world w;
        const entity a = w.spawn(T{});
        const entity b = w.spawn(Position{}, T{});
        (void)w.spawn(Position{});
        tick seen = w.now();
        expect(changed<T>(w, seen) == entities{a, b} and added<T>(w, seen) == entities{a, b});
        seen = w.now();
        expect(changed<T>(w, seen).empty() and added<T>(w, seen).empty());
        w.template get<T>(a).degrees = 1;
        expect(changed<T>(w, seen) == entities{a} and added<T>(w, seen).empty());
        expect(changed<T>(w, tick{}) == entities{a, b});
        expect(w.validate());
    };

    test("tracking may begin before anybody has the component: " + kind) = [] {
        world w;
        w.template track<T>();
        const tick seen = w.now();
        expect(changed<T>(w, seen).empty());
        const entity a = w.spawn(T{});
        expect(added<T>(w, seen) == entities{a} and w.validate());
        w.despawn(a);
        w.shrink(); // the set is given back
        const tick later = w.now();
        const entity b = w.spawn(T{});
        expect(added<T>(w, later) == entities{b} and changed<T>(w, later) == entities{b} and w.validate());
    };

    test("each kind of loop counts for the entities that it is about, one that reads does not: " +
         kind) = [] {
        world w;
        w.template track<T>();
        const entity parent = w.spawn();
        const entity a = w.spawn(Position{}, T{}, to<MemberOf>(parent));
        (void)w.spawn(T{});
        const auto counts = [&](auto loop) {
            const tick seen = w.now();
            loop();
            expect(changed<T>(w, seen) == entities{a} and added<T>(w, seen).empty());
        };
        counts([&] { w.query<T, const Position>().each([](T&, const Position&) {}); });
        counts([&] { w.query<T, const Position>().each(pecs::independent, [](T&, const Position&) {}); });
        counts([&] {
            for (auto [t, p] : w.query<T, const Position>()) (void)t, (void)p;
        });
        counts([&] { w.query<pecs::optional<T>, const Position>().each([](T*, const Position&) {}); });
        counts([&] { w.query<T>().template of<MemberOf>(parent).each([](T&) {}); });
        counts([&] { w.query<T>().template of<MemberOf>(pecs::any).each([](T&) {}); });
        counts([&] { w.query<T>().template by<MemberOf>().each(parent, [](T&) {}); });
        counts([&] {
            w.query<T, const Position>().template parents_first<pecs::child_of>().each([](auto&, auto&) {});
        });
        counts([&] { (void)w.query<T>().get(a); });
        counts([&] { (void)w.query<T, const Position>().single(); });
        counts([&] {
            w.query<T, const Position>().each_sorted([](const T& t, auto&) { return t.degrees; },
                                                     [](T&, auto&) {});
        });
        const tick seen = w.now();
        w.query<const T>().each([](const T&) {});
        w.query<pecs::optional<const T>, pecs::with<T>>().each([](const T*) {});
        w.query<Position, pecs::with<T>>().each([](Position&) {});
        for (auto [es, ps] : w.query<Position, pecs::with<T>>().columns()) (void)es, (void)ps;
        w.by_id().query().with(pecs::id_of<T>()).each([](const pecs::family_view& some) {
            expect(some.bytes(pecs::id_of<T>()).empty());
        });
        (void)w.query<T, const Position>().count();
        (void)w.query<T>().first();
        (void)w.query<T>().contains(a);
        expect(changed<T>(w, seen).empty());
    };

    test("a loop driven by the set marks columns, and one driven by rows the set: " + kind) = [] {
        world w;
        w.template track<T, Position, Health>();
        std::vector<entity> all;
        for (int i = 0; i != 50; ++i) all.push_back(w.spawn(Position{}, Health{}));
        for (const std::size_t i : std::array<std::size_t, 4>{3, 4, 5, 40}) w.add(all[i], T{});
        const entities some{all[3], all[4], all[5], all[40]};
        tick seen = w.now();
        w.query<T, Health>().each([](T&, Health&) {}); // few of many
        expect(changed<T>(w, seen) == some and changed<Health>(w, seen) == some);
        for (const entity e : all)
            if (not w.template has<T>(e)) w.add(e, T{});
        seen = w.now();
        w.query<T, Health>().each([](T&, Health&) {});
        expect(changed<T>(w, seen).size() == 50_u and changed<Health>(w, seen).size() == 50_u);
        w.disable(all[7]);
        seen = w.now();
        w.query<T>().each([](T&) {});
        expect(w.query<pecs::disabled_too>().template changed<T>(seen).count() == 49_u);
    };

    test("a loop that may write the value of a target changes the target: " + kind) = [] {
        world w;
        w.template track<T>();
        const entity squad = w.spawn(T{});
        (void)w.spawn(T{});
        (void)w.spawn(Position{}, T{}, to<MemberOf>(squad));
        tick seen = w.now();
        w.query<const Position>().template of<MemberOf>(pecs::having<T>).each([](auto&, T& t) {
            t.degrees = 1;
        });
        expect(changed<T>(w, seen) == entities{squad});
        seen = w.now();
        w.query<const Position>().template of<MemberOf>(pecs::having<const T>).each([](auto&, auto&) {});
        w.query<pecs::up<pecs::child_of, const T>>().each([](const T&) {});
        expect(changed<T>(w, seen).empty());
        w.query<pecs::at_target<MemberOf, pecs::optional<T>>>().each([](T*) {});
        expect(changed<T>(w, seen) == entities{squad});
    };

    test("each verb that may write a value counts, those that read do not: " + kind) = [] {
        world w;
        w.template track<T>();
        const entity a = w.spawn(Position{}, T{});
        (void)w.spawn(T{});
        tick seen = w.now();
        const auto counts = [&](auto write) {
            expect(changed<T>(w, seen).empty());
            write();
            expect(changed<T>(w, seen) == entities{a} and added<T>(w, seen).empty());
            seen = w.now();
        };
        counts([&] { w.template get<T>(a).degrees = 5; });
        counts([&] { w.template try_get<T>(a)->degrees = 5; });
        counts([&] { w.template access<T>()[a].degrees = 5; });
        counts([&] { w.template access<T>().try_get(a)->degrees = 5; });
        counts([&] { w.set(a, T{3}); });
        counts([&] { w.set(a, Position{}, T{3}); });
        counts([&] { w.set(a, Health{}, T{3}); });
        counts([&] { w.set_batch(std::array{a}, T{3}); });
        counts([&] { w.set_batch(w.query<Position>(), T{3}); });
        counts([&] { (void)w.by_id().get(a, pecs::id_of<T>()); });
        counts([&] { (void)w.by_id().try_get(a, pecs::id_of<T>()); });
        counts([&] {
            const T value{7};
            w.by_id().set(a, pecs::id_of<T>(), &value);
        });
        counts([&] {
            pecs::commands later = w.record();
            later.set(a, T{8});
            w.apply(later);
        });
        counts([&] {
            const pecs::observer seeing =
                w.template observe<Position, T>(pecs::on_set, [](entity, auto&, auto&) {});
            w.set(a, Position{});
        });
        const world& reading = w;
        expect(reading.get<T>(a).degrees == 8_i and reading.try_get<T>(a) != nullptr);
        expect(reading.access<T>()[a].degrees == 8_i);
        expect(w.template try_get<T>(w.spawn()) == nullptr and w.template try_get<T>(pecs::null) == nullptr);
        expect(throws<pecs::missing_component>([&] { (void)w.template get<T>(w.spawn()); }));
        expect(changed<T>(w, seen).empty() and w.validate());
    };

    test("what gets a component is added, in each of the ways there are: " + kind) = [] {
        world w;
        w.template track<T>();
        const entity other = w.spawn(T{});
        tick seen = w.now();
        const auto adds = [&](auto make) {
            expect(changed<T>(w, seen).empty() and added<T>(w, seen).empty());
            const entity e = make();
            expect(added<T>(w, seen) == entities{e} and changed<T>(w, seen) == entities{e});
            w.despawn(e);
            expect(w.validate());
            seen = w.now();
        };
        const auto adds_later = [&](auto give) {
            adds([&] {
                const entity e = w.spawn(Position{});
                give(e);
                return e;
            });
        };
        adds([&] { return w.spawn(T{}); });
        adds([&] { return w.spawn_batch(1, T{}, Position{})[0]; });
        adds([&] { return w.template spawn_batch<T>(1)[0]; });
        adds([&] { return w.by_id().spawn(std::array{pecs::id_of<T>()}); });
        adds([&] { return w.clone(other); });
        adds([&] { return w.spawn_from(other, Position{}); });
        adds([&] { return w.spawn_from(other, T{3}); });
        adds([&] {
            pecs::commands later = w.record();
            const entity e = later.spawn(T{}, Position{});
            w.apply(later);
            return e;
        });
        adds_later([&](entity e) { w.add(e, T{}); });
        adds_later([&](entity e) { w.set(e, T{}); });
        adds_later([&](entity e) { w.template exchange<Position>(e, T{}); });
        adds_later([&](entity e) { w.add_batch(std::array{e}, T{}); });
        adds_later([&](entity e) { w.set_batch(std::array{e}, T{}); });
        adds_later([&](entity) { w.add_batch(w.template query<Position>(), T{}); });
        adds_later([&](entity e) { w.by_id().add(e, pecs::id_of<T>()); });
        adds_later([&](entity e) {
            const T value{2};
            w.by_id().set(e, pecs::id_of<T>(), &value);
        });
        adds_later([&](entity e) {
            pecs::commands later = w.record();
            later.add(e, T{});
            w.apply(later);
        });
        adds_later([&](entity e) { // in a world that is observed
            const pecs::observer seeing = w.template observe<Chosen>(pecs::on_add, [](entity) {});
            w.add_batch(std::array{e}, T{}, Chosen{});
        });
        expect(added<T>(w, tick{}) == entities{other});
    };

    test("copies of a tree are added, the originals are not: " + kind) = [] {
        world w;
        w.template track<T>();
        const entity root = w.spawn(T{}, pecs::prefab{});
        (void)w.spawn(T{}, pecs::prefab{}, to<pecs::child_of>(root));
        const tick seen = w.now();
        (void)w.template spawn_from<pecs::child_of>(root);
        expect(w.query<pecs::optional<pecs::prefab>>().template added<T>(seen).count() == 2_u);
        expect(w.query<pecs::prefab>().template added<T>(seen).empty() and w.validate());
    };

    test("a component that commands remove and add again counts as added: " + kind) = [] {
        world w;
        w.template track<T, Chosen>();
        const entity a = w.spawn(T{}, Chosen{});
        const entity b = w.spawn(T{}, Chosen{});
        const tick seen = w.now();
        pecs::commands later = w.record();
        later.template remove<T, Chosen>(a);
        later.set(a, T{3});
        later.add(a, Chosen{});
        later.set(b, T{4});
        later.set(b, Chosen{});
        w.apply(later);
        expect(added<T>(w, seen) == entities{a} and changed<T>(w, seen) == entities{a, b});
        expect(added<Chosen>(w, seen) == entities{a} and changed<Chosen>(w, seen) == entities{a});
        expect(w.validate());
    };

    test("ticks stay with their entities when others come and go: " + kind) = [] {
        world w;
        w.template track<T>();
        std::vector<entity> all;
        for (int i = 0; i != 200; ++i) all.push_back(w.spawn(Position{}, T{i}));
        const tick seen = w.now();
        for (std::size_t i = 1; i < 200; i += 7) w.template get<T>(all[i]).degrees = 1;
        entities expected;
        for (std::size_t i = 0; i != 200; ++i) {
            if (i % 3 == 0)
                w.despawn(all[i]);
            else if (i % 5 == 0)
                w.template remove<T>(all[i]);
            else if (i % 7 == 1)
                expected.insert(all[i]);
        }
        expect(changed<T>(w, seen) == expected and added<T>(w, seen).empty() and w.validate());
        w.add_batch(w.query<Position>(), Health{}); // rows move
        expect(changed<T>(w, seen) == expected);
        w.shrink();
        w.compact();
        expect(changed<T>(w, seen) == expected and added<T>(w, seen).empty() and w.validate());
        for (std::size_t i = 0; i != 200; ++i)
            if (w.alive(all[i]) and not w.template has<T>(all[i])) {
                w.add(all[i], T{});
                expected.insert(all[i]);
            }
        expect(changed<T>(w, seen) == expected and w.validate());
        world moved{std::move(w)};
        expect(changed<T>(moved, seen) == expected and moved.validate());
        moved.clear();
        expect(changed<T>(moved, tick{}).empty() and moved.validate());
        const entity last = moved.spawn(T{});
        expect(added<T>(moved, seen) == entities{last} and moved.validate());
    };

    test("a tracked term notes what is written, and no more: " + kind) = [] {
        world w;
        std::vector<entity> all;
        for (int i = 0; i != 10; ++i) all.push_back(w.spawn(T{i}, Position{}));
        w.query<pecs::tracked<T>>().each([](pecs::tracked_ref<T> t) { // not tracked yet
            if (t->degrees == 9) t.write().degrees = 10;
        });
        w.template track<T>();
        tick seen = w.now();
        w.query<pecs::tracked<T>>().each([](pecs::tracked_ref<T> t) {
            if (t->degrees % 3 == 0) t.write().degrees += 100;
        });
        expect(changed<T>(w, seen) == entities{all[0], all[3], all[6]});
        expect(std::as_const(w).template get<T>(all[3]).degrees == 103_i);
        expect(std::as_const(w).template get<T>(all[9]).degrees == 10_i);
        seen = w.now();
        for (auto [t, e, p] : w.query<pecs::tracked<T>, entity, const Position>())
            expect(t.set(T{7}) == (e != all[7]));
        expect(changed<T>(w, seen).size() == 9_u);
        seen = w.now();
        w.query<pecs::tracked<T>>().get(all[2]).a.write().degrees =
            (*w.query<pecs::tracked<T>>().get(all[3]).a).degrees;
        expect(changed<T>(w, seen) == entities{all[2]});
        expect(w.query<pecs::tracked<T>>().template changed<T>(seen).single().a->degrees == 7_i);
        const entity squad = w.spawn(T{});
        (void)w.spawn(to<MemberOf>(squad));
        seen = w.now();
        w.query<>().template of<MemberOf>(pecs::having<pecs::tracked<T>>).each([](auto t) {
            t.write().degrees = 1;
        });
        expect(changed<T>(w, seen) == entities{squad});
    };
}
} // namespace

int main() {
    using namespace boost::ut;

    behaves<Heat>("packed");
    behaves<Root>("stable");

    "a sparse tag is added, and setting it again is no change"_test = [] {
        world w;
        w.track<Chosen>();
        const entity a = w.spawn(Chosen{});
        const entity b = w.spawn();
        const tick seen = w.now();
        w.add(b, Chosen{});
        w.set(a, Chosen{});
        w.set_batch(std::array{a}, Chosen{});
        expect(added<Chosen>(w, seen) == entities{b} and changed<Chosen>(w, seen) == entities{b});
        w.remove<Chosen>(b);
        expect(changed<Chosen>(w, seen).empty() and w.validate());
    };
}
