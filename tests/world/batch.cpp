// The verbs for many entities: what they do is what the single verbs do, one by one, and all of it or
// nothing.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/snapshot.hpp"

#include <algorithm>
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
using support::caught;
using support::Fragile;
using support::Frozen;
using support::Hidden;
using support::Huge;
using support::Name;
using support::Owned;
using support::Position;
using support::Tracked;
using support::Velocity;
using support::Wide;

std::string dump(const world& w) {
    return support::snapshot<Position, Velocity, Name, Owned, Wide, Huge, Frozen, Hidden, Tracked, Fragile>(
        w);
}

/// A world whose entities are spread over several archetypes, with free indices between them, and a list of
/// some.
struct mixed {
    world w;
    std::vector<entity> list;

    mixed() {
        std::vector<entity> gone;
        for (int i = 0; i != 30; ++i) {
            const entity e = w.spawn(Name::of(i), Tracked::of(i));
            if (i % 2 == 0) w.add(e, Velocity::of(i));
            if (i % 3 == 0) w.add(e, Frozen{}, Owned::of(i));
            if (i % 7 == 0)
                gone.push_back(e);
            else if (i % 5 != 0)
                list.push_back(e);
        }
        for (const entity e : gone) w.despawn(e);
        std::ranges::rotate(list, list.begin() + 7);
    }
};

/// Whether a batch verb and its single form, called for each entity of the list, have the same outcome.
template <class Batch, class Single> bool same_outcome(Batch batch, Single single) {
    mixed many;
    mixed one;
    batch(many.w, std::span<const entity>{many.list});
    for (const entity e : one.list) single(one.w, e);
    return many.w.validate() && dump(many.w) == dump(one.w) && many.w.spawn() == one.w.spawn();
}

/// Calls `f` with a world and a list, which must throw an `E`, and tells whether the world is as it was:
/// contents, next handles, lifetimes.
template <class E, class F> bool unchanged_by(F f) {
    mixed m;
    mixed twin;
    const auto alive = Tracked::log.alive() + Fragile::log.alive();
    (void)caught<E>([&] { f(m.w, std::span<const entity>{m.list}); });
    return dump(m.w) == dump(twin.w) && m.w.validate() &&
           Tracked::log.alive() + Fragile::log.alive() == alive && m.w.spawn() == twin.w.spawn();
}
} // namespace

int main() {
    using namespace boost::ut;

    "a batch of copies gives the handles and values of single spawns"_test = [] {
        mixed many;
        mixed one;
        const auto span = many.w.spawn_batch(20, Position::of(1), Name::of(2), Frozen{}, Huge::of(3));
        std::vector<entity> handles;
        for (int i = 0; i != 20; ++i)
            handles.push_back(one.w.spawn(Position::of(1), Name::of(2), Frozen{}, Huge::of(3)));
        expect(std::ranges::equal(span, handles));
        expect(dump(many.w) == dump(one.w) and many.w.validate());
        expect(many.w.spawn() == one.w.spawn());
    };

    "the span of new entities names exactly them"_test = [] {
        world w;
        (void)w.spawn_batch(5, Name::of(1));
        const auto fresh = w.spawn_batch(3, Name::of(2));
        expect(fresh.size() == 3_ul and w.size() == 8_ul);
        for (const entity e : fresh) expect(w.alive(e) and w.get<Name>(e).number() == 2_i);
    };

    "a batch may have default values, or no components at all"_test = [] {
        world w;
        for (const entity e : w.spawn_batch<Position, Frozen, Owned>(3))
            expect(w.get<Position>(e).number() == 0_i and w.get<Owned>(e).value == nullptr and
                   w.has<Frozen>(e));
        for (const entity e : w.spawn_batch(4)) expect(w.alive(e) and not w.has<Position>(e));
        expect(w.size() == 7_ul and w.validate());
    };

    "a batch of nothing is nothing"_test = [] {
        world w;
        expect(w.spawn_batch(0, Name::of(1)).empty() and w.spawn_batch<Name>(0).empty() and
               w.spawn_batch(0).empty());
        expect(
            w.spawn_batch<Name>(0, [](Name&) { throw std::logic_error{"no row to call it for"}; }).empty());
        w.despawn_batch({});
        w.add_batch({}, Name::of(1));
        w.remove_batch<Name>({});
        w.exchange_batch<Name>({}, Frozen{});
        w.set_batch({}, Name::of(1), Frozen{});
        expect(w.empty() and w.validate() and w.spawn() == entity{0, 1});
    };

    "an initialiser gets the values in the order named"_test = [] {
        world w;
        int n = 0;
        const auto fresh =
            w.spawn_batch<Name, Frozen, Position, Owned>(10, [&](Name& a, Position& b, Owned& c) {
                a = Name::of(n);
                b = Position::of(n + 1);
                c = Owned::of(n + 2);
                ++n;
            });
        expect(n == 10_i and fresh.size() == 10_ul);
        for (int i = 0; i != 10; ++i) {
            const entity e = fresh[static_cast<std::size_t>(i)];
            expect(w.get<Name>(e).number() == i and w.get<Position>(e).number() == i + 1);
            expect(w.get<Owned>(e).number() == i + 2 and w.has<Frozen>(e));
        }
    };

    "an initialiser may ask for the entity"_test = [] {
        world w;
        std::vector<entity> seen;
        const auto fresh = w.spawn_batch<Name, Frozen>(5, [&](entity e, Name& name) {
            seen.push_back(e);
            name = Name::of(static_cast<int>(e.index()));
        });
        expect(std::ranges::equal(seen, fresh));
        for (const entity e : fresh) expect(w.get<Name>(e).number() == static_cast<int>(e.index()));
        std::size_t tags = 0;
        (void)w.spawn_batch<Frozen>(4, [&](entity e) { tags += e ? 1 : 0; });
        (void)w.spawn_batch<Frozen, Hidden>(4, [&] { ++tags; });
        expect(tags == 8_ul) << "tags alone have no values to hand out";
    };

    "an initialiser finds default values"_test = [] {
        world w;
        (void)w.spawn_batch<Name, Owned, Tracked>(5, [](Name& name, Owned& owned, Tracked& tracked) {
            expect(name.text.empty() and owned.value == nullptr and tracked.number() == 0_i);
        });
    };

    "values for a batch may come from the world that they go to"_test = [] {
        world w;
        const entity first = w.spawn(Name::of(1));
        for (const entity e : w.spawn_batch(100, w.get<Name>(first))) expect(w.get<Name>(e).number() == 1_i);
        const auto plain = w.spawn_batch(1000);
        const std::vector<entity> list{plain.begin(), plain.end()};
        w.add_batch(list, w.get<Name>(first));
        for (const entity e : list) expect(w.get<Name>(e).number() == 1_i);
        const auto frozen = w.spawn_batch(5000, Frozen{});
        const std::vector<entity> more{frozen.begin(), frozen.end()};
        w.exchange_batch<Frozen>(more, w.get<Name>(first));
        for (const entity e : more) expect(w.get<Name>(e).number() == 1_i);
        w.set_batch(list, w.get<Name>(list[500]));
        expect(w.get<Name>(list.front()).number() == 1_i and w.get<Name>(list.back()).number() == 1_i);
        expect(w.validate());
    };

    "despawn_batch does what despawn does"_test = [] {
        expect(same_outcome([](world& w, auto list) { w.despawn_batch(list); },
                            [](world& w, entity e) { w.despawn(e); }));
    };

    "add_batch does what add does"_test = [] {
        expect(same_outcome(
            [](world& w, auto list) { w.add_batch(list, Position::of(1), Hidden{}, Wide::of(2)); },
            [](world& w, entity e) { w.add(e, Position::of(1), Hidden{}, Wide::of(2)); }));
        expect(same_outcome([](world& w, auto list) { w.add_batch(list, Hidden{}); },
                            [](world& w, entity e) { w.add(e, Hidden{}); }));
    };

    "remove_batch does what remove does"_test = [] {
        expect(same_outcome([](world& w, auto list) { w.template remove_batch<Tracked>(list); },
                            [](world& w, entity e) { w.remove<Tracked>(e); }));
        expect(same_outcome([](world& w, auto list) { w.template remove_batch<Tracked, Name>(list); },
                            [](world& w, entity e) { w.remove<Tracked, Name>(e); }));
    };

    "exchange_batch does what exchange does"_test = [] {
        expect(same_outcome(
            [](world& w, auto list) { w.template exchange_batch<Name>(list, Position::of(1), Hidden{}); },
            [](world& w, entity e) { w.exchange<Name>(e, Position::of(1), Hidden{}); }));
    };

    "set_batch does what set does"_test = [] {
        expect(
            same_outcome([](world& w, auto list) { w.set_batch(list, Name::of(1), Hidden{}, Huge::of(2)); },
                         [](world& w, entity e) { w.set(e, Name::of(1), Hidden{}, Huge::of(2)); }));
        expect(same_outcome([](world& w, auto list) { w.set_batch(list, Velocity::of(1), Frozen{}); },
                            [](world& w, entity e) { w.set(e, Velocity::of(1), Frozen{}); }));
        expect(same_outcome([](world& w, auto list) { w.set_batch(list, Name::of(1)); },
                            [](world& w, entity e) { w.set(e, Name::of(1)); }));
    };

    "a list may come in any order"_test = [] {
        mixed forwards;
        mixed backwards;
        std::ranges::sort(forwards.list);
        std::ranges::sort(backwards.list, std::ranges::greater{});
        forwards.w.add_batch(forwards.list, Position::of(1));
        backwards.w.add_batch(backwards.list, Position::of(1));
        expect(dump(forwards.w) == dump(backwards.w));
    };

    "every object is made once and ended once"_test = [] {
        Tracked::forget();
        {
            world w;
            const Tracked one{1};
            const auto fresh = w.spawn_batch(10, one, Position::of(1));
            const std::vector<entity> list{fresh.begin(), fresh.end()};
            expect(Tracked::log.alive() == 11_ul) << "spawn";
            w.remove_batch<Tracked>(list);
            expect(Tracked::log.alive() == 1_ul) << "remove";
            w.add_batch(list, one);
            expect(Tracked::log.alive() == 11_ul) << "add";
            w.set_batch(list, one, Name::of(1));
            expect(Tracked::log.alive() == 11_ul) << "set, which also moves the rows";
            w.exchange_batch<Tracked>(list, Frozen{});
            expect(Tracked::log.alive() == 1_ul) << "exchanged away";
            w.exchange_batch<Frozen>(list, one);
            expect(Tracked::log.alive() == 11_ul) << "exchanged for";
            (void)w.spawn_batch<Tracked>(5);
            (void)w.spawn_batch<Tracked>(5, [](Tracked&) {});
            expect(Tracked::log.alive() == 21_ul) << "spawn";
            w.despawn_batch(list);
            expect(Tracked::log.alive() == 11_ul) << "despawn";
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "an initialiser that throws leaves the world as it was"_test = [] {
        for (int fail_at = 0; fail_at != 10; ++fail_at) {
            Tracked::forget();
            int calls = 0;
            expect(unchanged_by<std::runtime_error>([&](world& w, auto) {
                (void)w.spawn_batch<Name, Tracked, Frozen>(10, [&](Name& name, Tracked&) {
                    name = Name::of(1);
                    if (calls++ == fail_at) throw std::runtime_error{"halfway"};
                });
            })) << fail_at;
            expect(calls == fail_at + 1);
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "a constructor that throws in a batch of spawns leaves the world as it was"_test = [] {
        for (int fail_at = 0; fail_at != 12; ++fail_at) {
            Tracked::forget();
            Fragile::forget();
            const Fragile original{1};
            expect(unchanged_by<std::runtime_error>([&](world& w, auto) {
                Fragile::until_throw = fail_at;
                (void)w.spawn_batch(12, Name::of(1), Tracked::of(1), original, Position::of(1));
            })) << "copies"
                << fail_at;
            expect(unchanged_by<std::runtime_error>([&](world& w, auto) {
                Fragile::until_throw = fail_at;
                (void)w.spawn_batch<Tracked, Fragile, Name>(13);
            })) << "defaults"
                << fail_at;
            Fragile::until_throw = -1;
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul and Fragile::log.wrong == 0_ul);
    };

    "a copy that throws in a batch of changes leaves the world as it was"_test = [] {
        Tracked::forget();
        for (int fail_at = 0; fail_at != static_cast<int>(mixed{}.list.size()); ++fail_at) {
            Fragile::forget();
            const Fragile original{1};
            expect(unchanged_by<std::runtime_error>([&](world& w, auto list) {
                Fragile::until_throw = fail_at;
                w.add_batch(list, Position::of(1), original, Hidden{});
            })) << "add"
                << fail_at;
            expect(unchanged_by<std::runtime_error>([&](world& w, auto list) {
                Fragile::until_throw = fail_at;
                w.template exchange_batch<Name>(list, Wide::of(1), original);
            })) << "exchange"
                << fail_at;
            expect(unchanged_by<std::runtime_error>([&](world& w, auto list) {
                Fragile::until_throw = fail_at;
                w.set_batch(list, Name::of(99), original, Tracked::of(99));
            })) << "set"
                << fail_at;
            Fragile::until_throw = -1;
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
        expect(Fragile::log.alive() == 0_ul and Fragile::log.wrong == 0_ul);
    };

    "a list with a dead entity changes nothing"_test = [] {
        for (const std::size_t at : {0U, 5U, 14U}) {
            mixed m;
            const entity dead = m.w.spawn();
            m.w.despawn(dead);
            m.list[at] = dead;
            const auto refused = [&](auto verb) {
                const std::string before = dump(m.w);
                const auto error =
                    caught<pecs::dead_entity>([&] { verb(m.w, std::span<const entity>{m.list}); });
                return error.which() == dead && dump(m.w) == before && m.w.validate();
            };
            expect(refused([](world& w, auto list) { w.despawn_batch(list); }));
            expect(refused([](world& w, auto list) { w.add_batch(list, Position::of(1)); }));
            expect(refused([](world& w, auto list) { w.template remove_batch<Name>(list); }));
            expect(refused([](world& w, auto list) { w.template exchange_batch<Name>(list, Hidden{}); }));
            expect(refused([](world& w, auto list) { w.set_batch(list, Name::of(99)); }));
        }
    };

    "a list with an entity twice changes nothing"_test = [] {
        for (const std::size_t at : {1U, 5U, 14U}) {
            mixed m;
            m.list[at] = m.list[0];
            const auto refused = [&](auto verb) {
                const std::string before = dump(m.w);
                const auto error =
                    caught<pecs::repeated_entity>([&] { verb(m.w, std::span<const entity>{m.list}); });
                return error.which() == m.list[0] && dump(m.w) == before && m.w.validate();
            };
            expect(refused([](world& w, auto list) { w.despawn_batch(list); }));
            expect(refused([](world& w, auto list) { w.add_batch(list, Position::of(1)); }));
            expect(refused([](world& w, auto list) { w.template remove_batch<Name>(list); }));
            expect(refused([](world& w, auto list) { w.template exchange_batch<Name>(list, Hidden{}); }));
            expect(refused([](world& w, auto list) { w.set_batch(list, Name::of(99)); }));
        }
    };

    "one entity that lacks the component stops the whole batch"_test = [] {
        for (const std::size_t at : {0U, 5U, 14U}) {
            mixed m;
            const entity odd = m.list[at];
            m.w.remove<Name>(odd);
            const std::string before = dump(m.w);
            const auto removed =
                caught<pecs::missing_component>([&] { m.w.remove_batch<Tracked, Name>(m.list); });
            expect(removed.which() == odd and removed.component() == pecs::id_of<Name>());
            const auto exchanged =
                caught<pecs::missing_component>([&] { m.w.exchange_batch<Name>(m.list, Position::of(1)); });
            expect(exchanged.which() == odd and exchanged.component() == pecs::id_of<Name>());
            expect(dump(m.w) == before and m.w.validate());
        }
    };

    "one entity that has the component already stops the whole batch"_test = [] {
        for (const std::size_t at : {0U, 5U, 14U}) {
            mixed m;
            const entity odd = m.list[at];
            m.w.add(odd, Position::of(5));
            const std::string before = dump(m.w);
            const auto added =
                caught<pecs::duplicate_component>([&] { m.w.add_batch(m.list, Hidden{}, Position::of(1)); });
            expect(added.which() == odd and added.component() == pecs::id_of<Position>());
            const auto exchanged =
                caught<pecs::duplicate_component>([&] { m.w.exchange_batch<Name>(m.list, Position::of(1)); });
            expect(exchanged.which() == odd and exchanged.component() == pecs::id_of<Position>());
            expect(dump(m.w) == before and m.w.validate());
        }
    };

    "after a refused batch the same list works"_test = [] {
        mixed m;
        const auto twice = m.list[3];
        m.list.push_back(twice);
        (void)caught<pecs::repeated_entity>([&] { m.w.add_batch(m.list, Position::of(1)); });
        m.list.pop_back();
        m.w.add_batch(m.list, Position::of(1));
        for (const entity e : m.list) expect(m.w.get<Position>(e).number() == 1_i);
        expect(m.w.validate());
    };

    "a list may be a span of the world's own handles"_test = [] {
        world w;
        w.despawn_batch(w.spawn_batch(20, Name::of(1)));
        expect(w.empty() and w.validate());
        w.add_batch(w.spawn_batch(20, Position::of(1)), Name::of(2));
        w.set_batch(w.spawn_batch(20, Position::of(1)), Name::of(2));
        w.remove_batch<Frozen>(w.spawn_batch(20, Position::of(1), Name::of(2), Frozen{}));
        expect(w.size() == 60_ul and w.validate());
        w.each_entity([&](entity e) { expect(w.get<Name>(e).number() == 2_i and not w.has<Frozen>(e)); });
    };
}
