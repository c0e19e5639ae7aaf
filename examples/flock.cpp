// A flock as an animation in the terminal. Every bird follows a leader, by a relation; it steers towards the leader and
// the middle of its flock. From time to time a leader leaves, and its flock joins another one as a whole.
// Elsewhere than in a terminal, the program prints what it would draw in words.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <thread>

import pecs;

struct Position {
    float x, y;
};
struct Velocity {
    float dx, dy;
};
struct Leader {
    float phase = 0;   // of its way around the sky
    Position middle{}; // of its flock
    char sign = '*';   // of its birds, in the picture
};
struct Follows { // birds without a leader stay in the world
    static constexpr pecs::relation_rules rules{};
};

constexpr int columns = 76;
constexpr int rows = 20;
constexpr int frames = 300;

/// A number from -1 to 1 that is the same on every run and every machine.
float scatter(unsigned seed) {
    seed = (seed ^ 61U ^ (seed >> 16U)) * 9U;
    seed = (seed ^ (seed >> 4U)) * 0x27d4eb2dU;
    return static_cast<float>((seed ^ (seed >> 15U)) % 2001U) / 1000.0F - 1.0F;
}

void populate(pecs::world& world) {
    for (unsigned flock = 0; flock != 4; ++flock) {
        const auto leader =
            world.spawn(Position{}, Leader{static_cast<float>(flock) * 1.6F, {}, "*o+x"[flock]});
        for (unsigned i = 0; i != 2500; ++i)
            world.spawn(Position{scatter(i * 7 + flock), scatter(i * 13 + flock)}, Velocity{},
                        pecs::to<Follows>(leader));
    }
}

/// One step of the simulation: leaders fly loops, flocks find their middle, birds steer and move.
void step(pecs::world& world) {
    world.query<Position, Leader>().each([](Position& at, Leader& leader) {
        leader.phase += 0.03F;
        at = {0.75F * std::sin(leader.phase), 0.7F * std::sin(1.7F * leader.phase)};
    });
    // Each leader with the birds that follow it, as spans: one pass over all families.
    auto leaders = world.access<Leader>();
    for (auto [leader, birds, positions] : world.query<const Position>().families<Follows>()) {
        Position sum{};
        for (const Position& at : positions) sum.x += at.x, sum.y += at.y;
        const auto count = static_cast<float>(birds.size());
        leaders[leader].middle = {sum.x / count, sum.y / count};
    }
    // A bird reads its leader's components as if they were its own.
    world.query<Velocity, const Position>()
        .of<Follows>(pecs::having<const Position, const Leader>)
        .each(
            [](pecs::entity e, Velocity& v, const Position& at, const Position& lead, const Leader& leader) {
                // Its place is beside the leader, drawn a little towards the middle of the flock.
                const float own = 0.02F + 0.012F * scatter(e.index());
                v.dx = 0.93F * v.dx + own * (lead.x + 0.3F * scatter(e.index() * 3) - at.x) +
                       0.005F * (leader.middle.x - at.x);
                v.dy = 0.93F * v.dy + own * (lead.y + 0.3F * scatter(e.index() * 5) - at.y) +
                       0.005F * (leader.middle.y - at.y);
            });
    world.query<Position, const Velocity>().each([](Position& at, const Velocity& v) {
        at.x += 0.3F * v.dx;
        at.y += 0.3F * v.dy;
    });
}

/// The first leader leaves. All of its birds follow the next one: no row moves if that has no birds yet, and
/// otherwise all move at once.
void lose_leader(pecs::world& world) {
    const auto leaders = world.query<const Leader>();
    if (leaders.count() < 2) return;
    const auto leaving = leaders.first();
    pecs::entity next;
    leaders.each([&](pecs::entity e, const Leader&) { next = e; });
    world.relate_batch<Follows>(world.query<>().of<Follows>(leaving), next);
    world.despawn(leaving);
}

std::string picture(const pecs::world& world) {
    std::string sky(static_cast<std::size_t>((columns + 1) * rows), ' ');
    const auto put = [&](const Position& at, char sign) {
        const int x = static_cast<int>((at.x + 1.2F) / 2.4F * columns);
        const int y = static_cast<int>((at.y + 1.2F) / 2.4F * rows);
        if (x >= 0 && x < columns && y >= 0 && y < rows)
            sky[static_cast<std::size_t>(y * (columns + 1) + x)] = sign;
    };
    for (auto [bird, leader] : world.query<const Position>().of<Follows>(pecs::having<const Leader>))
        put(bird, leader.sign);
    for (auto [at, leader] : world.query<const Position, const Leader>()) put(at, '@');
    for (int y = 0; y != rows; ++y) sky[static_cast<std::size_t>(y * (columns + 1) + columns)] = '\n';
    return sky;
}

/// Where the flocks are, and how wide.
void tell(const pecs::world& world, int frame) {
    std::printf("frame %d: %zu entities, ", frame, world.size());
    const char* between = "";
    for (auto [e, leader] : world.query<pecs::entity, const Leader>()) {
        std::printf("%s%zu follow %u", between, world.source_count<Follows>(e), e.index());
        between = ", ";
    }
    std::puts("");
}

int main() {
    using clock = std::chrono::steady_clock;
    const char* const terminal = std::getenv("TERM");
    const bool draws = isatty(1) == 1 && terminal != nullptr && std::string_view{terminal} != "dumb";
    pecs::world world;
    populate(world);
    double total = 0;
    for (int frame = 0; frame != frames; ++frame) {
        const auto start = clock::now();
        if (frame % 80 == 79) lose_leader(world);
        step(world);
        const std::chrono::duration<double, std::micro> took = clock::now() - start;
        total += took.count();
        if (draws) {
            if (frame != 0) std::printf("\x1b[%dA", rows + 1); // back to the first line of the picture
            std::printf("%sframe %3d   %zu entities, %zu flocks   %4.0f us per frame\x1b[K\n",
                        picture(world).c_str(), frame, world.size(), world.query<const Leader>().count(),
                        total / (frame + 1));
            std::fflush(stdout);
            std::this_thread::sleep_until(start + std::chrono::milliseconds{33});
        } else if (frame % 60 == 0) {
            tell(world, frame);
        }
    }
    std::fflush(stdout);
    if (!draws) std::fprintf(stderr, "%.0f us per frame\n", total / frames);
}

/* Output:
frame 0: 10004 entities, 2500 follow 0, 2500 follow 2501, 2500 follow 5002, 2500 follow 7503
frame 60: 10004 entities, 2500 follow 0, 2500 follow 2501, 2500 follow 5002, 2500 follow 7503
frame 120: 10003 entities, 5000 follow 7503, 2500 follow 2501, 2500 follow 5002
frame 180: 10002 entities, 7500 follow 5002, 2500 follow 2501
frame 240: 10001 entities, 10000 follow 2501
*/
