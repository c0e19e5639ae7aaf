// One component added to every entity and removed again, with 1 and 5 other components to move along.
#include <array>
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
struct Extra {
    float x, y, z;
};

// Two structures of arrays with `Others` and `Others + 1` columns; entities move between them.
template <std::size_t Others> class two_tables {
public:
    explicit two_tables(std::size_t n) : where_(n) {
        for (std::uint32_t i = 0; i != n; ++i) {
            where_[i] = {0, i};
            sides_[0].ids.push_back(i);
            for (std::size_t c = 0; c != Others; ++c) sides_[0].columns[c].push_back({1, 2, 3});
        }
        sides_[1].ids.reserve(n);
        for (auto& column : sides_[1].columns) column.reserve(n);
    }

    void add(std::uint32_t id) {
        move(id, 0, 1);
        sides_[1].columns[Others].push_back({4, 5, 6});
    }
    void remove(std::uint32_t id) {
        auto& column = sides_[1].columns[Others];
        column[where_[id].row] = column.back();
        column.pop_back();
        move(id, 1, 0);
    }
    [[nodiscard]] std::size_t with() const { return sides_[1].ids.size(); }

private:
    struct side {
        std::vector<std::uint32_t> ids;
        std::array<std::vector<Extra>, Others + 1> columns;
    };
    struct place {
        std::uint32_t side;
        std::uint32_t row;
    };

    void move(std::uint32_t id, std::uint32_t from_side, std::uint32_t to_side) {
        side& from = sides_[from_side];
        side& to = sides_[to_side];
        const std::uint32_t row = where_[id].row;
        where_[id] = {to_side, static_cast<std::uint32_t>(to.ids.size())};
        to.ids.push_back(id);
        for (std::size_t c = 0; c != Others; ++c) {
            to.columns[c].push_back(from.columns[c][row]);
            from.columns[c][row] = from.columns[c].back();
            from.columns[c].pop_back();
        }
        from.ids[row] = from.ids.back();
        from.ids.pop_back();
        if (row != from.ids.size()) where_[from.ids[row]].row = row;
    }

    std::vector<place> where_;
    std::array<side, 2> sides_;
};

template <std::size_t... I>
void compare(bench::context& context, std::size_t n, std::index_sequence<I...> /*others*/) {
    two_tables<sizeof...(I)> tables{n};
    pecs::world world;
    const auto all = world.spawn_batch(n, Other<I>{1, 2, 3}...);
    const std::vector<pecs::entity> entities(all.begin(), all.end());

    auto group = context.group({.n = n, .items = 2.0 * static_cast<double>(n)});
    const std::string others = std::to_string(sizeof...(I)) + (sizeof...(I) == 1 ? " other" : " others");
    group.floor("two tables, " + others, [&] {
        for (std::uint32_t i = 0; i != n; ++i) tables.add(i);
        const std::size_t with = tables.with();
        for (std::uint32_t i = 0; i != n; ++i) tables.remove(i);
        return with * 2 + tables.with();
    });
    const bench::limit limit =
        sizeof...(I) == 1 ? bench::known_miss(bench::at_most(3), 3.8) : bench::at_most(3);
    group.variant("add + remove, " + others, {limit}, [&] {
        for (const pecs::entity e : entities) world.add(e, Extra{4, 5, 6});
        const std::size_t with = world.query<Extra>().count();
        for (const pecs::entity e : entities) world.remove<Extra>(e);
        return with * 2 + world.query<Extra>().count();
    });
    group.variant("batch over a query, " + others, {bench::faster_than("add + remove, " + others, 5)}, [&] {
        world.add_batch(world.query<Other<0>>(), Extra{4, 5, 6});
        const std::size_t with = world.query<Extra>().count();
        world.remove_batch<Extra>(world.query<Other<0>>());
        return with * 2 + world.query<Extra>().count();
    });
    group.variant("batch over a list, " + others, [&] {
        world.add_batch(entities, Extra{4, 5, 6});
        const std::size_t with = world.query<Extra>().count();
        world.remove_batch<Extra>(entities);
        return with * 2 + world.query<Extra>().count();
    });
    group.measure();
}

void add_remove(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000})) {
        compare(context, n, std::make_index_sequence<1>{});
        compare(context, n, std::make_index_sequence<5>{});
    }
}

const bench::scenario registered{"add_remove", "one component comes and goes", add_remove};

} // namespace
