// error: values of a sparse component do not lie side by side
#include <span>

import pecs;

struct Position {
    float x;
};
struct Burning {
    static constexpr auto storage = pecs::component_storage::sparse;
    float heat;
};

void use(pecs::world& w) {
    const auto seen = w.observe<Position, Burning>(
        pecs::on_add, [](std::span<const pecs::entity>, std::span<Position>, std::span<Burning>) {});
}
