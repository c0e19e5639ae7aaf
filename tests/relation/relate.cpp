// Relations of single entities: how they begin, change and end, what they carry, and what is refused.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/snapshot.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::component_id;
using pecs::entity;
using pecs::id_of;
using pecs::to;
using pecs::world;
using support::Frozen;
using support::Huge;
using support::mentions;
using support::Name;
using support::Owned;
using support::Position;
using support::Tracked;
using support::Velocity;
using support::Wide;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    static constexpr pecs::relation_rules rules{};
};
/// Relations with data of every kind.
struct Orbits {
    static constexpr pecs::relation_rules rules{};
    float radius = 1;
    [[nodiscard]] int number() const { return static_cast<int>(radius); }
};
template <class Base> struct With : Base {
    static constexpr pecs::relation_rules rules{};
    With() = default;
    explicit With(Base value) : Base{std::move(value)} {}
    static With of(int n) { return With{Base::of(n)}; }
};
using Named = With<Name>;
using Owning = With<Owned>;
using Vast = With<Huge>;
using Counting = With<Tracked>;

static_assert(pecs::relation<ChildOf> && pecs::tag<ChildOf> && pecs::relation<Orbits>);
static_assert(!pecs::relation<Position> && !pecs::relation<Frozen> && pecs::relation<Counting>);

std::string dump(const world& w) {
    return support::snapshot<Position, Velocity, Name, Owned, Frozen, Tracked, Orbits, Named, Owning, Vast>(
               w) +
           support::targets<ChildOf, Likes, Orbits, Named, Owning, Vast, Counting>(w);
}

/// A world with targets, sources, and a handle of the dead.
struct scene {
    world w;
    entity sun = w.spawn(Name::of(1));
    entity moon = w.spawn(Name::of(2), Position::of(2));
    entity gone = w.spawn();
    entity earth = w.spawn(Name::of(3), Tracked::of(3), to<Orbits>(sun, Orbits{10}), to<Likes>(moon));
    entity mars = w.spawn(Position::of(4), to<ChildOf>(sun));

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

/// A relation that exists only at run time, with eight bytes of data.
component_id scripted() {
    static const component_id id = pecs::register_component(
        {.name = "script.Follows",
         .size = 8,
         .alignment = 8,
         .relation = true,
         .rules = {.on_target_death = pecs::target_death::cascade, .acyclic = true}});
    return id;
}
} // namespace

int main() {
    using namespace boost::ut;

    "an entity may be spawned with one relation"_test = [] {
        world w;
        const entity parent = w.spawn();
        const entity child = w.spawn(Name::of(7), to<ChildOf>(parent));
        expect(w.has<ChildOf>(child) and w.has<ChildOf>(child, parent) and
               w.target<ChildOf>(child) == parent);
        expect(not w.has<ChildOf>(parent) and w.target<ChildOf>(parent) == pecs::null);
        expect(w.get<Name>(child).number() == 7_i and w.validate());
    };

    "an entity may be spawned with nothing but a relation"_test = [] {
        world w;
        const entity parent = w.spawn();
        const entity child = w.spawn(to<ChildOf>(parent));
        expect(w.target<ChildOf>(child) == parent and w.source_count<ChildOf>(parent) == 1_ul and
               w.validate());
    };

    "an entity may be spawned with several relations, to one target or to many"_test = [] {
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const entity both = w.spawn(to<Likes>(a), Name::of(1), to<Orbits>(b, Orbits{5}), to<ChildOf>(a));
        const entity same = w.spawn(to<Likes>(a), Name::of(2), to<Orbits>(a, Orbits{6}), to<ChildOf>(a));
        expect(w.target<Likes>(both) == a and w.target<Orbits>(both) == b and w.target<ChildOf>(both) == a);
        expect(w.target<Likes>(same) == a and w.target<Orbits>(same) == a and w.target<ChildOf>(same) == a);
        expect(w.get<Orbits>(both).number() == 5_i and w.get<Orbits>(same).number() == 6_i);
        expect(w.get<Name>(both).number() == 1_i and w.get<Name>(same).number() == 2_i and w.validate());
    };

    "a relation without data given has its default"_test = [] {
        world w;
        const entity sun = w.spawn();
        expect(w.get<Orbits>(w.spawn(to<Orbits>(sun))).number() == 1_i);
        const entity later = w.spawn();
        w.relate<Orbits>(later, sun);
        expect(w.get<Orbits>(later).number() == 1_i and w.validate());
    };

    "many entities may be spawned with one target"_test = [] {
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const auto span = w.spawn_batch(100, Name::of(1), to<ChildOf>(a), to<Orbits>(b, Orbits{4}));
        const std::vector<entity> fresh{span.begin(), span.end()};
        expect(fresh.size() == 100_ul and w.source_count<ChildOf>(a) == 100_ul and w.validate());
        for (const entity e : fresh)
            expect(w.target<ChildOf>(e) == a and w.target<Orbits>(e) == b and
                   w.get<Orbits>(e).number() == 4_i and w.get<Name>(e).number() == 1_i);
        expect(w.spawn_batch(0, to<ChildOf>(a)).empty() and w.validate());
    };

    "relate begins a relation"_test = [] {
        scene s;
        s.w.relate<ChildOf>(s.earth, s.sun);
        expect(s.w.validate() and s.w.target<ChildOf>(s.earth) == s.sun);
        expect(s.w.target<Likes>(s.earth) == s.moon and s.w.target<Orbits>(s.earth) == s.sun);
        expect(s.w.get<Name>(s.earth).number() == 3_i and s.w.get<Tracked>(s.earth).number() == 3_i);
        const entity bare = s.w.spawn();
        s.w.relate<Orbits>(bare, s.earth, Orbits{3});
        expect(s.w.target<Orbits>(bare) == s.earth and s.w.get<Orbits>(bare).number() == 3_i);
        expect(s.w.validate());
    };

    "relate changes the target and keeps the data"_test = [] {
        scene s;
        s.w.relate<Orbits>(s.earth, s.mars);
        expect(s.w.target<Orbits>(s.earth) == s.mars and s.w.get<Orbits>(s.earth).number() == 10_i);
        expect(s.w.source_count<Orbits>(s.sun) == 0_ul and s.w.source_count<Orbits>(s.mars) == 1_ul);
        expect(s.w.target<Likes>(s.earth) == s.moon and s.w.get<Name>(s.earth).number() == 3_i);
        expect(s.w.validate());
    };

    "relate with data replaces it, with a new target or the old one"_test = [] {
        scene s;
        s.w.relate<Orbits>(s.earth, s.sun, Orbits{11});
        expect(s.w.target<Orbits>(s.earth) == s.sun and s.w.get<Orbits>(s.earth).number() == 11_i);
        s.w.relate<Orbits>(s.earth, s.moon, Orbits{12});
        expect(s.w.target<Orbits>(s.earth) == s.moon and s.w.get<Orbits>(s.earth).number() == 12_i);
        expect(s.w.validate());
    };

    "relate to the target that is there changes nothing"_test = [] {
        scene s;
        const std::string before = dump(s.w);
        s.w.relate<Orbits>(s.earth, s.sun);
        s.w.relate<ChildOf>(s.mars, s.sun);
        expect(dump(s.w) == before and s.w.validate());
    };

    "unrelate ends a relation with its data, and no other"_test = [] {
        scene s;
        s.w.unrelate<Orbits>(s.earth);
        expect(not s.w.has<Orbits>(s.earth) and not s.w.target<Orbits>(s.earth) and s.w.validate());
        expect(s.w.try_get<Orbits>(s.earth) == nullptr and s.w.target<Likes>(s.earth) == s.moon);
        s.w.unrelate<Likes>(s.earth);
        expect(not s.w.has<Likes>(s.earth) and s.w.get<Name>(s.earth).number() == 3_i and s.w.validate());
        s.w.relate<Orbits>(s.earth, s.moon);
        expect(s.w.get<Orbits>(s.earth).number() == 1_i and s.w.validate());
    };

    "remove and exchange end relations, too"_test = [] {
        scene s;
        s.w.exchange<Orbits>(s.earth, Velocity::of(1));
        expect(not s.w.has<Orbits>(s.earth) and s.w.target<Likes>(s.earth) == s.moon and s.w.validate());
        s.w.remove<Likes, Name>(s.earth);
        expect(not s.w.has<Likes>(s.earth) and s.w.get<Velocity>(s.earth).number() == 1_i and s.w.validate());
    };

    "questions about the dead and the null entity have answers"_test = [] {
        scene s;
        expect(not s.w.target<Orbits>(s.gone) and not s.w.target<Orbits>(pecs::null));
        expect(not s.w.has<Orbits>(s.gone, s.sun) and not s.w.has<Orbits>(s.earth, s.gone));
        expect(not s.w.has<Orbits>(s.sun, pecs::null)) << "no relation is not a relation to null";
        expect(s.w.source_count<Orbits>(s.gone) == 0_ul and s.w.source_count<Orbits>(pecs::null) == 0_ul);
        s.w.each_source<Orbits>(s.gone, [](entity) { expect(false); });
        s.w.each_source(pecs::null, [](entity, component_id) { expect(false); });
    };

    "the sources of a target are found, by one relation and by all"_test = [] {
        scene s;
        const entity venus = s.w.spawn(to<Orbits>(s.sun), Frozen{});
        std::vector<entity> orbiting;
        s.w.each_source<Orbits>(s.sun, [&](entity e) { orbiting.push_back(e); });
        expect(orbiting.size() == 2_ul and orbiting[0] == s.earth and orbiting[1] == venus);
        std::size_t orbits = 0;
        std::size_t children = 0;
        s.w.each_source(s.sun, [&](entity e, component_id relation) {
            orbits += relation == id_of<Orbits>() && (e == s.earth || e == venus) ? 1 : 0;
            children += relation == id_of<ChildOf>() && e == s.mars ? 1 : 0;
        });
        expect(orbits == 2_ul and children == 1_ul);
        expect(s.w.source_count<Orbits>(s.sun) == 2_ul and s.w.source_count<Likes>(s.sun) == 0_ul);
    };

    "a dead or null target is refused"_test = [] {
        scene s;
        const auto check = [&](entity target, std::string_view named, component_id relation,
                               std::string_view relation_name, auto f) {
            const auto error = refused<pecs::dead_target>(s, f);
            expect(error.which() == target and error.component() == relation) << error.what();
            expect(mentions(error, named) and mentions(error, relation_name)) << error.what();
        };
        const std::array<std::pair<entity, std::string>, 3> dead{
            {{s.gone, pecs::to_string(s.gone)},
             {pecs::null, "null entity"},
             {entity{4'000'000'000, 1}, "4000000000v1"}}};
        const std::array<entity, 2> list{s.earth, s.sun};
        for (const auto& [target, named] : dead) {
            const auto orbits = [&](auto f) { check(target, named, id_of<Orbits>(), "Orbits", f); };
            orbits([&] { (void)s.w.spawn(Name::of(1), to<Orbits>(target)); });
            orbits([&] { (void)s.w.spawn(to<Likes>(s.sun), to<Orbits>(target), Tracked::of(1)); });
            orbits([&] { (void)s.w.spawn_batch(3, Name::of(1), to<Orbits>(target)); });
            orbits([&] { s.w.relate<Orbits>(s.sun, target); });
            orbits([&] { s.w.relate<Orbits>(s.sun, target, Orbits{2}); });
            orbits([&] { s.w.relate<Orbits>(s.earth, target); });
            orbits([&] { s.w.relate<Orbits>(s.earth, target, Orbits{2}); });
            orbits([&] { s.w.relate_batch<Orbits>(list, target); });
            orbits([&] { s.w.relate_batch<Orbits>(s.w.query<Name>(), target); });
            orbits([&] { s.w.by_id().relate(s.sun, id_of<Orbits>(), target); });
            const std::array<pecs::relation_link, 1> links{{{id_of<Orbits>(), target}}};
            orbits([&] { (void)s.w.by_id().spawn({}, links); });
            check(target, named, id_of<ChildOf>(), "ChildOf", [&] { s.w.relate<ChildOf>(s.earth, target); });
        }
    };

    "a dead entity cannot be related"_test = [] {
        scene s;
        const auto check = [&](auto f) {
            const auto error = refused<pecs::dead_entity>(s, f);
            expect(error.which() == s.gone and mentions(error, pecs::to_string(s.gone))) << error.what();
        };
        const std::array<entity, 2> list{s.earth, s.gone};
        check([&] { s.w.relate<Orbits>(s.gone, s.sun); });
        check([&] { s.w.relate<ChildOf>(s.gone, s.sun); });
        check([&] { s.w.relate<Orbits>(s.gone, s.sun, Orbits{2}); });
        check([&] { s.w.unrelate<Orbits>(s.gone); });
        check([&] { s.w.relate_batch<Orbits>(list, s.sun); });
        check([&] { s.w.relate_batch<ChildOf>(list, s.sun); });
        check([&] { s.w.unrelate_batch<Orbits>(list); });
        check([&] { s.w.by_id().relate(s.gone, id_of<Orbits>(), s.sun); });
        check([&] { s.w.by_id().unrelate(s.gone, id_of<Orbits>()); });
    };

    "a relation that is not there cannot end"_test = [] {
        scene s;
        const auto check = [&](auto f) {
            const auto error = refused<pecs::missing_component>(s, f);
            expect(error.which() == s.moon and error.component() == id_of<Orbits>()) << error.what();
            expect(mentions(error, pecs::to_string(s.moon)) and mentions(error, "Orbits")) << error.what();
        };
        const std::array<entity, 2> list{s.earth, s.moon};
        check([&] { s.w.unrelate<Orbits>(s.moon); });
        check([&] { s.w.remove<Orbits>(s.moon); });
        check([&] { s.w.unrelate_batch<Orbits>(list); });
        check([&] { s.w.by_id().unrelate(s.moon, id_of<Orbits>()); });
    };

    "an entity may be its own target, unless the rules forbid cycles"_test = [] {
        scene s;
        s.w.relate<Likes>(s.earth, s.earth);
        s.w.relate<Orbits>(s.mars, s.mars, Orbits{0});
        expect(s.w.target<Likes>(s.earth) == s.earth and s.w.target<Orbits>(s.mars) == s.mars);
        expect(s.w.source_count<Likes>(s.earth) == 1_ul and s.w.validate());
        const auto error = refused<pecs::relation_cycle>(s, [&] { s.w.relate<ChildOf>(s.earth, s.earth); });
        expect(error.which() == s.earth and error.component() == id_of<ChildOf>());
        expect(mentions(error, pecs::to_string(s.earth)) and mentions(error, "ChildOf")) << error.what();
    };

    "targets stay while other components come and go"_test = [] {
        scene s;
        const auto whole = [&] {
            return s.w.target<Orbits>(s.earth) == s.sun && s.w.target<Likes>(s.earth) == s.moon &&
                   s.w.target<ChildOf>(s.mars) == s.sun && s.w.get<Orbits>(s.earth).number() == 10 &&
                   s.w.validate();
        };
        for (const entity e : {s.earth, s.mars}) {
            s.w.add(e, Velocity::of(1), Frozen{});
            expect(whole());
            s.w.exchange<Velocity>(e, Wide::of(2), Owned::of(2));
            expect(whole());
            s.w.set(e, Velocity::of(5), Owned::of(6));
            expect(whole() and s.w.get<Owned>(e).number() == 6_i and s.w.get<Velocity>(e).number() == 5_i);
            s.w.set(e, Velocity::of(7));
            s.w.remove<Frozen, Wide, Velocity>(e);
            expect(whole());
        }
        s.w.add_batch(std::array{s.earth, s.mars, s.sun}, Velocity::of(1));
        expect(whole());
        s.w.set_batch(std::array{s.earth, s.mars, s.moon}, Velocity::of(2), Huge::of(3));
        expect(whole() and s.w.get<Huge>(s.mars).number() == 3_i and
               s.w.get<Velocity>(s.earth).number() == 2_i);
        s.w.by_id().add(s.mars, id_of<Frozen>());
        s.w.by_id().remove(s.mars, id_of<Huge>());
        expect(whole());
    };

    "values of every kind live beside relations and in them"_test = [] {
        world w;
        std::vector<entity> targets;
        for (int i = 0; i != 10; ++i) targets.push_back(w.spawn());
        std::vector<entity> all;
        for (int i = 0; i != 100; ++i) {
            const entity target = targets[static_cast<std::size_t>(i * 7 % 10)];
            all.push_back(w.spawn(Name::of(i), Huge::of(i), Owned::of(i), Tracked::of(i), Frozen{},
                                  to<Named>(target, Named::of(i)), to<Owning>(target, Owning::of(i)),
                                  to<Vast>(targets[static_cast<std::size_t>(i % 3)], Vast::of(i)),
                                  to<Counting>(target, Counting::of(i))));
        }
        const auto whole = [&](std::size_t i) {
            const entity e = all[i];
            const int n = static_cast<int>(i);
            const bool aligned = reinterpret_cast<std::uintptr_t>(&w.get<Vast>(e)) % alignof(Vast) == 0 &&
                                 reinterpret_cast<std::uintptr_t>(&w.get<Huge>(e)) % alignof(Huge) == 0;
            return aligned && w.get<Name>(e).number() == n && w.get<Huge>(e).number() == n &&
                   w.get<Owned>(e).number() == n && w.get<Tracked>(e).number() == n &&
                   w.get<Named>(e).number() == n && w.get<Owning>(e).number() == n &&
                   w.get<Vast>(e).number() == n && w.get<Counting>(e).number() == n;
        };
        expect(w.validate());
        for (std::size_t i = 0; i != all.size(); ++i) expect(whole(i)) << i;
        for (std::size_t i = 0; i != all.size(); ++i) {
            w.relate<Vast>(all[i], targets[i * 3 % 10]);
            if (i % 2 == 0) w.relate<Owning>(all[i], targets[i % 4]);
            if (i % 3 == 0) w.relate<Named>(all[i], targets[5], Named::of(static_cast<int>(i)));
        }
        expect(w.validate());
        for (std::size_t i = 0; i != all.size(); ++i) expect(whole(i)) << i;
        w.compact();
        expect(w.validate());
        for (std::size_t i = 0; i != all.size(); ++i) expect(whole(i)) << i;
        for (const entity e : all) w.unrelate<Counting>(e);
        int sum = 0;
        w.query<const Named, const Owning>().each(
            [&](const Named& name, const Owning& owned) { sum += name.number() + owned.number(); });
        expect(sum == 9900_i and w.validate());
    };

    "the values of relations end exactly once"_test = [] {
        Tracked::forget();
        {
            world w;
            const entity a = w.spawn();
            const entity b = w.spawn();
            const entity e = w.spawn(to<Counting>(a, Counting::of(1)));
            expect(Tracked::log.alive() == 1_ul);
            w.relate<Counting>(e, b);
            w.relate<Counting>(e, b, Counting::of(2));
            w.relate<Counting>(e, a, Counting::of(3));
            expect(Tracked::log.alive() == 1_ul and w.get<Counting>(e).number() == 3_i);
            w.unrelate<Counting>(e);
            expect(Tracked::log.alive() == 0_ul);
            w.relate<Counting>(e, a);
            const entity other = w.spawn(to<Counting>(e, Counting::of(4)));
            w.despawn(a);
            expect(Tracked::log.alive() == 1_ul and w.get<Counting>(other).number() == 4_i and w.validate());
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "the data of a relation is a component like any other"_test = [] {
        scene s;
        s.w.get<Orbits>(s.earth).radius = 20;
        s.w.query<Orbits>().each([](Orbits& orbit) { orbit.radius += 1; });
        for (auto [e, orbit] : s.w.query<entity, Orbits>()) {
            expect(e == s.earth);
            orbit.radius += 1;
        }
        expect(s.w.get<Orbits>(s.earth).number() == 22_i and s.w.access<Orbits>()[s.earth].number() == 22_i);
        expect(s.w.query<pecs::with<ChildOf>>().first() == s.mars);
        expect(s.w.query<pecs::optional<Orbits>>().count() == 4_ul);
    };

    "by id, relations of C++ types do what they do with types"_test = [] {
        scene s;
        const auto ids = s.w.by_id();
        auto verbs = ids;
        verbs.relate(s.mars, id_of<Orbits>(), s.sun);
        expect(s.w.target<Orbits>(s.mars) == s.sun and s.w.get<Orbits>(s.mars).number() == 1_i);
        s.w.get<Orbits>(s.mars).radius = 30;
        verbs.relate(s.mars, id_of<Orbits>(), s.moon);
        expect(verbs.target(s.mars, id_of<Orbits>()) == s.moon and s.w.get<Orbits>(s.mars).number() == 30_i);
        expect(verbs.has(s.mars, id_of<Orbits>()) and verbs.has(s.mars, id_of<Orbits>(), s.moon));
        expect(not verbs.has(s.mars, id_of<Orbits>(), s.sun) and
               not verbs.has(s.sun, id_of<Orbits>(), pecs::null));
        verbs.unrelate(s.mars, id_of<Orbits>());
        expect(not s.w.has<Orbits>(s.mars) and s.w.target<ChildOf>(s.mars) == s.sun and s.w.validate());
        const std::array<component_id, 1> plain{id_of<Name>()};
        const std::array<pecs::relation_link, 2> links{{{id_of<Orbits>(), s.sun}, {id_of<Likes>(), s.earth}}};
        const entity made = verbs.spawn(plain, links);
        expect(s.w.target<Orbits>(made) == s.sun and s.w.target<Likes>(made) == s.earth);
        expect(s.w.has<Name>(made) and s.w.get<Orbits>(made).number() == 1_i and s.w.validate());
        const Orbits wide{50};
        verbs.set(made, id_of<Orbits>(), &wide);
        expect(s.w.get<Orbits>(made).number() == 50_i and s.w.target<Orbits>(made) == s.sun);
        expect(not verbs.target(s.gone, id_of<Orbits>()) and not verbs.target(s.earth, component_id{60000}));
    };

    "relations may exist only at run time, with data and rules"_test = [] {
        scene s;
        auto verbs = s.w.by_id();
        const component_id follows = scripted();
        const std::array<pecs::relation_link, 1> links{{{follows, s.sun}}};
        const entity first = verbs.spawn({}, links);
        expect(*static_cast<std::uint64_t*>(verbs.get(first, follows)) == 0_ul) << "zero bytes by default";
        const entity second = s.w.spawn(Name::of(5));
        verbs.relate(second, follows, first);
        *static_cast<std::uint64_t*>(verbs.get(second, follows)) = 77;
        expect(verbs.target(second, follows) == first and s.w.validate());
        const auto error = refused<pecs::relation_cycle>(s, [&] { verbs.relate(first, follows, second); });
        expect(error.which() == first and error.component() == follows and mentions(error, "script.Follows"));
        verbs.relate(second, follows, s.earth);
        expect(*static_cast<std::uint64_t*>(verbs.get(second, follows)) == 77_ul and s.w.validate());
        verbs.relate(second, follows, first);
        s.w.despawn(first);
        expect(not s.w.alive(second) and s.w.validate()) << "by its rules";
    };

    "by id, misuse of relations is refused"_test = [] {
        scene s;
        auto verbs = s.w.by_id();
        const Orbits value{2};
        const std::array<component_id, 2> ids{id_of<Name>(), id_of<Orbits>()};
        const auto needs_target = [&](auto f) {
            const auto error = refused<pecs::unsupported_component>(s, f);
            expect(error.which() == id_of<Orbits>() and mentions(error, "Orbits")) << error.what();
            expect(mentions(error, "target") and mentions(error, "relate")) << error.what();
        };
        needs_target([&] { verbs.add(s.moon, id_of<Orbits>()); });
        needs_target([&] { verbs.add(s.moon, id_of<Orbits>(), &value); });
        needs_target([&] { verbs.set(s.moon, id_of<Orbits>(), &value); });
        needs_target([&] { (void)verbs.spawn(ids); });
        const auto no_relation = [&](auto f) {
            const auto error = refused<pecs::unsupported_component>(s, f);
            expect(error.which() == id_of<Name>() and mentions(error, "Name")) << error.what();
            expect(mentions(error, "no relation")) << error.what();
        };
        const std::array<pecs::relation_link, 1> links{{{id_of<Name>(), s.sun}}};
        no_relation([&] { verbs.relate(s.moon, id_of<Name>(), s.sun); });
        no_relation([&] { verbs.unrelate(s.moon, id_of<Name>()); });
        no_relation([&] { (void)verbs.spawn({}, links); });
        auto query = verbs.query();
        no_relation([&] { query.of(id_of<Name>(), s.sun); });
        (void)refused<pecs::unknown_component>(s, [&] { verbs.relate(s.moon, component_id{60000}, s.sun); });
        (void)refused<pecs::unknown_component>(s, [&] { query.of(component_id{60000}, s.sun); });
    };

    "no relation changes while somebody looks at the world"_test = [] {
        scene s;
        const std::array<entity, 2> list{s.earth, s.mars};
        const std::array<pecs::relation_link, 1> links{{{id_of<Orbits>(), s.sun}}};
        const auto locked = [&](auto f) { (void)refused<pecs::world_locked>(s, f); };
        const auto every_verb = [&] {
            locked([&] { (void)s.w.spawn(to<ChildOf>(s.sun)); });
            locked([&] { (void)s.w.spawn_batch(2, to<ChildOf>(s.sun)); });
            locked([&] { s.w.relate<ChildOf>(s.earth, s.sun); });
            locked([&] { s.w.relate<Orbits>(s.earth, s.moon); });
            locked([&] { s.w.relate<Orbits>(s.earth, s.moon, Orbits{2}); });
            locked([&] { s.w.unrelate<Orbits>(s.earth); });
            locked([&] { s.w.relate_batch<Likes>(list, s.moon); });
            locked([&] { s.w.relate_batch<Likes>(s.w.query<Name>(), s.moon); });
            locked([&] { s.w.unrelate_batch<Orbits>(std::span{list}.first(1)); });
            locked([&] { s.w.unrelate_batch<Orbits>(s.w.query<Orbits>()); });
            locked([&] { s.w.by_id().relate(s.earth, id_of<Orbits>(), s.moon); });
            locked([&] { s.w.by_id().unrelate(s.earth, id_of<Orbits>()); });
            locked([&] { (void)s.w.by_id().spawn({}, links); });
            locked([&] { s.w.despawn(s.sun); });
            locked([&] { s.w.despawn_batch(s.w.query<>().template of<Orbits>(s.sun)); });
        };
        std::size_t loops = 0;
        s.w.each_source<Orbits>(s.sun, [&](entity) { every_verb(), ++loops; });
        s.w.each_source(s.moon, [&](entity, component_id) { every_verb(), ++loops; });
        s.w.query<const Orbits>().of<Orbits>(s.sun).each([&](const Orbits&) { every_verb(), ++loops; });
        for (auto [orbit] : s.w.query<const Orbits>().of<Orbits>(s.sun)) {
            every_verb();
            loops += orbit.radius > 0 ? 1 : 0;
        }
        for (auto [target, entities] : s.w.query<>().families<Orbits>()) {
            every_verb();
            loops += target == s.sun ? entities.size() : 0;
        }
        auto dynamic = s.w.by_id().query();
        dynamic.of(id_of<Orbits>(), s.sun);
        dynamic.each([&](const pecs::family_view&) { every_verb(), ++loops; });
        expect(loops == 6_ul);
        s.w.relate<Orbits>(s.earth, s.moon);
        expect(s.w.target<Orbits>(s.earth) == s.moon and s.w.validate()) << "unlocked again";
    };

    "targets move with their world"_test = [] {
        scene s;
        world moved{std::move(s.w)};
        expect(moved.target<Orbits>(s.earth) == s.sun and moved.validate());
        world assigned;
        (void)assigned.spawn(to<Likes>(assigned.spawn()));
        assigned = std::move(moved);
        expect(assigned.target<Likes>(s.earth) == s.moon and assigned.source_count<ChildOf>(s.sun) == 1_ul);
        expect(assigned.validate());
    };
}
