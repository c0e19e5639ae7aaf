// Every misuse is answered by an error that says what is wrong, and the world stays as it was.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/snapshot.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
using support::Frozen;
using support::mentions;
using support::Name;
using support::Owned;
using support::Position;
using support::Tracked;
using support::Velocity;

std::string dump(const world& w) {
    return support::snapshot<Position, Velocity, Name, Owned, Frozen, Tracked>(w);
}

/// A world with a few archetypes, and some handles of it.
struct scene {
    world w;
    entity full = w.spawn(Position::of(1), Name::of(2), Owned::of(3), Tracked::of(4), Frozen{});
    entity bare = w.spawn();
    entity gone = w.spawn(Position::of(5));
    entity other = w.spawn(Position::of(6), Name::of(7));

    scene() { w.despawn(gone); }
};

/// The error of type `E` that `f` must throw; the world must be as it was.
template <class E, class F> E refused(scene& s, F f) {
    using namespace boost::ut;
    const std::string before = dump(s.w);
    const auto alive = Tracked::log.alive();
    const E error = support::caught<E>(f);
    expect(dump(s.w) == before) << error.what();
    expect(s.w.validate()) << error.what();
    expect(Tracked::log.alive() == alive) << error.what();
    return error;
}

/// Calls every verb that changes the structure; `check` gets each of them as a function to call.
template <class Check> void each_structural_verb(scene& s, Check check) {
    world& w = s.w;
    const std::array<entity, 2> list{s.full, s.other};
    const std::array<pecs::component_id, 1> ids{pecs::id_of<Position>()};
    const Velocity velocity = Velocity::of(1);
    check("spawn", [&] { (void)w.spawn(Position::of(1)); });
    check("spawn without components", [&] { (void)w.spawn(); });
    check("spawn_batch", [&] { (void)w.spawn_batch(3, Position::of(1)); });
    check("spawn_batch of defaults", [&] { (void)w.spawn_batch<Position>(3); });
    check("spawn_batch with an initialiser", [&] { (void)w.spawn_batch<Position>(3, [](Position&) {}); });
    check("despawn", [&] { w.despawn(s.full); });
    check("despawn_batch", [&] { w.despawn_batch(list); });
    check("clear", [&] { w.clear(); });
    check("add", [&] { w.add(s.full, Velocity::of(1)); });
    check("add of defaults", [&] { w.add<Velocity>(s.full); });
    check("add_batch", [&] { w.add_batch(list, Velocity::of(1)); });
    check("remove", [&] { w.remove<Position>(s.full); });
    check("remove_batch", [&] { w.remove_batch<Position>(list); });
    check("exchange", [&] { w.exchange<Position>(s.full, Velocity::of(1)); });
    check("exchange_batch", [&] { w.exchange_batch<Position>(list, Velocity::of(1)); });
    check("set that adds", [&] { w.set(s.full, Velocity::of(1)); });
    check("set_batch that adds", [&] { w.set_batch(list, Velocity::of(1)); });
    check("by_id spawn", [&] { (void)w.by_id().spawn(ids); });
    check("by_id add", [&] { w.by_id().add(s.full, pecs::id_of<Velocity>()); });
    check("by_id add of a value", [&] { w.by_id().add(s.full, pecs::id_of<Velocity>(), &velocity); });
    check("by_id set that adds", [&] { w.by_id().set(s.full, pecs::id_of<Velocity>(), &velocity); });
    check("by_id remove", [&] { w.by_id().remove(s.full, pecs::id_of<Position>()); });
    check("reserve", [&] { w.reserve<Position>(100); });
    check("shrink", [&] { w.shrink(); });
    check("compact", [&] { w.compact(); });
}
} // namespace

int main() {
    using namespace boost::ut;

    "a dead entity is refused by every verb that needs a live one"_test = [] {
        scene s;
        const auto verbs = [&](entity dead, const std::string& named) {
            const auto check = [&](auto f) {
                const auto error = refused<pecs::dead_entity>(s, f);
                expect(error.which() == dead and mentions(error, named)) << error.what();
            };
            const std::array<entity, 2> list{s.other, dead};
            check([&] { s.w.despawn(dead); });
            check([&] { s.w.add(dead, Velocity::of(1)); });
            check([&] { s.w.add<Tracked>(dead); });
            check([&] { s.w.remove<Position>(dead); });
            check([&] { s.w.exchange<Position>(dead, Velocity::of(1)); });
            check([&] { s.w.set(dead, Position::of(1), Tracked::of(1)); });
            check([&] { (void)s.w.get<Position>(dead); });
            check([&] { (void)static_cast<const world&>(s.w).get<Position>(dead); });
            check([&] { (void)s.w.access<Position>()[dead]; });
            check([&] { s.w.despawn_batch(list); });
            check([&] { s.w.add_batch(list, Velocity::of(1)); });
            check([&] { s.w.remove_batch<Position>(list); });
            check([&] { s.w.exchange_batch<Position>(list, Velocity::of(1)); });
            check([&] { s.w.set_batch(list, Position::of(1)); });
            check([&] { s.w.by_id().remove(dead, pecs::id_of<Position>()); });
        };
        verbs(s.gone, pecs::to_string(s.gone));
        verbs(pecs::null, "null entity");
        verbs(entity{s.full.index(), 0}, "null entity");
        verbs(entity{s.full.index(), s.full.generation() + 1}, "v2");
        verbs(entity{4'000'000'000, 1}, "4000000000v1");
        verbs(entity{0xFFFFFFFF, 0xFFFFFFFF}, "4294967295v4294967295");
    };

    "an entity of another world is refused where no entity of this one has its handle"_test = [] {
        scene s;
        world large;
        const auto foreign = large.spawn_batch(100, Position::of(1)).back();
        const auto error = refused<pecs::dead_entity>(s, [&] { s.w.despawn(foreign); });
        expect(error.which() == foreign and mentions(error, "in this world")) << error.what();
        expect(large.alive(foreign) and not s.w.alive(foreign) and not s.w.has<Position>(foreign));
    };

    "a missing component is named"_test = [] {
        scene s;
        const auto check = [&](auto f) {
            const auto error = refused<pecs::missing_component>(s, f);
            expect(error.which() == s.bare and error.component() == pecs::id_of<Name>());
            expect(mentions(error, pecs::to_string(s.bare)) and mentions(error, "Name")) << error.what();
        };
        const std::array<entity, 2> list{s.other, s.bare};
        check([&] { (void)s.w.get<Name>(s.bare); });
        check([&] { (void)static_cast<const world&>(s.w).get<Name>(s.bare); });
        check([&] { (void)s.w.access<Name>()[s.bare]; });
        check([&] { s.w.remove<Name>(s.bare); });
        check([&] { s.w.exchange<Name>(s.bare, Velocity::of(1)); });
        check([&] { s.w.remove_batch<Name>(list); });
        check([&] { s.w.exchange_batch<Name>(list, Velocity::of(1)); });
        check([&] { (void)s.w.by_id().get(s.bare, pecs::id_of<Name>()); });
        check([&] { s.w.by_id().remove(s.bare, pecs::id_of<Name>()); });
    };

    "one missing component of several is enough, and it is the one that is named"_test = [] {
        scene s;
        const auto error =
            refused<pecs::missing_component>(s, [&] { s.w.remove<Position, Owned, Name>(s.other); });
        expect(error.component() == pecs::id_of<Owned>() and mentions(error, "Owned")) << error.what();
    };

    "a component that is there already is named"_test = [] {
        scene s;
        const auto check = [&](auto f) {
            const auto error = refused<pecs::duplicate_component>(s, f);
            expect(error.which() == s.full and error.component() == pecs::id_of<Tracked>());
            expect(mentions(error, pecs::to_string(s.full)) and mentions(error, "Counted")) << error.what();
        };
        const std::array<entity, 2> list{s.other, s.full};
        check([&] { s.w.add(s.full, Tracked::of(1)); });
        check([&] { s.w.add(s.full, Velocity::of(1), Tracked::of(1)); });
        check([&] { s.w.add<Tracked>(s.full); });
        check([&] { s.w.exchange<Name>(s.full, Tracked::of(1)); });
        check([&] { s.w.add_batch(list, Tracked::of(1)); });
        check([&] { s.w.exchange_batch<Name>(list, Tracked::of(1)); });
        check([&] { s.w.by_id().add(s.full, pecs::id_of<Tracked>()); });
    };

    "adding a tag twice is an error, setting it is not"_test = [] {
        scene s;
        const auto error = refused<pecs::duplicate_component>(s, [&] { s.w.add<Frozen>(s.full); });
        expect(error.component() == pecs::id_of<Frozen>());
        s.w.set(s.full, Frozen{});
        expect(s.w.has<Frozen>(s.full));
    };

    "an entity that is listed twice is named"_test = [] {
        scene s;
        const std::array<entity, 3> list{s.full, s.other, s.full};
        const auto error = refused<pecs::repeated_entity>(s, [&] { s.w.despawn_batch(list); });
        expect(error.which() == s.full and mentions(error, pecs::to_string(s.full))) << error.what();
    };

    "more entities than can be counted are refused"_test = [] {
        scene s;
        constexpr std::size_t too_many = std::size_t{1} << 32U;
        const auto check = [&](auto f) {
            const auto error = refused<pecs::capacity_exceeded>(s, f);
            expect(mentions(error, "entities") and mentions(error, "42949672")) << error.what();
        };
        check([&] { (void)s.w.spawn_batch(too_many, Position::of(1)); });
        check([&] { (void)s.w.spawn_batch<Name>(too_many, [](Name&) {}); });
        check([&] { (void)s.w.spawn_batch(static_cast<std::size_t>(-1)); });
        check([&] { s.w.reserve<Position>(too_many); });
        check([&] { s.w.reserve(static_cast<std::size_t>(-1)); });
    };

    "no structural change while entities are visited"_test = [] {
        scene s;
        each_structural_verb(s, [&](const char* verb, auto f) {
            std::size_t visits = 0;
            s.w.each_entity([&](entity) {
                (void)refused<pecs::world_locked>(s, f);
                ++visits;
            });
            expect(visits == 3_ul) << verb;
        });
    };

    "no structural change in the initialiser of a batch"_test = [] {
        scene s;
        each_structural_verb(s, [&](const char* verb, auto f) {
            const auto fresh = s.w.spawn_batch<Name, Tracked>(2, [&](entity e, Name& name, Tracked&) {
                name = Name::of(1);
                expect(not s.w.alive(e)) << "not yet";
                (void)refused<pecs::world_locked>(s, f);
            });
            expect(s.w.alive(fresh[0]) and s.w.get<Name>(fresh[1]).number() == 1_i and s.w.validate())
                << verb;
        });
    };

    "values may be read and replaced while entities are visited"_test = [] {
        scene s;
        s.w.each_entity([&](entity e) {
            if (s.w.has<Position>(e)) s.w.set(e, Position::of(10));
            if (Name* const name = s.w.try_get<Name>(e)) *name = Name::of(11);
        });
        expect(s.w.get<Position>(s.full).number() == 10_i and s.w.get<Name>(s.other).number() == 11_i);
    };

    "other worlds may change meanwhile"_test = [] {
        scene s;
        world copy;
        s.w.each_entity([&](entity) { (void)copy.spawn(Position::of(1)); });
        expect(copy.size() == s.w.size());
    };

    "visits may be nested, and the last one to end releases the world"_test = [] {
        scene s;
        s.w.each_entity([&](entity) {
            s.w.each_entity([](entity) {});
            (void)refused<pecs::world_locked>(s, [&] { s.w.despawn(s.full); });
        });
        s.w.despawn(s.full);
        expect(not s.w.alive(s.full));
    };

    "an exception that leaves a callback releases the world"_test = [] {
        scene s;
        expect(throws<std::runtime_error>(
            [&] { s.w.each_entity([](entity) { throw std::runtime_error{"enough"}; }); }));
        expect(throws<std::runtime_error>(
            [&] { (void)s.w.spawn_batch<Name>(5, [](Name&) { throw std::runtime_error{"enough"}; }); }));
        expect(s.w.size() == 3_ul);
        const entity e = s.w.spawn(Name::of(1));
        s.w.add(e, Position::of(1));
        s.w.despawn(s.full);
        s.w.shrink();
        expect(s.w.validate());
    };

    "the message of a locked world says what to do"_test = [] {
        scene s;
        s.w.each_entity([&](entity) {
            const auto error = refused<pecs::world_locked>(s, [&] { s.w.clear(); });
            expect(mentions(error, "after the loop")) << error.what();
        });
    };

    // The last test: it uses up every component id there is.
    "a component type past the limit is refused before anything changes"_test = [] {
        struct Late {
            int value;
        };
        scene s;
        while (pecs::component_count() != pecs::max_components)
            (void)pecs::register_component({.name = "filler." + std::to_string(pecs::component_count())});
        const auto check = [&](auto f) {
            const auto error = refused<pecs::component_limit>(s, f);
            expect(mentions(error, "Late")) << error.what();
        };
        const std::array<entity, 2> list{s.full, s.other};
        check([&] { (void)s.w.spawn(Late{1}); });
        check([&] { (void)s.w.spawn_batch(5, Late{1}); });
        check([&] { s.w.add(s.full, Late{1}); });
        check([&] { s.w.set(s.full, Late{1}, Position::of(9)); });
        check([&] { s.w.exchange<Name>(s.full, Late{1}); });
        check([&] { s.w.add_batch(list, Late{1}); });
        check([&] { s.w.reserve<Late>(10); });
        expect(s.w.spawn(Position::of(1)).index() == s.gone.index());
    };
}
