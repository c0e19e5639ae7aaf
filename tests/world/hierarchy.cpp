// Trees: parents, children, ancestors, descendants, roots; other parents, and what is refused.
#include <boost/ut.hpp>

#include "../support/errors.hpp"
#include "../support/seed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::child_of;
using pecs::entity;
using support::caught;
using support::mentions;

struct Mark {};
struct Weight {
    int value = 0;
};
struct PartOf { // a tree whose parts outlive the whole, with data
    static constexpr pecs::relation_rules rules{.acyclic = true};
    int since = 7;
};
struct Likes { // no tree
    static constexpr pecs::relation_rules rules{};
};

/// Entities as text that a failed test can print.
template <class Range> std::string text(const Range& range) {
    std::string all;
    for (const entity e : range) all += pecs::to_string(e) + ' ';
    return all;
}
std::string text(std::initializer_list<entity> list) { return text(std::vector<entity>{list}); }

/// solar -> earth -> moon, solar -> mars
struct planets {
    pecs::world world;
    entity solar = world.spawn();
    entity earth = world.spawn(pecs::to<child_of>(solar));
    entity moon = world.spawn(Weight{1}, pecs::to<child_of>(earth));
    entity mars = world.spawn(Weight{2}, pecs::to<child_of>(solar));
    entity comet = world.spawn(Weight{3});
};

/// What a naive program knows of a tree: the parent of each entity.
class model {
public:
    std::map<entity, entity> parent;

    [[nodiscard]] std::set<entity> children(entity e) const {
        std::set<entity> found;
        for (const auto& [child, of] : parent)
            if (of == e) found.insert(child);
        return found;
    }
    [[nodiscard]] std::vector<entity> ancestors(entity e) const {
        std::vector<entity> way;
        for (entity at = parent.at(e); at; at = parent.at(at)) way.push_back(at);
        return way;
    }
    [[nodiscard]] bool above(entity a, entity e) const {
        const std::vector<entity> way = ancestors(e);
        return std::ranges::find(way, a) != way.end();
    }
    [[nodiscard]] std::set<entity> descendants(entity e) const {
        std::set<entity> found;
        for (const auto& [other, of] : parent)
            if (above(e, other)) found.insert(other);
        return found;
    }
};

class trial {
public:
    explicit trial(std::uint64_t seed) : random_{seed} {}

    void step() {
        switch (below(8)) {
        case 0:
        case 1:
        case 2: spawn(); break;
        case 3:
        case 4:
        case 5: reparent(); break;
        case 6: change(); break;
        default: despawn(); break;
        }
    }

    [[nodiscard]] std::string difference() {
        if (!world_.validate()) return "the world is not valid";
        if (world_.size() != model_.parent.size()) return "sizes differ";
        std::set<entity> roots;
        for (const auto& [e, parent] : model_.parent) {
            if (world_.parent(e) != parent) return "parents differ";
            const std::set<entity> children = model_.children(e);
            if (same(world_.children(e)) != children) return "children differ";
            if (world_.child_count(e) != children.size()) return "child counts differ";
            if (same(world_.ordered_children(e)) != children) return "ordered children differ";
            const std::vector<entity> way = model_.ancestors(e);
            if (text(world_.ancestors(e)) != text(way)) return "ancestors differ";
            if (world_.depth(e) != way.size()) return "depths differ";
            if (world_.root_of(e) != (way.empty() ? e : way.back())) return "roots above differ";
            if (const std::string wrong = descendants_differ(e); !wrong.empty()) return wrong;
            if (!parent && !children.empty()) roots.insert(e);
        }
        if (text(world_.roots()) != text(roots)) return "roots differ";
        return {};
    }

private:
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random_); }
    entity some() {
        if (model_.parent.empty() || below(20) == 0) return gone_;
        auto at = model_.parent.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(below(model_.parent.size())));
        return at->first;
    }
    template <class Range> static std::set<entity> same(const Range& range) {
        std::set<entity> found;
        for (const entity e : range)
            if (!found.insert(e).second) return {entity{}};
        return found;
    }
    /// Each of them once, and none before its parent.
    [[nodiscard]] std::string descendants_differ(entity e) const {
        std::set<entity> seen{e};
        for (const entity below : world_.descendants(e)) {
            if (!seen.contains(model_.parent.at(below))) return "a child comes before its parent";
            if (!seen.insert(below).second) return "a descendant comes twice";
        }
        seen.erase(e);
        return seen == model_.descendants(e) ? "" : "descendants differ";
    }

    void spawn() {
        const entity parent = below(4) == 0 ? entity{} : some();
        entity e;
        if (!world_.alive(parent))
            e = below(2) == 0 ? world_.spawn() : world_.spawn(Weight{});
        else if (below(3) == 0)
            e = world_.spawn(Weight{}, pecs::to<child_of>(parent), pecs::to<Likes>(parent));
        else
            e = world_.spawn(pecs::to<child_of>(parent));
        model_.parent[e] = world_.alive(parent) ? parent : entity{};
    }
    void reparent() {
        const entity e = some();
        const entity to = below(5) == 0 ? entity{} : some();
        const bool known = model_.parent.contains(e);
        const bool fits = known && (!to || (model_.parent.contains(to) && to != e && !model_.above(e, to)));
        boost::ut::expect(world_.can_relate(e, to) == (fits and to)) << "can_relate";
        try {
            world_.reparent(e, to);
            boost::ut::expect(fits) << "reparent should have thrown";
            model_.parent[e] = to;
        } catch (const pecs::error&) {
            boost::ut::expect(not fits) << "reparent should not have thrown";
        }
    }
    void change() {
        const entity e = some();
        if (!world_.alive(e)) return;
        if (world_.has<Mark>(e))
            world_.remove<Mark>(e);
        else
            world_.add(e, Mark{});
        if (below(10) == 0) world_.compact();
    }
    void despawn() {
        const entity e = some();
        if (!world_.alive(e)) return;
        const std::set<entity> with = model_.descendants(e);
        world_.despawn(e);
        for (const entity each : with) model_.parent.erase(each);
        model_.parent.erase(e);
        gone_ = e;
    }

    std::mt19937_64 random_;
    pecs::world world_;
    model model_;
    entity gone_;
};

} // namespace

int main() {
    using namespace boost::ut;

    "parents and children"_test = [] {
        planets s;
        expect(bool{s.world.parent(s.moon) == s.earth} and not s.world.parent(s.solar));
        expect(text(s.world.children(s.solar)) == text({s.earth, s.mars}));
        expect(s.world.child_count(s.solar) == 2_ul and s.world.child_count(s.comet) == 0_ul);
        expect(s.world.children(s.comet).empty() and not s.world.children(s.earth).empty());
    };

    "ancestors, nearest first; depth; the root above"_test = [] {
        planets s;
        expect(text(s.world.ancestors(s.moon)) == text({s.earth, s.solar}));
        expect(s.world.ancestors(s.solar).empty());
        expect(s.world.depth(s.moon) == 2_ul and s.world.depth(s.solar) == 0_ul);
        expect(bool{s.world.root_of(s.moon) == s.solar} and bool{s.world.root_of(s.comet) == s.comet});
        expect(s.world.is_ancestor(s.solar, s.moon) and not s.world.is_ancestor(s.mars, s.moon));
        expect(not s.world.is_ancestor(s.moon, s.moon) and not s.world.is_ancestor(entity{}, s.solar));
    };

    "descendants, parents first"_test = [] {
        planets s;
        expect(text(s.world.descendants(s.solar)) == text({s.earth, s.mars, s.moon}));
        expect(s.world.descendants(s.moon).empty());
    };

    "roots have children and no parent"_test = [] {
        planets s;
        const entity other = s.world.spawn();
        s.world.spawn(pecs::to<child_of>(other));
        s.world.spawn(Mark{}, pecs::to<child_of>(other)); // in another archetype
        expect(text(s.world.roots()) == text({s.solar, other})) << "each once, the comet not at all";
        expect(s.world.roots<PartOf>().empty());
    };

    "what is dead has no family"_test = [] {
        planets s;
        s.world.despawn(s.earth);
        expect(not s.world.alive(s.moon)) << "children die with their parent";
        for (const entity gone : {s.earth, s.moon, entity{}}) {
            expect(not s.world.parent(gone) and not s.world.root_of(gone));
            expect(s.world.children(gone).empty() and s.world.ancestors(gone).empty());
            expect(s.world.descendants(gone).empty() and s.world.ordered_children(gone).empty());
            expect(s.world.child_count(gone) == 0_ul);
            expect(not s.world.is_ancestor(s.solar, gone) and not s.world.is_ancestor(gone, s.solar));
            expect(bool{caught<pecs::dead_entity>([&] { (void)s.world.depth(gone); }).which() == gone});
            expect(bool{caught<pecs::dead_entity>([&] { s.world.reparent(gone, s.solar); }).which() == gone});
            expect(not s.world.can_relate(gone, s.solar) and not s.world.can_relate(s.solar, gone));
        }
        const entity again = s.world.spawn(); // an index that was a parent's
        expect(s.world.children(again).empty() and not s.world.parent(again));
    };

    "another parent, and none"_test = [] {
        planets s;
        s.world.reparent(s.earth, s.comet);
        expect(text(s.world.ancestors(s.moon)) == text({s.earth, s.comet}));
        s.world.reparent(s.earth, s.comet); // where it is already
        s.world.reparent(s.earth, pecs::null);
        s.world.reparent(s.earth, pecs::null);
        expect(not s.world.parent(s.earth) and not s.world.has<child_of>(s.earth));
        expect(bool{s.world.parent(s.moon) == s.earth}) << "what is below stays below";
        s.world.reparent(s.earth, s.solar);
        expect(s.world.is_ancestor(s.solar, s.moon) and s.world.validate());
        s.world.despawn(s.mars);
        expect(throws<pecs::dead_target>([&] { s.world.reparent(s.earth, s.mars); }));
        expect(bool{s.world.parent(s.earth) == s.solar});
    };

    "a cycle is refused, and the message shows the loop"_test = [] {
        planets s;
        expect(not s.world.can_relate(s.solar, s.moon) and not s.world.can_relate(s.solar, s.solar));
        expect(s.world.can_relate(s.moon, s.solar) and s.world.can_relate(s.comet, s.moon));
        const auto error = caught<pecs::relation_cycle>([&] { s.world.reparent(s.solar, s.moon); });
        expect(bool{error.which() == s.solar} and mentions(error, "0v1 -> 2v1 -> 1v1 -> 0v1"))
            << error.what();
        expect(mentions(error, "pecs::child_of"));
        expect(throws<pecs::relation_cycle>([&] { s.world.reparent(s.mars, s.mars); }));
        expect(s.world.can_relate<Likes>(s.solar, s.moon)) << "other relations may lead anywhere";
        expect(s.world.can_relate<Likes>(s.solar, s.solar));
    };

    "nothing moves while somebody looks at children"_test = [] {
        planets s;
        std::size_t refused = 0;
        for (const entity child : s.world.children(s.solar)) {
            try {
                s.world.reparent(child, s.comet);
            } catch (const pecs::world_locked&) {
                ++refused;
            }
        }
        for (const entity above : s.world.ancestors(s.moon))
            refused += throws<pecs::world_locked>([&] { s.world.despawn(above); }) ? 1 : 0;
        expect(refused == 4_ul);
        for (const entity child : s.world.descendants(s.solar)) // a list of its own
            s.world.reparent(child, s.comet);
        expect(s.world.child_count(s.comet) == 3_ul and s.world.child_count(s.solar) == 0_ul);
    };

    "a list of entities for verbs that take one"_test = [] {
        planets s;
        const pecs::entity_list below = s.world.descendants(s.solar);
        expect(below.size() == 3_ul and bool{below[2] == s.moon});
        s.world.add_batch(below, Mark{});
        expect(s.world.has<Mark>(s.moon) and not s.world.has<Mark>(s.solar));
        s.world.despawn_batch(s.world.descendants(s.earth));
        expect(not s.world.alive(s.moon) and s.world.alive(s.earth));
    };

    "trees of other relations, side by side"_test = [] {
        planets s;
        s.world.relate<PartOf>(s.solar, s.moon); // upside down
        s.world.relate<PartOf>(s.mars, s.moon, PartOf{9});
        expect(text(s.world.children<PartOf>(s.moon)) == text({s.solar, s.mars}));
        expect(bool{s.world.root_of<PartOf>(s.mars) == s.moon} and s.world.depth<PartOf>(s.mars) == 1_ul);
        expect(text(s.world.children(s.solar)) == text({s.earth, s.mars})) << "with several relations";
        s.world.reparent<PartOf>(s.mars, s.solar);
        expect(s.world.get<PartOf>(s.mars).since == 9_i) << "keeps its data";
        s.world.reparent<PartOf>(s.earth, s.mars);
        expect(s.world.get<PartOf>(s.earth).since == 7_i);
        s.world.despawn(s.moon);
        expect(not s.world.parent<PartOf>(s.solar) and s.world.validate());
    };

    "a chain of 100,000 is no danger to the stack"_test = [] {
        pecs::world world;
        const entity root = world.spawn();
        entity last = root;
        for (int i = 0; i != 100'000; ++i) last = world.spawn(pecs::to<child_of>(last));
        expect(world.depth(last) == 100'000_ul and world.descendants(root).size() == 100'000_ul);
        expect(bool{world.root_of(last) == root} and world.is_ancestor(root, last));
        expect(not world.can_relate(root, last));
    };

    "as a naive model says, after every step"_test = [] {
        const std::uint64_t first = support::first_seed();
        for (std::uint64_t run = 0; run != 12; ++run) {
            trial t{first + run};
            for (int i = 0; i != 120; ++i) {
                t.step();
                const std::string wrong = t.difference();
                expect(fatal(wrong.empty())) << wrong << "in step" << i << "PECS_SEED=" << first + run;
            }
        }
    };
}
