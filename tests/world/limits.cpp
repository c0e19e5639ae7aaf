// Where numbers end: entities, generations, rows, edges. Worlds with small limits get there; each refuses the next one with
// an error, before anything has changed, and goes on.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"
#include "../support/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

import pecs.archetype;
import pecs;

namespace {
using pecs::capacity_exceeded;
using pecs::detail::storage_limits;
using pecs::entity;
using pecs::to;
using support::mentions;
using support::Name;
using support::Position;
using support::Velocity;
using support::watched_memory;

struct PartOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    static constexpr pecs::relation_rules rules{};
    int much = 0;
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
    int since = 0;
};
struct Lit {
    static constexpr auto storage = pecs::component_storage::sparse;
    int heat = 0;
};

/// A world whose numbers end early.
class small_world : public pecs::world {
public:
    small_world(std::pmr::memory_resource* memory, const storage_limits& limits) : world{memory} {
        std::pmr::polymorphic_allocator<> allocator{memory};
        allocator.delete_object(storage_);
        storage_ = nullptr;
        storage_ = allocator.new_object<pecs::detail::storage>(memory, limits);
    }
};

std::string dump(const pecs::world& w) {
    std::string edges;
    w.each_edge<Knows>([&](entity a, entity b, const Knows& k) {
        edges += pecs::to_string(a) + pecs::to_string(b) + std::to_string(k.since);
    });
    return support::snapshot<Position, Velocity, Name>(w) + support::targets<PartOf, Likes>(w) + edges;
}

/// True if `f` is refused because of the limit on `what`, and has changed nothing.
template <class F> bool refused(const pecs::world& w, const char* what, F f) {
    const std::string before = dump(w);
    const auto error = support::caught<capacity_exceeded>(f);
    return mentions(error, what) && dump(w) == before && w.validate();
}
} // namespace

int main() {
    using namespace boost::ut;

    "more entities than there are indices are refused by every verb that makes some"_test = [] {
        watched_memory memory;
        {
            small_world w{&memory, {.entities = 20}};
            const entity root = w.spawn(Position::of(1));
            for (int i = 0; i != 8; ++i) (void)w.spawn(Name::of(i), to<PartOf>(root));
            (void)w.spawn_batch(8, Position::of(2));
            expect(refused(w, "entities", [&] { (void)w.clone_subtree<PartOf>(root); }));
            expect(refused(w, "entities", [&] { (void)w.clone_subtree<PartOf>(root, std::size_t{3}); }));
            expect(refused(w, "entities", [&] { (void)w.spawn_from<PartOf>(root, Position::of(3)); }));
            expect(refused(w, "entities", [&] { (void)w.spawn_batch(4, Name::of(1), Lit{1}); }));
            expect(refused(w, "entities", [&] { (void)w.spawn_batch(4, to<Knows>(root)); }));
            expect(refused(w, "entities", [&] { w.reserve<Position>(4); }));
            (void)w.spawn_batch(3, Position::of(4));
            expect(refused(w, "entities", [&] { (void)w.spawn(Name::of(1)); }));
            expect(refused(w, "entities", [&] { (void)w.spawn(Lit{1}, to<Knows>(root)); }));
            expect(refused(w, "entities", [&] { (void)w.spawn(to<PartOf>(root)); }));
            expect(refused(w, "entities", [&] { (void)w.clone(root); }));
            expect(refused(w, "entities", [&] { (void)w.by_id().spawn({}); }));
            w.despawn(root); // and all that is below
            expect(w.size() == 11_ul);
            (void)w.spawn_batch(9, Position::of(5));
            expect(refused(w, "entities", [&] { (void)w.spawn(); }));
        }
        expect(memory.clean());
    };

    "a recorder promises no handle beyond the last index"_test = [] {
        watched_memory memory;
        {
            small_world w{&memory, {.entities = 100}};
            (void)w.spawn_batch(60, Position::of(1));
            auto later = w.record();
            std::size_t made = 0;
            const std::string before = dump(w);
            try {
                for (;; ++made) (void)later.spawn(Velocity::of(1));
            } catch (const capacity_exceeded& error) {
                expect(mentions(error, "entities")) << error.what();
            }
            expect(made == 40_ul and later.size() == 40_ul and dump(w) == before) << made;
            w.apply(later, pecs::on_failure::throws);
            expect(w.size() == 100_ul and w.query<const Velocity>().count() == 40_ul and w.validate());
        }
        expect(memory.clean());
    };

    "an index whose generations are used up is not used again, until none is left"_test = [] {
        watched_memory memory;
        {
            small_world w{&memory, {.entities = 5, .last_generation = 3}};
            std::vector<entity> all;
            for (int i = 0; i != 15; ++i) {
                const entity e = w.spawn(Position::of(i), Lit{i});
                for (const entity known : all) expect(known != e and not w.alive(known));
                all.push_back(e);
                w.despawn(e);
            }
            expect(refused(w, "entities", [&] { (void)w.spawn(); }) and w.empty());
        }
        expect(memory.clean());
    };

    "an archetype refuses more rows than can be counted, whichever verb brings them"_test = [] {
        watched_memory memory;
        {
            small_world w{&memory, {.rows = 50}};
            const auto made = w.spawn_batch(50, Position::of(1));
            const std::vector<entity> full{made.begin(), made.end()};
            const entity other = w.spawn(Position::of(2), Velocity::of(2));
            expect(refused(w, "rows", [&] { (void)w.spawn(Position::of(3)); }));
            expect(refused(w, "rows", [&] { (void)w.spawn_batch(1, Position::of(3)); }));
            expect(refused(w, "rows", [&] { w.remove<Velocity>(other); }));
            expect(refused(w, "rows", [&] { w.remove_batch<Velocity>(w.query<Velocity>()); }));
            expect(refused(w, "rows", [&] { (void)w.clone(full[0]); }));
            expect(refused(w, "rows", [&] {
                w.add_batch(w.query<Position, pecs::without<Velocity>>(), Velocity::of(1));
            }));
            auto later = w.record();
            (void)later.spawn(Position::of(1));
            expect(refused(w, "rows", [&] { w.apply(later); }) and later.size() == 1_ul);
            w.despawn(full[7]);
            w.apply(later);
            expect(w.query<Position, pecs::exact>().count() == 50_ul and w.validate());
        }
        expect(memory.clean());
    };

    "families share the rows of an archetype, and their limit"_test = [] {
        watched_memory memory;
        {
            small_world w{&memory, {.rows = 60}};
            std::vector<entity> targets;
            for (int i = 0; i != 10; ++i) targets.push_back(w.spawn());
            std::size_t refusals = 0;
            for (std::size_t i = 0; i != 200; ++i) {
                const entity target = targets[i * i % 10];
                const std::string before = dump(w);
                try {
                    (void)w.spawn(Position::of(1), to<PartOf>(target), to<Likes>(targets[i % 10]));
                } catch (const capacity_exceeded& error) {
                    ++refusals;
                    expect(mentions(error, "rows") and dump(w) == before) << error.what();
                }
                expect(w.validate());
            }
            expect(refusals > 100_ul and w.query<const Position>().count() > 30_ul) << refusals;
            const entity free = w.spawn(to<PartOf>(targets[0]), to<Likes>(targets[1]));
            const entity more = w.spawn(Name::of(1));
            for (const entity target : targets) w.relate<PartOf>(more, target);
            w.despawn_batch(targets);
            expect(not w.alive(free) and w.validate());
            expect(w.query<const Position>().count() == 0_ul);
        }
        expect(memory.clean());
    };

    "a relation with many targets refuses more edges than can be counted"_test = [] {
        watched_memory memory;
        {
            small_world w{&memory, {.edges = 40}};
            const auto made = w.spawn_batch(30, Position::of(1));
            const std::vector<entity> all{made.begin(), made.end()};
            std::size_t edges = 0;
            std::size_t refusals = 0;
            for (std::size_t i = 0; i != 100; ++i) {
                const std::string before = dump(w);
                const entity source = all[i * 7 % 3];
                const entity target = all[i % 30];
                const bool known = w.has<Knows>(source, target);
                try {
                    w.relate<Knows>(source, target, Knows{static_cast<int>(i)});
                    edges += known ? 0 : 1;
                } catch (const capacity_exceeded& error) {
                    ++refusals;
                    expect(mentions(error, "edges of one relation") and dump(w) == before) << error.what();
                }
                expect(w.validate());
            }
            expect(refusals > 5_ul and edges > 20_ul and edges <= 40_ul) << refusals << edges;
            expect(refused(w, "edges", [&] { w.relate_batch<Knows>(all, all[29]); }));
            expect(refused(w, "edges", [&] { (void)w.spawn_batch(45, to<Knows>(all[0], Knows{1})); }));
            w.unrelate<Knows>(all[0]);
            w.compact();
            w.relate<Knows>(all[5], all[6]);
            expect(w.validate() and w.stats().edges <= 40_ul);
        }
        expect(memory.clean());
    };

    "kinds of queries end in an error, too"_test = [] {
        pecs::detail::storage all{std::pmr::new_delete_resource()};
        expect(throws<capacity_exceeded>([&] {
            (void)all.attachments().get(
                0xFFFFFFFF, [](const pecs::detail::storage&) -> pecs::detail::attachment* { return nullptr; },
                all);
        }));
        expect(all.valid());
    };
}
