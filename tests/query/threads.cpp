// Several threads read one world at once: first uses, updates after a change, loops, look-ups. Built with the thread
// sanitizer this shows every race.
#include <boost/ut.hpp>

#include "../support/parallel.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
using support::in_parallel;

struct A {
    int value;
};
struct B {
    int value;
};
template <int> struct Mark {};
} // namespace

int main() {
    using namespace boost::ut;

    "queries, typed and not, may be used from several threads at once"_test = [] {
        world w;
        std::atomic<long> total = 0;
        for (int round = 0; round != 20; ++round) {
            w.spawn_batch(100, A{1});
            w.spawn_batch(50, A{1}, B{2});
            if (round % 3 == 0) w.spawn(A{0}, Mark<1>{});
            if (round % 7 == 0) w.shrink();
            const world& shared = w;
            total = 0;
            in_parallel([&](int) { // all at once meet the query for the first time, or after a change
                long sum = 0;
                shared.query<const A>().each([&](const A& a) { sum += a.value; });
                for (auto [a, b] : shared.query<const A, const B>()) sum += b.value - a.value;
                sum += static_cast<long>(shared.query<pecs::with<Mark<1>>>().count());
                for (auto [entities, values] : shared.query<const B, Mark<2>>().columns())
                    sum += static_cast<long>(entities.size() + values.size());
                total += sum;
            });
            expect(total.load() == 4L * ((round + 1) * 200 + (round / 3 + 1)));
        }
    };

    "look-ups may run beside loops"_test = [] {
        world w;
        const auto span = w.spawn_batch(1000, A{3});
        const std::vector<entity> all(span.begin(), span.end());
        const world& shared = w;
        std::atomic<std::size_t> right = 0;
        in_parallel([&](int thread) {
            std::size_t good = 0;
            const auto access = shared.access<A>();
            for (const entity e : all)
                good += thread % 2 == 0
                            ? (access[e].value == 3 ? 1U : 0U)
                            : (shared.get<A>(e).value == 3 && shared.try_get<B>(e) == nullptr ? 1U : 0U);
            right += good;
        });
        expect(right.load() == 4000_ul);
    };

    "threads that write different values do not meet"_test = [] {
        world w;
        w.spawn_batch(1000, A{0}, B{0});
        in_parallel([&](int thread) {
            if (thread == 0) w.query<A>().each([](A& a) { a.value = 1; });
            if (thread == 1) w.query<B>().each([](B& b) { b.value = 2; });
        });
        long sum = 0;
        w.query<const A, const B>().each([&](const A& a, const B& b) { sum += a.value + b.value; });
        expect(sum == 3000_l);
    };

    "worlds of different threads are independent"_test = [] {
        std::atomic<std::size_t> right = 0;
        in_parallel([&](int thread) {
            world w;
            for (int i = 0; i != 200; ++i) {
                const entity e = w.spawn(A{i});
                if (i % 3 == thread % 3) w.add(e, B{i});
            }
            right += w.query<A>().count() == 200 && w.validate() ? 1U : 0U;
        });
        expect(right.load() == 4_ul);
    };
}
