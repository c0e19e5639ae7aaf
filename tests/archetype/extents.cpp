#include <boost/ut.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

import pecs.archetype;

namespace {
using pecs::detail::extent;
using pecs::detail::extent_allocator;

// Counts what is allocated, and fails when told to.
class test_memory : public std::pmr::memory_resource {
public:
    std::size_t held = 0;
    std::size_t peak = 0;
    std::size_t calls = 0;
    std::size_t calls_left = SIZE_MAX;

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (calls_left == 0) throw std::bad_alloc{};
        --calls_left;
        ++calls;
        held += bytes;
        peak = std::max(peak, held);
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        held -= bytes;
        std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }
};

std::pmr::memory_resource* heap() { return std::pmr::new_delete_resource(); }

bool is(extent e, std::uint32_t first, std::uint32_t capacity) {
    return e.first == first && e.capacity == capacity;
}

// What an archetype does: a family that is full grows in place, or moves to a larger extent. At the end of the arena it
// takes one row at a time.
struct family {
    extent rows;
    std::uint32_t size = 0;
};

void add_one(extent_allocator& arena, family& group) {
    if (group.size == group.rows.capacity) {
        const auto wanted =
            arena.at_end(group.rows) ? group.size + 1 : extent_allocator::next_capacity(group.size + 1);
        if (!arena.try_grow(group.rows, wanted))
            arena.release(std::exchange(group.rows, arena.allocate(wanted)));
    }
    ++group.size;
}

// Rows of the arena per child, when so many children are spread over parents with `fan_out` children each.
double waste(std::uint32_t children, std::uint32_t fan_out, bool shuffled) {
    std::vector<std::uint32_t> parents;
    for (std::uint32_t child = 0; child != children; ++child) parents.push_back(child / fan_out);
    if (shuffled) std::ranges::shuffle(parents, std::mt19937{fan_out});
    extent_allocator arena{heap()};
    std::vector<family> families(children / fan_out + 1);
    for (const auto parent : parents) add_one(arena, families[parent]);
    return static_cast<double>(arena.end()) / children;
}

// The obvious way to do it: one owner per row.
class model {
public:
    void take(extent e, std::uint32_t owner) {
        if (owners_.size() < e.first + e.capacity) owners_.resize(e.first + e.capacity);
        for (std::uint32_t row = e.first; row != e.first + e.capacity; ++row)
            overlap_ = std::exchange(owners_[row], owner) != 0 || overlap_;
    }
    void give(extent e) {
        std::fill_n(owners_.begin() + e.first, e.capacity, 0U);
        while (!owners_.empty() && owners_.back() == 0) owners_.pop_back();
    }
    void clear() { owners_.clear(); }

    [[nodiscard]] bool agrees(const extent_allocator& arena) const {
        return !overlap_ && arena.end() == owners_.size() &&
               std::cmp_equal(arena.free_rows(), std::ranges::count(owners_, 0U)) && arena.valid();
    }
    // How many free rows follow, up to an extent; all there are, at the end.
    [[nodiscard]] std::uint32_t room_behind(extent e) const {
        const auto behind = owners_.begin() + e.first + e.capacity;
        if (behind == owners_.end()) return UINT32_MAX;
        return static_cast<std::uint32_t>(
            std::ranges::find_if(behind, owners_.end(), [](auto o) { return o != 0; }) - behind);
    }

private:
    std::vector<std::uint32_t> owners_;
    bool overlap_ = false;
};
} // namespace

int main() {
    using namespace boost::ut;

    static_assert(std::is_nothrow_move_constructible_v<extent_allocator>);
    static_assert(std::is_nothrow_move_assignable_v<extent_allocator>);
    static_assert(not std::is_copy_constructible_v<extent_allocator>);

    "a new arena is empty"_test = [] {
        const extent_allocator arena{heap()};
        expect(arena.end() == 0_u and arena.free_rows() == 0_u and arena.bytes() == 0_ul);
        expect(arena.valid());
    };

    "extents follow each other while nothing is free"_test = [] {
        extent_allocator arena{heap()};
        expect(is(arena.allocate(3), 0, 3));
        expect(is(arena.allocate(1), 3, 1));
        expect(is(arena.allocate(100), 4, 100));
        expect(arena.end() == 104_u and arena.free_rows() == 0_u);
        expect(arena.valid());
    };

    "an extent without rows is no extent"_test = [] {
        extent_allocator arena{heap()};
        extent e = arena.allocate(0);
        expect(e.capacity == 0_u and not arena.at_end(e));
        expect(not arena.try_grow(e, 1));
        arena.trim(e, 0);
        arena.release(e);
        expect(arena.end() == 0_u and arena.valid());
    };

    "released rows are used again, the best fitting first"_test = [] {
        extent_allocator arena{heap()};
        const extent large = arena.allocate(10);
        (void)arena.allocate(1);
        const extent small = arena.allocate(4);
        (void)arena.allocate(1);
        arena.release(small);
        arena.release(large);
        expect(arena.free_rows() == 14_u);
        expect(is(arena.allocate(4), small.first, 4)) << "the run of 4, though the run of 10 came later";
        expect(is(arena.allocate(4), large.first, 4)) << "the front of the larger run";
        expect(is(arena.allocate(6), large.first + 4, 6)) << "what was left of it";
        expect(arena.free_rows() == 0_u and arena.end() == 16_u);
        expect(arena.valid());
    };

    "a run that is a little too small is passed over"_test = [] {
        extent_allocator arena{heap()};
        const extent seven = arena.allocate(7);
        (void)arena.allocate(1);
        const extent six = arena.allocate(6); // of the same size class
        (void)arena.allocate(1);
        arena.release(seven);
        arena.release(six);
        expect(is(arena.allocate(7), seven.first, 7));
        expect(is(arena.allocate(7), 15, 7));
        expect(arena.valid());
    };

    "free neighbours become one run"_test = [] {
        for (const auto& order :
             {std::vector{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
            for (const std::uint32_t rows : {1U, 2U, 3U, 5U}) {
                extent_allocator arena{heap()};
                std::vector<extent> parts;
                for (int i = 0; i != 3; ++i) parts.push_back(arena.allocate(rows));
                (void)arena.allocate(1);
                for (const int i : order) {
                    arena.release(parts[static_cast<std::size_t>(i)]);
                    expect(arena.valid());
                }
                expect(is(arena.allocate(3 * rows), 0, 3 * rows));
                expect(arena.free_rows() == 0_u);
            }
        }
    };

    "an extent at the end grows in place"_test = [] {
        extent_allocator arena{heap()};
        (void)arena.allocate(2);
        extent e = arena.allocate(2);
        expect(arena.at_end(e));
        expect(arena.try_grow(e, 7));
        expect(is(e, 2, 7) and arena.end() == 9_u);
        expect(arena.try_grow(e, 5)) << "has them already";
        expect(is(e, 2, 7) and arena.valid());
    };

    "an extent grows into the free rows behind it, if they suffice"_test = [] {
        extent_allocator arena{heap()};
        extent e = arena.allocate(2);
        const extent next = arena.allocate(4);
        (void)arena.allocate(1);
        expect(not arena.at_end(e));
        expect(not arena.try_grow(e, 3));
        arena.release(next);
        expect(not arena.try_grow(e, 7)) << "one row more than there are";
        expect(is(e, 0, 2) and arena.free_rows() == 4_u);
        expect(arena.try_grow(e, 3));
        expect(is(e, 0, 3) and arena.free_rows() == 3_u and arena.valid());
        expect(arena.try_grow(e, 6));
        expect(is(e, 0, 6) and arena.free_rows() == 0_u and arena.end() == 7_u and arena.valid());
    };

    "trimming gives back the tail"_test = [] {
        extent_allocator arena{heap()};
        extent a = arena.allocate(8);
        extent b = arena.allocate(8);
        arena.trim(a, 8);
        expect(is(a, 0, 8) and arena.free_rows() == 0_u);
        arena.trim(a, 3);
        expect(is(a, 0, 3) and arena.free_rows() == 5_u and arena.valid());
        arena.trim(b, 1);
        expect(is(b, 8, 1) and arena.end() == 9_u and arena.valid());
        expect(is(arena.allocate(5), 3, 5));
        arena.trim(b, 0);
        expect(b.capacity == 0_u and arena.end() == 8_u and arena.valid());
    };

    "the end moves down over free rows"_test = [] {
        extent_allocator arena{heap()};
        const extent a = arena.allocate(3);
        const extent b = arena.allocate(3);
        const extent c = arena.allocate(3);
        arena.release(b);
        expect(arena.end() == 9_u and arena.free_rows() == 3_u);
        arena.release(c);
        expect(arena.end() == 3_u and arena.free_rows() == 0_u);
        arena.release(a);
        expect(arena.end() == 0_u and arena.valid());
        expect(is(arena.allocate(2), 0, 2));
    };

    "an arena of one extent needs no memory"_test = [] {
        test_memory memory;
        extent_allocator arena{&memory};
        family only;
        for (int i = 0; i != 100'000; ++i) add_one(arena, only);
        expect(arena.try_grow(only.rows, 1'000'000));
        arena.trim(only.rows, 17);
        expect(arena.end() == 17_u and arena.valid());
        arena.release(only.rows);
        only.rows = arena.allocate(5);
        expect(only.rows.first == 0_u and arena.valid());
        arena.reset();
        arena.shrink();
        expect(memory.calls == 0_ul and arena.bytes() == 0_ul);
    };

    "rows beyond the limit are refused and nothing changes"_test = [] {
        extent_allocator arena{heap(), 100};
        const extent low = arena.allocate(10);
        extent high = arena.allocate(80);
        expect(throws<pecs::capacity_exceeded>([&] { (void)arena.allocate(11); }));
        expect(not arena.try_grow(high, 91));
        expect(is(high, 10, 80) and arena.end() == 90_u and arena.valid());
        expect(arena.try_grow(high, 90));
        expect(throws<pecs::capacity_exceeded>([&] { (void)arena.allocate(1); }));
        arena.release(low);
        expect(is(arena.allocate(10), 0, 10)) << "free rows can still be had";
        expect(arena.end() == 100_u and arena.valid());
    };

    "every row number but the last two can be had"_test = [] {
        extent_allocator arena{heap(), UINT32_MAX};
        extent e = arena.allocate(extent_allocator::row_limit);
        expect(arena.end() == 0xFFFFFFFEU);
        expect(not arena.try_grow(e, UINT32_MAX));
        expect(throws<pecs::capacity_exceeded>([&] { (void)arena.allocate(1); }));
        arena.trim(e, 1);
        expect(throws<pecs::capacity_exceeded>([&] { (void)arena.allocate(extent_allocator::row_limit); }));
        expect(arena.end() == 1_u and arena.valid());
    };

    "capacities grow by at most a half"_test = [] {
        std::vector<std::uint32_t> steps;
        for (std::uint32_t rows = 1; rows <= 48; ++rows) {
            const auto capacity = extent_allocator::next_capacity(rows);
            if (steps.empty() or steps.back() != capacity) steps.push_back(capacity);
        }
        expect(steps == std::vector<std::uint32_t>{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48});
        for (std::uint32_t rows = 1; rows < 1U << 31U; rows += rows / 7 + 1) {
            const auto capacity = extent_allocator::next_capacity(rows);
            expect(capacity >= rows and capacity - rows <= rows / 2);
        }
        expect(extent_allocator::next_capacity(0x80000000) == 0x80000000U);
        expect(extent_allocator::next_capacity(0x80000001) == 0xC0000000U);
        expect(extent_allocator::next_capacity(0xC0000001) == 0xFFFFFFFEU);
        expect(extent_allocator::next_capacity(0xFFFFFFFF) == 0xFFFFFFFFU);
    };

    "moving takes everything along"_test = [] {
        test_memory memory;
        test_memory other_memory;
        {
            extent_allocator arena{&memory};
            const extent a = arena.allocate(4);
            (void)arena.allocate(4);
            arena.release(a);
            extent_allocator moved{std::move(arena)};
            expect(moved.end() == 8_u and moved.free_rows() == 4_u and moved.valid());
            // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
            expect(arena.end() == 0_u and arena.bytes() == 0_ul and arena.valid());
            extent_allocator target{&other_memory};
            (void)target.allocate(1);
            (void)target.allocate(1);
            target = std::move(moved);
            expect(other_memory.held == 0_ul);
            expect(target.end() == 8_u and target.valid());
            expect(is(target.allocate(4), 0, 4));
        }
        expect(memory.held == 0_ul);
    };

    "resetting takes all rows back and keeps the memory"_test = [] {
        extent_allocator arena{heap()};
        std::vector<extent> extents;
        for (int i = 0; i != 100; ++i) extents.push_back(arena.allocate(3));
        for (std::size_t i = 0; i != 100; i += 2) arena.release(extents[i]);
        const auto bytes = arena.bytes();
        arena.reset();
        expect(arena.end() == 0_u and arena.free_rows() == 0_u and arena.bytes() == bytes and arena.valid());
        expect(is(arena.allocate(3), 0, 3) and is(arena.allocate(3), 3, 3) and arena.valid());
    };

    "shrinking gives memory back and forgets no free row"_test = [] {
        extent_allocator arena{heap()};
        std::vector<extent> extents;
        for (int i = 0; i != 1000; ++i) extents.push_back(arena.allocate(3));
        for (std::size_t i = 0; i != 1000; ++i)
            if (i > 100 or i % 2 == 0) arena.release(extents[i]);
        const auto bytes = arena.bytes();
        arena.shrink();
        expect(arena.bytes() < bytes / 4 and arena.valid());
        const auto end = arena.end();
        for (int i = 0; i != 50; ++i) (void)arena.allocate(3);
        expect(arena.end() == end and arena.free_rows() == 0_u and arena.valid());
    };

    "when memory runs out, a growing call changes nothing"_test = [] {
        test_memory memory;
        extent_allocator arena{&memory};
        extent first = arena.allocate(10);
        memory.calls_left = 0;
        expect(throws<std::bad_alloc>([&] { (void)arena.allocate(1); }));
        expect(arena.end() == 10_u and arena.valid());
        expect(arena.try_grow(first, 20)) << "still the only one";
        memory.calls_left = 1;
        extent second = arena.allocate(1);
        expect(throws<std::bad_alloc>([&] { (void)arena.try_grow(second, 1'000); }));
        expect(is(second, 20, 1) and arena.end() == 21_u and arena.valid());
        expect(throws<std::bad_alloc>([&] { (void)arena.allocate(1'000); }));
        expect(arena.end() == 21_u and arena.valid());
    };

    "when memory runs out, released rows are not lost"_test = [] {
        for (std::size_t allowed = 0; allowed != 8; ++allowed) {
            test_memory memory;
            extent_allocator arena{&memory};
            std::vector<extent> extents;
            for (int i = 0; i != 1000; ++i) extents.push_back(arena.allocate(1));
            memory.calls_left = allowed;
            for (std::size_t i = 0; i != 1000; i += 2) arena.release(extents[i]);
            expect(arena.free_rows() == 500_u and arena.valid());
            memory.calls_left = SIZE_MAX;
            for (int i = 0; i != 500; ++i) (void)arena.allocate(1);
            expect(arena.end() == 1000_u and arena.free_rows() == 0_u and arena.valid()) << allowed;
        }
    };

    "random extents agree with a model"_test = [] {
        const auto seed = std::random_device{}();
        for (std::uint32_t round = 0; round != 60; ++round) {
            std::mt19937 random{seed + round};
            const auto below = [&](std::uint32_t limit) {
                return static_cast<std::uint32_t>(random() % limit);
            };
            const std::uint32_t largest = std::vector{1U, 2U, 4U, 10U, 100U}[round % 5];
            const std::uint32_t many = 2 + below(100);
            test_memory memory;
            extent_allocator arena{&memory};
            model rows;
            std::vector<extent> extents;
            std::uint32_t owner = 0;
            for (int step = 0; step != 1500; ++step) {
                bool right = true;
                memory.calls_left = below(4) == 0 ? 0 : SIZE_MAX;
                const std::uint32_t wanted = 1 + below(largest);
                if (extents.size() < 1 + below(many)) {
                    try {
                        const extent e = arena.allocate(wanted);
                        right = e.capacity == wanted;
                        rows.take(e, ++owner);
                        extents.push_back(e);
                    } catch (const std::bad_alloc&) {
                        right = memory.calls_left == 0;
                    }
                } else {
                    const std::size_t at = below(static_cast<std::uint32_t>(extents.size()));
                    extent& e = extents[at];
                    const extent before = e;
                    switch (below(3)) {
                    case 0:
                        try {
                            const bool grown = arena.try_grow(e, before.capacity + wanted);
                            right = grown == (rows.room_behind(before) >= wanted) and
                                    is(e, before.first, before.capacity + (grown ? wanted : 0));
                            rows.take({before.first + before.capacity, e.capacity - before.capacity},
                                      ++owner);
                        } catch (const std::bad_alloc&) {
                            right = memory.calls_left == 0 and is(e, before.first, before.capacity);
                        }
                        break;
                    case 1:
                        arena.trim(e, 1 + below(before.capacity));
                        rows.give({e.first + e.capacity, before.capacity - e.capacity});
                        break;
                    default:
                        arena.release(e);
                        rows.give(before);
                        e = extents.back();
                        extents.pop_back();
                    }
                }
                memory.calls_left = SIZE_MAX;
                if (below(500) == 0) arena.shrink();
                if (below(1000) == 0) {
                    arena.reset();
                    rows.clear();
                    extents.clear();
                }
                if (not right or not rows.agrees(arena)) {
                    expect(false) << "seed" << seed << "round" << round << "step" << step;
                    return;
                }
            }
            for (const extent e : extents) arena.release(e);
            expect(arena.end() == 0_u and arena.valid()) << "seed" << seed << "round" << round;
        }
    };

    "memory stays bounded while extents come and go"_test = [] {
        test_memory memory;
        extent_allocator arena{&memory};
        std::mt19937 random{1};
        std::vector<extent> extents;
        for (int i = 0; i != 1'000; ++i) extents.push_back(arena.allocate(4));
        for (int i = 0; i != 1'000'000; ++i) {
            extent& e = extents[random() % extents.size()];
            arena.release(e);
            const auto rows = static_cast<std::uint32_t>(1 + random() % 10);
            e = arena.allocate(extent_allocator::next_capacity(rows));
        }
        std::uint32_t live = 0;
        for (const extent e : extents) live += e.capacity;
        expect(arena.end() < live + live / 4) << arena.end() << "rows for" << live;
        expect(memory.peak < std::size_t{16} * live) << memory.peak << "bytes for" << live << "rows";
        expect(arena.valid());
    };

    "an arena that is emptied again and again does not grow"_test = [] {
        extent_allocator arena{heap()};
        std::size_t bytes = 0;
        for (int round = 0; round != 1'000; ++round) {
            std::vector<extent> extents;
            for (std::uint32_t i = 0; i != 100; ++i) extents.push_back(arena.allocate(1 + i % 10));
            for (std::size_t i = 0; i != 100; ++i) arena.release(extents[i * 37 % 100]);
            expect(arena.end() == 0_u);
            if (round == 10) bytes = arena.bytes();
        }
        expect(arena.bytes() == bytes);
    };

    "children in parent order waste no rows, shuffled ones less than three for four children"_test = [] {
        for (const std::uint32_t fan_out : {1U, 4U, 10U, 100U, 1000U})
            expect(waste(100'000, fan_out, false) == 1.0_d) << fan_out;
        double sum = 0;
        for (const std::uint32_t fan_out : {1U, 4U, 10U, 100U, 1000U}) sum += waste(100'000, fan_out, true);
        expect(sum / 5 < 1.3_d) << sum / 5;
        for (const std::uint32_t fan_out : {2U, 3U, 5U, 9U, 17U, 33U, 65U, 129U, 600U})
            expect(waste(100'000, fan_out, true) < 1.75_d) << fan_out;
    };
}
