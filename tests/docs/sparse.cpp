// The snippets of docs/sparse.md.
#include <boost/ut.hpp>

import pecs;

namespace {
struct Position {
    float x, y;
};
// clang-format off
struct Burning {
    float heat;
    static constexpr auto storage = pecs::component_storage::sparse;
};
// clang-format on
float hottest = 0;
void spread(const Position& p, Burning& b) { hottest = b.heat += p.x; }
} // namespace

int main() {
    using namespace boost::ut;

    "the smallest example"_test = [] {
        pecs::world world;
        const auto tree = world.spawn(Position{1, 2});
        // clang-format off
        world.add(tree, Burning{0.5f});                                     // the tree stays in its row
        world.query<const Position, Burning>().each([](const Position& p, Burning& b) { spread(p, b); });
        world.remove<Burning>(tree);
        // clang-format on
        expect(not world.has<Burning>(tree) and hottest == 1.5_f);
    };
}
