// The order of siblings: as placed, whatever happens to their rows.
#include <boost/ut.hpp>

#include "../support/errors.hpp"
#include "../support/memory.hpp"
#include "../support/seed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <random>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::child_of;
using pecs::entity;
using support::caught;
using support::faults;
using support::mentions;

struct Mark {};
struct PartOf {
    static constexpr pecs::relation_rules rules{.acyclic = true};
};

using list = std::vector<entity>;

template <class Range> std::string text(const Range& range) {
    std::string all;
    for (const entity e : range) all += pecs::to_string(e) + ' ';
    return all;
}
std::string text(std::initializer_list<entity> given) { return text(list{given}); }

struct layers {
    pecs::world world;
    entity image = world.spawn();
    entity a = world.spawn(pecs::to<child_of>(image));
    entity b = world.spawn(pecs::to<child_of>(image));
    entity c = world.spawn(pecs::to<child_of>(image));
    entity d = world.spawn(pecs::to<child_of>(image));

    [[nodiscard]] std::string order() const { return text(world.ordered_children(image)); }
};

/// The order that is wanted: a list in which one entity goes to another place.
list moved(list order, entity child, int where, entity sibling) {
    std::erase(order, child);
    auto at = std::ranges::find(order, sibling);
    if (where == 0) at = order.begin();
    if (where == 1) at = order.end();
    if (where == 3) ++at;
    order.insert(at, child);
    return order;
}

/// Random places, parents and deaths. The order that was seen after a child was placed must last for all that were
/// placed.
class trial {
public:
    explicit trial(std::uint64_t seed) : random_{seed} {
        for (entity& parent : parents_) parent = world_.spawn();
        for (int i = 0; i != 20; ++i) spawn();
    }

    /// Empty if all went well.
    std::string step() {
        switch (below(8)) {
        case 0: spawn(); break;
        case 1: despawn(); break;
        case 2: reparent(); break;
        case 3: change(); break;
        case 4: return place_all();
        default: return place();
        }
        return disorder();
    }

private:
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random_); }
    entity some() { return children_[below(children_.size())]; }
    list now(entity parent) const {
        list order;
        for (const entity e : world_.ordered_children(parent)) order.push_back(e);
        return order;
    }

    void spawn() {
        const entity parent = parents_[below(parents_.size())];
        children_.push_back(below(3) == 0 ? world_.spawn(Mark{}, pecs::to<child_of>(parent))
                                          : world_.spawn(pecs::to<child_of>(parent)));
    }
    void despawn() {
        if (children_.size() < 5) return;
        const std::size_t i = below(children_.size());
        forget(children_[i]);
        world_.despawn(children_[i]);
        children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    void reparent() {
        const entity e = some();
        const entity to = parents_[below(parents_.size())];
        if (to == world_.parent(e)) return;
        forget(e);
        world_.reparent(e, to);
    }
    void change() {
        const entity e = some();
        if (world_.has<Mark>(e))
            world_.remove<Mark>(e);
        else
            world_.add(e, Mark{});
        if (below(5) == 0) world_.compact();
    }
    std::string place() {
        const entity child = some();
        const entity parent = world_.parent(child);
        const list before = now(parent);
        const entity sibling = before[below(before.size())];
        const int where = static_cast<int>(below(4));
        if (sibling == child && where > 1) return {};
        switch (where) {
        case 0: world_.place_first(child); break;
        case 1: world_.place_last(child); break;
        case 2: world_.place_before(child, sibling); break;
        default: world_.place_after(child, sibling); break;
        }
        if (text(now(parent)) != text(moved(before, child, where, sibling)))
            return "place " + std::to_string(where);
        placed_[child] = parent;
        return note(parent);
    }
    std::string place_all() {
        const entity parent = parents_[below(parents_.size())];
        list order = now(parent);
        std::ranges::shuffle(order, random_);
        order.resize(order.size() - below(order.size() / 2 + 1));
        list expected = order;
        for (const entity e : now(parent))
            if (std::ranges::find(order, e) == order.end()) expected.push_back(e);
        world_.place_all(order);
        if (text(now(parent)) != text(expected)) return "place_all";
        for (const entity e : order) placed_[e] = parent;
        return note(parent);
    }
    std::string note(entity parent) {
        list& order = orders_[parent];
        order.clear();
        for (const entity e : now(parent))
            if (placed_.contains(e)) order.push_back(e);
        return disorder();
    }
    void forget(entity e) {
        placed_.erase(e);
        for (auto& [parent, order] : orders_) std::erase(order, e);
    }
    /// Whether those that were placed are in another order than they were.
    [[nodiscard]] std::string disorder() const {
        if (!world_.validate()) return "the world is not valid";
        for (const auto& [parent, order] : orders_) {
            list seen;
            for (const entity e : world_.ordered_children(parent))
                if (placed_.contains(e)) seen.push_back(e);
            if (seen != order) return "the order has changed";
        }
        return {};
    }

    std::mt19937_64 random_;
    pecs::world world_;
    std::array<entity, 3> parents_;
    list children_;
    std::map<entity, entity> placed_;
    std::map<entity, list> orders_;
};

} // namespace

int main() {
    using namespace boost::ut;

    "children that were never placed are in storage order"_test = [] {
        layers l;
        expect(l.order() == text({l.a, l.b, l.c, l.d}));
        l.world.despawn(l.a);
        expect(l.order() == text({l.d, l.b, l.c})) << "the last row fills the gap";
        expect(l.world.ordered_children(l.a).empty() and l.world.ordered_children(entity{}).empty());
    };

    "first, last, before, after"_test = [] {
        layers l;
        l.world.place_first(l.c);
        expect(l.order() == text({l.c, l.a, l.b, l.d}));
        l.world.place_last(l.a);
        expect(l.order() == text({l.c, l.b, l.d, l.a})) << "behind those that were never placed";
        l.world.place_before(l.a, l.b);
        expect(l.order() == text({l.c, l.a, l.b, l.d}));
        l.world.place_after(l.c, l.b);
        expect(l.order() == text({l.a, l.b, l.c, l.d}));
        l.world.place_after(l.c, l.c); // itself: it stays
        l.world.place_first(l.a);
        l.world.place_last(l.d);
        expect(l.order() == text({l.a, l.b, l.c, l.d}) and l.world.validate());
    };

    "next to a sibling that was never placed"_test = [] {
        layers l;
        l.world.place_before(l.d, l.b);
        expect(l.order() == text({l.a, l.d, l.b, l.c}));
        layers other;
        other.world.place_after(other.a, other.c);
        expect(other.order() == text({other.b, other.c, other.a, other.d}));
    };

    "the order lasts when rows do not"_test = [] {
        layers l;
        l.world.place_all(std::array{l.d, l.c, l.b, l.a});
        expect(l.order() == text({l.d, l.c, l.b, l.a}));
        l.world.add(l.c, Mark{});
        l.world.despawn(l.d);
        const entity e = l.world.spawn(pecs::to<child_of>(l.image));
        l.world.compact();
        expect(l.order() == text({l.c, l.b, l.a, e})) << "who comes later comes last";
    };

    "a list puts its entities before the others"_test = [] {
        layers l;
        l.world.place_all(std::array{l.c, l.b});
        expect(l.order() == text({l.c, l.b, l.a, l.d}));
        l.world.place_all(std::array{l.d, l.c});
        expect(l.order() == text({l.d, l.c, l.b, l.a}));
        l.world.place_all(std::array<entity, 0>{});
        expect(l.order() == text({l.d, l.c, l.b, l.a}));
    };

    "a rank counts under one parent"_test = [] {
        layers l;
        const entity other = l.world.spawn();
        const entity x = l.world.spawn(pecs::to<child_of>(other));
        const entity y = l.world.spawn(pecs::to<child_of>(other));
        l.world.place_all(std::array{y, x});
        l.world.place_first(l.d);
        l.world.reparent(l.d, other);
        expect(text(l.world.ordered_children(other)) == text({y, x, l.d})) << "it comes last";
        l.world.place_first(l.a);
        l.world.reparent(l.d, l.image);
        expect(l.order() == text({l.a, l.b, l.c, l.d})) << "also where it was before";
        l.world.relate<child_of>(l.a, other);
        expect(text(l.world.ordered_children(other)) == text({y, x, l.a})) << "whatever verb moves it";
        l.world.relate<child_of>(l.a, l.image);
        expect(l.order() == text({l.a, l.b, l.c, l.d}))
            << "relate knows nothing of places: it finds the old one";
        l.world.reparent(l.a, pecs::null);
        expect(throws<pecs::missing_component>([&] { l.world.place_first(l.a); }));
    };

    "two trees have two orders"_test = [] {
        layers l;
        for (const entity e : {l.a, l.b, l.c}) l.world.relate<PartOf>(e, l.d);
        expect(l.order() == text({l.d, l.a, l.b, l.c})) << "the archetype with one relation comes first";
        l.world.place_first<PartOf>(l.b);
        expect(l.world.has<pecs::sibling_rank<PartOf>>(l.b) and not l.world.has<pecs::sibling_rank<>>(l.b));
        l.world.place_first(l.c);
        expect(l.order() == text({l.c, l.d, l.a, l.b}) or l.order() == text({l.c, l.d, l.b, l.a}));
        expect(text(l.world.ordered_children<PartOf>(l.d)) == text({l.b, l.a, l.c}));
    };

    "there is always room between two"_test = [] {
        layers l;
        l.world.place_all(std::array{l.a, l.b, l.c, l.d});
        for (int i = 0; i != 200; ++i) { // halves the room each time
            l.world.place_after(i % 2 == 0 ? l.c : l.b, l.a);
            expect(l.order() == (i % 2 == 0 ? text({l.a, l.c, l.b, l.d}) : text({l.a, l.b, l.c, l.d})));
        }
        for (int i = 0; i != 200; ++i) l.world.place_before(i % 2 == 0 ? l.a : l.b, l.d);
        expect(l.order() == text({l.c, l.a, l.b, l.d}) and l.world.validate());
        auto& rank = l.world.get<pecs::sibling_rank<>>(l.c);
        rank.key = l.world.get<pecs::sibling_rank<>>(l.a).key; // somebody wrote what nobody should
        const std::string odd = l.order();
        l.world.place_after(l.d, l.c);
        expect(l.order() != odd and l.world.ordered_children(l.image).size() == 4_ul);
    };

    "what is refused"_test = [] {
        layers l;
        const entity lone = l.world.spawn();
        const auto error = caught<pecs::not_siblings>([&] { l.world.place_before(l.a, lone); });
        expect(bool{error.which() == l.a} and bool{error.other() == lone}) << error.what();
        expect(mentions(error, "same parent") and mentions(error, "pecs::child_of"));
        expect(throws<pecs::not_siblings>([&] { l.world.place_after(l.a, l.image); }));
        expect(throws<pecs::missing_component>([&] { l.world.place_last(lone); }));
        expect(throws<pecs::dead_entity>([&] { l.world.place_last(entity{}); }));
        expect(throws<pecs::dead_entity>([&] { l.world.place_before(l.a, entity{}); }));
        expect(throws<pecs::repeated_entity>([&] { l.world.place_all(std::array{l.a, l.b, l.a}); }));
        expect(throws<pecs::not_siblings>([&] { l.world.place_all(std::array{l.a, lone}); }));
        expect(throws<pecs::missing_component>([&] { l.world.place_all(std::array{lone}); }));
        l.world.place_first(l.a);
        for (const entity child : l.world.children(l.image))
            expect(throws<pecs::world_locked>([&] { l.world.place_first(child); }));
        expect(l.order() == text({l.a, l.b, l.c, l.d}));
    };

    "when memory is short, the order stays"_test = [] {
        for (std::size_t successes = 0;; ++successes) {
            support::watched_memory memory;
            pecs::world world{&memory};
            const entity parent = world.spawn();
            list children;
            for (int i = 0; i != 5; ++i) children.push_back(world.spawn(pecs::to<child_of>(parent)));
            world.add(children[3], Mark{});
            const std::string before = text(world.ordered_children(parent));
            faults::arm(successes, true);
            bool failed = false;
            try {
                world.place_last(children[1]);
            } catch (const std::bad_alloc&) {
                failed = true;
            }
            faults::disarm();
            expect(world.validate() and failed == faults::happened());
            if (!failed) break;
            expect(text(world.ordered_children(parent)) == before);
        }
    };

    "the order is what was placed, under random changes"_test = [] {
        const std::uint64_t first = support::first_seed();
        for (std::uint64_t run = 0; run != 20; ++run) {
            trial t{first + run};
            for (int i = 0; i != 250; ++i) {
                const std::string wrong = t.step();
                expect(fatal(wrong.empty())) << wrong << "in step" << i << "PECS_SEED=" << first + run;
            }
        }
    };
}
