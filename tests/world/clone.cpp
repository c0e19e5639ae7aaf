// Copies of entities, alone and with all below them: what is copied, where relations lead, and that nothing is left
// behind when a copy fails.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"
#include "../support/seed.hpp"
#include "../support/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::child_of;
using pecs::entity;
using support::caught;
using support::faults;
using support::Fragile;
using support::Frozen;
using support::Huge;
using support::mentions;
using support::Name;
using support::Owned;
using support::Position;
using support::Tracked;

struct Likes {
    static constexpr pecs::relation_rules rules{};
    int much = 1;
};
struct Fears { // data that must be copied and destroyed
    static constexpr pecs::relation_rules rules{};
    Name why{};
};
struct PartOf { // a tree with data that has no default
    explicit PartOf(int number) : since{number} {}
    static constexpr pecs::relation_rules rules{.acyclic = true};
    int since;
};
struct Knows { // many targets, with data that must be copied and destroyed
    static constexpr pecs::relation_rules rules{.many = true};
    Fragile since{0};
};
struct Touches { // many targets, both ways
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
    int force = 0;
};
struct GrowsOn { // a tree with data
    static constexpr pecs::relation_rules rules{.acyclic = true};
    int rings = 3;
};
struct Guards { // many targets, with a handle as data
    static constexpr pecs::relation_rules rules{.many = true};
    entity against;
    void map_entities(const pecs::entity_map& map) { against = map(against); }
};
/// Holds a handle.
struct Aims {
    entity at;
    void map_entities(const pecs::entity_map& map) { at = map(at); }
};

using list = std::vector<entity>;

template <class Range> std::string text(const Range& range) {
    std::string all;
    for (const entity e : range) all += pecs::to_string(e) + ' ';
    return all;
}
std::string text(std::initializer_list<entity> given) { return text(list{given}); }

/// Everything that can be seen of a world.
std::string dump(const pecs::world& world) {
    return support::snapshot<Position, Name, Huge, Frozen, Fragile, Tracked>(world) +
           support::targets<child_of, Likes, Fears>(world);
}

/// A car with four wheels of which each has a tyre; the driver is not part of it.
struct garage {
    pecs::world world;
    entity hall = world.spawn();
    entity driver = world.spawn();
    entity car =
        world.spawn(Name::of(1), Position::of(1), pecs::to<child_of>(hall), pecs::to<Likes>(driver, {5}));
    list wheels;
    list tyres;
    garage() {
        for (int i = 0; i != 4; ++i) {
            wheels.push_back(world.spawn(Name::of(10 + i), pecs::to<child_of>(car)));
            tyres.push_back(world.spawn(Frozen{}, Huge::of(20 + i), pecs::to<child_of>(wheels.back())));
        }
    }
};

/// The whole tree below an entity, itself first.
list tree(const pecs::world& world, entity root) {
    list all{root};
    for (const entity e : world.descendants(root)) all.push_back(e);
    return all;
}

/// Random trees in which relations lead anywhere; a copy must be the original with other handles.
class trial {
public:
    explicit trial(std::uint64_t seed) : random_{seed} {
        for (int i = 0; i != 25; ++i) spawn();
        for (int i = 0; i != 25; ++i) change();
    }

    /// Empty if all went well.
    std::string step() {
        for (int i = 0; i != 3; ++i) change();
        if (world_.size() > 150) world_.despawn(all_[below(all_.size())]);
        std::erase_if(all_, [&](entity e) { return !world_.alive(e); });
        while (all_.size() < 10) spawn();
        return clone();
    }

private:
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random_); }
    entity some() { return all_[below(all_.size())]; }
    int number() { return static_cast<int>(below(1000)); }

    void spawn() {
        entity e;
        switch (below(3)) {
        case 0: e = world_.spawn(Name::of(number()), Tracked::of(number())); break;
        case 1: e = world_.spawn(Position::of(number()), Huge::of(number())); break;
        default: e = world_.spawn(); break;
        }
        all_.push_back(e);
        if (below(4) != 0 && world_.can_relate(e, some())) world_.reparent(e, all_[below(all_.size() - 1)]);
    }
    void change() {
        const entity e = some();
        const entity to = some();
        switch (below(8)) {
        case 0: world_.set(e, Position::of(number())); break;
        case 1: world_.set(e, Frozen{}); break;
        case 2: world_.relate<Likes>(e, to, Likes{number()}); break;
        case 3: world_.relate<Fears>(e, to, Fears{Name::of(number())}); break;
        case 4: world_.set(e, Aims{to}); break;
        case 5:
            if (world_.parent(e)) world_.place_first(e);
            break;
        default:
            if (world_.can_relate(e, to)) world_.reparent(e, to);
            break;
        }
    }

    std::string clone() {
        const entity root = some();
        entity parent = world_.parent(root);
        const std::size_t size = world_.size();
        const list originals = tree(world_, root);
        const std::string before = seen(root, originals, originals);
        const std::string order = ordered(root, originals);
        list copies;
        if (below(3) == 0) {
            parent = below(3) == 0 ? entity{} : some();
            copies.push_back(world_.clone_subtree(root, parent));
        } else {
            for (const entity copy : world_.clone_subtree(root, 1 + below(3))) copies.push_back(copy);
        }
        if (!world_.validate()) return "the world is not valid";
        if (world_.size() != size + copies.size() * originals.size())
            return "the number of entities is wrong";
        for (const entity copy : copies) {
            if (world_.parent(copy) != parent) return "the parent of a copy is wrong";
            list below = tree(world_, copy);
            // A copy under its own original does not belong to the others, nor do its fellows.
            if (below.size() != originals.size()) return "the size of a copy is wrong";
            if (seen(copy, below, below) != before)
                return "a copy differs:\n" + seen(copy, below, below) + before;
            if (ordered(copy, below) != order) return "the order of a copy differs";
            all_.insert(all_.end(), below.begin(), below.end());
        }
        const list again = tree(world_, root);
        if (again.size() == originals.size() && seen(root, again, originals) != before)
            return "the original has changed";
        return {};
    }
    /// A tree as text in which entities of it are named by their place in the list.
    [[nodiscard]] std::string seen(entity root, const list& which, const list& names) const {
        std::map<entity, std::size_t> place;
        for (std::size_t i = 0; i != names.size(); ++i) place[names[i]] = i;
        const auto called = [&](entity e) {
            return place.contains(e) ? "#" + std::to_string(place.at(e)) : pecs::to_string(e);
        };
        std::string all;
        for (const entity e : which) {
            support::describe<Position>(world_, e, all);
            support::describe<Name>(world_, e, all);
            support::describe<Tracked>(world_, e, all);
            support::describe<Huge>(world_, e, all);
            support::describe<Frozen>(world_, e, all);
            if (e != root) all += " in " + called(world_.parent(e));
            if (const Likes* const likes = world_.try_get<Likes>(e))
                all += " likes " + called(world_.target<Likes>(e)) + std::to_string(likes->much);
            if (const Fears* const fears = world_.try_get<Fears>(e))
                all += " fears " + called(world_.target<Fears>(e)) + fears->why.text;
            if (const Aims* const aims = world_.try_get<Aims>(e)) all += " at " + called(aims->at);
            all += '\n';
        }
        return all;
    }
    /// The orders of all children in a tree, by their places in the list.
    [[nodiscard]] std::string ordered(entity root, const list& which) const {
        std::map<entity, std::size_t> place;
        for (std::size_t i = 0; i != which.size(); ++i) place[which[i]] = i;
        std::string all;
        for (const entity e : which)
            for (const entity child : world_.ordered_children(e)) all += ' ' + std::to_string(place[child]);
        return all + (world_.alive(root) ? "" : "dead");
    }

    std::mt19937_64 random_;
    pecs::world world_;
    list all_;
};

/// A tree with copies that can fail in every archetype.
entity fragile_tree(pecs::world& world) {
    const entity outside = world.spawn();
    const entity root = world.spawn(Fragile::of(1), Name::of(1));
    entity last = root;
    for (int i = 0; i != 3; ++i) {
        const entity parent = last;
        for (int k = 0; k != 3; ++k)
            last = world.spawn(Name::of(k), Fragile::of(k), pecs::to<child_of>(parent));
        world.spawn(Tracked::of(i), Fragile::of(i), pecs::to<child_of>(parent), pecs::to<Likes>(last));
        world.relate<Fears>(last, i == 1 ? outside : root, Fears{Name::of(i)});
    }
    return root;
}

} // namespace

int main() {
    using namespace boost::ut;

    "one entity: all components, the same targets"_test = [] {
        garage g;
        const entity other = g.world.clone(g.car);
        expect(bool{other != g.car} and g.world.get<Name>(other).number() == 1_i);
        expect(g.world.get<Position>(other).number() == 1_i and g.world.get<Likes>(other).much == 5_i);
        expect(g.world.has<child_of>(other, g.hall) and g.world.has<Likes>(other, g.driver));
        expect(g.world.child_count(other) == 0_ul and g.world.child_count(g.car) == 4_ul);
        g.world.get<Name>(other) = Name::of(2);
        expect(g.world.get<Name>(g.car).number() == 1_i) << "values of its own";
        const entity tyre = g.world.clone(g.tyres[0]);
        expect(g.world.has<Frozen>(tyre) and bool{g.world.parent(tyre) == g.wheels[0]} and
               g.world.validate());
        const entity bare = g.world.clone(g.world.spawn());
        expect(g.world.alive(bare));
        g.world.relate<Likes>(bare, bare);
        expect(g.world.has<Likes>(g.world.clone(bare), bare)) << "also one that leads to itself";
    };

    "an entity with all below it"_test = [] {
        garage g;
        const std::size_t before = g.world.size();
        const entity copy = g.world.clone_subtree(g.car);
        expect(g.world.size() == before + 9 and g.world.validate());
        expect(bool{g.world.parent(copy) == g.hall} and g.world.has<Likes>(copy, g.driver));
        const list originals = tree(g.world, g.car);
        const list copies = tree(g.world, copy);
        expect(copies.size() == 9_ul);
        for (std::size_t i = 1; i != copies.size(); ++i) {
            const auto at = std::ranges::find(originals, g.world.parent(originals[i])) - originals.begin();
            expect(bool{g.world.parent(copies[i]) == copies[static_cast<std::size_t>(at)]});
            if (const Name* const name = g.world.try_get<Name>(originals[i]))
                expect(g.world.get<Name>(copies[i]).number() == name->number());
            else
                expect(g.world.get<Huge>(copies[i]).number() == g.world.get<Huge>(originals[i]).number());
        }
        g.world.despawn(copy);
        expect(g.world.size() == before and g.world.validate()) << "a tree of its own";
    };

    "relations inside lead to copies, those outside to the same"_test = [] {
        garage g;
        g.world.relate<Likes>(g.wheels[0], g.wheels[1], {7}); // a sibling
        g.world.relate<Likes>(g.tyres[2], g.car);             // the root
        g.world.relate<Likes>(g.wheels[2], g.wheels[2]);      // itself
        g.world.relate<Likes>(g.wheels[3], g.driver);         // outside
        g.world.relate<Fears>(g.wheels[0], g.hall, {Name::of(8)});
        g.world.relate<Likes>(g.driver, g.wheels[0]); // from outside: not copied
        g.world.relate<Likes>(g.car, g.tyres[1], {9});
        const entity copy = g.world.clone_subtree(g.car);
        const list originals = tree(g.world, g.car);
        const list copies = tree(g.world, copy);
        const auto copy_of = [&](entity e) {
            return copies[static_cast<std::size_t>(std::ranges::find(originals, e) - originals.begin())];
        };
        expect(g.world.has<Likes>(copy_of(g.wheels[0]), copy_of(g.wheels[1])));
        expect(g.world.get<Likes>(copy_of(g.wheels[0])).much == 7_i);
        expect(g.world.has<Likes>(copy_of(g.tyres[2]), copy));
        expect(g.world.has<Likes>(copy_of(g.wheels[2]), copy_of(g.wheels[2])));
        expect(g.world.has<Likes>(copy_of(g.wheels[3]), g.driver));
        expect(g.world.has<Fears>(copy_of(g.wheels[0]), g.hall));
        expect(g.world.get<Fears>(copy_of(g.wheels[0])).why.number() == 8_i);
        expect(g.world.has<Likes>(copy, copy_of(g.tyres[1])) and g.world.get<Likes>(copy).much == 9_i);
        expect(g.world.has<Likes>(g.driver, g.wheels[0]) and g.world.has<Likes>(g.car, g.tyres[1]));
        expect(g.world.validate());
    };

    "edges inside lead to copies, those outside to the same, with their data"_test = [] {
        Fragile::forget();
        {
            pecs::world w;
            const entity outside = w.spawn();
            const entity root = w.spawn(Position::of(1));
            const entity a = w.spawn(pecs::to<child_of>(root));
            const entity b = w.spawn(pecs::to<child_of>(root));
            w.relate<Knows>(a, b, Knows{Fragile{7}});
            w.relate<Knows>(a, outside, Knows{Fragile{8}});
            w.relate<Knows>(outside, a, Knows{Fragile{9}});
            w.relate<Touches>(a, b, Touches{3});
            w.relate<Touches>(b, outside, Touches{4});
            w.relate<Touches>(root, root, Touches{5});
            const pecs::entity_list copies = w.clone_subtree(root, 2);
            expect(w.validate());
            for (const entity copy : copies) {
                const auto below = w.descendants(copy);
                expect(fatal(below.size() == 2_ul));
                expect(w.target_count<Knows>(below[0]) == 2_ul and w.sources<Knows>(below[0]).empty());
                expect(w.get<Knows>(below[0], below[1]).since.number() == 7_i);
                expect(w.get<Knows>(below[0], outside).since.number() == 8_i);
                expect(w.get<Touches>(below[1], below[0]).force == 3_i);
                expect(w.get<Touches>(outside, below[1]).force == 4_i);
                expect(w.get<Touches>(copy, copy).force == 5_i);
                expect(w.target_count<Touches>(below[0]) == 1_ul and
                       w.target_count<Touches>(below[1]) == 2_ul);
            }
            expect(w.target_count<Touches>(outside) == 3_ul and w.target_count<Knows>(a) == 2_ul);
            const entity twin = w.clone(a); // what a single entity points at stays
            expect(w.has<Knows>(twin, b) and w.has<Knows>(twin, outside) and w.has<Touches>(b, twin));
            w.despawn(root);
            w.despawn_batch(copies);
            expect(w.validate() and w.size() == 1_ul and w.stats().edges == 0_ul);
        }
        expect(Fragile::log.alive() == 0_ul and Fragile::log.wrong == 0_ul);
    };

    "an edge whose data cannot be copied just now leaves nothing behind"_test = [] {
        Fragile::forget();
        pecs::world w;
        const entity root = w.spawn();
        const entity a = w.spawn(pecs::to<child_of>(root));
        for (int i = 0; i != 40; ++i)
            w.relate<Knows>(a, w.spawn(pecs::to<child_of>(root)), Knows{Fragile{i}});
        const std::size_t size = w.size();
        const std::size_t alive = Fragile::log.alive();
        for (int until = 0; until != 40; ++until) {
            Fragile::until_throw = until;
            bool thrown = false;
            try {
                (void)w.clone_subtree(root);
            } catch (const std::runtime_error&) {
                thrown = true;
            }
            Fragile::until_throw = -1;
            expect(thrown and w.validate() and w.size() == size and w.stats().edges == 40_ul);
            expect(Fragile::log.alive() == alive);
        }
        (void)w.clone_subtree(root);
        expect(w.stats().edges == 80_ul and w.size() == 2 * size and w.validate());
    };

    "a root that leads to what is below it, by another relation alone"_test = [] {
        pecs::world world;
        const entity root = world.spawn();
        const entity child = world.spawn(pecs::to<child_of>(root));
        world.relate<Likes>(root, child);
        const entity copy = world.clone_subtree(root);
        expect(bool{world.target<Likes>(copy) == world.children(copy).begin().operator*()});
        expect(world.child_count(copy) == 1_ul and world.validate());
    };

    "under another parent, or none"_test = [] {
        garage g;
        const entity elsewhere = g.world.spawn();
        const entity there = g.world.clone_subtree(g.car, elsewhere);
        const entity free = g.world.clone_subtree(g.car, pecs::null);
        const entity again = g.world.clone_subtree(free); // has no parent, gets none
        const entity inside = g.world.clone_subtree(free, g.hall);
        expect(bool{g.world.parent(there) == elsewhere} and bool{g.world.parent(inside) == g.hall});
        expect(not g.world.has<child_of>(free) and not g.world.has<child_of>(again));
        for (const entity copy : {there, free, again, inside}) {
            expect(g.world.descendants(copy).size() == 8_ul and g.world.get<Name>(copy).number() == 1_i);
            expect(g.world.has<Likes>(copy, g.driver));
        }
        const entity nested = g.world.clone_subtree(g.car, g.wheels[0]); // into itself: what it was before
        expect(g.world.descendants(nested).size() == 8_ul and g.world.descendants(g.car).size() == 17_ul);
        expect(g.world.validate());
    };

    "a root that gets a parent has the default data of the relation"_test = [] {
        pecs::world w;
        const entity base = w.spawn();
        const entity whole = w.spawn();
        const entity part = w.spawn(pecs::to<GrowsOn>(whole, {9}));
        const entity copy = w.clone_subtree<GrowsOn>(whole, base);
        expect(w.has<GrowsOn>(copy, base) and w.get<GrowsOn>(copy).rings == 3_i);
        expect(w.children<GrowsOn>(copy).empty() == false and w.get<GrowsOn>(part).rings == 9_i);
        for (const entity below : w.children<GrowsOn>(copy)) expect(w.get<GrowsOn>(below).rings == 9_i);
        expect(w.validate());
    };

    "handles in the data of edges follow to the copies"_test = [] {
        garage g;
        g.world.relate<Guards>(g.wheels[0], g.wheels[1], Guards{g.tyres[2]});
        g.world.relate<Guards>(g.wheels[0], g.driver, Guards{g.driver});
        const entity copy = g.world.clone_subtree(g.car);
        std::size_t found = 0;
        g.world.each_edge<Guards>([&](entity source, entity target, const Guards& data) {
            if (!g.world.is_ancestor(copy, source)) return;
            ++found;
            if (target == g.driver)
                expect(bool{data.against == g.driver}) << "what is outside stays";
            else
                expect(g.world.is_ancestor(copy, data.against) and
                       g.world.get<Huge>(data.against).number() == 22_i);
        });
        expect(found == 2_ul and bool{g.world.get<Guards>(g.wheels[0], g.wheels[1]).against == g.tyres[2]});
    };

    "many copies at once"_test = [] {
        garage g;
        const std::size_t before = g.world.size();
        const pecs::entity_list cars = g.world.clone_subtree(g.car, 100);
        expect(cars.size() == 100_ul and g.world.size() == before + 900 and g.world.validate());
        for (const entity car : cars)
            expect(bool{g.world.parent(car) == g.hall} and g.world.descendants(car).size() == 8_ul);
        expect(text(cars) != text(g.world.clone_subtree(g.car, g.driver, 100)));
        expect(g.world.child_count(g.driver) == 100_ul);
        expect(g.world.clone_subtree(g.car, 0).empty() and g.world.size() == before + 1800);
        g.world.despawn(g.hall);
        expect(g.world.size() == 901_ul and g.world.validate());
        expect(throws<pecs::capacity_exceeded>([&] { (void)g.world.clone_subtree(g.driver, 0xFFFFFFFF); }));
        expect(g.world.size() == 901_ul);
    };

    "copies come in the order of their originals"_test = [] {
        pecs::world world;
        const entity root = world.spawn();
        list targets;
        for (int i = 0; i != 5; ++i) targets.push_back(world.spawn());
        for (int i = 0; i != 20; ++i) {
            const entity target = targets[static_cast<std::size_t>(i) % 5];
            const entity child =
                i % 2 == 0 ? world.spawn(Position::of(i), pecs::to<child_of>(root), pecs::to<Likes>(target))
                           : world.spawn(Position::of(i), pecs::to<child_of>(root));
            if (i % 7 == 0) world.add(child, Frozen{});
        }
        const auto numbers = [&](entity e) {
            std::string all;
            for (const entity child : world.children(e))
                all += std::to_string(world.get<Position>(child).number()) + ' ';
            return all;
        };
        expect(numbers(world.clone_subtree(root)) == numbers(root));
        expect(numbers(world.clone_subtree(root, 3)[2]) == numbers(root));
    };

    "the same handles for the same story"_test = [] {
        const auto story = [] {
            garage g;
            g.world.despawn(g.wheels[1]);
            g.world.relate<Likes>(g.wheels[0], g.tyres[2]);
            (void)g.world.clone_subtree(g.car, 2);
            return support::targets<child_of, Likes>(g.world);
        };
        expect(story() == story());
    };

    "handles in components, and places among siblings"_test = [] {
        garage g;
        g.world.add(g.tyres[0], Aims{g.wheels[2]});
        g.world.add(g.tyres[1], Aims{g.driver});
        g.world.place_first(g.wheels[2]);
        g.world.place_first(g.car);
        const entity copy = g.world.clone_subtree(g.car);
        std::size_t inside = 0;
        std::size_t outside = 0;
        g.world.query<const Aims>().under<child_of>(copy).each([&](const Aims& aims) {
            inside += g.world.is_ancestor(copy, aims.at) && g.world.get<Name>(aims.at).number() == 12 ? 1 : 0;
            outside += aims.at == g.driver ? 1 : 0;
        });
        expect(inside == 1_ul and outside == 1_ul);
        const auto numbers = [&](entity e) {
            std::string all;
            for (const entity child : g.world.ordered_children(e))
                all += std::to_string(g.world.get<Name>(child).number()) + ' ';
            return all;
        };
        expect(numbers(copy) == numbers(g.car));
        expect(numbers(copy).starts_with("12 "));
        const entity late = g.world.clone(g.car);
        g.world.place_last(copy);
        expect(text(g.world.ordered_children(g.hall)) == text({g.car, late, copy}));
        expect(bool{g.world.get<Aims>(g.world.clone(g.tyres[0])).at == g.wheels[2]}) << "alone, it stays";
    };

    "component types that exist only at run time"_test = [] {
        const pecs::component_id number =
            pecs::register_component({.name = "clone.Number", .size = 4, .alignment = 4});
        const pecs::component_id held =
            pecs::register_component({.name = "clone.Held", .size = 8, .alignment = 8, .copyable = false});
        const pecs::component_id link = pecs::register_component({.name = "clone.Link", .relation = true});
        pecs::world world;
        const entity root = world.spawn();
        const entity child = world.spawn(pecs::to<child_of>(root));
        const int value = 42;
        world.by_id().add(child, number, &value);
        world.by_id().relate(root, link, child);
        const entity copy = world.clone_subtree(root);
        const entity below = world.descendants(copy)[0];
        expect(*static_cast<int*>(world.by_id().get(below, number)) == 42_i);
        expect(bool{world.by_id().target(copy, link) == below});
        world.by_id().add(child, held);
        const auto error = caught<pecs::unsupported_component>([&] { (void)world.clone_subtree(root); });
        expect(error.which() == held and world.size() == 4_ul and world.validate());
    };

    "what cannot be copied is named, and nothing happens"_test = [] {
        garage g;
        g.world.add(g.tyres[3], Owned::of(5));
        const std::string before = dump(g.world);
        const auto error =
            caught<pecs::unsupported_component>([&] { (void)g.world.clone_subtree(g.car, pecs::null); });
        expect(error.which() == pecs::id_of<Owned>() and mentions(error, "Owned") and
               mentions(error, "cannot be copied"))
            << error.what();
        expect(throws<pecs::unsupported_component>([&] { (void)g.world.clone(g.tyres[3]); }));
        expect(throws<pecs::unsupported_component>([&] { (void)g.world.clone_subtree(g.car, 3); }));
        g.world.despawn_batch(g.world.descendants(g.wheels[3]));
        expect(g.world.alive(g.world.clone_subtree(g.car)));

        const entity part = g.world.spawn();
        const auto lacking =
            caught<pecs::unsupported_component>([&] { (void)g.world.clone_subtree<PartOf>(part, g.hall); });
        expect(lacking.which() == pecs::id_of<PartOf>() and mentions(lacking, "no default"))
            << lacking.what();
        g.world.relate<PartOf>(part, g.hall, PartOf{3});
        expect(g.world.get<PartOf>(g.world.clone_subtree<PartOf>(part, g.car)).since == 3_i);
        expect(g.world.validate() and not before.empty());
    };

    "dead roots, dead parents, and loops that run"_test = [] {
        garage g;
        const entity gone = g.world.spawn();
        g.world.despawn(gone);
        expect(throws<pecs::dead_entity>([&] { (void)g.world.clone(gone); }));
        expect(throws<pecs::dead_entity>([&] { (void)g.world.clone_subtree(gone); }));
        expect(throws<pecs::dead_entity>([&] { (void)g.world.clone_subtree(entity{}, g.hall); }));
        expect(throws<pecs::dead_target>([&] { (void)g.world.clone_subtree(g.car, gone); }));
        for (const entity child : g.world.children(g.car)) {
            expect(throws<pecs::world_locked>([&] { (void)g.world.clone(child); }));
            expect(throws<pecs::world_locked>([&] { (void)g.world.clone_subtree(child); }));
        }
        expect(g.world.size() == 11_ul and g.world.validate());
    };

    "a copy that throws leaves nothing behind"_test = [] {
        Fragile::forget();
        Tracked::forget();
        {
            pecs::world world;
            const entity root = fragile_tree(world);
            const std::string before = dump(world);
            const std::size_t alive = Fragile::log.alive();
            const std::size_t tracked = Tracked::log.alive();
            int failures = 0;
            for (Fragile::until_throw = 0;; Fragile::until_throw = ++failures) {
                try {
                    (void)world.clone_subtree(root, 3);
                    break;
                } catch (const std::runtime_error&) {
                    expect(dump(world) == before and world.validate()) << failures;
                    expect(Fragile::log.alive() == alive and Tracked::log.alive() == tracked) << failures;
                }
            }
            Fragile::until_throw = -1;
            expect(failures == 39_i) << "each copy of a value has failed once";
            expect(world.size() == 53_ul and world.validate());
            expect(Fragile::log.wrong == 0_ul);
            pecs::world other; // handles to come are what they would have been
            (void)other.clone_subtree(fragile_tree(other), 3);
            expect(dump(other) == dump(world));
        }
        expect(Fragile::log.alive() == 0_ul and Fragile::log.wrong == 0_ul);
    };

    "an allocation that fails leaves nothing behind"_test = [] {
        std::size_t failures = 0;
        for (bool failed = true; failed; ++failures) {
            support::watched_memory memory;
            {
                pecs::world world{&memory};
                const entity root = fragile_tree(world);
                const std::string before = dump(world);
                failed = false;
                faults::arm(failures, true);
                try {
                    (void)world.clone_subtree(root, failures % 2 == 0 ? root : entity{}, 5);
                } catch (const std::bad_alloc&) {
                    failed = true;
                }
                faults::disarm();
                expect(world.validate());
                if (failed) expect(dump(world) == before) << failures;
            }
            expect(memory.clean());
        }
        expect(failures > 20_ul);
    };

    "a chain of 100,000, and a parent of 100,000"_test = [] {
        pecs::world world;
        const entity root = world.spawn();
        entity last = root;
        for (int i = 0; i != 100'000; ++i) last = world.spawn(Position::of(i), pecs::to<child_of>(last));
        const entity copy = world.clone_subtree(root);
        expect(world.size() == 200'002_ul and world.descendants(copy).size() == 100'000_ul);
        world.despawn(root);
        int expected = 0;
        bool same = true;
        for (const entity e : world.descendants(copy))
            same = same && world.get<Position>(e).number() == expected++;
        expect(same and world.validate());
        const entity wide = world.spawn();
        world.spawn_batch(100'000, Position::of(3), pecs::to<child_of>(wide));
        expect(world.child_count(world.clone_subtree(wide)) == 100'000_ul and world.validate());
    };

    "a copy is the original with other handles, whatever the tree"_test = [] {
        const std::uint64_t first = support::first_seed();
        for (std::uint64_t run = 0; run != 20; ++run) {
            trial t{first + run};
            for (int i = 0; i != 40; ++i) {
                const std::string wrong = t.step();
                expect(fatal(wrong.empty())) << wrong << "in step" << i << "PECS_SEED=" << first + run;
            }
        }
    };
}
