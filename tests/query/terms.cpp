// What each term of a query means, on a world of mixed archetypes.
#include <boost/ut.hpp>

#include <cstddef>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;

struct Position {
    float x, y;
};
struct Velocity {
    float dx, dy;
};
struct Name {
    std::string text;
};
struct Frozen {};
struct Hidden {};

// Five entities, one in each of five archetypes.
struct scene {
    world w;
    entity plain = w.spawn(Position{1, 0});
    entity moving = w.spawn(Position{2, 0}, Velocity{1, 1});
    entity frozen = w.spawn(Position{3, 0}, Velocity{1, 1}, Frozen{});
    entity named = w.spawn(Position{4, 0}, Name{"four"});
    entity empty = w.spawn();
};

template <class... Terms> std::vector<entity> found(world& w) {
    std::vector<entity> all;
    w.query<Terms...>().each([&](entity e, auto&&...) { all.push_back(e); });
    return all;
}
using list = std::vector<entity>;
bool same(const list& a, const list& b) { return a == b; }
} // namespace

int main() {
    using namespace boost::ut;

    "a component must be there, and can be written"_test = [] {
        scene s;
        expect(same(found<Position>(s.w), list{s.plain, s.moving, s.frozen, s.named}));
        s.w.query<Position>().each([](Position& p) { p.y = 7; });
        expect(s.w.get<Position>(s.named).y == 7.0_f);
    };

    "a const component is only read"_test = [] {
        scene s;
        s.w.query<Position, const Velocity>().each([](Position& p, const Velocity& v) { p.x += v.dx; });
        expect(s.w.get<Position>(s.moving).x == 3.0_f and s.w.get<Position>(s.plain).x == 1.0_f);
        const world& reader = s.w;
        float sum = 0;
        reader.query<const Position>().each([&](const Position& p) { sum += p.x; });
        expect(sum == 12.0_f);
    };

    "a tag is a condition and no argument"_test = [] {
        scene s;
        std::size_t calls = 0;
        s.w.query<Position, Frozen>().each([&](Position&) { ++calls; });
        s.w.query<Frozen>().each([&] { ++calls; });
        s.w.query<Frozen>().each([&](entity e) { calls += e == s.frozen ? 1U : 100U; });
        expect(calls == 3_ul);
    };

    "an optional component comes as a pointer"_test = [] {
        scene s;
        std::string seen;
        s.w.query<const Position, pecs::optional<const Name>>().each(
            [&](const Position&, const Name* name) { seen += name != nullptr ? name->text : "-"; });
        expect(seen == std::string{"---four"});
        s.w.query<pecs::optional<Velocity>>().each([](Velocity* v) {
            if (v != nullptr) v->dx = 9;
        });
        expect(s.w.get<Velocity>(s.frozen).dx == 9.0_f);
    };

    "with, without and any_of only choose"_test = [] {
        scene s;
        expect(same(found<pecs::with<Position, Velocity>>(s.w), list{s.moving, s.frozen}));
        expect(same(found<Position, pecs::without<Velocity, Name>>(s.w), list{s.plain}));
        expect(same(found<pecs::any_of<Velocity, Name>>(s.w), list{s.moving, s.frozen, s.named}));
        expect(same(found<pecs::any_of<Velocity, Name>, pecs::any_of<Frozen, Name>>(s.w),
                    list{s.frozen, s.named}));
        expect(same(found<pecs::without<Position>>(s.w), list{s.empty}));
        expect(same(found<pecs::with<const Position>, pecs::without<const Name>>(s.w),
                    list{s.plain, s.moving, s.frozen}));
    };

    "exact allows nothing that is not named"_test = [] {
        scene s;
        expect(same(found<Position, pecs::exact>(s.w), list{s.plain}));
        expect(same(found<Position, Velocity, pecs::exact>(s.w), list{s.moving}));
        expect(same(found<Position, pecs::optional<Name>, pecs::exact>(s.w), list{s.plain, s.named}));
        expect(
            same(found<Position, pecs::any_of<Velocity, Name>, pecs::exact>(s.w), list{s.moving, s.named}));
        expect(same(found<pecs::exact>(s.w), list{s.empty}));
    };

    "the entity can be a term or come before the arguments"_test = [] {
        scene s;
        list first;
        list second;
        s.w.query<entity, const Velocity>().each([&](entity e, const Velocity&) { first.push_back(e); });
        s.w.query<const Velocity, entity>().each([&](const Velocity&, entity e) { second.push_back(e); });
        expect(same(first, list{s.moving, s.frozen}) and same(second, first));
    };

    "a query without terms matches everything"_test = [] {
        scene s;
        expect(s.w.query<>().count() == 5_ul);
    };

    "a type that no entity has matches nothing"_test = [] {
        world w;
        w.spawn(Position{});
        expect(w.query<Name>().empty() and w.query<Name>().first() == pecs::null);
        expect(w.query<Position, pecs::without<Name>>().count() == 1_ul);
    };
}
