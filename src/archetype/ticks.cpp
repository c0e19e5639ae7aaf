module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <utility>

module pecs.archetype;

namespace pecs::detail {

// --- one column

tick_column::tick_column(component_id id, bool related, const tick_clock& clock,
                         std::pmr::memory_resource* memory)
    : id_{id},
      by_rows_{type_of(id).tracking == change_tracking::rows},
      of_relation_{type_of(id).relation},
      related_{related},
      clock_{&clock},
      memory_{memory} {}

std::size_t tick_column::family_entries(std::uint32_t rows) const noexcept {
    return related_ ? rows : std::min<std::uint32_t>(rows, 1);
}

tick_pair* tick_column::allocate(std::size_t count) const {
    return static_cast<tick_pair*>(memory_->allocate(count * sizeof(tick_pair), alignof(tick_pair)));
}

void tick_column::release(tick_pair*& block, std::size_t count) const noexcept {
    if (block != nullptr) memory_->deallocate(block, count * sizeof(tick_pair), alignof(tick_pair));
    block = nullptr;
}

void tick_column::allocate_next(std::uint32_t rows) {
    if (rows == 0) return;
    next_families_ = allocate(family_entries(rows));
    if (by_rows_) next_rows_ = allocate(rows);
}

void tick_column::release_next(std::uint32_t rows) noexcept {
    release(next_families_, family_entries(rows));
    release(next_rows_, rows);
}

void tick_column::adopt_next(std::uint32_t old_rows) noexcept {
    release(families_, family_entries(old_rows));
    release(rows_, old_rows);
    families_ = std::exchange(next_families_, nullptr);
    rows_ = std::exchange(next_rows_, nullptr);
}

void tick_column::keep(const family& group, std::uint32_t to) const noexcept {
    next_families_[to] = families_[group.first];
    if (by_rows_) std::memcpy(next_rows_ + to, rows_ + group.first, group.size * sizeof(tick_pair));
}

void tick_column::relocate(std::uint32_t from, std::uint32_t to, std::uint32_t count) const noexcept {
    families_[to] = families_[from];
    if (by_rows_) std::memcpy(rows_ + to, rows_ + from, count * sizeof(tick_pair));
}

void tick_column::write(const family& group, std::uint32_t row, std::uint32_t count) const noexcept {
    const std::uint64_t now = clock_->now();
    write_tick(families_[group.first].changed, now);
    if (by_rows_)
        for (std::uint32_t i = row; i != row + count; ++i) write_tick(rows_[i].changed, now);
}

void tick_column::begin(const family& group, std::uint32_t row, std::uint32_t count) const noexcept {
    const std::uint64_t now = clock_->now();
    families_[group.first] = {now, now};
    if (by_rows_) std::fill_n(rows_ + row, count, tick_pair{now, now});
}

// The family's pair must not be older than that of any row. A family that counts no rows yet has no pair: what is there
// was left by another one.
void tick_column::take(const tick_column& source, const family& from, std::uint32_t from_row,
                       std::uint32_t count, const family& to, std::uint32_t to_row,
                       bool changed) const noexcept {
    tick_pair newest = source.families_[from.first];
    if (by_rows_) {
        newest = {0, 0};
        for (std::uint32_t i = 0; i != count; ++i) {
            tick_pair& moved = rows_[to_row + i];
            moved = source.rows_[from_row + i];
            if (changed) moved.changed = clock_->now();
            newest = {std::max(newest.changed, moved.changed), std::max(newest.added, moved.added)};
        }
    }
    if (changed) newest.changed = clock_->now();
    tick_pair& mine = families_[to.first];
    if (to.size == 0)
        mine = newest;
    else
        mine = {std::max(mine.changed, newest.changed), std::max(mine.added, newest.added)};
}

std::size_t tick_column::bytes(std::uint32_t rows) const noexcept {
    return sizeof(tick_column) + (family_entries(rows) + (by_rows_ ? rows : 0)) * sizeof(tick_pair);
}

bool tick_column::valid(const family& group) const noexcept {
    if (group.size == 0) return true;
    const tick_pair& all = families_[group.first];
    if (all.added == 0 || all.added > all.changed || all.changed > clock_->now()) return false;
    if (!by_rows_) return true;
    return std::all_of(rows_ + group.first, rows_ + group.first + group.size, [&](const tick_pair& one) {
        return one.added != 0 && one.added <= one.changed && one.added <= all.added &&
               one.changed <= all.changed;
    });
}

// --- an archetype

tick_column* archetype::make_ticks(component_id id, const tick_clock& clock) const {
    std::pmr::polymorphic_allocator<> allocator{memory_};
    auto* const made = allocator.new_object<tick_column>(id, relations_ != nullptr, clock, memory_);
    try {
        made->allocate_next(row_capacity_);
    } catch (...) {
        made->release_next(row_capacity_);
        allocator.delete_object(made);
        throw;
    }
    made->adopt_next(0);
    for (const family& group : families())
        if (group.size != 0) made->begin(group, group.first, group.size);
    return made;
}

void archetype::show_ticks(tick_column* made) const noexcept {
    made->after = ticks();
    ticks_.store(made, std::memory_order_release);
}

void archetype::end_ticks(tick_column* gone) const noexcept {
    gone->adopt_next(row_capacity_);
    std::pmr::polymorphic_allocator<>{memory_}.delete_object(gone);
}

std::size_t archetype::tick_bytes() const noexcept {
    std::size_t total = 0;
    for (const tick_column* t = ticks(); t != nullptr; t = t->after) total += t->bytes(row_capacity_);
    return total;
}

void archetype::begin_rows(const family& group, std::uint32_t row, std::uint32_t count) const noexcept {
    for (const tick_column* t = ticks(); t != nullptr; t = t->after) t->begin(group, row, count);
}

namespace {

/// Whether entities that go from one family to another get another target in a relation that both have.
bool retargeted(const archetype& from, const family& from_family, const archetype& to,
                const family& to_family, component_id relation) noexcept {
    return from.target(from_family, from.relations()->position(relation)) !=
           to.target(to_family, to.relations()->position(relation));
}

} // namespace

void carry_ticks(const archetype& from, const family& from_family, std::uint32_t from_row,
                 std::uint32_t count, const archetype& to, const family& to_family,
                 std::uint32_t to_row) noexcept {
    for (const tick_column* t = to.ticks(); t != nullptr; t = t->after) {
        if (!from.mask().test(t->id()))
            t->begin(to_family, to_row, count);
        else
            t->take(*from.find_ticks(t->id()), from_family, from_row, count, to_family, to_row,
                    t->of_relation() && retargeted(from, from_family, to, to_family, t->id()));
    }
}

void note_hand_over(const archetype& place, const family& from, const family& to) noexcept {
    for (const tick_column* t = place.ticks(); t != nullptr; t = t->after)
        if (t->of_relation() && retargeted(place, from, place, to, t->id())) t->write(to, to.first, to.size);
}

// --- a storage

// A type is in archetypes, or in a set. Columns are made for all archetypes first, which may fail, and shown then. Loops
// of other threads may run meanwhile: whether they see the new columns or not, all that they may have written counts as
// changed now.
void storage::begin_tracking(component_id id) const {
    const update_lock lock;
    if (ticks_.tracks(id)) return; // another thread was faster
    if (const sparse_set* const set = beside_.set(id)) set->track(ticks_.clock);
    const std::span<const std::uint32_t> users = created_with(id);
    buffer<tick_column*> made{memory_};
    made.reserve(users.size());
    try {
        for (const std::uint32_t user : users) made.append(archetypes_[user]->make_ticks(id, ticks_.clock));
    } catch (...) {
        for (std::size_t i = 0; i != made.size(); ++i) archetypes_[users[i]]->end_ticks(made[i]);
        throw;
    }
    for (std::size_t i = 0; i != made.size(); ++i) archetypes_[users[i]]->show_ticks(made[i]);
    ticks_.tracked[id.index() / 64].fetch_or(std::uint64_t{1} << id.index() % 64, std::memory_order_release);
    tracking_.store(true, std::memory_order_release);
}

void storage::mark_written(entity e, component_id id) const noexcept {
    if (const sparse_set* const set = beside_.set(id)) {
        set->mark_written(e);
        return;
    }
    const entity_record& record = pool_[e];
    const archetype& place = *archetypes_[record.archetype];
    if (const tick_column* const t = place.find_ticks(id)) t->write(place.at(record.family), record.row, 1);
}

void storage::mark_added(entity e, component_id id) const noexcept {
    if (const sparse_set* const set = beside_.set(id)) {
        set->mark_added(e);
        return;
    }
    const entity_record& record = pool_[e];
    const archetype& place = *archetypes_[record.archetype];
    if (const tick_column* const t = place.find_ticks(id)) t->begin(place.at(record.family), record.row, 1);
}

} // namespace pecs::detail
