// The verbs for component types that are known only at run time.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"
#include "../support/snapshot.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::component_id;
using pecs::entity;
using pecs::world;
using support::caught;
using support::Frozen;
using support::Huge;
using support::mentions;
using support::Name;
using support::Owned;
using support::Position;
using support::Tracked;

struct NoDefault {
    explicit NoDefault(int n) : value{n} {}
    int value;
};

/// Plain bytes: no functions at all.
component_id pair_type() {
    static const component_id id =
        pecs::register_component({.name = "script.Pair", .size = 8, .alignment = 4});
    return id;
}
component_id tag_type() {
    static const component_id id = pecs::register_component({.name = "script.Tag"});
    return id;
}

/// A type whose functions are written by hand, on top of an int: counts its values, and throws on demand.
struct script {
    static inline int alive = 0;
    static inline int calls = 0;
    static inline int until_throw = -1;

    static void tick() {
        ++calls;
        if (until_throw == 0) throw std::runtime_error{"script error"};
        if (until_throw > 0) --until_throw;
    }
    static void construct(void* to, std::size_t count) {
        tick();
        for (std::size_t i = 0; i != count; ++i) static_cast<int*>(to)[i] = 42;
        alive += static_cast<int>(count);
    }
    static void copy(void* to, const void* from, std::size_t count) {
        tick();
        std::memcpy(to, from, count * sizeof(int));
        alive += static_cast<int>(count);
    }
    static void relocate(void* to, void* from, std::size_t count) noexcept {
        std::memcpy(to, from, count * sizeof(int));
        std::memset(from, 0xFF, count * sizeof(int));
    }
    static void destroy(void* first, std::size_t count) noexcept {
        std::memset(first, 0xEE, count * sizeof(int));
        alive -= static_cast<int>(count);
    }
    static component_id id() {
        static const component_id known = pecs::register_component({.name = "script.Counted",
                                                                    .size = sizeof(int),
                                                                    .alignment = alignof(int),
                                                                    .construct = construct,
                                                                    .copy = copy,
                                                                    .relocate = relocate,
                                                                    .destroy = destroy});
        return known;
    }
};
component_id unmakable() {
    static const component_id id = pecs::register_component({.name = "script.Unmakable",
                                                             .size = sizeof(int),
                                                             .alignment = alignof(int),
                                                             .copy = script::copy,
                                                             .relocate = script::relocate,
                                                             .destroy = script::destroy,
                                                             .constructible = false});
    return id;
}

/// A type whose functions try to change the world.
struct intruder {
    static inline world* target = nullptr;
    static inline int refusals = 0;

    static void intrude() {
        try {
            target->clear();
        } catch (const pecs::world_locked&) {
            ++refusals;
        }
    }
    static void construct(void* to, std::size_t count) {
        intrude();
        std::memset(to, 0, count * sizeof(int));
    }
    static void copy(void* to, const void* from, std::size_t count) {
        intrude();
        std::memcpy(to, from, count * sizeof(int));
    }
    static component_id id() {
        static const component_id known = pecs::register_component({.name = "script.Intruder",
                                                                    .size = sizeof(int),
                                                                    .alignment = alignof(int),
                                                                    .construct = construct,
                                                                    .copy = copy});
        return known;
    }
};

int number(world& w, entity e, component_id id) {
    int value = 0;
    std::memcpy(&value, w.by_id().get(e, id), sizeof(int));
    return value;
}

std::string dump(world& w) {
    std::string text = support::snapshot<Position, Name, Owned, Frozen, Tracked, Huge>(w);
    w.each_entity([&](entity e) {
        for (const component_id id : {pair_type(), script::id()})
            text += w.by_id().has(e, id) ? ' ' + std::to_string(number(w, e, id)) : " -";
        text += w.by_id().has(e, tag_type()) ? " +\n" : " -\n";
    });
    return text;
}

constexpr component_id unknown{60000};
} // namespace

int main() {
    using namespace boost::ut;

    "components of plain bytes come, change and go"_test = [] {
        world w;
        const entity e = w.spawn(Name::of(1));
        const std::array<std::int32_t, 2> values{3, 4};
        w.by_id().add(e, pair_type(), values.data());
        expect(w.by_id().has(e, pair_type()));
        expect(std::memcmp(w.by_id().get(e, pair_type()), values.data(), 8) == 0_i);
        const std::array<std::int32_t, 2> others{5, 6};
        w.by_id().set(e, pair_type(), others.data());
        expect(std::memcmp(w.by_id().try_get(e, pair_type()), others.data(), 8) == 0_i);
        w.by_id().remove(e, pair_type());
        expect(not w.by_id().has(e, pair_type()) and w.by_id().try_get(e, pair_type()) == nullptr);
        w.by_id().set(e, pair_type(), values.data());
        expect(number(w, e, pair_type()) == 3_i) << "set adds what is not there";
        expect(w.get<Name>(e).number() == 1_i and w.validate());
    };

    "plain bytes are zero by default"_test = [] {
        world w;
        for (int i = 0; i != 100; ++i) { // in memory that held something else before
            const std::array<component_id, 2> ids{pair_type(), tag_type()};
            const entity spawned = w.by_id().spawn(ids);
            const entity added = w.spawn();
            w.by_id().add(added, pair_type());
            for (const entity e : {spawned, added}) {
                std::uint64_t bits = 1;
                std::memcpy(&bits, w.by_id().get(e, pair_type()), sizeof bits);
                expect(bits == 0_ull);
                std::memset(w.by_id().get(e, pair_type()), 0xFF, 8);
            }
            if (i % 3 == 0) w.despawn(spawned);
        }
        expect(w.validate());
    };

    "tags by id are there or not"_test = [] {
        world w;
        const entity e = w.spawn();
        w.by_id().add(e, tag_type());
        expect(w.by_id().has(e, tag_type()) and w.by_id().try_get(e, tag_type()) == nullptr);
        w.by_id().set(e, tag_type(), nullptr);
        w.by_id().remove(e, tag_type());
        expect(not w.by_id().has(e, tag_type()));
        w.by_id().add(e, tag_type(), nullptr);
        w.by_id().add(e, pecs::id_of<Frozen>());
        expect(w.has<Frozen>(e) and w.by_id().has(e, tag_type()) and w.validate());
    };

    "the functions of a type are called as often as values come and go"_test = [] {
        script::alive = 0;
        {
            world w;
            const int seven = 7;
            const std::array<component_id, 1> ids{script::id()};
            const entity e = w.by_id().spawn(ids);
            expect(script::alive == 1_i and number(w, e, script::id()) == 42_i);
            w.by_id().set(e, script::id(), &seven);
            expect(script::alive == 1_i and number(w, e, script::id()) == 7_i) << "replaced";
            w.add(e, Position::of(1));
            expect(script::alive == 1_i and number(w, e, script::id()) == 7_i) << "moved along";
            w.by_id().remove(e, script::id());
            expect(script::alive == 0_i) << "removed";
            w.by_id().add(e, script::id());
            w.by_id().remove(e, script::id());
            w.by_id().add(e, script::id(), &seven);
            expect(script::alive == 1_i) << "added";
            for (int i = 0; i != 50; ++i) {
                const entity more = w.by_id().spawn(ids);
                w.by_id().set(more, script::id(), &i);
            }
            expect(script::alive == 51_i and number(w, e, script::id()) == 7_i);
            w.despawn(e);
            expect(script::alive == 50_i);
        }
        expect(script::alive == 0_i) << "the end of the world";
    };

    "a function that throws leaves the world as it was"_test = [] {
        script::alive = 0;
        Tracked::forget();
        {
            world w;
            const std::array<component_id, 4> ids{pecs::id_of<Tracked>(), script::id(), pecs::id_of<Name>(),
                                                  tag_type()};
            const entity e = w.by_id().spawn(ids);
            const entity bare = w.spawn(Name::of(1));
            const std::string before = dump(w);
            const int seven = 7;
            script::until_throw = 0;
            expect(throws<std::runtime_error>([&] { (void)w.by_id().spawn(ids); }));
            expect(throws<std::runtime_error>([&] { w.by_id().add(bare, script::id()); }));
            expect(throws<std::runtime_error>([&] { w.by_id().add(bare, script::id(), &seven); }));
            expect(throws<std::runtime_error>([&] { w.by_id().set(bare, script::id(), &seven); }));
            expect(throws<std::runtime_error>([&] { w.by_id().set(e, script::id(), &seven); }));
            script::until_throw = -1;
            expect(dump(w) == before and w.validate());
            expect(script::alive == 1_i and Tracked::log.alive() == 1_ul);
            expect(w.spawn() == entity{2, 1}) << "no handle was used up";
        }
        expect(script::alive == 0_i and Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "C++ types can be used by id, too"_test = [] {
        Tracked::forget();
        {
            world w;
            const entity e = w.spawn(Tracked::of(1));
            const Name name = Name::of(5);
            const Huge huge = Huge::of(6);
            const Tracked tracked{7};
            w.by_id().add(e, pecs::id_of<Name>(), &name);
            w.by_id().add(e, pecs::id_of<Huge>(), &huge);
            w.by_id().set(e, pecs::id_of<Tracked>(), &tracked);
            w.by_id().add(e, pecs::id_of<Owned>());
            expect(w.get<Name>(e).number() == 5_i and w.get<Huge>(e).number() == 6_i);
            expect(w.get<Tracked>(e).number() == 7_i and w.get<Owned>(e).value == nullptr);
            expect(w.by_id().get(e, pecs::id_of<Name>()) == static_cast<void*>(&w.get<Name>(e)));
            w.remove<Name>(e);
            w.by_id().remove(e, pecs::id_of<Tracked>());
            expect(not w.has<Tracked>(e) and Tracked::log.alive() == 1_ul) << "the one that was copied from";
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "typed verbs and verbs by id lead to the same archetypes"_test = [] {
        world w;
        const std::array<component_id, 3> ids{pecs::id_of<Name>(), pecs::id_of<Frozen>(),
                                              pecs::id_of<Name>()};
        const entity a = w.by_id().spawn(ids);
        const entity b = w.spawn(Frozen{}, Name::of(1));
        expect(w.has<Name, Frozen>(a) and w.stats().archetypes.size() == 2_ul) << "listed twice counts once";
        w.by_id().remove(a, pecs::id_of<Name>());
        w.remove<Name>(b);
        expect(w.stats().archetypes.size() == 3_ul);
        const entity c = w.by_id().spawn({});
        expect(w.alive(c) and w.stats().archetypes.size() == 3_ul and w.validate());
    };

    "a value may lie in the world that it goes to"_test = [] {
        world w;
        const auto name = pecs::id_of<Name>();
        const entity first = w.spawn(Name::of(1));
        for (int i = 0; i != 100; ++i) {
            const entity e = w.spawn();
            w.by_id().add(e, name, w.by_id().get(first, name));
            w.by_id().set(e, name, w.by_id().get(e, name));
            expect(w.get<Name>(e).number() == 1_i);
        }
        expect(w.get<Name>(first).number() == 1_i and w.validate());
    };

    "what cannot be copied is not copied"_test = [] {
        world w;
        const entity e = w.spawn(Name::of(1));
        const entity has = w.spawn(Owned::of(2));
        const Owned owned = Owned::of(3);
        const std::string before = dump(w);
        for (const entity to : {e, has}) {
            const auto error =
                caught<pecs::unsupported_component>([&] { w.by_id().set(to, pecs::id_of<Owned>(), &owned); });
            expect(error.which() == pecs::id_of<Owned>());
            expect(mentions(error, "Owned") and mentions(error, "copied")) << error.what();
        }
        (void)caught<pecs::unsupported_component>([&] { w.by_id().add(e, pecs::id_of<Owned>(), &owned); });
        expect(dump(w) == before and w.validate());
    };

    "what has no default is not made"_test = [] {
        world w;
        const entity e = w.spawn();
        for (const component_id id : {unmakable(), pecs::id_of<NoDefault>()}) {
            const auto error = caught<pecs::unsupported_component>([&] { w.by_id().add(e, id); });
            expect(error.which() == id and mentions(error, pecs::type_of(id).name)) << error.what();
            expect(mentions(error, "default")) << error.what();
            const std::array<component_id, 2> ids{pecs::id_of<Name>(), id};
            (void)caught<pecs::unsupported_component>([&] { (void)w.by_id().spawn(ids); });
        }
        expect(w.size() == 1_ul and w.spawn() == entity{1, 1} and w.validate());
        const int seven = 7;
        w.by_id().add(e, unmakable(), &seven);
        expect(number(w, e, unmakable()) == 7_i) << "with a value it can be added";
    };

    "a tag has no value to get"_test = [] {
        world w;
        const entity e = w.spawn();
        w.by_id().add(e, tag_type());
        const auto error = caught<pecs::unsupported_component>([&] { (void)w.by_id().get(e, tag_type()); });
        expect(mentions(error, "script.Tag") and mentions(error, "has()")) << error.what();
        (void)caught<pecs::missing_component>([&] { (void)w.by_id().get(w.spawn(), tag_type()); });
    };

    "an unknown id is an error for every verb that needs the type"_test = [] {
        world w;
        const entity e = w.spawn(Name::of(1));
        const int value = 1;
        const std::array<component_id, 2> ids{pecs::id_of<Name>(), unknown};
        const std::string before = dump(w);
        const auto refused = [&](auto verb) {
            const auto error = caught<pecs::unknown_component>([&] { verb(w.by_id()); });
            return error.which() == unknown && mentions(error, "60000") && dump(w) == before && w.validate();
        };
        expect(refused([&](auto verbs) { (void)verbs.spawn(ids); }));
        expect(refused([&](auto verbs) { verbs.add(e, unknown); }));
        expect(refused([&](auto verbs) { verbs.add(e, unknown, &value); }));
        expect(refused([&](auto verbs) { verbs.set(e, unknown, &value); }));
        expect(refused([&](auto verbs) { verbs.remove(e, unknown); }));
        expect(refused([&](auto verbs) { (void)verbs.get(e, unknown); }));
        expect(not w.by_id().has(e, unknown) and w.by_id().try_get(e, unknown) == nullptr);
    };

    "dead, missing and duplicate are the errors of the typed verbs"_test = [] {
        world w;
        const entity e = w.spawn();
        const entity dead = w.spawn();
        w.despawn(dead);
        w.by_id().add(e, pair_type());
        const std::array<int, 2> value{};
        const std::string before = dump(w);
        const auto is_dead = [&](auto verb) {
            return caught<pecs::dead_entity>([&] { verb(w.by_id()); }).which() == dead;
        };
        expect(is_dead([&](auto verbs) { verbs.add(dead, pair_type()); }));
        expect(is_dead([&](auto verbs) { verbs.add(dead, pair_type(), value.data()); }));
        expect(is_dead([&](auto verbs) { verbs.set(dead, pair_type(), value.data()); }));
        expect(is_dead([&](auto verbs) { verbs.remove(dead, pair_type()); }));
        expect(is_dead([&](auto verbs) { (void)verbs.get(dead, pair_type()); }));
        expect(not w.by_id().has(dead, pair_type()) and w.by_id().try_get(dead, pair_type()) == nullptr);

        const auto twice = caught<pecs::duplicate_component>([&] { w.by_id().add(e, pair_type()); });
        expect(twice.which() == e and twice.component() == pair_type() and mentions(twice, "script.Pair"));
        (void)caught<pecs::duplicate_component>([&] { w.by_id().add(e, pair_type(), value.data()); });
        const auto missing = caught<pecs::missing_component>([&] { w.by_id().remove(e, script::id()); });
        expect(missing.which() == e and missing.component() == script::id() and
               mentions(missing, "script.Counted"));
        (void)caught<pecs::missing_component>([&] { (void)w.by_id().get(e, script::id()); });
        expect(dump(w) == before and w.validate());
    };

    "values with an alignment of their own lie on it"_test = [] {
        const auto id = pecs::register_component({.name = "script.Page", .size = 4096, .alignment = 4096});
        world w;
        const std::array<component_id, 2> ids{id, pair_type()};
        for (int i = 0; i != 20; ++i)
            expect(reinterpret_cast<std::uintptr_t>(w.by_id().get(w.by_id().spawn(ids), id)) % 4096 == 0_ul);
    };

    "a function of a type cannot change the world that calls it"_test = [] {
        world w;
        intruder::target = &w;
        const std::array<component_id, 1> ids{intruder::id()};
        const int value = 1;
        const entity spawned = w.by_id().spawn(ids);
        const entity added = w.spawn();
        w.by_id().add(added, intruder::id());
        w.by_id().set(added, intruder::id(), &value);
        expect(intruder::refusals == 3_i and w.size() == 2_ul and w.validate());
        expect(w.by_id().has(spawned, intruder::id()) and number(w, added, intruder::id()) == 1_i);
    };

    "the verbs stay valid when the world moves"_test = [] {
        world w;
        auto verbs = w.by_id();
        const entity e = w.spawn();
        verbs.add(e, pair_type());
        world moved{std::move(w)};
        verbs.add(e, tag_type());
        expect(moved.by_id().has(e, tag_type()) and moved.validate());
    };

    "everything is given back"_test = [] {
        support::watched_memory memory;
        {
            world w{&memory};
            const int seven = 7;
            for (int i = 0; i != 50; ++i) {
                const entity e = w.spawn();
                w.by_id().add(e, script::id(), &seven);
                w.by_id().set(e, script::id(), &seven);
                if (i % 2 == 0) w.by_id().add(e, pecs::id_of<Huge>());
            }
        }
        expect(memory.clean());
    };
}
