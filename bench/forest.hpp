// Scenes whose transforms are propagated: a forest of nodes, and the hand-written way to go through it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "input.hpp"

namespace bench {

// A 3x4 affine matrix, row by row.
struct Affine {
    std::array<float, 12> m;
};
struct Local {
    Affine value;
};
struct Global {
    Affine value;
};
[[nodiscard]] inline Affine operator*(const Affine& a, const Affine& b) {
    Affine product;
    for (std::size_t row = 0; row != 3; ++row) {
        for (std::size_t column = 0; column != 4; ++column) {
            float sum = column == 3 ? a.m[row * 4 + 3] : 0;
            for (std::size_t k = 0; k != 3; ++k) sum += a.m[row * 4 + k] * b.m[k * 4 + column];
            product.m[row * 4 + column] = sum;
        }
    }
    return product;
}

[[nodiscard]] inline Affine local_of(std::size_t node) {
    const float x = static_cast<float>(node % 16) / 16;
    return {{1, 0, 0, x, 0, 1, 0, 1 - x, 0, 0, 1, x / 2}};
}

inline constexpr std::uint32_t nobody = 0xFFFFFFFF;

// A forest, as the parent of every node.
struct forest {
    std::vector<std::uint32_t> parents;

    forest(std::size_t roots, std::size_t fanout, std::size_t depth) : parents(roots, nobody) {
        std::size_t level = 0;
        for (std::size_t d = 1; d != depth; ++d) {
            const std::size_t end = parents.size();
            for (; level != end; ++level)
                parents.insert(parents.end(), fanout, static_cast<std::uint32_t>(level));
        }
    }
    // Gives random nodes another parent of the same level as theirs, so that the depth stays.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> reparent(std::size_t times) {
        std::vector<std::size_t> starts{0};
        while (starts.back() != parents.size()) {
            std::size_t end = starts.back();
            while (end != parents.size() &&
                   (parents[end] == nobody ? starts.size() == 1
                                           : starts.size() > 1 && parents[end] < starts.back() &&
                                                 parents[end] >= starts[starts.size() - 2]))
                ++end;
            starts.push_back(end);
        }
        random chance{7};
        std::vector<std::pair<std::uint32_t, std::uint32_t>> moves;
        const auto level_of = [&](std::size_t node) {
            std::size_t level = 0;
            while (starts[level + 1] <= node) ++level;
            return level;
        };
        for (std::size_t i = 0; i != times; ++i) {
            const std::size_t node = starts[1] + chance.below(parents.size() - starts[1]);
            const std::size_t above = level_of(node) - 1;
            const std::size_t parent = starts[above] + chance.below(starts[above + 1] - starts[above]);
            moves.emplace_back(static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(parent));
        }
        for (const auto& [node, parent] : moves) parents[node] = parent;
        return moves;
    }
};

// Nodes level by level, the children of a node side by side.
struct sorted_scene {
    std::vector<std::uint32_t> parents;
    std::vector<Local> locals;
    std::vector<Global> globals;
    std::vector<std::uint32_t> places; // by number of the node in the forest
    std::size_t roots = 0;

    explicit sorted_scene(const forest& scene) : places(scene.parents.size()) {
        std::vector<std::vector<std::uint32_t>> children(scene.parents.size());
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i != scene.parents.size(); ++i)
            (scene.parents[i] == nobody ? order : children[scene.parents[i]]).push_back(i);
        roots = order.size();
        for (std::size_t next = 0; next != order.size(); ++next)
            order.insert(order.end(), children[order[next]].begin(), children[order[next]].end());
        for (std::uint32_t place = 0; place != order.size(); ++place) places[order[place]] = place;
        for (const std::uint32_t node : order) {
            parents.push_back(scene.parents[node] == nobody ? nobody : places[scene.parents[node]]);
            locals.push_back({local_of(node)});
            globals.push_back({local_of(node)});
        }
    }
    void propagate() {
        for (std::size_t i = roots; i != parents.size(); ++i)
            globals[i].value = globals[parents[i]].value * locals[i].value;
    }
};

} // namespace bench
