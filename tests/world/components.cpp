// The verbs for the components of one entity, for every kind of component, with exact counts of what is made
// and ended.
#include <boost/ut.hpp>

#include "../support/components.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
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

struct NoDefault {
    explicit NoDefault(int n) : value{n} {}
    int value;
    static NoDefault of(int n) { return NoDefault{n}; }
    [[nodiscard]] int number() const { return value; }
};

/// Calls `f.operator()<T>()` for one type of every kind that has data.
template <class F> void for_each_kind(F f) {
    f.template operator()<Position>();
    f.template operator()<Name>();
    f.template operator()<Owned>();
    f.template operator()<Wide>();
    f.template operator()<Huge>();
    f.template operator()<Tracked>();
    f.template operator()<NoDefault>();
    f.template operator()<double*>();
}
template <class T> T make(int n) {
    if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<T>(static_cast<std::intptr_t>(n) * 8);
    else
        return T::of(n);
}
template <class T> int number(const T& value) {
    if constexpr (std::is_pointer_v<T>)
        return static_cast<int>(reinterpret_cast<std::intptr_t>(value) / 8);
    else
        return value.number();
}

bool well_aligned(const auto& value) {
    return reinterpret_cast<std::uintptr_t>(&value) % alignof(std::remove_cvref_t<decltype(value)>) == 0;
}

/// Some entities of one archetype, numbered; changes of one must not show in the others.
struct neighbours {
    explicit neighbours(world& w) {
        for (int i = 0; i != 10; ++i) all.push_back(w.spawn(Velocity::of(i), Name::of(i), Fragile::of(i)));
    }
    [[nodiscard]] bool whole(const world& w) const {
        for (std::size_t i = 0; i != all.size(); ++i) {
            const int n = static_cast<int>(i);
            if (w.get<Velocity>(all[i]).number() != n || w.get<Fragile>(all[i]).number() != n) return false;
            if (w.has<Name>(all[i]) && w.get<Name>(all[i]).number() != n) return false;
        }
        return w.validate();
    }
    std::vector<entity> all;
};
} // namespace

int main() {
    using namespace boost::ut;

    "a component is added, read, written and removed"_test = [] {
        for_each_kind([]<class T>() {
            world w;
            const entity e = w.spawn(Velocity::of(5));
            w.add(e, make<T>(1));
            expect(w.has<T>(e) and number(w.get<T>(e)) == 1_i);
            w.set(e, make<T>(2));
            expect(number(w.get<T>(e)) == 2_i and number(*w.try_get<T>(e)) == 2_i);
            w.remove<T>(e);
            expect(not w.has<T>(e) and w.try_get<T>(e) == nullptr);
            expect(w.get<Velocity>(e).number() == 5_i and w.validate());
        });
    };

    "values follow their entity through all its changes"_test = [] {
        for_each_kind([]<class T>() {
            world w;
            std::vector<entity> all;
            for (int i = 0; i != 40; ++i) all.push_back(w.spawn(make<T>(i)));
            for (std::size_t i = 0; i < 40; i += 2) w.add(all[i], Velocity::of(static_cast<int>(i)));
            for (std::size_t i = 0; i < 40; i += 3) w.add(all[i], Frozen{});
            for (std::size_t i = 0; i < 40; i += 4) w.remove<Velocity>(all[i]);
            for (std::size_t i = 0; i < 40; i += 5) w.despawn(all[i]);
            for (std::size_t i = 0; i != 40; ++i) {
                if (i % 5 == 0) continue;
                const int n = static_cast<int>(i);
                expect(number(w.get<T>(all[i])) == n);
                expect(w.has<Velocity>(all[i]) == (i % 2 == 0 and i % 4 != 0));
                if (w.has<Velocity>(all[i])) expect(w.get<Velocity>(all[i]).number() == n);
                expect(w.has<Frozen>(all[i]) == (i % 3 == 0));
            }
            expect(w.validate());
        });
    };

    "plain values of any size follow their entity"_test = [] {
        const auto check = []<std::size_t Words>(std::integral_constant<std::size_t, Words>) {
            struct Block {
                std::array<std::uint32_t, Words> words{};
            };
            world w;
            std::vector<entity> all;
            for (std::uint32_t n = 0; n != 5; ++n) {
                Block block;
                for (std::uint32_t& word : block.words) word = n * 100 + Words;
                all.push_back(w.spawn(block));
            }
            w.add(all[1], Frozen{});
            w.despawn(all[0]);
            w.remove<Frozen>(all[1]);
            for (std::uint32_t n = 1; n != 5; ++n)
                for (const std::uint32_t word : w.get<Block>(all[n]).words) expect(word == n * 100 + Words);
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (check(std::integral_constant<std::size_t, I + 1>{}), ...); // 4, 8, 12 ... bytes
        }(std::make_index_sequence<20>{});
    };

    "values lie where their type wants them"_test = [] {
        world w;
        for (int i = 0; i != 100; ++i) {
            const entity e = w.spawn(Wide::of(i), Position::of(i));
            w.add(e, Huge::of(i));
            expect(well_aligned(w.get<Wide>(e)) and well_aligned(w.get<Huge>(e)) and
                   well_aligned(w.get<Position>(e)));
            expect(w.get<Wide>(e).number() == i and w.get<Huge>(e).number() == i);
        }
        w.shrink();
        w.each_entity([&](entity e) { expect(well_aligned(w.get<Huge>(e))); });
    };

    "several components are added and removed at once"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1));
        w.add(e, Name::of(2), Frozen{}, Owned::of(3));
        expect(w.has<Position, Name, Frozen, Owned>(e));
        expect(w.get<Name>(e).number() == 2_i and w.get<Owned>(e).number() == 3_i);
        w.remove<Owned, Position, Frozen>(e);
        expect(w.has<Name>(e) and not w.has<Owned>(e) and not w.has<Position>(e) and not w.has<Frozen>(e));
        expect(w.get<Name>(e).number() == 2_i);
        expect(w.stats().archetypes.size() == 4_ul) << "-, P, PNFO, N: nothing in between";
    };

    "a component can be added with its default value"_test = [] {
        world w;
        const entity e = w.spawn();
        w.add<Position, Frozen, Name>(e);
        w.add<Tracked>(e);
        expect(w.get<Position>(e).x == 0.0_f and w.get<Name>(e).text.empty() and w.has<Frozen>(e));
        expect(w.get<Tracked>(e).number() == 0_i);
    };

    "tags are there or not, and have no value"_test = [] {
        world w;
        const entity e = w.spawn(Frozen{});
        w.add<Hidden>(e);
        expect(w.has<Frozen>(e) and w.has<Hidden, Frozen>(e));
        w.set(e, Frozen{});
        w.remove<Frozen>(e);
        expect(not w.has<Frozen>(e) and w.has<Hidden>(e) and not w.has<Hidden, Frozen>(e));
        w.set(e, Frozen{}, Position::of(1));
        expect(w.has<Hidden, Frozen>(e) and w.get<Position>(e).number() == 1_i);
        w.exchange<Hidden>(e, Velocity::of(2));
        expect(not w.has<Hidden>(e) and w.get<Velocity>(e).number() == 2_i and w.validate());
    };

    "set replaces what is there and adds what is not"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1), Name::of(2));
        w.set(e, Name::of(3), Owned::of(4), Frozen{});
        expect(w.get<Position>(e).number() == 1_i and w.get<Name>(e).number() == 3_i);
        expect(w.get<Owned>(e).number() == 4_i and w.has<Frozen>(e));
        w.set(e, Owned::of(5), Position::of(6));
        expect(w.get<Position>(e).number() == 6_i and w.get<Name>(e).number() == 3_i);
        expect(w.get<Owned>(e).number() == 5_i and w.validate());
    };

    "exchange takes away and gives in one move"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1), Name::of(2), Frozen{});
        w.exchange<Position>(e, Owned::of(3));
        expect(not w.has<Position>(e) and w.get<Owned>(e).number() == 3_i and w.get<Name>(e).number() == 2_i);
        w.exchange<Frozen, Name>(e, Velocity::of(4), Hidden{});
        expect(w.has<Hidden, Velocity, Owned>(e) and not w.has<Name>(e) and not w.has<Frozen>(e));
        expect(w.get<Velocity>(e).number() == 4_i and w.get<Owned>(e).number() == 3_i);
        expect(w.stats().archetypes.size() == 4_ul) << "the empty one and three that were asked for";
    };

    "a change of one entity does not show in its neighbours"_test = [] {
        for (std::size_t i = 0; i != 10; ++i) {
            world w;
            const neighbours all{w};
            const entity e = all.all[i];
            w.add(e, Position::of(1), Frozen{});
            expect(all.whole(w)) << "add" << i;
            w.remove<Frozen>(e);
            expect(all.whole(w)) << "remove" << i;
            w.exchange<Position>(e, Owned::of(2));
            expect(all.whole(w)) << "exchange" << i;
            w.set(e, Position::of(3), Owned::of(4));
            expect(all.whole(w)) << "set" << i;
            w.remove<Position, Owned, Name>(e);
            expect(all.whole(w)) << "remove" << i;
        }
    };

    "values may come from another entity of the same archetype"_test = [] {
        world w;
        const entity from = w.spawn(Name::of(1));
        for (int i = 0; i != 50; ++i) {
            const entity added = w.spawn();
            const entity exchanged = w.spawn(Frozen{});
            w.add(added, w.get<Name>(from));
            w.exchange<Frozen>(exchanged, w.get<Name>(added));
            w.set(added, w.get<Name>(exchanged));
            expect(w.get<Name>(added).number() == 1_i and w.get<Name>(exchanged).number() == 1_i);
        }
        expect(w.get<Name>(from).number() == 1_i and w.validate());
    };

    "asking a dead entity is no error"_test = [] {
        world w;
        const entity e = w.spawn(Position::of(1), Frozen{});
        const entity other = w.spawn(Position::of(2));
        w.despawn(e);
        for (const entity dead :
             {e, pecs::null, entity{1000, 1}, entity{other.index(), 7}, entity{e.index(), 2}}) {
            expect(not w.alive(dead) and not w.has<Position>(dead) and not w.has<Frozen>(dead));
            expect(w.try_get<Position>(dead) == nullptr);
            expect(std::as_const(w).try_get<Position>(dead) == nullptr);
            expect(w.access<Position>().try_get(dead) == nullptr);
        }
    };

    "a component type that no world ever saw is simply not there"_test = [] {
        struct Unseen {
            int value;
        };
        world w;
        const entity e = w.spawn(Position::of(1));
        expect(not w.has<Unseen>(e) and w.try_get<Unseen>(e) == nullptr);
        expect(w.access<Unseen>().try_get(e) == nullptr);
    };

    "a world that is const gives const values"_test = [] {
        static_assert(
            std::is_same_v<decltype(std::declval<const world&>().get<Position>({})), const Position&>);
        static_assert(
            std::is_same_v<decltype(std::declval<const world&>().try_get<Position>({})), const Position*>);
        static_assert(std::is_same_v<decltype(std::declval<world&>().get<Position>({})), Position&>);
        static_assert(std::is_same_v<decltype(std::declval<const world&>().access<Position>()),
                                     pecs::accessor<const Position>>);
        world w;
        const entity e = w.spawn(Position::of(1));
        w.get<Position>(e) = Position::of(2);
        expect(std::as_const(w).get<Position>(e).number() == 2_i);
    };

    "an accessor follows the world through growth, moves and ends"_test = [] {
        world w;
        const entity first = w.spawn(Name::of(0));
        const auto names = w.access<Name>();
        const auto read_only = std::as_const(w).access<Name>();
        std::vector<entity> all{first};
        for (int i = 1; i != 200; ++i) all.push_back(w.spawn(Name::of(i)));
        for (std::size_t i = 0; i < 200; i += 2) w.add(all[i], Position::of(1));
        for (std::size_t i = 0; i < 200; i += 5) w.despawn(all[i]);
        w.shrink();
        world moved{std::move(w)};
        for (std::size_t i = 0; i != 200; ++i) {
            expect((names.try_get(all[i]) == nullptr) == (i % 5 == 0));
            if (i % 5 != 0) expect(names[all[i]].number() == static_cast<int>(i));
            expect(read_only.try_get(all[i]) == names.try_get(all[i]));
        }
        names[all[1]] = Name::of(1000);
        expect(moved.get<Name>(all[1]).number() == 1000_i);
        moved.remove<Name>(all[1]);
        expect(throws<pecs::missing_component>([&] { (void)names[all[1]]; }));
        expect(throws<pecs::dead_entity>([&] { (void)names[all[0]]; }));
    };

    "every object is made once and ended once, whatever the verb"_test = [] {
        Tracked::forget();
        {
            world w;
            const entity e = w.spawn(Tracked::of(1));
            expect(Tracked::log.alive() == 1_ul) << "spawn";
            w.add(e, Position::of(1));
            expect(Tracked::log.alive() == 1_ul) << "moved along";
            w.set(e, Tracked::of(2));
            expect(Tracked::log.alive() == 1_ul) << "replaced";
            w.remove<Tracked>(e);
            expect(Tracked::log.alive() == 0_ul) << "removed";
            w.set(e, Tracked::of(3));
            expect(Tracked::log.alive() == 1_ul) << "set that adds";
            w.exchange<Tracked>(e, Velocity::of(1));
            expect(Tracked::log.alive() == 0_ul) << "exchanged away";
            w.exchange<Velocity>(e, Tracked::of(4));
            expect(Tracked::log.alive() == 1_ul) << "exchanged for";
            expect(Tracked::log.made == 4_ul and Tracked::log.copied == 0_ul);
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "one value of a spawn moves twice, and once for each time its row moves"_test = [] {
        Tracked::forget();
        world w;
        w.reserve<Tracked>(2);
        w.reserve<Tracked, Frozen>(2);
        const entity e = w.spawn(Tracked::of(1)); // made in place as the argument
        expect(Tracked::log.moved == 1_ul);
        const entity other = w.spawn(Tracked::of(2));
        expect(Tracked::log.moved == 2_ul);
        w.add(e, Frozen{}); // itself, and the last one into the gap
        expect(Tracked::log.moved == 4_ul);
        w.despawn(other); // the last one: nothing takes its place
        expect(Tracked::log.moved == 4_ul and Tracked::log.copied == 0_ul);
    };

    "a constructor that throws happens before anything changes"_test = [] {
        Fragile::forget();
        world w;
        const neighbours all{w};
        const entity e = w.spawn(Position::of(1));
        const Fragile original{7};
        const auto alive = Fragile::log.alive();
        Fragile::until_throw = 0;
        expect(throws<std::runtime_error>([&] { w.add<Fragile>(e); }));
        expect(throws<std::runtime_error>([&] { w.add(e, original); }));
        expect(throws<std::runtime_error>([&] { w.set(e, Frozen{}, original); }));
        expect(throws<std::runtime_error>([&] { w.exchange<Position>(e, original); }));
        expect(throws<std::runtime_error>([&] { (void)w.spawn(Name::of(1), original); }));
        expect(throws<std::runtime_error>([&] { w.set(all.all[0], original); }));
        Fragile::until_throw = -1;
        expect(Fragile::log.alive() == alive and Fragile::log.wrong == 0_ul);
        expect(w.size() == 11_ul and w.has<Position>(e) and not w.has<Fragile>(e) and not w.has<Frozen>(e));
        expect(all.whole(w));
    };
}
