// Queries for changes of sparse components: each entity has ticks of its own, wherever its value is kept.
#include <boost/ut.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory_resource>
#include <new>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::tick;
using pecs::to;
using pecs::world;

struct Heat { // packed
    static constexpr auto storage = pecs::component_storage::sparse;
    int degrees = 0;
    bool operator==(const Heat&) const = default;
};
struct Root { // stable
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    int degrees = 0;
    bool operator==(const Root&) const = default;
};
struct Chosen {
    static constexpr auto storage = pecs::component_storage::sparse;
};
struct Position {
    float x = 0, y = 0;
};
struct Health {
    static constexpr pecs::change_tracking tracking = pecs::change_tracking::rows;
    int points = 100;
};
struct MemberOf {
    static constexpr pecs::relation_rules rules{};
};
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};

/// A set that the test framework does not try to print.
class entities {
public:
    entities() = default;
    entities(std::initializer_list<entity> list) : all_{list} {}
    explicit entities(std::span<const entity> list) : all_{list.begin(), list.end()} {}
    void insert(entity e) { all_.insert(e); }
    [[nodiscard]] std::size_t size() const { return all_.size(); }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    bool operator==(const entities&) const = default;

private:
    std::set<entity> all_;
};

template <class Query> entities all_of(const Query& query) {
    entities found;
    std::size_t visited = 0;
    query.each_entity([&](entity e) {
        found.insert(e);
        ++visited;
        boost::ut::expect(query.contains(e));
    });
    boost::ut::expect(visited == found.size() and query.count() == visited);
    boost::ut::expect(query.empty() == found.empty());
    return found;
}
template <class T> entities changed(const world& w, tick since) {
    return all_of(w.query<>().changed<T>(since));
}
template <class T> entities added(const world& w, tick since) { return all_of(w.query<>().added<T>(since)); }

/// Gives the memory back that it can, and fails when it is told to.
class failing_memory : public std::pmr::memory_resource {
public:
    bool failing = false;

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (failing) throw std::bad_alloc{};
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }
};

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

    test("conditions combine with each other, with terms, targets, orders and edges: " + kind) = [] {
        world w;
        w.template track<T, Position, Health, pecs::child_of, Chosen>();
        const entity cake = w.spawn();
        const entity sun = w.spawn(Position{}, Health{}, T{});
        const entity mars = w.spawn(Position{}, Health{}, T{}, to<pecs::child_of>(sun));
        const entity moon = w.spawn(Position{}, Health{}, T{}, to<pecs::child_of>(mars), to<Likes>(cake));
        const entity dust = w.spawn(Position{}, Health{}, T{}, to<pecs::child_of>(mars), to<Likes>(cake));
        for (int i = 0; i != 20; ++i) (void)w.spawn(Position{}, Health{});
        const tick seen = w.now();
        w.template get<T>(moon).degrees = 5;
        w.template get<T>(sun).degrees = 5;
        w.template get<Health>(moon).points = 5;
        w.template get<Health>(dust).points = 5;
        w.template get<Position>(dust).x = 5;
        w.add(mars, Chosen{});
        const auto query = w.query<const T>();
        expect(all_of(query.template changed<T>(seen)) == entities{sun, moon});
        expect(all_of(query.template changed<T>(seen).template changed<Health>(seen)) == entities{moon});
        expect(all_of(query.template changed<Health>(seen)) == entities{moon, dust});
        expect(all_of(query.template changed<Position>(seen)) == entities{moon, dust}) << "by family";
        expect(all_of(query.template changed<Position>(seen).template changed<T>(seen)) == entities{moon});
        expect(all_of(query.template changed<T>(tick{}).template added<Chosen>(seen)) == entities{mars});
        expect(all_of(w.query<pecs::without<Chosen>>().template changed<T>(tick{})) ==
               entities{sun, moon, dust});
        expect(all_of(w.query<pecs::any_of<Chosen, pecs::child_of>>().template changed<T>(seen)) ==
               entities{moon});
        expect(all_of(query.template of<pecs::child_of>(mars).template changed<T>(seen)) == entities{moon});
        expect(all_of(query.template changed<T>(seen).template of<pecs::child_of>(sun)).empty());
        expect(all_of(query.template of<pecs::child_of>(pecs::none).template changed<T>(seen)) ==
               entities{sun});
        expect(all_of(query.template of<pecs::child_of>(pecs::having<Chosen>).template changed<T>(seen)) ==
               entities{moon});
        expect(all_of(query.template under<pecs::child_of>(sun).template changed<T>(seen)) == entities{moon});
        expect(all_of(query.template of<Likes>(cake).template changed<T>(seen)) == entities{moon});
        expect(all_of(query.template changed<T>(seen).template of<Likes>(pecs::none)) == entities{sun});
        std::vector<entity> order;
        query.template children_first<pecs::child_of>().template changed<T>(seen).each(
            [&](entity e, const T&) { order.push_back(e); });
        expect(std::ranges::equal(order, std::vector{moon, sun}));
        order.clear();
        for (auto [e] : w.query<entity>().template parents_first<pecs::child_of>().template changed<T>(seen))
            order.push_back(e);
        expect(std::ranges::equal(order, std::vector{sun, moon}));
        std::size_t rows = 0;
        for (auto [es, ps] : w.query<const Position>().template changed<T>(seen).columns()) rows += es.size();
        expect(rows == 2_u);
        expect(query.template changed<T>(seen).contains(moon) and
               not query.template changed<T>(seen).contains(dust));
        expect(not query.template changed<T>(seen).contains(pecs::null));
        expect(query.template changed<T>(seen).get(moon).a.degrees == 5_i);
        w.template disable<T>(moon);
        expect(all_of(query.template changed<T>(seen)) == entities{sun});
    };

    test("a query for changes may write, and feeds batches: " + kind) = [] {
        world w;
        w.template track<T, Health>();
        std::vector<entity> all;
        for (int i = 0; i != 100; ++i) all.push_back(w.spawn(T{i}, Health{}));
        tick seen = w.now();
        for (std::size_t i = 0; i < 100; i += 3) w.template get<T>(all[i]).degrees = 0;
        std::size_t visited = 0;
        w.query<T, Health>().template changed<T>(seen).each([&](T& t, Health&) {
            t.degrees = 1;
            ++visited;
        });
        expect(visited == 34_u and changed<T>(w, seen).size() == 34_u and
               changed<Health>(w, seen).size() == 34_u);
        seen = w.now();
        w.template get<T>(all[5]).degrees = 3;
        w.add_batch(w.query<>().template changed<T>(seen), Chosen{});
        expect(w.template has<Chosen>(all[5]) and w.template query<Chosen>().count() == 1_u);
        w.template remove_batch<T>(w.query<>().template changed<T>(seen));
        expect(not w.template has<T>(all[5]) and changed<T>(w, tick{}).size() == 99_u);
        w.despawn_batch(w.query<>().template changed<T>(tick{}));
        expect(w.size() == 1_u and w.validate());
    };

    test("memory of ticks shows up in the figures, and goes with the values: " + kind) = [] {
        world w;
        const std::vector<entity> all = [&] {
            const auto made = w.spawn_batch(1000, T{});
            return std::vector<entity>(made.begin(), made.end());
        }();
        const std::size_t before = w.stats().bytes_reserved;
        expect(w.stats().bytes_sparse_ticks == 0_u);
        w.template track<T>();
        expect(w.stats().bytes_sparse_ticks >= 16'000_u);
        expect(w.stats().bytes_reserved == before + w.stats().bytes_sparse_ticks);
        w.despawn_batch(std::span{all}.subspan(10));
        w.shrink();
        expect(w.stats().bytes_sparse_ticks == 160_u);
    };

    test("nothing has changed when there is no memory for ticks: " + kind) = [] {
        failing_memory memory;
        world w{&memory};
        const entity a = w.spawn(T{1});
        const tick seen = w.now();
        w.template get<T>(a).degrees = 2;
        memory.failing = true;
        expect(throws<std::bad_alloc>([&] { w.template track<T>(); }));
        expect(throws<std::bad_alloc>([&] { (void)w.query<>().template changed<T>(seen); }));
        memory.failing = false;
        expect(w.validate() and w.stats().bytes_sparse_ticks == 0_u);
        expect(changed<T>(w, seen) == entities{a});
        std::vector<entity> bare;
        for (int i = 0; i != 100; ++i) bare.push_back(w.spawn());
        std::size_t refused = 0;
        const tick later = w.now();
        entities expected;
        for (const entity e : bare) {
            memory.failing = true;
            try {
                w.add(e, T{});
            } catch (const std::bad_alloc&) {
                ++refused;
                memory.failing = false;
                expect(not w.template has<T>(e) and w.validate());
                w.add(e, T{});
            }
            memory.failing = false;
            expected.insert(e);
        }
        expect(refused > 0_u and added<T>(w, later) == expected and w.validate());
    };

    test("several threads may ask for changes for the first time while others write: " + kind) = [] {
        world w;
        (void)w.spawn_batch(1000, T{}, Position{});
        const tick seen = w.now();
        std::vector<std::thread> threads;
        for (int i = 0; i != 3; ++i)
            threads.emplace_back([&] {
                for (int k = 0; k != 20; ++k) {
                    (void)w.query<const Position>().template changed<T>(seen).count();
                    (void)w.query<>().template added<T>(seen).count();
                    (void)w.now();
                }
            });
        threads.emplace_back([&] {
            for (int k = 0; k != 20; ++k) w.query<T>().each([](T& t) { ++t.degrees; });
        });
        for (std::thread& one : threads) one.join();
        expect(changed<T>(w, seen).size() == 1000_u and w.validate());
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
