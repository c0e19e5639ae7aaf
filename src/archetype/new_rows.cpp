module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

module pecs.archetype;

namespace pecs::detail {
namespace {

constexpr std::uint32_t max_pending = 0x7FFFFFFF; // tells the compiler that a sum fits into the bit field

} // namespace

void storage::next_entities(entity* to, std::size_t count) {
    check_unlocked();
    pool_.reserve(count);
    pool_.peek(to, count);
}

new_rows storage::reserve_rows(std::uint32_t archetype_id, const entity* targets, std::uint32_t count) {
    archetype& place = *archetypes_[archetype_id];
    if (place.relations() != nullptr) {
        for (std::uint32_t i = 0; i != place.relations()->count(); ++i) {
            const std::size_t word = targets[i].index() / 64; // may be beyond all indices in use
            if (word >= targets_.size())
                targets_.resize(std::max<std::size_t>(word, pool_.index_count() / 64) + 1, 0);
            targets_[word] |= std::uint64_t{1} << targets[i].index() % 64;
        }
    }
    family& group = place.relations() == nullptr ? place.only() : place.make_family(targets);
    try {
        reserve(place, group, std::size_t{group.pending} + count);
    } catch (...) {
        place.drop_if_empty(group);
        throw;
    }
    group.pending = (group.pending + count) & max_pending;
    return {archetype_id, place.key_of(group), 0, count};
}

void storage::locate_rows(std::span<new_rows> runs) noexcept {
    for (const new_rows& run : runs) archetypes_[run.archetype]->at(run.key).pending = 0;
    for (new_rows& run : runs) {
        family& group = archetypes_[run.archetype]->at(run.key);
        run.first = archetype::next_row(group) + group.pending;
        group.pending = (group.pending + run.count) & max_pending;
    }
}

void storage::commit_rows(const new_rows& run, const entity* handles) noexcept {
    archetype& place = *archetypes_[run.archetype];
    family& group = place.at(run.key);
    std::copy_n(handles, run.count, place.entities() + run.first);
    pool_.create_run(run.count, run.archetype, run.first, run.key);
    if (place.ticks() != nullptr) place.begin_rows(group, run.first, run.count);
    place.extend(group, run.count);
    group.pending = (group.pending - run.count) & max_pending;
}

void storage::commit_given(const new_rows& run, const entity* handles) noexcept {
    archetype& place = *archetypes_[run.archetype];
    family& group = place.at(run.key);
    for (std::uint32_t i = 0; i != run.count; ++i) {
        place.entities()[run.first + i] = handles[i];
        pool_.activate(handles[i], run.archetype, run.first + i, run.key);
    }
    if (place.ticks() != nullptr) place.begin_rows(group, run.first, run.count);
    place.extend(group, run.count);
    group.pending = (group.pending - run.count) & max_pending;
}

void storage::cancel_rows(std::span<const new_rows> runs) noexcept {
    for (const new_rows& run : runs) archetypes_[run.archetype]->at(run.key).pending = 0;
    for (const new_rows& run : runs) {
        archetype& place = *archetypes_[run.archetype];
        if (family* const group = place.find_key(run.key)) place.drop_if_empty(*group);
    }
}

} // namespace pecs::detail
