// The snippets of docs/observers.md.
#include <boost/ut.hpp>

#include <cstddef>
#include <map>
#include <span>
#include <vector>

import pecs;

namespace {
struct Position {
    float x = 0, y = 0;
};
struct Burning {};
struct Smoke {};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct change {
    pecs::entity e, old_parent, new_parent;
};
struct position_index {
    std::multimap<float, pecs::entity> all;

    void insert(float x, pecs::entity e) { all.emplace(x, e); }
    void erase(float x, pecs::entity e) {
        for (auto [first, last] = all.equal_range(x); first != last; ++first)
            if (first->second == e) {
                all.erase(first);
                return;
            }
    }
};
} // namespace

int main() {
    using namespace boost::ut;

    "the smallest example"_test = [] {
        pecs::world world;
        position_index index;
        // clang-format off
        const pecs::observer seen = world.observe<Position>(pecs::on_add, [&](pecs::entity e, Position& p) {
            index.insert(p.x, e);
        });
        const pecs::observer gone = world.observe<Position>(pecs::on_remove, [&](pecs::entity e, const Position& p) {
            index.erase(p.x, e);
        });
        // clang-format on
        const pecs::entity e = world.spawn(Position{1, 2});
        expect(index.all.size() == 1_u);
        world.despawn(e);
        expect(index.all.empty());
        expect(seen && gone);
    };
    "targets"_test = [] {
        pecs::world world;
        std::vector<change> history;
        // clang-format off
        const auto moved = world.observe<ChildOf>(
            pecs::on_relate, [&](pecs::entity e, pecs::entity old_parent, pecs::entity new_parent) {
                history.push_back({e, old_parent, new_parent}); // null where there was none, or is none
            });
        // clang-format on
        const pecs::entity parent = world.spawn();
        (void)world.spawn(pecs::to<ChildOf>(parent));
        world.despawn(parent);
        expect(history.size() == 2_u);
        expect(history[0].new_parent == parent && !history[0].old_parent);
        expect(history[1].old_parent == parent && !history[1].new_parent);
    };
    "spans"_test = [] {
        pecs::world world;
        int calls = 0;
        std::size_t told = 0;
        // clang-format off
        const auto batch = world.observe<Position>(
            pecs::on_add, [&](std::span<const pecs::entity> entities, std::span<Position> positions) {
                calls += 1, told += entities.size();
                for (Position& p : positions) p.x += 1;
            });
        world.spawn_batch(1000, Position{}); // one call
        // clang-format on
        expect(calls == 1_i && told == 1000_ul);
    };
    "commands"_test = [] {
        pecs::world world;
        const pecs::entity torch = world.spawn();
        // clang-format off
        pecs::commands later = world.record();
        const auto burn = world.observe<Burning>(pecs::on_add, [&](pecs::entity e) {
            later.add(e, Smoke{}); // world.add would throw
        });
        world.add(torch, Burning{});
        world.apply(later);
        // clang-format on
        expect(world.has<Smoke>(torch));
    };
}
