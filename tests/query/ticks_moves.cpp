// Queries for changes: what counts as added, and what becomes of ticks when entities move.
#include <boost/ut.hpp>

#include <array>
#include <vector>

#include "ticked.hpp"

import pecs;

namespace {
using pecs::entity;
using pecs::tick;
using pecs::to;
using pecs::world;
using ticked::added;
using ticked::Burning;
using ticked::changed;
using ticked::entities;
using ticked::Frozen;
using ticked::Health;
using ticked::MemberOf;
using ticked::Position;
using ticked::Velocity;
} // namespace

int main() {
    using namespace boost::ut;

    "what gets a component is added, in each of the ways there are"_test = [] {
        world w;
        w.track<Health, Burning, Position>();
        const entity other = w.spawn(Health{}, Burning{});
        tick seen = w.now();
        const auto adds = [&](auto make) {
            expect(added<Health>(w, seen).empty());
            const entity e = make();
            expect(added<Health>(w, seen) == entities{e});
            expect(changed<Health>(w, seen) == entities{e});
            w.despawn(e);
            seen = w.now();
        };
        adds([&] { return w.spawn(Health{}); });
        adds([&] { return w.spawn_batch(1, Health{}, Position{})[0]; });
        adds([&] { return w.spawn_batch<Health>(1)[0]; });
        adds([&] {
            const entity e = w.spawn(Velocity{});
            w.add(e, Health{});
            return e;
        });
        adds([&] {
            const entity e = w.spawn(Velocity{});
            w.set(e, Health{});
            return e;
        });
        adds([&] {
            const entity e = w.spawn(Velocity{});
            w.exchange<Velocity>(e, Health{});
            return e;
        });
        adds([&] {
            const entity e = w.spawn(Velocity{});
            w.add_batch(std::array{e}, Health{});
            return e;
        });
        adds([&] {
            const entity e = w.spawn(Velocity{});
            w.add_batch(w.query<Velocity>(), Health{});
            return e;
        });
        adds([&] { return w.by_id().spawn(std::array{pecs::id_of<Health>()}); });
        adds([&] {
            const entity e = w.spawn();
            w.by_id().add(e, pecs::id_of<Health>());
            return e;
        });
        adds([&] {
            const entity e = w.spawn();
            const Health value{2};
            w.by_id().set(e, pecs::id_of<Health>(), &value);
            return e;
        });
        adds([&] { return w.clone(other); });
        adds([&] { return w.spawn_from(other, Position{}); });
        adds([&] {
            pecs::commands later = w.record();
            const entity e = later.spawn(Health{}, Position{});
            w.apply(later);
            return e;
        });
        adds([&] {
            const entity e = w.spawn();
            pecs::commands later = w.record();
            later.add(e, Health{});
            w.apply(later);
            return e;
        });
        adds([&] {
            w.remove<Health>(other);
            const entity e = w.spawn(Health{});
            w.add(other, Health{}), w.remove<Health>(other);
            return e;
        });
        expect(added<Burning>(w, tick{}) == entities{other});
        expect(w.validate());
    };

    "a component that commands remove and add again counts as added"_test = [] {
        world w;
        w.track<Health, MemberOf>();
        const entity squad = w.spawn();
        const entity a = w.spawn(Health{}, to<MemberOf>(squad));
        const tick seen = w.now();
        pecs::commands later = w.record();
        later.remove<Health>(a);
        later.set(a, Health{3});
        later.unrelate<MemberOf>(a);
        later.relate<MemberOf>(a, squad);
        w.apply(later);
        expect(added<Health>(w, seen) == entities{a} and added<MemberOf>(w, seen) == entities{a});
        expect(w.validate());
    };

    "getting or losing other components is neither a change nor an addition, row by row"_test = [] {
        world w;
        w.track<Health>();
        const entity a = w.spawn(Health{});
        const entity b = w.spawn(Health{});
        const tick seen = w.now();
        w.add(a, Velocity{});
        w.remove<Velocity>(a);
        w.add_batch(w.query<Health>(), Velocity{});
        expect(changed<Health>(w, seen).empty() and added<Health>(w, seen).empty());
        w.get<Health>(b).points = 1;
        w.remove<Velocity>(b);
        w.add(b, Position{});
        expect(changed<Health>(w, seen) == entities{b}) << "the change goes with the entity";
        expect(added<Health>(w, seen).empty());
    };

    "a change goes with the entity to another family"_test = [] {
        world w;
        w.track<Position>();
        const entity a = w.spawn(Position{});
        const entity b = w.spawn(Position{});
        const entity old = w.spawn(Position{}, Velocity{});
        const tick seen = w.now();
        w.add(a, Velocity{});
        expect(changed<Position>(w, seen).empty() and added<Position>(w, seen).empty());
        w.get<Position>(b).x = 1;
        w.add(b, Velocity{});
        expect(changed<Position>(w, seen) == entities{a, b, old}) << "the family of the change";
        expect(added<Position>(w, seen).empty());
    };

    "an empty family forgets its past"_test = [] {
        world w;
        w.track<Position>();
        const entity a = w.spawn(Position{});
        const tick seen = w.now();
        w.add(a, Velocity{}); // nobody is left
        w.query<Position>().each([](Position&) {});
        const tick later = w.now();
        w.add(w.spawn(Position{}), Frozen{});
        w.remove<Velocity>(a);
        expect(changed<Position>(w, seen).size() == 2_u);
        expect(changed<Position>(w, later).size() == 1_u);
    };

    "reparenting changes the relation"_test = [] {
        world w;
        w.track<MemberOf, pecs::child_of>();
        const entity sun = w.spawn();
        const entity moon = w.spawn();
        const entity a = w.spawn(to<pecs::child_of>(sun), to<MemberOf>(sun));
        const entity b = w.spawn(to<pecs::child_of>(moon), to<MemberOf>(sun));
        const entity c = w.spawn(to<pecs::child_of>(moon));
        tick seen = w.now();
        w.reparent(a, moon);
        expect(changed<pecs::child_of>(w, seen) == entities{a}) << "row by row";
        expect(added<pecs::child_of>(w, seen).empty());
        expect(changed<MemberOf>(w, seen).empty());
        expect(w.query<>().of<pecs::child_of>(moon).changed<pecs::child_of>(seen).first() == a);
        expect(w.query<>().changed<pecs::child_of>(seen).of<pecs::child_of>(sun).empty());
        seen = w.now();
        w.relate<pecs::child_of>(a, moon); // it is there already
        w.relate<MemberOf>(a, sun);
        expect(changed<pecs::child_of>(w, seen).empty() and changed<MemberOf>(w, seen).empty());
        w.relate<MemberOf>(a, sun, MemberOf{5});
        expect(changed<MemberOf>(w, seen) == entities{a, b}) << "its data is written";
        seen = w.now();
        w.relate<MemberOf>(c, moon);
        expect(added<MemberOf>(w, seen) == entities{c} and changed<pecs::child_of>(w, seen).empty());
        w.unrelate<MemberOf>(a);
        expect(changed<MemberOf>(w, seen) == entities{c});
        expect(w.validate());
    };

    "reparenting whole families changes the relation, whether rows move or not"_test = [] {
        world w;
        w.track<MemberOf, pecs::child_of, Health>();
        const entity sun = w.spawn();
        const entity moon = w.spawn();
        const entity mars = w.spawn();
        const auto some = w.spawn_batch(4, Health{}, to<pecs::child_of>(sun), to<MemberOf>(sun));
        const entities all{some};
        const entity there = w.spawn(Health{}, to<pecs::child_of>(mars), to<MemberOf>(sun));
        tick seen = w.now();
        w.relate_batch<pecs::child_of>(w.query<>().of<pecs::child_of>(sun), moon); // handed over
        expect(changed<pecs::child_of>(w, seen) == all);
        expect(changed<MemberOf>(w, seen).empty() and changed<Health>(w, seen).empty());
        seen = w.now();
        w.relate_batch<pecs::child_of>(w.query<>().of<pecs::child_of>(moon), mars); // moved
        expect(changed<pecs::child_of>(w, seen) == all and not all.contains(there));
        seen = w.now();
        const std::vector<entity> list = all.list();
        w.relate_batch<MemberOf>(list, moon);
        expect(changed<MemberOf>(w, seen) == all and changed<Health>(w, seen).empty());
        expect(added<MemberOf>(w, seen).empty() and w.validate());
    };

    "the end of a target keeps what is known about its sources"_test = [] {
        world w;
        w.track<Health, Position, MemberOf>();
        const entity sun = w.spawn();
        const entity moon = w.spawn();
        const entity a = w.spawn(Health{}, Position{}, to<MemberOf>(sun));
        const entity b = w.spawn(Health{}, Position{}, to<MemberOf>(moon));
        const tick seen = w.now();
        w.get<Health>(a).points = 1;
        w.get<Position>(b).x = 1;
        w.despawn(sun);
        w.despawn(moon);
        expect(changed<Health>(w, seen) == entities{a});
        expect(changed<Position>(w, seen).contains(b) and changed<MemberOf>(w, seen).empty());
        expect(w.validate());
    };
}
