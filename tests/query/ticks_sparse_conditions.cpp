// Queries for changes of sparse components among other conditions; memory and threads of their ticks.
#include <boost/ut.hpp>

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ticked.hpp"

import pecs;

namespace {
using pecs::entity;
using pecs::tick;
using pecs::to;
using pecs::world;
using ticked::added;
using ticked::all_of;
using ticked::changed;
using ticked::Chosen;
using ticked::entities;
using ticked::Health;
using ticked::Heat;
using ticked::Likes;
using ticked::Position;
using ticked::Root;

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
}
