// Which verbs leave references to values alone: everything that says so keeps every value of other kinds where it is.
#include <boost/ut.hpp>

#include "../support/components.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::to;
using support::Name;
using support::Position;

struct Heat {
    static constexpr auto storage = pecs::component_storage::sparse;
    int value = 0;
};
struct Smoke {
    static constexpr auto storage = pecs::component_storage::sparse;
    int value = 0;
};
struct Steam {
    static constexpr auto storage = pecs::component_storage::sparse;
    int value = 0;
};
struct Aims {
    static constexpr pecs::relation_rules rules{};
    int power = 0;
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
    int years = 0;
};
struct Trades {
    static constexpr pecs::relation_rules rules{.many = true};
    int worth = 0;
};
struct Score {
    int points = 0;
};
struct Clock {
    int now = 0;
};

/// Entities with values of every kind, in lists and columns that are full, so that the next one makes them move.
struct scene {
    pecs::world w;
    std::vector<entity> all;

    scene() {
        for (int i = 0; i != 64; ++i) {
            const entity target = all.empty() ? w.spawn() : all.front();
            all.push_back(w.spawn(Position::of(i), Name::of(i), Heat{i}, to<Aims>(target, Aims{i})));
            w.relate<Knows>(all.back(), target, Knows{i});
        }
        w.set_resource(Score{1});
        w.compact();
    }
    /// Where everything is.
    [[nodiscard]] std::vector<const void*> addresses() const {
        std::vector<const void*> found{&w.resource<Score>()};
        for (const entity e : all) {
            found.push_back(&w.get<Position>(e));
            found.push_back(&w.get<Name>(e));
            found.push_back(&w.get<Aims>(e));
            found.push_back(&w.get<Heat>(e));
            found.push_back(&w.get<Knows>(e, w.targets<Knows>(e)[0]));
            found.push_back(w.targets<Knows>(e).data());
        }
        w.query<const Position>().columns().each(
            [&](std::span<const entity> entities, std::span<const Position>) {
                found.push_back(entities.data());
            });
        return found;
    }
    /// True if everything stays where it is, whatever `f` does to each entity.
    template <class F> [[nodiscard]] bool stays(F f) {
        const auto before = addresses();
        for (const entity e : all) f(e);
        return addresses() == before && w.validate();
    }
};
} // namespace

int main() {
    using namespace boost::ut;

    "setting what is there moves nothing"_test = [] {
        scene s;
        expect(s.stays([&](entity e) { s.w.set(e, Position::of(1), Name::of(2), Heat{3}); }));
        expect(s.stays([&](entity e) { s.w.set_batch(std::array{e}, Position::of(3), Name::of(4)); }));
        expect(s.stays([&](entity e) { s.w.set_batch(std::array{e}, Name::of(4), Heat{5}); }));
        const Position value = Position::of(6);
        expect(s.stays([&](entity e) { s.w.by_id().set(e, pecs::id_of<Position>(), &value); }));
        expect(s.w.get<Position>(s.all[9]).number() == 6_i and s.w.get<Name>(s.all[9]).number() == 4_i);
        const auto observer = s.w.observe<Position, Heat>(pecs::on_set, [](entity, Position&, Heat&) {});
        expect(s.stays([&](entity e) { s.w.set(e, Position::of(7), Heat{8}); })) << "also if it is observed";
    };

    "new data of an edge moves nothing"_test = [] {
        scene s;
        expect(s.stays([&](entity e) { s.w.relate<Knows>(e, s.w.targets<Knows>(e)[0], Knows{7}); }));
        expect(s.w.get<Knows>(s.all[5], s.all[0]).years == 7_i);
    };

    "a sparse component that comes and goes moves values of its own type alone"_test = [] {
        scene s;
        expect(s.stays([&](entity e) { s.w.add(e, Smoke{1}); }));
        expect(s.stays([&](entity e) { s.w.exchange<Smoke>(e, Steam{}); }));
        expect(s.stays([&](entity e) { s.w.remove<Steam>(e); }));
        expect(s.stays([&](entity e) { s.w.set(e, Smoke{2}); }));
        expect(s.stays([&](entity e) { s.w.by_id().remove(e, pecs::id_of<Smoke>()); }));
        expect(s.stays([&](entity e) { s.w.by_id().add(e, pecs::id_of<Smoke>()); }));
        s.w.remove_batch<Smoke>(s.all);
        expect(s.stays([&](entity e) { s.w.add_batch(std::array{e}, Smoke{3}); }));
        expect(s.stays([&](entity e) { s.w.remove_batch<Smoke>(std::array{e}); }));
    };

    "edges that come and go move those of their own relation alone"_test = [] {
        scene s;
        expect(s.stays([&](entity e) { s.w.relate<Trades>(e, s.all[3], Trades{1}); }));
        expect(s.stays([&](entity e) { s.w.relate_batch<Trades>(std::array{e}, s.all[4]); }));
        expect(s.stays([&](entity e) { s.w.by_id().relate(e, pecs::id_of<Trades>(), s.all[5]); }));
        expect(s.stays([&](entity e) { s.w.unrelate<Trades>(e, s.all[3]); }));
        expect(s.stays([&](entity e) { s.w.unrelate_batch<Trades>(std::array{e}, s.all[4]); }));
        expect(s.stays([&](entity e) { s.w.unrelate<Trades>(e); }));
        expect(s.w.stats().edges == 64_ul) << "only the others are left";
    };

    "observing, tracking, recording and other resources move nothing"_test = [] {
        scene s;
        std::vector<pecs::observer> observers;
        std::size_t told = 0;
        expect(s.stays([&](entity) {
            observers.push_back(s.w.observe<Position>(pecs::on_set, [&](entity) { ++told; }));
        }));
        expect(s.stays([&](entity e) { s.w.set(e, Position::of(1)); }));
        expect(told == 4096_ul);
        expect(s.stays([&](entity) { observers.back().stop(), observers.pop_back(); }));
        expect(s.stays([&](entity) { s.w.track<Position, Name>(); }));
        auto later = s.w.record();
        expect(s.stays([&](entity e) {
            later.despawn(e);
            (void)later.spawn(Position::of(1));
        }));
        expect(s.stays([&](entity) { (void)s.w.record(); }));
        expect(s.stays([&](entity e) { s.w.set_resource(Clock{static_cast<int>(e.index())}); }));
        expect(s.stays([&](entity) { s.w.reserve(1000); }));
    };
}
