// A component in columns against the same component in a sparse set: visiting those that have it, from 1 % to 100 % of all
// entities, with and without a column beside it; one component that comes and goes, with 5 others that columns have to move
// along; bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench.hpp"

import pecs;

namespace {

template <std::size_t> struct Other {
    float x, y, z;
};
struct Column {
    float x, y, z;
};
struct Sparse {
    static constexpr auto storage = pecs::component_storage::sparse;
    float x, y, z;
};
struct Stable {
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    float x, y, z;
};

/// Whether an entity has the component: as many in a hundred as wanted, in no order that would help.
[[nodiscard]] bool chosen(std::uint32_t i, std::size_t percent) {
    return (i * 2654435761U >> 8U) % 100 < percent;
}

template <class T> [[nodiscard]] pecs::world make(std::size_t n, std::size_t percent) {
    pecs::world world;
    for (std::uint32_t i = 0; i != n; ++i) {
        if (chosen(i, percent))
            world.spawn(Other<0>{1, 2, 3}, T{1, 1, 1});
        else
            world.spawn(Other<0>{1, 2, 3});
    }
    return world;
}

template <class T> [[nodiscard]] double sum(pecs::world& world) {
    double total = 0;
    world.query<const T>().each([&](const T& value) { total += static_cast<double>(value.x); });
    return total;
}
template <class T> [[nodiscard]] double sum_with(pecs::world& world) {
    double total = 0;
    world.query<const Other<0>, const T>().each(
        [&](const Other<0>& other, const T& value) { total += static_cast<double>(other.x * value.x); });
    return total;
}

void visit(bench::context& context, std::size_t n, std::size_t percent) {
    pecs::world column = make<Column>(n, percent);
    pecs::world sparse = make<Sparse>(n, percent);
    pecs::world stable = make<Stable>(n, percent);
    const auto with = static_cast<double>(sparse.query<const Sparse>().count());
    const std::string share = std::to_string(percent) + " %";

    auto alone = context.group({.n = n, .items = with});
    alone.floor("column, " + share, [&] { return sum<Column>(column); });
    alone.variant("sparse, " + share, [&] { return sum<Sparse>(sparse); });
    alone.variant("stable, " + share, [&] { return sum<Stable>(stable); });
    alone.measure();

    auto mixed = context.group({.n = n, .items = with});
    mixed.floor("column with another, " + share, [&] { return sum_with<Column>(column); });
    mixed.variant("sparse with a column, " + share, [&] { return sum_with<Sparse>(sparse); });
    mixed.variant("stable with a column, " + share, [&] { return sum_with<Stable>(stable); });
    mixed.measure();

    const auto per_entity = [&](pecs::world& world) {
        world.shrink();
        return static_cast<double>(world.stats().bytes_reserved) / static_cast<double>(n);
    };
    context.value("bytes, column, " + share, {.n = n, .bytes = per_entity(column)});
    context.value("bytes, sparse, " + share, {.n = n, .bytes = per_entity(sparse)});
    context.value("bytes, stable, " + share, {.n = n, .bytes = per_entity(stable)});
}

template <class T> std::size_t come_and_go(pecs::world& world, const std::vector<pecs::entity>& entities) {
    for (const pecs::entity e : entities) world.add(e, T{4, 5, 6});
    const std::size_t with = world.query<pecs::with<T>>().count();
    for (const pecs::entity e : entities) world.remove<T>(e);
    return with * 2 + world.query<pecs::with<T>>().count();
}

template <std::size_t... I>
void change(bench::context& context, std::size_t n, std::index_sequence<I...> /*others*/) {
    pecs::world world;
    const auto all = world.spawn_batch(n, Other<I>{1, 2, 3}...);
    const std::vector<pecs::entity> entities(all.begin(), all.end());

    auto group = context.group({.n = n, .items = 2.0 * static_cast<double>(n)});
    group.floor("add + remove, column", [&] { return come_and_go<Column>(world, entities); });
    group.variant("add + remove, sparse", {bench::faster_than("add + remove, column", 2)},
                  [&] { return come_and_go<Sparse>(world, entities); });
    group.variant("add + remove, stable", {bench::faster_than("add + remove, column", 2)},
                  [&] { return come_and_go<Stable>(world, entities); });
    group.measure();
}

void sparse(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000})) {
        for (const std::size_t percent : {1U, 10U, 50U, 100U}) visit(context, n, percent);
        change(context, n, std::make_index_sequence<5>{});
    }
}

const bench::scenario registered{"sparse", "sparse components against columns", sparse};

} // namespace
