// What a library does in a comparison: for each topic it adds its variants to a group, driven in its best idiomatic way.
// All of them do the same work on the same numbers and return the same checksum. A library keeps its state in the
// variants themselves, so that no file of one needs to see another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bench.hpp"

#include "../forest.hpp"

namespace peers {

struct Position {
    float x, y, z;
};
struct Velocity {
    float x, y, z;
};
struct Extra {
    float x, y, z;
};
struct Value {
    double value;
};
struct Sum {
    double value;
};
template <std::size_t> struct Kind {
    float number;
};

inline constexpr std::size_t kinds = 26;
inline constexpr std::size_t each_kind = 20;

inline constexpr Position start{1, 2, 3};
inline constexpr Velocity step{0.5F, 0.25F, 0.125F};

inline constexpr auto move = [](Position& p, const Velocity& v) {
    p.x += v.x;
    p.y += v.y;
    p.z += v.z;
};
[[nodiscard]] inline double value_of(std::size_t child) { return static_cast<double>(child % 256); }

// Over the sums of all parents, in their order; `sum_of` takes the number of a parent.
template <typename SumOf> [[nodiscard]] double digest(std::size_t parents, SumOf sum_of) {
    return sum_of(0) + 2 * sum_of(parents / 2) + 4 * sum_of(parents - 1);
}

struct peer {
    std::string_view name;
    std::string_view how; // what is driven, in a few words

    void (*iterate)(bench::group&, std::size_t n);       // position += velocity; x of one entity
    void (*fragmented)(bench::group&);                   // value *= 1.0001 over 26 kinds; one value
    void (*random_access)(bench::group&, std::size_t n); // sum of x in shuffled order
    void (*spawn)(bench::group&, std::size_t n);         // one by one; how many there are
    void (*spawn_bulk)(bench::group&, std::size_t n);
    void (*despawn)(bench::group&, std::size_t n); // one by one, in the order of spawning; how many are left
    void (*despawn_bulk)(bench::group&, std::size_t n);
    void (*add_remove)(bench::group&, std::size_t n); // Extra to all, from all; twice those with + those left
    void (*relation)(bench::group&, std::size_t n, std::size_t fanout);     // Sum of every parent; digest
    void (*reparent)(bench::group&, std::size_t n, std::size_t fanout);     // to others and back; children
    void (*target_death)(bench::group&, std::size_t n, std::size_t fanout); // with all children; what is left
    void (*propagation)(bench::group&, const bench::forest&);               // m[3] of the last node
};

// What was found when this was built; PECS is not among them.
[[nodiscard]] std::vector<const peer*> found();
[[nodiscard]] const peer& pecs_itself();

extern const peer entt_peer;
extern const peer flecs_peer;
extern const peer gaia_peer;

} // namespace peers
