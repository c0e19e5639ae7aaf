module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>

module pecs.relation;

import pecs.archetype;

namespace pecs::detail {
namespace {

constexpr std::int64_t gap = std::int64_t{1} << 20U;
constexpr std::int64_t limit = std::int64_t{1} << 62U; ///< keys are closer to 0 than this

/// A child with its key. A child without a rank has none, and is after all others.
struct sibling {
    entity which;
    std::int64_t key = 0;
    std::uint32_t number = 0; ///< in storage order
    bool ranked = false;

    [[nodiscard]] bool operator<(const sibling& other) const noexcept {
        if (ranked != other.ranked) return ranked;
        if (!ranked) return number < other.number;
        return key != other.key ? key < other.key : which < other.which;
    }
};

entity parent_of(const storage& all, order_types types, entity child) {
    const entity parent = all.target(child, types.relation);
    if (!parent) throw_missing_component(child, types.relation);
    return parent;
}

rank_value* rank_of(const storage& all, component_id rank, entity e) noexcept {
    return reinterpret_cast<rank_value*>(all.find(e, rank, sizeof(rank_value)));
}

/// Calls `visit(entity, const rank_value*)` for all children in storage order; the rank is null where there is none.
template <class Visit> void each_child(const storage& all, order_types types, entity parent, Visit&& visit) {
    each_family_of(all, types.relation, parent, [&](const archetype& place, const family& group) {
        const rank_value* const ranks =
            place.mask().test(types.rank)
                ? reinterpret_cast<const rank_value*>(all.column_data(types.rank, place.id()))
                : nullptr;
        for (std::uint32_t row = group.first; row != group.first + group.size; ++row)
            visit(place.entities()[row],
                  ranks != nullptr && ranks[row].parent == parent ? ranks + row : nullptr);
    });
}

buffer<sibling> sorted_children(const storage& all, order_types types, entity parent) {
    buffer<sibling> list{all.memory()};
    each_child(all, types, parent, [&](entity e, const rank_value* rank) {
        list.push_back(
            {e, rank != nullptr ? rank->key : 0, static_cast<std::uint32_t>(list.size()), rank != nullptr});
    });
    std::ranges::sort(list, [](const sibling& a, const sibling& b) { return a < b; });
    return list;
}

/// Gives all entities of a list keys in its order, and ranks to those that have none.
void number(storage& all, order_types types, entity parent, std::span<const entity> list) {
    buffer<entity> bare{all.memory()};
    for (const entity e : list)
        if (!all.has(e, types.rank)) bare.push_back(e);
    const std::span<const entity> without{bare.data(), bare.size()};
    for (const batch_step& step : all.prepare_batch(without, bundle_adding(types.rank))) {
        std::byte* const to =
            all.column_data(types.rank, step.to.archetype) + step.first_row * sizeof(rank_value);
        for (std::uint32_t i = 0; i != step.count; ++i) construct<rank_value>(to + i * sizeof(rank_value));
    }
    try {
        all.announce(without);
    } catch (...) {
        all.cancel_batch(); // ranks need no end
        throw;
    }
    all.commit_batch(without);
    std::int64_t key = 0;
    for (const entity e : list) {
        *rank_of(all, types.rank, e) = {parent, key += gap};
        if (all.tracking()) all.mark_written(e, types.rank);
    }
    all.settle();
}

void set_key(storage& all, order_types types, entity parent, entity child, std::int64_t key) {
    if (rank_value* const known = rank_of(all, types.rank, child)) {
        *known = {parent, key};
        if (all.tracking()) all.mark_written(child, types.rank);
        return;
    }
    const placement place = all.change(child, bundle_adding(types.rank));
    construct<rank_value>(all.column_data(types.rank, place.archetype) + place.row * sizeof(rank_value),
                          rank_value{parent, key});
    all.settle();
}

/// What the siblings of a child leave free.
struct neighbourhood {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    std::int64_t below = -limit; ///< the greatest key below that of the sibling
    std::int64_t above = limit;  ///< the smallest key above it
    bool any = false;            ///< there are ranked siblings
    bool all = true;             ///< there are no others
};

neighbourhood look_around(const storage& all, order_types types, entity parent, entity child,
                          const rank_value* next_to, entity sibling) {
    neighbourhood found;
    each_child(all, types, parent, [&](entity e, const rank_value* rank) {
        if (e == child) return;
        if (rank == nullptr) {
            found.all = false;
            return;
        }
        found.lowest = found.any ? std::min(found.lowest, rank->key) : rank->key;
        found.highest = found.any ? std::max(found.highest, rank->key) : rank->key;
        found.any = true;
        if (next_to == nullptr || e == sibling) return;
        // Equal keys leave no room on either side.
        if (rank->key <= next_to->key) found.below = std::max(found.below, rank->key);
        if (rank->key >= next_to->key) found.above = std::min(found.above, rank->key);
    });
    return found;
}

/// A key beyond a key, or `limit` if there is no room.
std::int64_t outside(std::int64_t key, std::int64_t step) noexcept {
    return key + step < limit && key + step > -limit ? key + step : limit;
}
/// A key that leaves half of the room on each side, or `limit` if there is no room.
std::int64_t between(std::int64_t low, std::int64_t high) noexcept {
    return high - low < 2 ? limit : low + (high - low) / 2;
}

/// The key for a place, or `limit` if all children need new keys: where there is no room, and where siblings have no
/// rank, because their rows, and so their order, may change when the child gets one.
std::int64_t key_for(const neighbourhood& around, sibling_place where, std::int64_t next_to) noexcept {
    if (!around.all) return limit;
    if (!around.any) return 0;
    switch (where) {
    case sibling_place::first: return outside(around.lowest, -gap);
    case sibling_place::last: return outside(around.highest, gap);
    case sibling_place::before:
        return around.below == -limit ? outside(next_to, -gap) : between(around.below, next_to);
    case sibling_place::after:
        return around.above == limit ? outside(next_to, gap) : between(next_to, around.above);
    }
    return limit;
}

} // namespace

entity_list children_in_order(const storage& all, order_types types, entity parent) {
    const buffer<sibling> sorted = sorted_children(all, types, parent);
    buffer<entity> list{all.memory()};
    list.reserve(sorted.size());
    for (const sibling& each : sorted) list.append(each.which);
    return entity_list{std::move(list)};
}

void place_child(storage& all, order_types types, entity child, sibling_place where, entity next) {
    all.check_unlocked();
    all.check_alive(child);
    const entity parent = parent_of(all, types, child);
    const bool beside = where == sibling_place::before || where == sibling_place::after;
    const rank_value* next_to = nullptr;
    if (beside) {
        all.check_alive(next);
        if (all.target(next, types.relation) != parent) throw not_siblings{child, types.relation, next};
        if (next == child) return;
        next_to = rank_of(all, types.rank, next);
        if (next_to != nullptr && next_to->parent != parent) next_to = nullptr;
    }
    const neighbourhood around = look_around(all, types, parent, child, next_to, next);
    const std::int64_t key = key_for(around, where, next_to != nullptr ? next_to->key : 0);
    if (key < limit) {
        set_key(all, types, parent, child, key);
        return;
    }
    buffer<entity> list{all.memory()};
    if (where == sibling_place::first) list.push_back(child);
    for (const sibling& each : sorted_children(all, types, parent)) {
        if (each.which == child) continue;
        if (where == sibling_place::before && each.which == next) list.push_back(child);
        list.push_back(each.which);
        if (where == sibling_place::after && each.which == next) list.push_back(child);
    }
    if (where == sibling_place::last) list.push_back(child);
    number(all, types, parent, {list.data(), list.size()});
}

void order_children(storage& all, order_types types, std::span<const entity> list) {
    all.check_unlocked();
    all.check_list(list);
    if (list.empty()) return;
    const entity parent = parent_of(all, types, list[0]);
    for (const entity e : list)
        if (all.target(e, types.relation) != parent) throw not_siblings{list[0], types.relation, e};
    buffer<entity> sorted{all.memory()};
    for (const entity e : list) sorted.push_back(e);
    std::ranges::sort(sorted);
    buffer<entity> whole{all.memory()};
    for (const entity e : list) whole.push_back(e);
    for (const sibling& each : sorted_children(all, types, parent))
        if (!std::ranges::binary_search(sorted, each.which)) whole.push_back(each.which);
    number(all, types, parent, {whole.data(), whole.size()});
}

void forget_rank(storage& all, component_id rank, entity child) noexcept {
    rank_value* const known = rank_of(all, rank, child);
    if (known == nullptr) return;
    known->parent = null;
    if (all.tracking()) all.mark_written(child, rank);
}

} // namespace pecs::detail
