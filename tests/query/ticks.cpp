// Queries for changes: what was written, added or related since a tick, by family or by row.
#include <boost/ut.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory_resource>
#include <new>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::tick;
using pecs::to;
using pecs::world;

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float dx = 0, dy = 0;
};
struct Health {
    static constexpr pecs::change_tracking tracking = pecs::change_tracking::rows;
    int points = 100;
    bool operator==(const Health&) const = default;
};
struct Burning {
    static constexpr pecs::change_tracking tracking = pecs::change_tracking::rows;
};
struct Frozen {};
struct MemberOf {
    static constexpr pecs::relation_rules rules{};
    int rank = 0;
};
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};
struct Clock {
    int step = 1;
};

/// A set that the test framework does not try to print.
class entities {
public:
    entities() = default;
    entities(std::initializer_list<entity> list) : all_{list} {}
    explicit entities(std::span<const entity> list) : all_{list.begin(), list.end()} {}
    void insert(entity e) { all_.insert(e); }
    [[nodiscard]] bool contains(entity e) const { return all_.contains(e); }
    [[nodiscard]] std::size_t size() const { return all_.size(); }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] std::vector<entity> list() const { return {all_.begin(), all_.end()}; }
    bool operator==(const entities&) const = default;

private:
    std::set<entity> all_;
};

template <class Query> entities all_of(const Query& query) {
    entities found;
    query.each_entity([&](entity e) { found.insert(e); });
    boost::ut::expect(query.count() == found.size());
    boost::ut::expect(query.empty() == found.empty());
    boost::ut::expect(found.contains(query.first()) or found.empty());
    return found;
}
template <class T> entities changed(const world& w, tick since) {
    return all_of(w.query<>().changed<T>(since));
}
template <class T> entities added(const world& w, tick since) { return all_of(w.query<>().added<T>(since)); }
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

    "conditions combine with each other, with terms, targets and orders"_test = [] {
        world w;
        w.track<Position, Health, Velocity, pecs::child_of>();
        const entity sun = w.spawn(Position{}, Health{});
        const entity mars = w.spawn(Position{}, Health{}, to<pecs::child_of>(sun));
        const entity moon = w.spawn(Position{}, Health{}, to<pecs::child_of>(mars));
        const entity dust = w.spawn(Position{}, Health{}, to<pecs::child_of>(mars));
        const tick seen = w.now();
        w.get<Health>(moon).points = 5;
        w.get<Health>(sun).points = 5;
        w.get<Position>(dust).x = 5;
        w.add(mars, Velocity{});
        const auto query = w.query<const Health>();
        expect(all_of(query.changed<Health>(seen)) == entities{sun, moon});
        expect(all_of(query.changed<Health>(seen).changed<Position>(seen)) == entities{moon});
        expect(all_of(query.changed<Position>(seen)) == entities{moon, dust});
        expect(all_of(query.of<pecs::child_of>(mars).changed<Position>(seen)) == entities{moon, dust});
        expect(all_of(query.changed<Position>(seen).of<pecs::child_of>(sun)).empty());
        expect(all_of(w.query<pecs::with<Velocity>>().added<Velocity>(seen)) == entities{mars});
        expect(all_of(w.query<pecs::without<pecs::child_of>>().changed<Health>(seen)) == entities{sun});
        expect(all_of(query.of<pecs::child_of>(pecs::none).changed<Health>(seen)) == entities{sun});
        expect(all_of(query.of<pecs::child_of>(pecs::any).changed<Health>(seen)) == entities{moon});
        expect(all_of(query.of<pecs::child_of>(pecs::having<Velocity>).changed<Health>(seen)) ==
               entities{moon});
        expect(all_of(query.under<pecs::child_of>(sun).changed<Health>(seen)) == entities{moon});
        std::vector<entity> order;
        query.children_first<pecs::child_of>().changed<Health>(seen).each(
            [&](entity e, const Health&) { order.push_back(e); });
        expect(std::ranges::equal(order, std::vector{moon, sun}));
        order.clear();
        for (auto [e, p] :
             w.query<entity, const Position>().parents_first<pecs::child_of>().changed<Position>(seen))
            order.push_back(e);
        expect(std::ranges::equal(order, std::vector{moon, dust}));
        for (auto [parent, es, ps] :
             w.query<const Position>().changed<Position>(seen).families<pecs::child_of>())
            expect(parent == mars and es.size() == 2_u and ps.size() == 2_u);
        for (auto [es, hs] : query.changed<Health>(seen).columns())
            expect(es.size() == 1_u and hs[0].points == 5_i);
        expect(query.changed<Health>(seen).contains(moon) and not query.changed<Health>(seen).contains(dust));
        expect(not query.changed<Health>(seen).contains(pecs::null));
        expect(query.changed<Health>(seen).of<pecs::child_of>(mars).single().a.points == 5_i);
        expect(query.changed<Health>(seen).get(moon).a.points == 5_i);
    };

    "conditions on changes and on edges combine"_test = [] {
        world w;
        w.track<Position, Health>();
        const entity cake = w.spawn();
        const entity a = w.spawn(Position{}, Health{}, to<Likes>(cake));
        const entity b = w.spawn(Position{}, Health{});
        const entity c = w.spawn(Position{}, Health{}, to<Likes>(cake));
        const tick seen = w.now();
        w.get<Health>(a).points = 1;
        w.get<Health>(b).points = 1;
        expect(all_of(w.query<>().of<Likes>(cake).changed<Health>(seen)) == entities{a});
        expect(all_of(w.query<>().changed<Health>(seen).of<Likes>(cake)) == entities{a});
        expect(all_of(w.query<>().changed<Health>(seen).of<Likes>(pecs::none)) == entities{b});
        w.get<Position>(c).x = 1;
        expect(all_of(w.query<>().of<Likes>(cake).changed<Position>(seen)) == entities{a, c});
        expect(all_of(w.query<>().of<Likes>(pecs::any).changed<Position>(seen)) == entities{a, c});
    };

    "a query for changes may write, and goes through each entity once"_test = [] {
        world w;
        w.track<Health, Position>();
        std::vector<entity> all;
        for (int i = 0; i != 100; ++i) all.push_back(w.spawn(Health{i}, Position{}));
        tick seen = w.now();
        for (std::size_t i = 0; i < 100; i += 3) w.get<Health>(all[i]).points = 0;
        std::size_t visited = 0;
        w.query<Health, Position>().changed<Health>(seen).each([&](Health& h, Position&) {
            h.points = 1;
            ++visited;
        });
        expect(visited == 34_u);
        expect(changed<Health>(w, seen).size() == 34_u and changed<Position>(w, seen).size() == 100_u);
        seen = w.now();
        w.despawn_batch(w.query<Position>().changed<Health>(tick{}).changed<Position>(seen));
        expect(w.size() == 100_u);
        w.get<Health>(all[5]).points = 3;
        w.add_batch(w.query<Position>().changed<Health>(seen), Frozen{});
        expect(w.has<Frozen>(all[5]) and w.query<pecs::with<Frozen>>().count() == 1_u);
        expect(changed<Position>(w, seen).empty()) << "a batch hands nothing out";
        w.despawn_batch(w.query<>().changed<Health>(seen));
        expect(w.size() == 99_u and not w.alive(all[5]) and w.validate());
    };

    "compact and shrink keep ticks"_test = [] {
        world w;
        w.track<Health, Position, pecs::child_of>();
        std::vector<entity> parents;
        for (int i = 0; i != 20; ++i) parents.push_back(w.spawn());
        std::vector<entity> all;
        for (int i = 0; i != 200; ++i)
            all.push_back(w.spawn(Health{}, Position{},
                                  to<pecs::child_of>(parents[static_cast<std::size_t>(i) % parents.size()])));
        for (std::size_t i = 0; i < 200; i += 7) w.despawn(all[i]);
        const tick seen = w.now();
        for (std::size_t i = 1; i < 200; i += 7) w.get<Health>(all[i]).points = 1;
        w.get<Position>(all[2]).x = 1;
        w.reparent(all[1], parents[7]);
        const entities healths = changed<Health>(w, seen);
        const entities positions = changed<Position>(w, seen);
        const entities moved = changed<pecs::child_of>(w, seen);
        expect(moved == entities{all[1]});
        w.compact();
        expect(changed<Health>(w, seen) == healths and changed<Position>(w, seen) == positions and
               w.validate());
        w.shrink();
        expect(changed<Health>(w, seen) == healths and changed<Position>(w, seen) == positions);
        expect(changed<pecs::child_of>(w, seen) == moved and added<Health>(w, seen).empty() and w.validate());
    };

    "the ticks of removed types and of ended worlds are forgotten"_test = [] {
        world w;
        w.track<Health>();
        const entity a = w.spawn(Health{});
        const tick seen = w.now();
        w.remove<Health>(a);
        expect(changed<Health>(w, seen).empty());
        w.add(a, Health{});
        expect(added<Health>(w, seen) == entities{a});
        w.clear();
        expect(changed<Health>(w, tick{}).empty());
        const entity b = w.spawn(Health{});
        expect(added<Health>(w, seen) == entities{b} and w.validate());
        world moved{std::move(w)};
        expect(added<Health>(moved, seen) == entities{b} and moved.validate());
    };

    "siblings that change places are changed"_test = [] {
        world w;
        w.track<pecs::sibling_rank<pecs::child_of>>();
        const entity parent = w.spawn();
        const entity a = w.spawn(to<pecs::child_of>(parent));
        const entity b = w.spawn(to<pecs::child_of>(parent));
        w.place_all(std::array{a, b});
        const tick seen = w.now();
        w.place_first(b);
        expect(changed<pecs::sibling_rank<pecs::child_of>>(w, seen).contains(b));
    };

    "memory of ticks shows up in the figures"_test = [] {
        world w;
        (void)w.spawn_batch(1000, Health{}, Position{});
        const auto ticks = [&] {
            std::size_t total = 0;
            for (const pecs::archetype_stats& one : w.stats().archetypes) total += one.bytes_ticks;
            return total;
        };
        const std::size_t before = w.stats().bytes_reserved;
        expect(ticks() == 0_u);
        w.track<Position>();
        expect(ticks() > 0_u and ticks() < 200_u) << "one pair for all";
        w.track<Health>();
        expect(ticks() >= 16'000_u);
        expect(w.stats().bytes_reserved == before + ticks());
    };

    "several threads may ask for changes, and write, at once"_test = [] {
        world w;
        (void)w.spawn_batch(1000, Health{}, Position{});
        const tick seen = w.now();
        std::vector<std::thread> threads;
        for (int i = 0; i != 4; ++i)
            threads.emplace_back([&] {
                for (int k = 0; k != 50; ++k) {
                    (void)w.query<const Health>().changed<Health>(seen).count();
                    (void)w.query<const Position>().added<Position>(seen).count();
                    (void)w.now();
                }
            });
        threads.emplace_back([&] {
            for (int k = 0; k != 50; ++k) w.query<Velocity, Health>().each([](Velocity&, Health&) {});
        });
        for (std::thread& one : threads) one.join();
        expect(changed<Health>(w, seen).size() == 1000_u and w.validate());
    };

    "if there is no memory for ticks, nothing has changed"_test = [] {
        class budget : public std::pmr::memory_resource {
        public:
            std::size_t left = static_cast<std::size_t>(-1);

        private:
            void* do_allocate(std::size_t bytes, std::size_t alignment) override {
                if (left < bytes) throw std::bad_alloc{};
                left -= bytes;
                return std::pmr::new_delete_resource()->allocate(bytes, alignment);
            }
            void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
                std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
            }
            [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
                return this == &other;
            }
        };
        budget memory;
        {
            world w{&memory};
            (void)w.spawn_batch(100, Health{}, Position{});
            (void)w.spawn_batch(100, Health{}, Velocity{});
            for (std::size_t left = 0; left < 20'000; left += 100) {
                memory.left = left;
                try {
                    w.track<Health>();
                    memory.left = static_cast<std::size_t>(-1);
                    break;
                } catch (const std::bad_alloc&) {
                    memory.left = static_cast<std::size_t>(-1);
                    expect(w.validate());
                }
            }
            const tick seen = w.now();
            expect(w.query<>().changed<Health>(tick{}).count() == 200_u);
            for (std::size_t left = 0; left < 40'000; left += 500) {
                memory.left = left;
                try {
                    (void)w.spawn_batch(200, Health{}, Position{});
                    memory.left = static_cast<std::size_t>(-1);
                    break;
                } catch (const std::bad_alloc&) {
                    memory.left = static_cast<std::size_t>(-1);
                    expect(w.validate() and w.query<>().changed<Health>(seen).empty());
                }
            }
            expect(w.query<>().added<Health>(seen).count() == 200_u and w.validate());
        }
    };
}
