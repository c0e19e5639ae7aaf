module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

module pecs.relation;

import pecs.archetype;

namespace pecs::detail {
namespace {

/// The slots of all archetypes with a relation, numbered through; finds the depth of each family.
class depth_finder {
public:
    depth_finder(const storage& all, component_id relation, std::pmr::memory_resource* memory)
        : all_{all},
          relation_{relation},
          first_{all.archetype_slots(), none, memory},
          depth_{memory},
          way_{memory} {
        std::uint32_t slots = 0;
        for (const std::uint32_t id : all.created_with(relation)) {
            first_[id] = slots;
            slots += static_cast<std::uint32_t>(all.archetype_at(id)->families().size());
        }
        depth_.resize(slots, 0);
    }

    /// 1 if the target of the family has no target itself. Climbs to the first family whose depth is known, then comes
    /// back and notes all on the way.
    std::uint32_t depth(const archetype& place, const family& group) {
        const std::uint32_t slot = number(place, group);
        const archetype* at = &place;
        const family* next = &group;
        std::uint32_t found = 0;
        way_.clear();
        for (;;) {
            const std::uint32_t here = number(*at, *next);
            found = depth_[here];
            if (found != 0) break;
            way_.push_back(here);
            const entity target = at->target(*next, at->relations()->position(relation_));
            const entity_record& record = all_.entities()[target];
            at = all_.archetype_at(record.archetype);
            if (first_[record.archetype] == none) break; // the target has no target
            next = &at->at(record.family);
        }
        for (; !way_.empty(); way_.pop_back()) depth_[way_.back()] = ++found;
        return depth_[slot];
    }

private:
    [[nodiscard]] std::uint32_t number(const archetype& place, const family& group) const noexcept {
        return first_[place.id()] + static_cast<std::uint32_t>(&group - place.families().data());
    }

    const storage& all_;
    component_id relation_;
    std::pmr::vector<std::uint32_t> first_; ///< by archetype: the number of its first slot, or `none`
    std::pmr::vector<std::uint32_t> depth_; ///< by slot; 0 is not known yet
    std::pmr::vector<std::uint32_t> way_;
};

/// A family and how deep it is.
struct found {
    const archetype* place;
    const family* group;
    std::uint32_t depth;
};

/// Sorts by the first row of each family, in time proportional to their number: three passes over 11 bits each.
void sort_by_row(std::span<found> list, std::pmr::vector<found>& scratch) {
    constexpr std::uint32_t bits = 11;
    constexpr std::uint32_t buckets = std::uint32_t{1} << bits;
    scratch.resize(list.size());
    for (std::uint32_t shift = 0; shift < 32; shift += bits) {
        const auto bucket = [=](const found& each) { return each.group->first >> shift & (buckets - 1); };
        std::array<std::uint32_t, buckets> starts{};
        for (const found& each : list) ++starts[bucket(each)];
        std::uint32_t sum = 0;
        for (std::uint32_t& start : starts) start = std::exchange(sum, sum + start);
        for (const found& each : list) scratch[starts[bucket(each)]++] = each;
        std::ranges::copy(scratch, list.begin());
    }
}

} // namespace

void depth_order::update(const storage& all) {
    const update_lock lock;
    const std::uint64_t stamp = all.relation_stamp(relation_);
    if (stamp_.load(std::memory_order_relaxed) == stamp) return; // another thread was faster
    std::pmr::memory_resource* const memory = families_.resource();
    depth_finder finder{all, relation_, memory};
    std::pmr::vector<found> list{memory};
    std::pmr::vector<found> scratch{memory};
    std::pmr::vector<std::uint32_t> starts{memory}; // of each depth, in the order to come
    for (const std::uint32_t id : all.created_with(relation_)) {
        const archetype& place = *all.archetype_at(id);
        const std::size_t first = list.size();
        for (const family& group : place.families()) {
            if (group.size == 0) continue;
            const std::uint32_t depth = finder.depth(place, group);
            list.push_back({&place, &group, depth});
            if (depth >= starts.size()) starts.resize(depth + 1, 0);
            ++starts[depth];
        }
        // On one level, rows are visited as they lie.
        const std::span<found> added = std::span{list}.subspan(first);
        const auto row = [](const found& each) { return each.group->first; };
        if (!std::ranges::is_sorted(added, {}, row)) sort_by_row(added, scratch);
    }
    std::uint32_t sum = 0;
    for (std::uint32_t& start : starts) start = std::exchange(sum, sum + start);
    families_.reserve(list.size());
    families_.set_size(list.size());
    std::pmr::vector<const found*> order(list.size(), nullptr, memory);
    for (const found& each : list) order[starts[each.depth]++] = &each;
    levels_.clear();
    std::uint32_t depth = 0;
    for (std::uint32_t i = 0; i != order.size(); ++i) {
        families_[i] = order[i]->group;
        if (levels_.empty() || levels_.back().place != order[i]->place || depth != order[i]->depth)
            levels_.push_back({order[i]->place, i, i, false});
        levels_.back().end = i + 1;
        depth = order[i]->depth;
    }
    for (level& each : levels_) each.scattered = scattered(each);
    stamp_.store(stamp, std::memory_order_release);
}

// Rows are visited as they lie; if their targets then come in another order than they were made in, more often than not by
// far, the values of the targets are all over the place.
bool depth_order::scattered(const level& of) const noexcept {
    std::uint32_t jumps = 0;
    for (std::uint32_t i = of.begin + 1; i < of.end; ++i)
        if (families_[i] < families_[i - 1]) ++jumps;
    return jumps > (of.end - of.begin) / 16;
}

attachment* make_depth_order(const storage& all, component_id relation) {
    auto* const made =
        std::pmr::polymorphic_allocator<>{all.memory()}.new_object<depth_order>(relation, all.memory());
    made->destroy = [](attachment* self, std::pmr::memory_resource* memory) noexcept {
        std::pmr::polymorphic_allocator<>{memory}.delete_object(static_cast<depth_order*>(self));
    };
    return made;
}

} // namespace pecs::detail
