// The part of the storage that changes many entities at once.
module;
#include <cstddef>
#include <cstdint>
#include <span>

module pecs.archetype;

namespace pecs::detail {
namespace {

constexpr std::uint32_t max_pending = 0x7FFFFFFF; // tells the compiler that a sum fits into the bit field

} // namespace

row_run storage::prepare_run(std::uint32_t archetype_id, std::size_t count, std::span<const link> links) {
    check_unlocked();
    archetype& place = *archetypes_[archetype_id];
    pool_.reserve(count);
    family& group = family_for(place, nullptr, nullptr, links);
    try {
        reserve(place, group, count);
    } catch (...) {
        place.drop_if_empty(group);
        throw;
    }
    const std::uint32_t first = archetype::next_row(group);
    pool_.peek(place.entities() + first, count);
    return {archetype_id, place.key_of(group), first};
}

void storage::commit_run(const row_run& run, std::size_t count) noexcept {
    archetype& place = *archetypes_[run.archetype];
    pool_.create_run(count, run.archetype, run.first, run.key);
    family& group = place.at(run.key);
    if (place.ticks() != nullptr) place.begin_rows(group, run.first, static_cast<std::uint32_t>(count));
    place.extend(group, static_cast<std::uint32_t>(count));
}

void storage::cancel_run(const row_run& run) noexcept {
    archetypes_[run.archetype]->drop_if_empty(archetypes_[run.archetype]->at(run.key));
}

// Every entity of the list is marked in its record, to notice one that comes twice; the marks are gone on return.
void storage::check_list(std::span<const entity> list, const bundle& change) {
    constexpr std::uint32_t mark = 0x80000000;
    enum class fault : std::uint8_t { nothing, dead, repeated, mismatch } found = fault::nothing;
    std::size_t i = 0;
    for (; i != list.size(); ++i) {
        if (!pool_.alive(list[i])) {
            found = fault::dead;
            break;
        }
        entity_record& record = pool_[list[i]];
        if ((record.archetype & mark) != 0) {
            found = fault::repeated;
            break;
        }
        const component_mask& mask = archetypes_[record.archetype]->mask();
        if (change.strict && (mask.intersects(change.added) || !mask.contains(change.removed))) {
            found = fault::mismatch;
            break;
        }
        record.archetype |= mark;
    }
    for (std::size_t k = 0; k != i; ++k) pool_[list[k]].archetype &= ~mark;
    switch (found) {
    case fault::nothing: return;
    case fault::dead: throw_dead_entity(list[i]);
    case fault::repeated: throw repeated_entity{list[i]};
    case fault::mismatch: check_change(*archetypes_[pool_[list[i]].archetype], change, list[i]);
    }
}

void storage::check_list(std::span<const entity> list) { check_list(list, bundle{}); }

std::span<const batch_step> storage::prepare_batch(std::span<const entity> list, std::uint32_t bundle,
                                                   std::span<const link> links) {
    check_unlocked();
    check_list(list, bundle_of(bundle));
    steps_.clear();
    for (const entity e : list) {
        const entity_record& record = pool_[e];
        if (!steps_.empty() && steps_.back().from.archetype == record.archetype &&
            steps_.back().from.key == record.family) {
            ++steps_.back().count;
            continue;
        }
        const family_ref from{record.archetype, record.family};
        steps_.push_back({from, {follow(record.archetype, bundle, e), none}, 1, 0});
    }
    reserve_steps(links, false);
    return {steps_.begin(), steps_.size()};
}

std::span<const batch_step> storage::prepare_families(std::span<const family_ref> sources,
                                                      std::uint32_t bundle, std::span<const link> links) {
    check_unlocked();
    steps_.clear();
    for (const family_ref& from : sources) {
        archetype& place = *archetypes_[from.archetype];
        const family& group = place.at(from.key);
        if (group.size == 0) continue;
        const entity any = place.entities()[group.first]; // for the message, should the bundle not fit
        steps_.push_back({from, {follow(from.archetype, bundle, any), none}, group.size, 0});
    }
    reserve_steps(links, true);
    return {steps_.begin(), steps_.size()};
}

void storage::prepare_moves(std::span<const family_ref> sources, std::span<const std::uint32_t> to) {
    steps_.clear();
    for (std::size_t i = 0; i != sources.size(); ++i)
        steps_.push_back(
            {sources[i], {to[i], none}, archetypes_[sources[i].archetype]->at(sources[i].key).size, 0});
    reserve_steps({}, true);
}

// Makes the families that the steps lead to, and room in them. Several steps may lead to one family: they get rows one
// after another. With `whole`, a step moves all of its family; if only the target changes and nothing has the new one,
// the family will hand its rows over, and needs no new ones.
void storage::reserve_steps(std::span<const link> links, bool whole) {
    retargeted_ = relations_in(links);
    try {
        for (batch_step& step : steps_) {
            archetype& from = *archetypes_[step.from.archetype];
            archetype& to = *archetypes_[step.to.archetype];
            if (&from == &to && links.empty()) {
                step.to.key = step.from.key;
                continue;
            }
            family& group = family_for(to, &from, &from.at(step.from.key), links);
            step.to.key = to.key_of(group);
            if (!step.moves()) continue;
            if (!whole || &from != &to || group.capacity != 0 || group.pending != 0)
                reserve(to, group, std::size_t{group.pending} + step.count);
            group.pending = (group.pending + step.count) & max_pending;
        }
    } catch (...) {
        cancel_batch();
        throw;
    }
    for (const batch_step& step : steps_)
        if (step.moves()) archetypes_[step.to.archetype]->at(step.to.key).pending = 0;
    for (batch_step& step : steps_) { // after the last row has moved
        if (!step.moves()) continue;
        family& group = archetypes_[step.to.archetype]->at(step.to.key);
        step.first_row = archetype::next_row(group) + group.pending;
        group.pending = (group.pending + step.count) & max_pending;
    }
}

void storage::cancel_batch() noexcept {
    for (const batch_step& step : steps_) {
        if (step.to.key == none || !step.moves()) continue;
        if (family* const group = archetypes_[step.to.archetype]->find_key(step.to.key)) group->pending = 0;
    }
    for (const batch_step& step : steps_) {
        if (step.to.key == none || !step.moves()) continue;
        archetype& to = *archetypes_[step.to.archetype];
        if (family* const group = to.find_key(step.to.key)) to.drop_if_empty(*group);
    }
    steps_.clear();
}

void storage::commit_batch(std::span<const entity> list) noexcept {
    std::size_t next = 0;
    for (const batch_step& step : steps_) {
        const std::size_t end = next + step.count;
        if (!step.moves()) {
            next = end;
            continue;
        }
        archetype& from = *archetypes_[step.from.archetype];
        archetype& to = *archetypes_[step.to.archetype];
        family& group = to.at(step.to.key);
        note_moves(from, to, retargeted_);
        for (std::size_t i = next; beside_.disabled_count() != 0 && i != end; ++i)
            beside_.lose(list[i], from.mask() - to.mask());
        while (next != end) (void)transfer(pool_, list[next++], from, to, group);
        group.pending = (group.pending - step.count) & max_pending;
        from.drop_if_empty(from.at(step.from.key));
    }
    steps_.clear();
}

void storage::commit_families() noexcept {
    for (const batch_step& step : steps_) {
        if (!step.moves()) continue;
        archetype& from = *archetypes_[step.from.archetype];
        archetype& to = *archetypes_[step.to.archetype];
        family& group = to.at(step.to.key);
        group.pending = (group.pending - step.count) & max_pending;
        family* const source = from.find_key(step.from.key);
        if (source == nullptr) { // all of its entities have died since
            to.drop_if_empty(group);
            continue;
        }
        note_moves(from, to, retargeted_);
        for (std::uint32_t i = 0; beside_.disabled_count() != 0 && i != source->size; ++i)
            beside_.lose(from.entities()[source->first + i], from.mask() - to.mask());
        if (&from == &to && group.capacity == 0)
            from.hand_over(pool_, *source, group);
        else
            transfer_all(pool_, from, *source, to, group);
        from.drop_if_empty(*source);
    }
    steps_.clear();
}

} // namespace pecs::detail
