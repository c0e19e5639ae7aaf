// Queries for changes among other conditions; memory and threads of ticks.
#include <boost/ut.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <thread>
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
using ticked::all_of;
using ticked::changed;
using ticked::entities;
using ticked::Frozen;
using ticked::Health;
using ticked::Likes;
using ticked::Position;
using ticked::Velocity;
} // namespace

int main() {
    using namespace boost::ut;

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
