// Particles: the same step three ways. `each` is the shortest; columns hand out spans for loops of your own; and spans of
// floats can be worked through with vectors of your own. A component per number keeps equal numbers side by side.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>

import pecs;

struct X {
    float value;
};
struct SpeedX {
    float value;
};
constexpr float step = 0.5F;

/// The compiler makes vectors of it: the callback promises to touch nothing but its arguments.
void with_each(pecs::world& world) {
    world.query<X, const SpeedX>().each(pecs::independent,
                                        [](X& x, const SpeedX& speed) { x.value += speed.value * step; });
}

/// Spans of whole columns, for loops of your own and for libraries that take arrays.
void with_columns(pecs::world& world) {
    for (auto [entities, xs, speeds] : world.query<X, const SpeedX>().columns())
        for (std::size_t i = 0; i != xs.size(); ++i) xs[i].value += speeds[i].value * step;
}

/// By hand, four at a time, with the vectors of GCC and clang; intrinsics and std::simd go the same way.
using float4 = float __attribute__((vector_size(16)));

float4 load(const void* from) {
    float4 made;
    std::memcpy(&made, from, sizeof made);
    return made;
}

void with_vectors(pecs::world& world) {
    for (auto [entities, xs, speeds] : world.query<X, const SpeedX>().columns()) {
        std::size_t i = 0;
        for (; i + 4 <= xs.size(); i += 4) {
            const float4 moved = load(&xs[i]) + load(&speeds[i]) * step;
            std::memcpy(static_cast<void*>(&xs[i]), &moved, sizeof moved);
        }
        for (; i != xs.size(); ++i) xs[i].value += speeds[i].value * step; // what is left over
    }
}

double sum(const pecs::world& world) {
    double total = 0;
    world.query<const X>().each([&](const X& x) { total += x.value; });
    return total;
}

int main() {
    pecs::world world;
    world.spawn_batch<X, SpeedX>(100'003, [](pecs::entity e, X& x, SpeedX& speed) {
        x.value = 0;
        speed.value = static_cast<float>(e.index() % 4);
    });
    with_each(world);
    std::printf("each:    %.1f\n", sum(world));
    with_columns(world);
    std::printf("columns: %.1f\n", sum(world));
    with_vectors(world);
    std::printf("vectors: %.1f\n", sum(world));
}

/* Output:
each:    75001.5
columns: 150003.0
vectors: 225004.5
*/
