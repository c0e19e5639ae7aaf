// Recording and applying the same amount again and again allocates nothing: neither the world nor the recorders, whatever
// the commands are about.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/memory.hpp"
#include "../support/operator_new.hpp"

#include <array>
#include <cstddef>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
using support::Frozen;
using support::Huge;
using support::Name;
using support::Position;
using support::steady_allocations;
using support::Velocity;
using support::watched_memory;
using support::Wide;

/// What commands can be about, besides plain components.
struct Aims {
    static constexpr pecs::relation_rules rules{};
    int power = 0;
};
struct PartOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
    int years = 0;
};
struct Near {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
};
struct Heat {
    static constexpr auto storage = pecs::component_storage::sparse;
    int value = 0;
};
struct Stone {
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    int weight = 0;
};
struct Wet {
    static constexpr auto storage = pecs::component_storage::sparse;
};

/// Entities, two targets, and recorders, for cycles of recording and applying. Everything is taken from `memory` or is
/// seen by global `operator new`.
struct recording {
    watched_memory memory;
    world w{&memory};
    entity one = w.spawn();
    entity other = w.spawn();
    std::array<entity, 40> all;
    std::array<pecs::commands, 3> recorders{w.record(), w.record(), w.record()};
    pecs::commands& later = recorders[0];

    recording() {
        for (entity& e : all) e = w.spawn(Position::of(1), Name::of(1));
    }
    /// How often memory is asked for in the steady state when `record` is called with each entity, then all is applied,
    /// for each of the functions in turn.
    template <class... Record> [[nodiscard]] std::size_t allocations(Record... record) {
        using namespace boost::ut;
        std::size_t left_out = 0;
        const auto step = [&](auto& f) {
            for (const entity e : all) f(e);
            left_out += w.apply(recorders, pecs::on_failure::report).size();
        };
        // Lists of free rows are tidied up now and then; until then they grow, and find their size after a while.
        for (int i = 0; i != 200; ++i) (step(record), ...);
        const std::size_t found = steady_allocations(memory, [&] { (step(record), ...); });
        expect(left_out == 0_ul and w.validate());
        return found;
    }
};
} // namespace

int main() {
    using namespace boost::ut;

    "changes of components allocate nothing"_test = [] {
        recording r;
        expect(r.allocations([&](entity e) { r.later.add(e, Velocity::of(1), Frozen{}); },
                             [&](entity e) { r.later.exchange<Velocity>(e, Wide::of(2)); },
                             [&](entity e) { r.later.remove<Wide, Frozen>(e); }) == 0_ul);
        expect(r.allocations([&](entity e) { r.later.set(e, Position::of(2)); },
                             [&](entity e) { r.later.set(e, Position::of(3), Velocity::of(4)); },
                             [&](entity e) { r.later.remove<Velocity>(e); }) == 0_ul);
        expect(r.w.get<Position>(r.all[7]).number() == 3_i);
    };

    "births and deaths allocate nothing"_test = [] {
        recording r;
        std::array<entity, 40> made;
        expect(r.allocations(
                   [&, i = std::size_t{0}](entity e) mutable {
                       made[i++ % made.size()] = r.later.spawn(Huge::of(1), Heat{2}, pecs::to<PartOf>(e),
                                                               pecs::to<Knows>(e, Knows{3}));
                   },
                   [&, i = std::size_t{0}](entity) mutable { r.later.despawn(made[i++ % made.size()]); }) ==
               0_ul);
        expect(r.w.size() == 42_ul);
    };

    "relations allocate nothing"_test = [] {
        recording r;
        expect(r.allocations([&](entity e) { r.later.relate<Aims>(e, r.one, Aims{1}); },
                             [&](entity e) { r.later.relate<Aims>(e, r.other); },
                             [&](entity e) { r.later.relate<PartOf>(e, r.one); },
                             [&](entity e) { r.later.unrelate<Aims>(e); },
                             [&](entity e) { r.later.unrelate<PartOf>(e); }) == 0_ul);
        expect(r.w.source_count<Aims>(r.other) == 0_ul);
    };

    // Lists of more than 32 edges are in a hash table, too, which Boost makes anew after many removals.
    "edges in lists of up to 32 allocate nothing"_test = [] {
        recording r;
        const auto near_to = [&](entity e) { return e.index() % 2 == 0 ? r.one : r.other; };
        expect(r.allocations(
                   [&](entity e) {
                       r.later.relate<Knows>(e, r.one, Knows{1});
                       r.later.relate<Knows>(e, r.other);
                       r.later.relate<Near>(e, near_to(e));
                   },
                   [&](entity e) { r.later.relate<Knows>(e, r.one, Knows{2}); }, // is there already
                   [&](entity e) { r.later.unrelate<Knows>(e, r.one); },
                   [&](entity e) { r.later.unrelate<Knows>(e); },
                   [&](entity e) { r.later.unrelate<Near>(e, near_to(e)); }) == 0_ul);
        expect(r.w.stats().edges == 0_ul);
    };

    "changes of sparse components allocate nothing"_test = [] {
        recording r;
        expect(r.allocations([&](entity e) { r.later.add(e, Heat{1}, Stone{2}, Wet{}); },
                             [&](entity e) { r.later.set(e, Heat{3}, Velocity::of(4)); },
                             [&](entity e) { r.later.exchange<Heat, Velocity>(e, Frozen{}); },
                             [&](entity e) { r.later.remove<Stone, Wet, Frozen>(e); }) == 0_ul);
        expect(r.w.stats().sparse_values == 0_ul);
    };

    "disabling and enabling allocates nothing"_test = [] {
        recording r;
        expect(r.allocations([&](entity e) { r.later.disable(e); },
                             [&](entity e) { r.later.disable<Position>(e); },
                             [&](entity e) { r.later.enable(e); },
                             [&](entity e) { r.later.enable<Position>(e); }) == 0_ul);
        expect(r.w.stats().disabled == 0_ul);
    };

    "several recorders about the same entities allocate nothing"_test = [] {
        recording r;
        std::array<entity, 40> made;
        expect(r.allocations(
                   [&, i = std::size_t{0}](entity e) mutable {
                       r.recorders[0].add(e, Velocity::of(1));
                       r.recorders[1].set(e, Velocity::of(2), Heat{1});
                       r.recorders[2].relate<Knows>(e, r.one);
                       r.recorders[2].disable(e);
                       made[i % made.size()] = r.recorders[i % 3].spawn(Position::of(3), pecs::to<Aims>(e));
                       ++i;
                   },
                   [&, i = std::size_t{0}](entity e) mutable {
                       r.recorders[2].remove<Velocity>(e);
                       r.recorders[0].unrelate<Knows>(e, r.one);
                       r.recorders[1].remove<Heat>(e);
                       r.recorders[1].enable(e);
                       r.recorders[i % 3].despawn(made[i % made.size()]);
                       ++i;
                   }) == 0_ul);
        expect(r.w.size() == 42_ul and r.w.query<Position>().count() == 40_ul);
    };

    "the end of targets allocates nothing"_test = [] {
        recording r;
        entity root;
        expect(r.allocations(
                   [&](entity e) {
                       if (e == r.all[0]) root = r.later.spawn(Position::of(1));
                       r.later.relate<Aims>(e, root);
                       r.later.relate<Knows>(e, root);
                       (void)r.later.spawn(pecs::to<PartOf>(root), Heat{1}); // dies with it
                   },
                   [&](entity e) {
                       if (e == r.all[0]) r.later.despawn(root);
                   }) == 0_ul);
        expect(r.w.size() == 42_ul and r.w.stats().edges == 0_ul);
    };
}
