// Worlds that are observed, when something fails: what has happened then, who was told, and what memory is left.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"
#include "../support/snapshot.hpp"

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using support::Frozen;
using support::Name;
using support::Position;
using support::Tracked;
using support::watched_memory;

struct Likes {
    static constexpr pecs::relation_rules rules{};
    Tracked much{};
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
    Tracked since{};
};

/// A world in which everything is observed; `told` counts.
struct observed {
    explicit observed(watched_memory& memory) : world{&memory} {
        for (int i = 0; i != 8; ++i)
            list.push_back(world.spawn(Position::of(i), Name::of(i), pecs::to<pecs::child_of>(parent)));
        world.relate<Likes>(list[2], parent);
        world.relate<Knows>(list[3], parent);
        const auto count = [this](auto&&...) { ++told; };
        observers.push_back(world.observe<Position>(pecs::on_add, [count](entity, Position&) { count(); }));
        observers.push_back(world.observe<Position>(pecs::on_remove, [count](entity) { count(); }));
        observers.push_back(world.observe<Position>(pecs::on_set, [count](entity) { count(); }));
        observers.push_back(world.observe(pecs::on_spawn, [count](entity) { count(); }));
        observers.push_back(world.observe(pecs::on_despawn, [count](entity) { count(); }));
        observers.push_back(
            world.observe<Likes>(pecs::on_relate, [count](entity, entity, entity) { count(); }));
        observers.push_back(
            world.observe<Knows>(pecs::on_relate, [count](entity, entity, entity) { count(); }));
        observers.push_back(
            world.observe<pecs::child_of>(pecs::on_relate, [count](entity, entity, entity) { count(); }));
    }
    [[nodiscard]] std::string dump() const {
        return support::snapshot<Position, Name, Frozen>(world) +
               support::targets<Likes, pecs::child_of>(world);
    }

    pecs::world world;
    entity parent = world.spawn();
    std::vector<entity> list;
    std::vector<pecs::observer> observers;
    std::size_t told = 0;
};

/// Lets every allocation of a verb fail in turn: each time nothing has changed and nobody was told; at last it succeeds.
template <class Verb> void fail_everywhere(std::string_view which, Verb verb) {
    using namespace boost::ut;
    Tracked::forget();
    watched_memory memory;
    {
        observed o{memory};
        const std::string before = o.dump();
        std::size_t fault = 0;
        for (;; ++fault) {
            support::faults::arm(fault, false);
            try {
                verb(o);
                support::faults::disarm();
                break;
            } catch (const std::bad_alloc&) {
                support::faults::disarm();
                expect(o.dump() == before and o.told == 0_ul) << which << fault;
                expect(o.world.validate()) << which << fault;
            }
        }
        expect(fault != 0_ul) << which << "allocates";
        expect(o.told != 0_ul and o.world.validate()) << which;
    }
    expect(memory.clean()) << which;
    expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul) << which;
}

/// A callback that cannot be copied just now.
struct reluctant {
    reluctant() = default;
    reluctant(const reluctant& /*other*/) { throw std::runtime_error{"no copy"}; }
    void operator()(entity /*e*/) const {}
};
} // namespace

int main() {
    using namespace boost::ut;

    "an observed verb that runs out of memory tells nobody and changes nothing"_test = [] {
        fail_everywhere("spawn", [](observed& o) { (void)o.world.spawn(Position::of(1), Frozen{}); });
        fail_everywhere("add", [](observed& o) { o.world.add(o.parent, Position::of(1)); });
        fail_everywhere("remove", [](observed& o) { o.world.remove<Position>(o.list[1]); });
        fail_everywhere("relate", [](observed& o) { o.world.relate<Likes>(o.list[1], o.list[0]); });
        fail_everywhere("relate many", [](observed& o) { o.world.relate<Knows>(o.list[1], o.list[0]); });
        fail_everywhere("relate by id", [](observed& o) {
            o.world.by_id().relate(o.list[1], pecs::id_of<Likes>(), o.list[0]);
        });
        fail_everywhere("relate many by id", [](observed& o) {
            o.world.by_id().relate(o.list[1], pecs::id_of<Knows>(), o.list[0]);
        });
        fail_everywhere("despawn", [](observed& o) { o.world.despawn(o.parent); });
        fail_everywhere("remove batch", [](observed& o) { o.world.remove_batch<Position>(o.list); });
        fail_everywhere("query batch",
                        [](observed& o) { o.world.remove_batch<Position>(o.world.query<Position>()); });
        fail_everywhere("clone", [](observed& o) { (void)o.world.clone_subtree(o.parent); });
    };

    "a value set by id in an observed world is all or nothing"_test = [] {
        fail_everywhere("set by id", [](observed& o) {
            const Position given = Position::of(70);
            o.world.by_id().set(o.list[1], pecs::id_of<Position>(), &given);
        });
    };

    "an observer that throws before a relation by id keeps it from happening"_test = [] {
        Tracked::forget();
        {
            pecs::world w;
            const entity e = w.spawn(Position::of(1));
            const entity first = w.spawn();
            const entity other = w.spawn();
            const auto refuse = [](entity) { throw std::runtime_error{"stay"}; };
            w.relate<Likes>(e, first, Likes{Tracked::of(5)});
            const auto gone = w.observe<Likes>(pecs::on_remove, refuse);
            const auto verb = [&] { w.by_id().unrelate(e, pecs::id_of<Likes>()); };
            expect(support::mentions(support::caught<std::runtime_error>(verb), "stay"));
            expect(w.has<Likes>(e, first) and w.get<Likes>(e).much.number() == 5_i and w.validate());
            w.by_id().relate(e, pecs::id_of<Likes>(), other);
            expect(w.has<Likes>(e, other) and w.get<Likes>(e).much.number() == 5_i);
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "a callback that cannot be copied observes nothing and leaves nothing"_test = [] {
        watched_memory memory;
        {
            pecs::world w{&memory};
            const auto known = w.observe(pecs::on_spawn, [](entity) {});
            const std::size_t before = memory.bytes();
            const reluctant callback;
            expect(throws<std::runtime_error>([&] { (void)w.observe<Position>(pecs::on_add, callback); }));
            expect(memory.bytes() == before);
            w.spawn(Position::of(1));
            expect(w.validate());
        }
        expect(memory.clean());
    };

    "an observer for which there is no memory observes nothing"_test = [] {
        watched_memory memory;
        {
            pecs::world w{&memory};
            std::size_t told = 0;
            std::size_t fault = 0;
            std::vector<pecs::observer> all(1);
            for (;; ++fault) {
                support::faults::arm(fault, false);
                try {
                    all[0] = w.observe<Position>(pecs::on_add, [&](entity) { ++told; });
                    support::faults::disarm();
                    break;
                } catch (const std::bad_alloc&) {
                    support::faults::disarm();
                    (void)w.spawn(Position::of(1));
                    expect(told == 0_ul and w.validate());
                }
            }
            expect(fault != 0_ul);
            (void)w.spawn(Position::of(1));
            expect(told == 1_ul);
        }
        expect(memory.clean());
    };

    "the memory for observers is part of the figures"_test = [] {
        pecs::world w;
        const std::size_t before = w.stats().bytes_reserved;
        const auto seen = w.observe<Position>(pecs::on_add, [](entity) {});
        expect(w.stats().bytes_reserved > before);
    };
}
