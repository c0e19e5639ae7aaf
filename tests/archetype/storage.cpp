// Archetypes, the index that finds them by mask, and the graph that remembers where a change of components
// leads.
#include <boost/ut.hpp>

#include "../support/memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <new>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

import pecs.archetype;

namespace {
using pecs::component_id;
using pecs::component_mask;
using pecs::detail::buffer;
using pecs::detail::storage;
using pecs::entity;

constexpr std::uint32_t absent = pecs::detail::none;

struct A {
    int value;
};
struct B {
    int value;
};
struct C {
    int value;
};
struct Marked {};

std::pmr::memory_resource* heap() { return std::pmr::new_delete_resource(); }

template <class... Ts> std::uint32_t adding() {
    return pecs::detail::static_bundle<true>(pecs::detail::types<Ts...>{}, pecs::detail::types<>{});
}
template <class... Ts> std::uint32_t removing() {
    return pecs::detail::static_bundle<true>(pecs::detail::types<>{}, pecs::detail::types<Ts...>{});
}

template <class T> void write(const storage& s, entity e, int number) {
    const T value{number};
    std::memcpy(s.find(e, pecs::id_of<T>(), sizeof(T)), &value, sizeof(T));
}
template <class T> int read(const storage& s, entity e) {
    T value{};
    std::memcpy(&value, s.find(e, pecs::id_of<T>(), sizeof(T)), sizeof(T));
    return value.value;
}

/// An entity that got its components one after another.
template <class... Ts> entity spawn_stepwise(storage& s) {
    const entity e = s.spawn(adding<>()).which;
    (s.change(e, adding<Ts>()), ...);
    return e;
}

std::uint32_t archetype_of(const storage& s, entity e) { return s.entities()[e].archetype; }

std::size_t archetype_count(const storage& s) {
    std::size_t count = 0;
    for (std::uint32_t id = 0; id != s.archetype_slots(); ++id)
        count += s.archetype_at(id) != nullptr ? 1 : 0;
    return count;
}
} // namespace

int main() {
    using namespace boost::ut;

    "a new storage has one archetype, the one without components"_test = [] {
        const storage s{heap()};
        expect(s.archetype_slots() == 1_ul);
        expect(s.archetype_at(storage::root)->mask().empty());
        expect(s.valid());
    };

    "the order in which components come does not matter"_test = [] {
        storage s{heap()};
        const auto first = archetype_of(s, spawn_stepwise<A, B, C>(s));
        expect(archetype_of(s, spawn_stepwise<C, A, B>(s)) == first);
        expect(archetype_of(s, spawn_stepwise<B, C, A>(s)) == first);
        expect(s.spawn(adding<C, B, A>()).archetype == first);
        expect(s.archetype_of(component_mask::of<B, A, C>()) == first);
        expect(s.archetype_at(first)->size() == 4_u);
        expect(s.valid());
    };

    "no two archetypes have the same components"_test = [] {
        storage s{heap()};
        (void)spawn_stepwise<A, B, Marked>(s);
        (void)spawn_stepwise<Marked, B, A>(s);
        (void)s.spawn(adding<B, A>());
        const entity e = s.spawn(adding<A, B, C>()).which;
        (void)s.change(e, removing<C>());
        std::set<std::string> seen;
        for (std::uint32_t id = 0; id != s.archetype_slots(); ++id) {
            std::string mask;
            s.archetype_at(id)->mask().each([&](component_id c) { mask += std::to_string(c.index()) + ' '; });
            expect(seen.insert(mask).second) << mask;
        }
        expect(seen.size() == 7_ul) << "-, A, AB, ABM, M, BM, ABC";
        expect(s.valid());
    };

    "a change is looked up once and then remembered"_test = [] {
        storage s{heap()};
        const auto to = s.follow(storage::root, adding<A, B>(), pecs::null);
        const auto& edges = s.archetype_at(storage::root)->edges;
        expect(edges.size() > std::size_t{adding<A, B>()} and edges[adding<A, B>()] == to);
        expect(s.follow(storage::root, adding<A, B>(), pecs::null) == to);
        expect(s.follow(storage::root, adding<B, A>(), pecs::null) == to) << "the same bundle";
        expect(s.follow(to, removing<A, B>(), pecs::null) == storage::root);
        expect(s.archetype_at(to)->edges[removing<A, B>()] == storage::root);
    };

    "a bundle has one number, whoever asks"_test = [] {
        const component_id a = pecs::id_of<A>();
        expect(adding<A, B>() == adding<B, A>());
        expect(adding<A>() != removing<A>());
        expect(pecs::detail::bundle_adding(a) == adding<A>());
        expect(pecs::detail::bundle_removing(a) == removing<A>());
        expect(pecs::detail::bundle_id({.added = {a}, .removed = {}}) == adding<A>());
        expect(pecs::detail::bundle_id({.added = {a}, .removed = {}, .strict = false}) != adding<A>());
        expect(pecs::detail::bundle_of(adding<A>()).added == component_mask::of<A>());
    };

    "a change that does not fit leaves no edge"_test = [] {
        storage s{heap()};
        const entity e = s.spawn(adding<A>()).which;
        expect(throws<pecs::duplicate_component>([&] { (void)s.change(e, adding<A, B>()); }));
        expect(throws<pecs::missing_component>([&] { (void)s.change(e, removing<B>()); }));
        expect(s.archetype_at(archetype_of(s, e))->edges.empty());
        expect(archetype_count(s) == 2_ul);
        expect(s.valid());
    };

    "shrinking forgets empty archetypes, their edges and their place in the index"_test = [] {
        storage s{heap()};
        const entity kept = s.spawn(adding<A>()).which;
        const entity moved = s.spawn(adding<A>()).which;
        (void)s.change(moved, adding<B>());
        (void)s.change(moved, removing<A, B>());
        const auto& home = *s.archetype_at(archetype_of(s, kept));
        expect(home.edges[adding<B>()] != absent);
        s.shrink();
        expect(archetype_count(s) == 2_ul);
        expect(home.edges.empty()) << "it led only to what is gone";
        expect(s.follow(storage::root, adding<A>(), pecs::null) == home.id()) << "this edge is still there";
        expect(s.valid());
        (void)s.change(moved, adding<A>());
        (void)s.change(moved, adding<B>());
        expect(s.archetype_at(archetype_of(s, moved))->mask() == component_mask::of<A, B>());
        expect(s.valid());
    };

    "the root archetype is never collected"_test = [] {
        storage s{heap()};
        s.shrink();
        s.shrink();
        expect(s.archetype_slots() == 1_ul and s.archetype_at(storage::root) != nullptr);
        expect(s.valid());
    };

    "the id of a collected archetype is used again"_test = [] {
        storage s{heap()};
        const entity a = s.spawn(adding<A>()).which;
        const entity b = s.spawn(adding<B>()).which;
        const entity ac = s.spawn(adding<A, C>()).which;
        write<A>(s, a, 1);
        write<A>(s, ac, 2);
        write<C>(s, ac, 3);
        const auto hole = archetype_of(s, b);
        s.despawn(b);
        s.shrink();
        expect(s.archetype_at(hole) == nullptr and s.valid());
        const auto place = s.spawn(adding<C, Marked>());
        expect(place.archetype == hole);
        write<C>(s, place.which, 4);
        expect(not s.has(place.which, pecs::id_of<B>())) << "nothing is left of the archetype that was there";
        expect(s.has(place.which, pecs::id_of<Marked>()) and not s.has(place.which, pecs::id_of<A>()));
        expect(read<A>(s, a) == 1_i and read<A>(s, ac) == 2_i and read<C>(s, ac) == 3_i);
        expect(read<C>(s, place.which) == 4_i);
        expect(s.valid());
    };

    "edges do not lead to the new owner of a used id"_test = [] {
        storage s{heap()};
        const entity keeper = s.spawn(adding<A>()).which;
        const entity e = s.spawn(adding<A>()).which;
        (void)s.change(e, adding<B>());
        const auto hole = archetype_of(s, e);
        s.despawn(e);
        s.shrink();
        expect(s.spawn(adding<C>()).archetype == hole);
        (void)s.change(keeper, adding<B>());
        expect(archetype_of(s, keeper) != hole);
        expect(s.archetype_at(archetype_of(s, keeper))->mask() == component_mask::of<A, B>());
        expect(s.valid());
    };

    "the smallest free id is used first"_test = [] {
        storage s{heap()};
        std::vector<entity> all{s.spawn(adding<A>()).which, s.spawn(adding<B>()).which,
                                s.spawn(adding<C>()).which, s.spawn(adding<Marked>()).which};
        s.despawn(all[2]);
        s.despawn(all[0]);
        s.shrink();
        expect(s.archetype_slots() == 5_ul);
        expect(s.spawn(adding<A, B>()).archetype == 1_u);
        expect(s.spawn(adding<B, C>()).archetype == 3_u);
        expect(s.spawn(adding<A, C>()).archetype == 5_u);
        expect(s.valid());
    };

    "rows are handed out in order and a gap is closed by the last row"_test = [] {
        storage s{heap()};
        std::vector<entity> all;
        for (int i = 0; i != 100; ++i) {
            all.push_back(s.spawn(adding<A>()).which);
            write<A>(s, all.back(), i);
        }
        s.despawn(all[10]);
        expect(s.entities()[all[99]].row == 10_u) << "the last one took over the row";
        s.despawn(all[98]);
        expect(s.valid());
        for (int i = 0; i != 98; ++i)
            if (i != 10) expect(read<A>(s, all[static_cast<std::size_t>(i)]) == i);
        expect(read<A>(s, all[99]) == 99_i);
    };

    "an archetype refuses more rows than can be counted"_test = [] {
        pecs::detail::entity_pool pool{heap()};
        pecs::detail::archetype place{1, component_mask::of<A>(), heap()};
        expect(throws<pecs::capacity_exceeded>(
            [&] { place.reserve(pool, place.only(), std::size_t{1} << 32U); }));
        expect(place.row_capacity() == 0_u and place.valid(pool));
    };

    "columns lie on cache lines and grow by powers of two"_test = [] {
        storage s{heap()};
        for (std::uint32_t rows = 1; rows != 100; ++rows) {
            const auto place = s.spawn(adding<A, B>());
            const auto* const at = s.archetype_at(place.archetype);
            for (const auto& column : at->columns())
                expect(reinterpret_cast<std::uintptr_t>(column.data) % 64 == 0_ul);
            expect(reinterpret_cast<std::uintptr_t>(at->entities()) % 64 == 0_ul);
            expect((at->row_capacity() & (at->row_capacity() - 1)) == 0_u and at->row_capacity() >= rows);
            expect(at->row_capacity() < 2 * rows or at->row_capacity() == 8_u);
        }
    };

    "a tag has no column"_test = [] {
        storage s{heap()};
        const auto* const place = s.archetype_at(s.spawn(adding<Marked>()).archetype);
        expect(place->columns().empty() and place->row_bytes() == sizeof(entity));
        expect(s.valid());
    };

    "the index of masks finds what was inserted and not erased"_test = [] {
        support::watched_memory memory;
        {
            pecs::detail::mask_index index{&memory};
            const auto nth = [](std::uint16_t n) {
                return component_mask{component_id{n}, component_id{static_cast<std::uint16_t>(n * 2)}};
            };
            for (std::uint16_t n = 1; n != 100; ++n) index.insert(nth(n), n);
            for (std::uint16_t n = 1; n < 100; n = static_cast<std::uint16_t>(n + 2)) index.erase(nth(n));
            for (std::uint16_t n = 1; n != 100; ++n) expect(index.find(nth(n)) == (n % 2 == 1 ? absent : n));
            expect(index.find({}) == absent);
        }
        expect(memory.clean());
    };

    "a buffer grows by doubling and keeps its values"_test = [] {
        buffer<int> numbers{heap()};
        std::size_t capacity = 0;
        for (int i = 0; i != 1000; ++i) {
            numbers.push_back(i);
            if (numbers.capacity() == capacity) continue;
            expect(numbers.capacity() >= 2 * capacity);
            capacity = numbers.capacity();
            expect(reinterpret_cast<std::uintptr_t>(numbers.data()) % 64 == 0_ul);
        }
        expect(numbers.size() == 1000_ul and numbers.back() == 999_i);
        expect(std::accumulate(numbers.begin(), numbers.end(), 0) == 499500_i);
    };

    "a buffer can be resized, cleared and shrunk"_test = [] {
        support::watched_memory memory;
        {
            buffer<std::uint32_t> numbers{&memory};
            numbers.resize(5, 7);
            expect(numbers.size() == 5_ul and numbers[0] == 7_u and numbers[4] == 7_u);
            numbers.resize(2, 9);
            numbers.resize(3, 9);
            expect(numbers[1] == 7_u and numbers[2] == 9_u);
            numbers.pop_back();
            numbers.shrink();
            expect(numbers.capacity() == 2_ul and numbers.bytes() == memory.bytes() and numbers[1] == 7_u);
            numbers.clear();
            expect(numbers.empty() and numbers.capacity() == 2_ul);
            numbers.shrink();
            expect(numbers.capacity() == 0_ul and memory.bytes() == 0_ul);
        }
        expect(memory.clean());
    };

    "a buffer that cannot grow stays as it is"_test = [] {
        support::watched_memory memory{64};
        buffer<int> numbers{&memory};
        numbers.reserve(3);
        for (int i = 0; i != 3; ++i) numbers.append(i);
        expect(throws<std::bad_alloc>([&] { numbers.reserve(100); }));
        expect(numbers.size() == 3_ul and numbers.capacity() == 3_ul and numbers[2] == 2_i);
    };

    "a buffer that was moved from is empty"_test = [] {
        support::watched_memory memory;
        {
            buffer<int> from{&memory};
            from.push_back(1);
            buffer<int> to{std::move(from)};
            expect(to.size() == 1_ul and to[0] == 1_i);
            expect(from.empty() and from.data() == nullptr); // NOLINT(bugprone-use-after-move)
        }
        expect(memory.clean());
    };
}
