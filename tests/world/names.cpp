// Names of entities, and the paths that they make.
#include <boost/ut.hpp>

#include "../support/errors.hpp"
#include "../support/seed.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

import pecs;

namespace {
using namespace std::literals;
using pecs::child_of;
using pecs::entity;
using support::caught;

struct Mark {};
struct PartOf {
    static constexpr pecs::relation_rules rules{.acyclic = true};
};

struct planets {
    pecs::world world;
    entity solar = world.spawn(pecs::name{"solar"});
    entity earth = world.spawn(pecs::name{"earth"}, pecs::to<child_of>(solar));
    entity moon = world.spawn(pecs::name{"moon"}, pecs::to<child_of>(earth));
    entity mars = world.spawn(Mark{}, pecs::name{"mars"}, pecs::to<child_of>(solar));
};

} // namespace

int main() {
    using namespace boost::ut;

    "a name is a component like others"_test = [] {
        static_assert(pecs::component<pecs::name> and std::is_copy_constructible_v<pecs::name>);
        static_assert(not std::is_convertible_v<const char*, pecs::name>);
        const std::string_view view = "a name that is too long for a small buffer";
        pecs::name a{view};
        const pecs::name b = a;
        const pecs::name c = std::move(a);
        expect(bool{b == c} and bool{b == view} and bool{b != pecs::name{"a"}} and
               bool{b == std::string{view}});
        expect(bool{pecs::name{"a"} < pecs::name{"b"}} and bool{(pecs::name{"a"} <=> pecs::name{"a"}) == 0});
        expect(b.view() == view and std::string{b.c_str()} == view);
        expect(pecs::name{}.empty() and not b.empty());

        pecs::name d{"short"};
        d = b;
        expect(bool{d == view} and bool{b == view}) << "a copy leaves its original alone";
        d = pecs::name{"another"};
        expect(bool{d == "another"} and bool{b == view});

        planets s;
        s.world.set(s.moon, pecs::name{"luna"});
        expect(bool{s.world.get<pecs::name>(s.moon) == "luna"});
        expect(s.world.query<const pecs::name>().count() == 4_ul);
    };

    "children by name"_test = [] {
        const planets s;
        expect(bool{s.world.find_child(s.solar, "mars") == s.mars});
        expect(not s.world.find_child(s.solar, "moon") and not s.world.find_child(s.solar, ""));
        expect(not s.world.find_child(s.solar, "mar") and not s.world.find_child(s.solar, "marsh"));
        expect(not s.world.find_child(entity{}, "solar") and not s.world.find_child<PartOf>(s.solar, "mars"));
    };

    "paths there and back"_test = [] {
        const planets s;
        expect(bool{s.world.find("solar/earth/moon") == s.moon} and bool{s.world.find("solar") == s.solar});
        expect(bool{s.world.find("earth/moon", s.solar) == s.moon} and
               bool{s.world.find("moon", s.earth) == s.moon});
        expect(s.world.path_of(s.moon) == "solar/earth/moon"sv and s.world.path_of(s.solar) == "solar"sv);
        expect(s.world.path_of<PartOf>(s.moon) == "moon"sv) << "a tree of another relation";
        expect(bool{s.world.find<PartOf>("moon") == s.moon}) << "where everybody is at the top";
    };

    "what a path does not lead to"_test = [] {
        planets s;
        for (const char* const path : {"", "/", "/solar", "solar/", "solar//moon", "solar/venus", "earth",
                                       "solar/earth/moon/base", "solar\\/earth", "Solar"})
            expect(not s.world.find(path)) << path;
        for (const char* const path : {"", "/", "solar", "moon", "earth/", "/earth"})
            expect(not s.world.find(path, s.solar)) << path;
        const entity gone = s.mars;
        s.world.despawn(gone);
        expect(not s.world.find("solar/mars") and not s.world.find("anything", gone) and
               not s.world.find("solar", entity{}));
        expect(bool{caught<pecs::dead_entity>([&] { (void)s.world.path_of(gone); }).which() == gone});
    };

    "of several with one name, the first in storage order"_test = [] {
        planets s;
        const entity second = s.world.spawn(pecs::name{"moon"}, pecs::to<child_of>(s.earth));
        expect(bool{s.world.find("solar/earth/moon") == s.moon});
        expect(s.world.path_of(second) == "solar/earth/moon"sv);
        s.world.despawn(s.moon);
        expect(bool{s.world.find("solar/earth/moon") == second});
    };

    "dividers in names"_test = [] {
        planets s;
        const entity odd = s.world.spawn(pecs::name{R"(a/b\c)"}, pecs::to<child_of>(s.earth));
        const entity end = s.world.spawn(pecs::name{"\\"}, pecs::to<child_of>(odd));
        expect(s.world.path_of(end) == R"(solar/earth/a\/b\\c/\\)"sv);
        expect(bool{s.world.find(s.world.path_of(end)) == end});
        expect(bool{s.world.find_child(s.earth, R"(a/b\c)") == odd}) << "a name is no path";
        expect(bool{s.world.find("\\", odd) == end}) << "nothing is left to escape";
        expect(bool{s.world.find(R"(s\olar)") == s.solar});
    };

    "entities without a name have a path all the same"_test = [] {
        planets s;
        const entity top = s.world.spawn();
        const entity under = s.world.spawn(pecs::to<child_of>(top));
        const entity station = s.world.spawn(pecs::name{"station"}, pecs::to<child_of>(under));
        const entity blank = s.world.spawn(pecs::name{}, pecs::to<child_of>(s.earth));
        expect(s.world.path_of(station) == "4v1/5v1/station"sv);
        for (const entity e : {top, under, station, blank})
            expect(bool{s.world.find(s.world.path_of(e)) == e}) << s.world.path_of(e);
        expect(not s.world.find("0v1")) << "the solar system has a name";
        expect(not s.world.find("5v1") and not s.world.find("5v1", s.solar)) << "it is somewhere else";
        s.world.set(s.moon, pecs::name{"5v1"});
        expect(bool{s.world.find("solar/earth/5v1") == s.moon}) << "names come first";
    };

    "names follow their entities"_test = [] {
        planets s;
        s.world.reparent(s.earth, s.mars);
        expect(s.world.path_of(s.moon) == "solar/mars/earth/moon"sv);
        s.world.reparent(s.earth, pecs::null);
        expect(bool{s.world.find("earth/moon") == s.moon} and not s.world.find("solar/mars/earth"));
        s.world.compact();
        s.world.shrink();
        expect(bool{s.world.find("earth/moon") == s.moon} and s.world.validate());
    };

    "every path leads back, under random changes"_test = [] {
        const std::uint64_t first = support::first_seed();
        for (std::uint64_t run = 0; run != 10; ++run) {
            std::mt19937_64 random{first + run};
            const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
            pecs::world world;
            std::vector<entity> all;
            for (int i = 0; i != 60; ++i) {
                const entity e = world.spawn();
                if (below(4) != 0) // unique, with all that needs care
                    world.add(e, pecs::name{(below(2) == 0 ? "a/\\" : "b") + std::to_string(i) +
                                            (below(2) == 0 ? "\\/" : "")});
                all.push_back(e);
            }
            for (int i = 0; i != 400; ++i) {
                const entity e = all[below(all.size())];
                const entity to = below(6) == 0 ? entity{} : all[below(all.size())];
                if (world.alive(e) && (!to || world.can_relate(e, to))) world.reparent(e, to);
                if (i % 50 == 49 && world.alive(e) && world.child_count(e) < 4) world.despawn(e);
            }
            for (const entity e : all) {
                if (!world.alive(e)) continue;
                const std::string path = world.path_of(e);
                expect(bool{world.find(path) == e}) << path << "PECS_SEED=" << first + run;
                const entity top = world.root_of(e);
                if (top == e) continue;
                const std::string rest = path.substr(world.path_of(top).size() + 1);
                expect(bool{world.find(rest, top) == e}) << rest << "PECS_SEED=" << first + run;
            }
        }
    };
}
