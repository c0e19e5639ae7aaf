// The pool gives every entity a handle that no other entity of its world ever has.
#include <boost/ut.hpp>

#include "../support/memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

import pecs.archetype;

namespace {
using pecs::detail::entity_pool;
using pecs::entity;

std::pmr::memory_resource* heap() { return std::pmr::new_delete_resource(); }

entity create(entity_pool& pool, std::uint32_t row = 0) {
    pool.reserve(1);
    return pool.create(0, row, 0);
}

/// The next handles, one by one.
std::vector<entity> create(entity_pool& pool, std::size_t count, std::uint32_t first_row) {
    std::vector<entity> made;
    for (std::size_t i = 0; i != count; ++i)
        made.push_back(create(pool, first_row + static_cast<std::uint32_t>(i)));
    return made;
}

/// A pool with free indices and live ones behind them.
void mix_up(entity_pool& pool) {
    const auto made = create(pool, 10, 0);
    for (const std::size_t i : {3U, 7U, 1U}) pool.destroy(made[i]);
}
} // namespace

int main() {
    using namespace boost::ut;

    "a new pool is empty"_test = [] {
        const entity_pool pool{heap()};
        expect(pool.alive_count() == 0_ul and pool.index_count() == 0_ul and pool.bytes() == 0_ul);
        expect(pool.valid());
    };

    "new entities count up from index 0, generation 1"_test = [] {
        entity_pool pool{heap()};
        for (std::uint32_t i = 0; i != 100; ++i) expect(create(pool) == entity{i, 1});
        expect(pool.alive_count() == 100_ul and pool.index_count() == 100_ul);
        expect(pool.valid());
    };

    "a record remembers where its entity is"_test = [] {
        entity_pool pool{heap()};
        pool.reserve(2);
        (void)pool.create(1, 2, 3);
        const entity e = pool.create(7, 8, 9);
        expect(pool[e].archetype == 7_u and pool[e].row == 8_u and pool[e].family == 9_u);
        expect(pool[e].generation == e.generation());
        expect(&pool[e] == pool.data() + e.index());
    };

    "a freed index is used again with the next generation"_test = [] {
        entity_pool pool{heap()};
        const entity first = create(pool);
        pool.destroy(first);
        expect(not pool.alive(first));
        const entity second = create(pool);
        expect(second == entity{first.index(), first.generation() + 1});
        expect(pool.alive(second) and not pool.alive(first));
        expect(pool.valid());
    };

    "the index freed last is used first"_test = [] {
        entity_pool pool{heap()};
        mix_up(pool);
        expect(create(pool) == entity{1, 2});
        expect(create(pool) == entity{7, 2});
        expect(create(pool) == entity{3, 2});
        expect(create(pool) == entity{10, 1});
        expect(pool.valid());
    };

    "peek tells the next handles and changes nothing"_test = [] {
        entity_pool pool{heap()};
        mix_up(pool);
        std::array<entity, 6> next;
        pool.peek(next.data(), next.size());
        expect(pool.alive_count() == 7_ul and pool.index_count() == 10_ul and pool.valid());
        expect(std::ranges::equal(next, create(pool, next.size(), 0)));
    };

    "a run of creations gives the handles and rows of single ones"_test = [] {
        for (const std::size_t count : {0U, 1U, 3U, 4U, 50U}) {
            entity_pool one{heap()};
            entity_pool run{heap()};
            mix_up(one);
            mix_up(run);
            std::vector<entity> next(count);
            run.peek(next.data(), count);
            run.reserve(count);
            run.create_run(count, 0, 20, 0);
            expect(std::ranges::equal(create(one, count, 20), next));
            for (const entity e : next) expect(run.alive(e) and run[e].row == one[e].row);
            expect(run.alive_count() == one.alive_count() and run.valid());
            expect(create(run) == create(one)) << "the next handle, too";
        }
    };

    "ending all entities leaves every index free, the smallest first"_test = [] {
        entity_pool pool{heap()};
        mix_up(pool);
        pool.destroy_all();
        expect(pool.alive_count() == 0_ul and pool.index_count() == 10_ul and pool.valid());
        expect(create(pool) == entity{0, 2});
        expect(create(pool) == entity{1, 2}) << "was free, so its generation had been counted already";
        expect(create(pool) == entity{2, 2});
        for (std::uint32_t i = 3; i != 10; ++i) expect(create(pool) == entity{i, 2});
        expect(create(pool) == entity{10, 1});
    };

    "handles that were never given are dead"_test = [] {
        entity_pool pool{heap()};
        expect(not pool.alive(pecs::null)) << "in an empty pool";
        const entity live = create(pool);
        const entity freed = create(pool);
        pool.destroy(freed);
        expect(not pool.alive(pecs::null));
        expect(not pool.alive(entity{live.index(), 0}) and not pool.alive(entity{live.index(), 2}));
        expect(not pool.alive(entity{freed.index(), 2})) << "the next generation of a free index";
        expect(not pool.alive(entity{2, 1})) << "the next index";
        expect(not pool.alive(entity{0xFFFFFFFF, 1}) and not pool.alive(entity{0xFFFFFFFF, 0xFFFFFFFF}));
    };

    "an index whose generations are used up is retired"_test = [] {
        entity_pool pool{heap(), 100, 3};
        for (std::uint32_t generation = 1; generation != 4; ++generation) {
            const entity e = create(pool);
            expect(e == entity{0, generation});
            pool.destroy(e);
        }
        expect(pool.retired_count() == 1_ul and pool.valid());
        expect(create(pool) == entity{1, 1});
        for (std::uint32_t generation = 0; generation != 5; ++generation)
            expect(not pool.alive(entity{0, generation}));
    };

    "a run of entities that ends retires those in their last generation alone"_test = [] {
        entity_pool pool{heap(), 100, 2};
        const auto first = create(pool, 3, 0);
        pool.destroy(first[1]);
        const entity last = create(pool);
        const std::array run{first[0], last, first[2]};
        pool.destroy_run(run.data(), run.size());
        expect(pool.retired_count() == 1_ul and pool.alive_count() == 0_ul and pool.valid());
        expect(not pool.alive(last) and not pool.alive(entity{1, 0}));
        expect(create(pool) == entity{2, 2} and create(pool) == entity{0, 2});
        expect(create(pool) == entity{3, 1}) << "index 1 never comes again";
    };

    "ending all entities retires indices as well"_test = [] {
        entity_pool pool{heap(), 100, 2};
        const auto first = create(pool, 3, 0);
        pool.destroy(first[1]);
        (void)create(pool); // index 1 is in its last generation
        pool.destroy_all();
        expect(pool.retired_count() == 1_ul and pool.valid());
        expect(create(pool) == entity{0, 2});
        expect(create(pool) == entity{2, 2});
        expect(create(pool) == entity{3, 1});
        pool.destroy_all();
        pool.destroy_all();
        expect(pool.retired_count() == 3_ul and pool.valid()) << "retired once, not again";
        expect(create(pool) == entity{3, 2});
    };

    "the last generation there is does not wrap around"_test = [] {
        constexpr std::uint32_t last = 0xFFFFFFFF;
        const entity_pool whole{heap()};
        expect(not whole.alive(entity{0, last}));
        entity_pool pool{heap(), 100, 1};
        pool.destroy(create(pool));
        expect(create(pool) == entity{1, 1}) << "not {0, 2}, and not {0, 0}";
    };

    "past the limit there is an error, and nothing has changed"_test = [] {
        entity_pool pool{heap(), 4};
        const auto made = create(pool, 3, 0);
        expect(throws<pecs::capacity_exceeded>([&] { pool.reserve(2); }));
        expect(throws<pecs::capacity_exceeded>([&] { pool.reserve(static_cast<std::size_t>(-1)); }));
        expect(pool.alive_count() == 3_ul and pool.valid());
        expect(create(pool) == entity{3, 1});
        expect(throws<pecs::capacity_exceeded>([&] { pool.reserve(1); }));
        pool.destroy(made[1]);
        expect(create(pool) == entity{1, 2}) << "free indices count as room";
    };

    "a retired index still counts towards the limit"_test = [] {
        entity_pool pool{heap(), 2, 1};
        pool.destroy(create(pool));
        pool.destroy(create(pool));
        expect(pool.retired_count() == 2_ul);
        expect(throws<pecs::capacity_exceeded>([&] { pool.reserve(1); }));
        expect(pool.valid());
    };

    "once room is reserved, nothing is allocated"_test = [] {
        support::watched_memory memory;
        {
            entity_pool pool{&memory};
            pool.reserve(1000);
            const auto before = memory.allocations();
            for (int i = 0; i != 500; ++i) (void)pool.create(0, 0, 0);
            pool.create_run(500, 0, 0, 0);
            pool.destroy_all();
            expect(memory.allocations() == before);
            expect(pool.bytes() == memory.bytes());
        }
        expect(memory.clean());
    };

    "a failed reservation changes nothing"_test = [] {
        support::watched_memory memory{1024};
        entity_pool pool{&memory};
        const auto made = create(pool, 10, 0);
        pool.destroy(made[4]);
        expect(throws<std::bad_alloc>([&] { pool.reserve(1000); }));
        expect(pool.valid() and pool.alive_count() == 9_ul);
        expect(create(pool) == entity{4, 2});
    };

    "shrinking gives back unused room and keeps the generations"_test = [] {
        support::watched_memory memory;
        entity_pool pool{&memory};
        pool.reserve(1000);
        mix_up(pool);
        pool.shrink();
        expect(memory.bytes() == 10 * sizeof(pecs::detail::entity_record));
        expect(pool.valid());
        expect(create(pool) == entity{1, 2});
    };

    "promised handles are those of nobody else, and records follow"_test = [] {
        support::watched_memory memory;
        {
            entity_pool pool{&memory};
            mix_up(pool);
            auto& a = pool.attach(&memory);
            auto& b = pool.attach(&memory);
            std::vector<entity> all;
            for (int i = 0; i != 40; ++i) all.push_back(pool.give(a)); // more than a block
            all.push_back(pool.give(b));
            expect(pool.index_count() == 10_ul and !pool.alive(all[0]));
            for (const entity e : create(pool, 6, 0)) all.push_back(e); // three of them are new indices
            expect(pool.valid() and pool.bytes() == memory.bytes());
            all.push_back(pool.give(a));
            pool.settle();
            std::ranges::sort(all);
            expect(std::ranges::adjacent_find(all) == all.end() and pool.valid());
            expect(pool.alive_count() == 13_ul);
        }
        expect(memory.clean());
    };

    "a stock is taken out of the free indices, and given back by an orphan"_test = [] {
        entity_pool pool{heap()};
        mix_up(pool);
        auto& source = pool.attach(heap());
        pool.restock(source, 4);
        const entity first = pool.give(source);
        expect(first == entity{1, 2} and pool.alive_count() == 7_ul and pool.valid());
        pool.activate(first, 0, 5, 0);
        expect(pool.alive(first) and pool[first].row == 5_u and pool.alive_count() == 8_ul);
        const entity second = pool.give(source);
        pool.destroy_all();
        expect(pool.valid() and pool.alive_count() == 0_ul);
        source.dropped.push_back(second);
        source.orphaned = true;
        pool.settle();
        expect(pool.valid());
        const auto made = create(pool, 11, 0);
        expect(pool.index_count() == 11_ul and std::ranges::find(made, second) == made.end());
    };
}
