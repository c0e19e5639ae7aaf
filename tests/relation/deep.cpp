// Trees a million deep: everything that goes up, down or along them does so without recursion.
#include <boost/ut.hpp>

#include <cstddef>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::child_of;
using pecs::entity;
using pecs::to;

constexpr std::size_t depth = 1'000'000;

struct Value {
    int value = 0;
};

struct chain {
    pecs::world w;
    entity top = w.spawn(Value{0});
    entity last = top;
    chain() {
        w.reserve(2 * depth + 10);
        for (std::size_t i = 0; i != depth; ++i) last = w.spawn(Value{1}, to<child_of>(last));
    }
};

/// Every value becomes that of its parent and its own.
void add_up(pecs::world& w) {
    w.query<Value, pecs::at_target<child_of, const Value>>().parents_first<child_of>().each(
        [](Value& mine, const Value& above) { mine.value += above.value; });
}
} // namespace

int main() {
    using namespace boost::ut;

    "up: ancestors, depth, the root, cycles"_test = [] {
        chain c;
        expect(c.w.depth(c.last) == depth and c.w.root_of(c.last) == c.top);
        expect(c.w.is_ancestor(c.top, c.last) and not c.w.is_ancestor(c.last, c.top));
        std::size_t above = 0;
        for (const entity e : c.w.ancestors(c.last)) above += c.w.alive(e) ? 1 : 0;
        expect(above == depth);
        expect(throws<pecs::relation_cycle>([&] { c.w.relate<child_of>(c.top, c.last); }));
        expect(not c.w.can_relate(c.top, c.last) and c.w.validate());
    };

    "along: parents first, children first, under, descendants"_test = [] {
        chain c;
        add_up(c.w);
        expect(c.w.get<Value>(c.last).value == static_cast<int>(depth));
        int before = static_cast<int>(depth) + 1;
        bool falling = true;
        c.w.query<const Value>().children_first<child_of>().each([&](const Value& v) {
            falling = falling && v.value < before;
            before = v.value;
        });
        expect(falling and before == 0_i);
        int next = 1;
        bool rising = true;
        c.w.query<const Value>().under<child_of>(c.top).each(
            [&](const Value& v) { rising = rising && v.value == next++; });
        expect(rising and next == static_cast<int>(depth) + 1);
        expect(c.w.descendants(c.top).size() == depth);
    };

    "copies of it, and its end"_test = [] {
        chain c;
        const entity copy = c.w.clone_subtree(c.top);
        expect(c.w.size() == 2 * (depth + 1) and c.w.descendants(copy).size() == depth);
        add_up(c.w);
        c.w.despawn(c.top);
        int next = 1;
        bool same = true;
        c.w.query<const Value>().under<child_of>(copy).each(
            [&](const Value& v) { same = same && v.value == next++; });
        expect(same and next == static_cast<int>(depth) + 1 and c.w.validate());
        c.w.make_prefab(copy);
        expect(c.w.query<const Value>().count() == 0_ul);
        const entity made = c.w.spawn_from(copy, Value{7});
        expect(c.w.query<const Value>().count() == depth + 1 and c.w.get<Value>(made).value == 7_i);
        c.w.despawn(copy);
        c.w.reparent(c.w.spawn(), made);
        expect(c.w.size() == depth + 2);
        c.w.despawn(made);
        expect(c.w.empty() and c.w.validate());
    };

    "names: the path there and back"_test = [] {
        pecs::world w;
        entity last = w.spawn(pecs::name{"a"});
        for (std::size_t i = 0; i != depth; ++i) last = w.spawn(pecs::name{"b"}, to<child_of>(last));
        const std::string path = w.path_of(last);
        expect(path.size() == 1 + 2 * depth and path.starts_with("a/b/b/") and path.ends_with("/b"));
        expect(w.find(path) == last and w.find(path + "/b") == pecs::null);
    };
}
