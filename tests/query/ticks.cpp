// Queries for changes: what counts as written, by family or by row.
#include <boost/ut.hpp>

#include <array>
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
using ticked::Clock;
using ticked::entities;
using ticked::Health;
using ticked::MemberOf;
using ticked::Position;
using ticked::Velocity;
} // namespace

int main() {
    using namespace boost::ut;

    "everything counts as changed when the tracking of a type begins"_test = [] {
        world w;
        const entity a = w.spawn(Position{});
        const entity b = w.spawn(Position{}, Velocity{});
        const tick seen = w.now();
        expect(changed<Position>(w, seen) == entities{a, b});
        expect(added<Position>(w, seen) == entities{a, b});
        expect(changed<Position>(w, w.now()).empty());
        expect(w.validate());
    };

    "nothing has changed since now, and everything since the default tick"_test = [] {
        world w;
        w.track<Position>();
        const entity a = w.spawn(Position{});
        const tick seen = w.now();
        expect(changed<Position>(w, seen).empty() and added<Position>(w, seen).empty());
        expect(changed<Position>(w, tick{}) == entities{a});
        expect(w.now() > seen and tick{} < seen);
    };

    "a loop that may write a component changes it, one that reads it does not"_test = [] {
        world w;
        w.track<Position>();
        const entity a = w.spawn(Position{});
        const entity b = w.spawn(Position{}, Velocity{});
        tick seen = w.now();
        w.query<const Position>().each([](const Position&) {});
        w.query<pecs::optional<const Position>, pecs::with<Position>>().each([](const Position*) {});
        w.query<Velocity>().each([](Velocity&) {});
        expect(changed<Position>(w, seen).empty());
        w.query<Position, const Velocity>().each([](Position& p, const Velocity& v) { p.x += v.dx; });
        expect(changed<Position>(w, seen) == entities{b});
        expect(added<Position>(w, seen).empty());
        seen = w.now();
        w.query<pecs::optional<Position>>().each([](Position*) {});
        expect(changed<Position>(w, seen) == entities{a, b});
    };

    "each kind of loop counts"_test = [] {
        world w;
        w.track<Position, Health>();
        const entity parent = w.spawn();
        const entity a = w.spawn(Position{}, Health{}, to<MemberOf>(parent));
        const auto counts = [&](auto loop) {
            const tick seen = w.now();
            loop();
            expect(changed<Position>(w, seen) == entities{a});
            expect(changed<Health>(w, seen) == entities{a});
        };
        counts([&] { w.query<Position, Health>().each([](Position&, Health&) {}); });
        counts([&] { w.query<Position, Health>().each(pecs::independent, [](Position&, Health&) {}); });
        counts([&] {
            for (auto [p, h] : w.query<Position, Health>()) (void)p, (void)h;
        });
        counts([&] {
            for (auto [es, ps, hs] : w.query<Position, Health>().columns()) (void)es, (void)ps, (void)hs;
        });
        counts([&] { w.query<Position, Health>().columns().each([](auto, auto, auto) {}); });
        counts([&] {
            for (auto [t, es, ps, hs] : w.query<Position, Health>().families<MemberOf>())
                (void)t, (void)es, (void)ps, (void)hs;
        });
        counts([&] { w.query<Position, Health>().families<MemberOf>().each([](auto, auto, auto, auto) {}); });
        counts([&] { w.query<Position, Health>().of<MemberOf>(parent).each([](Position&, Health&) {}); });
        counts([&] { w.query<Position, Health>().by<MemberOf>().each(parent, [](Position&, Health&) {}); });
        counts([&] { (void)w.query<Position, Health>().get(a); });
        counts([&] { (void)w.query<Position, Health>().single(); });
        counts([&] {
            w.query<Position, Health>().each_sorted([](const Position& p, const Health&) { return p.x; },
                                                    [](Position&, Health&) {});
        });
        counts([&] {
            w.by_id().query().with(pecs::id_of<Position>()).each([](const pecs::family_view& family) {
                (void)family.values<Position>();
                (void)family.bytes(pecs::id_of<Health>());
            });
        });
        const tick seen = w.now();
        w.by_id().query().with(pecs::id_of<Position>()).each([](const pecs::family_view& family) {
            (void)family.values<const Position>();
            (void)family.const_bytes(pecs::id_of<Health>());
        });
        (void)w.query<Position, Health>().count();
        (void)w.query<Position, Health>().first();
        (void)w.query<Position, Health>().contains(a);
        (void)w.query<const Position, const Health>().single();
        expect(changed<Position>(w, seen).empty() and changed<Health>(w, seen).empty());
    };

    "each verb that may write a value counts, those that read do not"_test = [] {
        world w;
        w.track<Position, Health>();
        const entity a = w.spawn(Position{}, Health{});
        (void)w.spawn(Health{});
        tick seen = w.now();
        const auto counts = [&](auto write) {
            expect(changed<Health>(w, seen).empty());
            write();
            expect(changed<Health>(w, seen) == entities{a});
            seen = w.now();
        };
        counts([&] { w.get<Health>(a).points = 5; });
        counts([&] { w.try_get<Health>(a)->points = 5; });
        counts([&] { w.access<Health>()[a].points = 5; });
        counts([&] { w.access<Health>().try_get(a)->points = 5; });
        counts([&] { w.set(a, Health{3}); });
        counts([&] { w.set_batch(std::array{a}, Health{3}); });
        counts([&] { w.set_batch(w.query<Position>(), Health{3}); });
        counts([&] { (void)w.by_id().get(a, pecs::id_of<Health>()); });
        counts([&] {
            const Health value{7};
            w.by_id().set(a, pecs::id_of<Health>(), &value);
        });
        counts([&] {
            pecs::commands later = w.record();
            later.set(a, Health{8});
            w.apply(later);
        });
        const world& reading = w;
        expect(reading.get<Health>(a).points == 8_i and reading.try_get<Health>(a) != nullptr);
        expect(reading.access<Health>()[a].points == 8_i);
        expect(w.try_get<Health>(w.spawn()) == nullptr and w.try_get<Health>(pecs::null) == nullptr);
        expect(changed<Health>(w, seen).empty() and w.validate());
    };

    "a family is as precise as it gets, unless rows are asked for"_test = [] {
        world w;
        w.track<Position, Health>();
        const entity sun = w.spawn();
        const entity moon = w.spawn();
        const entity a = w.spawn(Position{}, Health{}, to<MemberOf>(sun));
        const entity b = w.spawn(Position{}, Health{}, to<MemberOf>(sun));
        const entity c = w.spawn(Position{}, Health{}, to<MemberOf>(moon));
        tick seen = w.now();
        w.get<Position>(a).x = 1;
        w.get<Health>(a).points = 1;
        expect(changed<Position>(w, seen) == entities{a, b});
        expect(changed<Health>(w, seen) == entities{a});
        seen = w.now();
        w.query<Position, Health>().of<MemberOf>(moon).each([](Position&, Health&) {});
        expect(changed<Position>(w, seen) == entities{c} and changed<Health>(w, seen) == entities{c});
    };

    "a tracked term notes the rows that are written, and no others"_test = [] {
        world w;
        w.track<Health, Position>();
        std::vector<entity> all;
        for (int i = 0; i != 10; ++i) all.push_back(w.spawn(Health{i}, Position{}));
        tick seen = w.now();
        w.query<pecs::tracked<Health>>().each([](pecs::tracked_ref<Health> health) {
            if (health->points % 3 == 0) health.write().points += 100;
        });
        expect(changed<Health>(w, seen) == entities{all[0], all[3], all[6], all[9]});
        expect(std::as_const(w).get<Health>(all[3]).points == 103_i);
        seen = w.now();
        for (auto [health, e] : w.query<pecs::tracked<Health>, entity>())
            expect(health.set(Health{7}) == (e != all[7]));
        expect(changed<Health>(w, seen).size() == 9_u and not changed<Health>(w, seen).contains(all[7]));
        seen = w.now();
        for (auto [es, healths] : w.query<pecs::tracked<Health>>().columns()) {
            expect(es.size() == healths.size());
            healths[4].write().points = (*healths[5]).points;
        }
        expect(changed<Health>(w, seen) == entities{all[4]});
        seen = w.now();
        w.query<pecs::tracked<Position>>().each([](auto) {});
        expect(changed<Position>(w, seen).empty());
        w.query<entity, pecs::tracked<Position>>().each([&](entity e, auto position) {
            if (e == all[2]) position.write().x = 1;
        });
        expect(changed<Position>(w, seen).size() == 10_u) << "by family";
        w.query<pecs::tracked<Velocity>>().each([](auto v) { v.write().dx = 1; });
        expect(w.query<pecs::tracked<Health>>().changed<Health>(tick{}).count() == 10_u);
    };

    "a tracked term of a component that is not tracked is a plain reference"_test = [] {
        world w;
        const entity a = w.spawn(Velocity{1, 1});
        w.query<pecs::tracked<Velocity>>().each([](auto v) { v.write().dx = v->dy + 1; });
        expect(w.get<Velocity>(a).dx == 2.0_f);
    };

    "tracked terms may stand at a target"_test = [] {
        world w;
        w.track<Health>();
        const entity squad = w.spawn(Health{});
        const entity other = w.spawn(Health{});
        (void)w.spawn(to<MemberOf>(squad));
        (void)w.spawn(to<MemberOf>(other));
        const tick seen = w.now();
        w.query<>().of<MemberOf>(pecs::having<pecs::tracked<Health>>).each([&](pecs::tracked_ref<Health> h) {
            if (h->points == 100) (void)h;
        });
        expect(changed<Health>(w, seen).empty());
        w.query<>().of<MemberOf>(squad).of<MemberOf>(pecs::having<pecs::tracked<Health>>).each([](auto h) {
            h.write().points = 5;
        });
        expect(changed<Health>(w, seen) == entities{squad});
    };

    "a loop that may write the value of a target changes the target"_test = [] {
        world w;
        w.track<Position, Health>();
        const entity squad = w.spawn(Position{}, Health{});
        const entity other = w.spawn(Position{}, Health{});
        const entity member = w.spawn(Position{}, to<MemberOf>(squad));
        tick seen = w.now();
        w.query<const Position>().of<MemberOf>(pecs::having<Health>).each([](const Position&, Health& h) {
            h.points = 1;
        });
        expect(changed<Health>(w, seen) == entities{squad});
        w.query<const Position>().of<MemberOf>(pecs::having<const Position>).each([](auto&, auto&) {});
        expect(changed<Position>(w, seen).empty());
        w.query<>().of<MemberOf>(pecs::having<Position>).each([](Position&) {});
        expect(changed<Position>(w, seen) == entities{squad, other}) << "one family";
        expect(not changed<Position>(w, seen).contains(member));
    };

    "writing a resource is no change of entities"_test = [] {
        world w;
        w.track<Position>();
        w.set_resource(Clock{});
        (void)w.spawn(Position{});
        const tick seen = w.now();
        w.query<const Position, pecs::res<Clock>, pecs::optional<pecs::res<Clock>>>().each(
            [](const Position&, Clock& c, Clock*) { ++c.step; });
        expect(changed<Position>(w, seen).empty());
    };
}
