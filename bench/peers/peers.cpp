// PECS against other libraries, those of them that were found when this was built. The floor of every group is PECS, so
// a ratio below 1 is a row in which the other library is faster.
#include <array>
#include <cstddef>
#include <format>
#include <string>
#include <vector>

#include "bench.hpp"

#include "peer.hpp"

namespace peers {

std::vector<const peer*> found() {
    return {
#ifdef PECS_BENCH_ENTT
        &entt_peer,
#endif
#ifdef PECS_BENCH_FLECS
        &flecs_peer,
#endif
#ifdef PECS_BENCH_GAIA
        &gaia_peer,
#endif
    };
}

namespace {

// The topic for PECS and then for all others.
template <typename... Input, typename... Given>
void compare(bench::context& context, const bench::shape& shape,
             void (*peer::*topic)(bench::group&, Input...), const Given&... input) {
    bench::shape against = shape;
    against.rivals = true;
    auto group = context.group(against);
    (pecs_itself().*topic)(group, input...);
    for (const peer* each : found())
        if (each->*topic != nullptr) (each->*topic)(group, input...);
    group.measure();
}

void with_sizes(bench::context& context, void (*peer::*topic)(bench::group&, std::size_t), bool drift = false,
                std::size_t items = 1) {
    for (const std::size_t n : context.sizes({10'000, 100'000}))
        compare(context, {.n = n, .items = static_cast<double>(items * n), .drift = drift}, topic, n);
}

void with_families(bench::context& context, void (*peer::*topic)(bench::group&, std::size_t, std::size_t),
                   std::size_t items = 1) {
    for (const std::size_t n : context.sizes({10'000, 100'000}))
        for (const std::size_t fanout : {1U, 10U, 100U, 1'000U})
            compare(context,
                    {.n = n, .items = static_cast<double>(items * n), .fanout = fanout, .order = "parent"},
                    topic, n, fanout);
}

void iterate(bench::context& context) { with_sizes(context, &peer::iterate, true); }
void fragmented(bench::context& context) {
    compare(context, {.n = kinds * each_kind, .drift = true}, &peer::fragmented);
}
void random_access(bench::context& context) { with_sizes(context, &peer::random_access); }
void spawn(bench::context& context) {
    with_sizes(context, &peer::spawn);
    with_sizes(context, &peer::spawn_bulk);
}
void despawn(bench::context& context) {
    with_sizes(context, &peer::despawn);
    with_sizes(context, &peer::despawn_bulk);
}
void add_remove(bench::context& context) { with_sizes(context, &peer::add_remove, false, 2); }
void relation(bench::context& context) { with_families(context, &peer::relation); }
void reparent(bench::context& context) { with_families(context, &peer::reparent, 2); }
void target_death(bench::context& context) { with_families(context, &peer::target_death); }
void propagation(bench::context& context) {
    for (const std::size_t about : context.sizes({10'000, 100'000}))
        for (const auto& [roots, fanout, depth] :
             {std::array<std::size_t, 3>{about * 9 / 10'000, 10, 4}, {about * 3 / 10'000, 3, 8}}) {
            const bench::forest forest{roots, fanout, depth};
            compare(context, {.n = forest.parents.size(), .fanout = fanout}, &peer::propagation, forest);
        }
}

// Who takes part, and how; a line for those who do not.
void who(bench::context& context) {
    for (const peer* each : found()) context.note(std::format("{}: {}", each->name, each->how));
    if (const std::string missing = PECS_BENCH_MISSING; !missing.empty())
        context.note(std::format("skipped, because find_package did not find them: {}", missing));
}

const bench::scenario registered{"peers_found", "which other libraries were found", who};

const std::vector<bench::scenario> topics = [] {
    std::vector<bench::scenario> all;
    if (found().empty()) return all;
    all.emplace_back("peers_add_remove", "a component comes and goes, one by one", add_remove);
    all.emplace_back("peers_despawn", "the end of all entities", despawn);
    all.emplace_back("peers_fragmented", "one component over 26 kinds x 20 entities", fragmented);
    all.emplace_back("peers_iterate", "position += velocity", iterate);
    all.emplace_back("peers_propagation", "transforms of a scene, parents first", propagation);
    all.emplace_back("peers_random_access", "one component of shuffled entities", random_access);
    all.emplace_back("peers_relation", "for every parent, the sum over its children", relation);
    all.emplace_back("peers_reparent", "all children change parents, and back", reparent);
    all.emplace_back("peers_spawn", "new entities with two components", spawn);
    all.emplace_back("peers_target_death", "all parents die, and their children with them", target_death);
    return all;
}();

} // namespace
} // namespace peers
