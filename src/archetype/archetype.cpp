module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>
#include <utility>

module pecs.archetype;

namespace pecs::detail {
namespace {

constexpr std::uint32_t first_capacity = 8;

/// The power of two that holds `rows`, or all there can be.
std::uint32_t rounded(std::size_t rows, std::uint32_t max_rows) noexcept {
    if (rows > std::uint32_t{1} << 31U) return max_rows;
    return std::min(std::bit_ceil(static_cast<std::uint32_t>(std::max<std::size_t>(rows, first_capacity))),
                    max_rows);
}

} // namespace

archetype::archetype(std::uint32_t id, const component_mask& mask, std::pmr::memory_resource* memory,
                     std::uint32_t max_rows)
    : id_{id}, mask_{mask}, columns_{memory}, extents_{memory, max_rows}, memory_{memory}, edges{memory} {
    bool related = false;
    columns_.reserve(mask.count());
    mask.each([&](component_id component) {
        const component_type& type = type_of(component);
        related = related || type.relation;
        if (type.is_tag()) return;
        columns_.append({.type = &type, .size = type.size, .id = component});
        row_bytes_ += type.size;
    });
    if (!related) return;
    relations_ = std::pmr::polymorphic_allocator<>{memory}.new_object<relation_index>(mask, memory);
    show_families();
}

archetype::~archetype() {
    clear();
    adopt_next(nullptr, 0);
    for (tick_column* t = ticks(); t != nullptr;) end_ticks(std::exchange(t, t->after));
    if (relations_ != nullptr) std::pmr::polymorphic_allocator<>{memory_}.delete_object(relations_);
}

std::size_t archetype::bytes() const noexcept {
    return sizeof(archetype) + row_capacity_ * row_bytes_ + columns_.bytes() + edges.bytes() +
           extents_.bytes() + (relations_ != nullptr ? relations_->bytes() : 0) + tick_bytes();
}

// --- families

void archetype::show_families() noexcept {
    ++relations_->changes;
    const bool one = relations_->count() == 1;
    families_ = one ? relations_->one.slots() : relations_->several.slots();
    family_count_ = one ? relations_->one.slot_count() : relations_->several.slot_count();
}

family* archetype::find_family(const entity* targets) noexcept {
    if (relations_ == nullptr) return &only_;
    if (relations_->count() == 1) return relations_->one.find(*targets);
    const std::uint32_t id = relations_->several.find(targets);
    return id == none ? nullptr : &families_[id];
}

family* archetype::find_key(std::uint32_t key) noexcept {
    if (relations_ == nullptr) return &only_;
    if (relations_->count() == 1) return relations_->one.find_index(key);
    return key < family_count_ && relations_->several.targets(key)[0] ? &families_[key] : nullptr;
}

family& archetype::make_family(const entity* targets) {
    if (family* const known = find_family(targets)) return *known;
    if (relations_->count() == 1) {
        family& made = relations_->one.insert(*targets);
        show_families();
        return made;
    }
    std::uint32_t id = none;
    try {
        id = relations_->several.insert(targets);
    } catch (...) {
        show_families(); // they may have moved
        throw;
    }
    show_families();
    return families_[id];
}

void archetype::drop(family& group) noexcept {
    if (group.capacity != 0) extents_.release({group.first, group.capacity});
    if (relations_->count() == 1)
        relations_->one.erase(group);
    else
        relations_->several.erase(key_of(group));
    show_families();
}

// --- rows

// An archetype without relations doubles. A family at the end of the arena grows by an eighth: the arena doubles. Any
// other family takes bigger steps, as it may have to move.
std::uint32_t archetype::wanted_rows(const family& group, std::size_t needed) const {
    const std::uint32_t max_rows = extents_.max_rows();
    if (needed > max_rows) throw capacity_exceeded{"rows of one archetype", max_rows};
    const auto rows = static_cast<std::uint32_t>(needed);
    if (relations_ == nullptr) return rounded(rows, max_rows);
    if (group.capacity == 0) return rows;
    if (extents_.at_end({group.first, group.capacity})) return rows + std::min(rows / 8, max_rows - rows);
    return extent_allocator::next_capacity(rows);
}

bool archetype::grow(entity_pool& pool, family& group, std::size_t count) {
    const std::uint32_t wanted = wanted_rows(group, group.size + count);
    extent place{group.first, group.capacity};
    if (group.capacity != 0 && extents_.try_grow(place, wanted)) {
        try {
            const bool moved = reserve_rows(extents_.end());
            group.capacity = place.capacity;
            return moved;
        } catch (...) {
            extents_.trim(place, group.capacity);
            throw;
        }
    }
    const std::uint32_t key = key_of(group);
    if (relations_ != nullptr && last_ != none && last_ != key) trim_last();
    const extent fresh = extents_.allocate(wanted);
    last_ = key;
    try {
        const bool moved = reserve_rows(extents_.end());
        if (relations_ != nullptr) {
            relations_->used.flip(group.first, group.size);
            relations_->used.flip(fresh.first, group.size);
            if (group.size != 0) ++relations_->changes;
        }
        relocate_rows(pool, group.first, fresh.first, group.size);
        if (group.capacity != 0) extents_.release(place);
        group.first = fresh.first;
        group.capacity = fresh.capacity;
        return moved;
    } catch (...) {
        extents_.release(fresh);
        throw;
    }
}

// The family at the end has a little room to grow in; when another one comes behind it, it is better without: rows in
// use that lie side by side are one run for loops over all of them. A family with much room has moved there to grow.
void archetype::trim_last() noexcept {
    family* const group = find_key(last_);
    if (group == nullptr || group->size == 0 || group->pending != 0) return;
    extent place{group->first, group->capacity};
    if (!extents_.at_end(place) || group->capacity - group->size > group->size / 8) return;
    extents_.trim(place, group->size);
    group->capacity = group->size;
}

bool archetype::reserve_rows(std::uint32_t rows) {
    if (rows <= row_capacity_) return false;
    reallocate(rounded(rows, extents_.max_rows()));
    return true;
}

// Makes new columns, in `column::next`; all of them or none.
entity* archetype::allocate_next(std::uint32_t rows) {
    if (rows == 0) return nullptr;
    entity* next_entities = nullptr;
    try {
        next_entities = static_cast<entity*>(memory_->allocate(rows * sizeof(entity), cache_line));
        for (column& c : columns_)
            c.next = static_cast<std::byte*>(memory_->allocate(rows * c.size, c.alignment()));
        for (tick_column* t = ticks(); t != nullptr; t = t->after) t->allocate_next(rows);
    } catch (...) {
        for (column& c : columns_) {
            if (c.next != nullptr) memory_->deallocate(c.next, rows * c.size, c.alignment());
            c.next = nullptr;
        }
        for (tick_column* t = ticks(); t != nullptr; t = t->after) t->release_next(rows);
        if (next_entities != nullptr) memory_->deallocate(next_entities, rows * sizeof(entity), cache_line);
        throw;
    }
    return next_entities;
}

// Puts the new columns in the place of the old ones, from which all values have gone.
void archetype::adopt_next(entity* next_entities, std::uint32_t rows) noexcept {
    for (column& c : columns_) {
        if (c.data != nullptr) memory_->deallocate(c.data, row_capacity_ * c.size, c.alignment());
        c.data = std::exchange(c.next, nullptr);
    }
    for (tick_column* t = ticks(); t != nullptr; t = t->after) t->adopt_next(row_capacity_);
    if (entities_ != nullptr) memory_->deallocate(entities_, row_capacity_ * sizeof(entity), cache_line);
    entities_ = next_entities;
    row_capacity_ = rows;
}

void archetype::reallocate(std::uint32_t rows) {
    if (relations_ != nullptr) relations_->used.reserve(rows);
    entity* const next_entities = allocate_next(rows);
    for (const family& group : families()) {
        if (group.size == 0) continue;
        for (const column& c : columns_)
            relocate_run(*c.type, c.next + group.first * c.size, c.at(group.first), group.size);
        for (const tick_column* t = ticks(); t != nullptr; t = t->after) t->keep(group, group.first);
        std::memcpy(static_cast<void*>(next_entities + group.first), entities_ + group.first,
                    group.size * sizeof(entity));
    }
    adopt_next(next_entities, rows);
}

void archetype::relocate_rows(entity_pool& pool, std::uint32_t from, std::uint32_t to,
                              std::uint32_t count) noexcept {
    if (count == 0) return;
    for (const column& c : columns_) relocate_run(*c.type, c.at(to), c.at(from), count);
    for (const tick_column* t = ticks(); t != nullptr; t = t->after) t->relocate(from, to, count);
    for (std::uint32_t i = 0; i != count; ++i) {
        entities_[to + i] = entities_[from + i];
        pool[entities_[to + i]].row = to + i;
    }
}

void archetype::close_gap(entity_pool& pool, family& group, std::uint32_t row) noexcept {
    const std::uint32_t last = next_row(group) - 1;
    if (row != last)
        for (const column& c : columns_) relocate_value(*c.type, c.at(row), c.at(last));
    give_up_last(pool, group, row);
}

void archetype::give_up_last(entity_pool& pool, family& group, std::uint32_t row) noexcept {
    const std::uint32_t last = group.first + --group.size;
    --size_;
    if (relations_ != nullptr) relations_->used.flip(last, 1);
    if (row == last) return;
    for (const tick_column* t = ticks(); t != nullptr; t = t->after) t->fill_gap(row, last);
    entities_[row] = entities_[last];
    pool[entities_[row]].row = row;
}

void archetype::remove(entity_pool& pool, family& group, std::uint32_t row) noexcept {
    for (const column& c : columns_) destroy_run(*c.type, c.at(row), 1);
    close_gap(pool, group, row);
}

void archetype::clear(family& group) noexcept {
    for (const column& c : columns_) destroy_run(*c.type, c.at(group.first), group.size);
    abandon(group);
}

void archetype::abandon(family& group) noexcept {
    if (relations_ != nullptr) relations_->used.flip(group.first, group.size);
    size_ -= group.size;
    group.size = 0;
}

void archetype::hand_over(entity_pool& pool, family& from, family& to) noexcept {
    const std::uint32_t key = key_of(to);
    to.first = std::exchange(from.first, 0);
    to.size = std::exchange(from.size, 0);
    to.capacity = std::exchange(from.capacity, 0);
    for (std::uint32_t row = to.first; row != to.first + to.size; ++row) pool[entities_[row]].family = key;
    if (ticks() != nullptr) note_hand_over(*this, from, to);
}

void archetype::clear_rows() noexcept {
    for (const column& c : columns_)
        for (const family& group : families())
            if (group.size != 0) destroy_run(*c.type, c.at(group.first), group.size);
}

void archetype::clear() noexcept {
    clear_rows();
    size_ = 0;
    only_.size = 0;
    if (relations_ == nullptr) return;
    relations_->one.clear();
    relations_->several.clear();
    relations_->used.clear();
    extents_.reset();
    show_families();
}

void archetype::trim(entity_pool& pool) {
    if (relations_ != nullptr) {
        try {
            relations_->one.shrink();
            relations_->several.shrink();
        } catch (...) {
            show_families(); // they may have moved
            throw;
        }
        show_families();
        reorder(pool);
    }
    for (family& group : std::span{families_, family_count_}) {
        if (group.capacity == 0) continue;
        extent place{group.first, group.capacity};
        extents_.trim(place, group.size);
        group.capacity = group.size;
        if (group.size == 0) group.first = 0;
    }
    extents_.shrink();
    edges.shrink();
    // Last: once columns have moved, the caller must hear of it.
    if (extents_.end() != row_capacity_) reallocate(extents_.end());
    if (relations_ != nullptr) relations_->used.shrink(row_capacity_);
}

// Writes all families anew into fresh columns, one behind the other.
void archetype::reorder(entity_pool& pool) {
    extent_allocator fresh{memory_, extents_.max_rows()};
    for (const family& group : families())
        if (group.size != 0) (void)fresh.allocate(group.size);
    const std::uint32_t rows = fresh.end();
    entity* const next_entities = allocate_next(rows);
    relations_->used.clear();
    std::uint32_t row = 0;
    for (family& group : std::span{families_, family_count_}) {
        if (group.size == 0) continue;
        for (const column& c : columns_)
            relocate_run(*c.type, c.next + row * c.size, c.at(group.first), group.size);
        for (const tick_column* t = ticks(); t != nullptr; t = t->after) t->keep(group, row);
        for (std::uint32_t i = 0; i != group.size; ++i) {
            next_entities[row + i] = entities_[group.first + i];
            pool[next_entities[row + i]].row = row + i;
        }
        relations_->used.flip(row, group.size);
        group.first = row;
        group.capacity = group.size;
        row += group.size;
    }
    adopt_next(next_entities, rows);
    extents_ = std::move(fresh);
}

bool archetype::valid(const entity_pool& pool) const {
    std::size_t counted = 0;
    std::size_t reserved = 0;
    std::size_t named = 0;
    for (const family& group : families()) {
        if (group.pending != 0 || group.doomed != 0) return false;
        if (relations_ != nullptr) {
            if (group.size == 0) continue; // a free slot: its other fields mean nothing
            ++named;
            for (std::uint32_t i = 0; i != relations_->count(); ++i)
                if (!pool.alive(target(group, i))) return false;
        }
        if (group.size > group.capacity || group.first + group.capacity > extents_.end()) return false;
        for (const tick_column* t = ticks(); t != nullptr; t = t->after)
            if (!mask_.test(t->id()) || !t->valid(group)) return false;
        counted += group.size;
        reserved += group.capacity;
        const std::uint32_t key = key_of(group);
        for (std::uint32_t row = group.first; row != group.first + group.size; ++row) {
            if (!pool.alive(entities_[row])) return false;
            const entity_record& record = pool[entities_[row]];
            if (record.archetype != id_ || record.row != row || record.family != key) return false;
            if (relations_ != nullptr && !relations_->used.test(row)) return false;
        }
    }
    if (relations_ != nullptr) {
        if (named != family_count() || !relations_->one.valid() || !relations_->several.valid()) return false;
        std::size_t used = 0;
        for (std::uint32_t row = 0; row < relations_->used.end(); ++row) used += relations_->used.test(row);
        if (used != size_) return false;
    }
    return counted == size_ && reserved + extents_.free_rows() == extents_.end() &&
           extents_.end() <= row_capacity_ && extents_.valid();
}

// --- between families

std::uint32_t transfer(entity_pool& pool, entity e, archetype& from, archetype& to,
                       family& to_family) noexcept {
    entity_record& record = pool[e];
    family& from_family = from.at(record.family);
    const std::uint32_t row = record.row;
    const std::uint32_t last = archetype::next_row(from_family) - 1;
    const std::uint32_t new_row = archetype::next_row(to_family);
    if (to.ticks() != nullptr) [[unlikely]]
        carry_ticks(from, from_family, row, 1, to, to_family, new_row);
    const column* target = to.columns().begin();
    const column* const end = to.columns().end();
    for (const column& source : from.columns()) { // both lists ascend by id
        std::byte* const cell = source.at(row);
        while (target != end && target->id < source.id) ++target;
        if (target != end && target->id == source.id) {
            if (row != last)
                relocate_and_fill(*source.type, target->at(new_row), cell, source.at(last));
            else
                relocate_value(*source.type, target->at(new_row), cell);
        } else {
            destroy_run(*source.type, cell, 1);
            if (row != last) relocate_value(*source.type, cell, source.at(last));
        }
    }
    to.entities()[new_row] = e;
    to.extend(to_family, 1);
    from.give_up_last(pool, from_family, row);
    record = {to.id(), new_row, to.key_of(to_family), record.generation};
    return new_row;
}

void transfer_all(entity_pool& pool, archetype& from, family& from_family, archetype& to,
                  family& to_family) noexcept {
    const std::uint32_t new_row = archetype::next_row(to_family);
    const std::uint32_t key = to.key_of(to_family);
    const std::uint32_t count = from_family.size;
    const column* target = to.columns().begin();
    const column* const end = to.columns().end();
    for (const column& source : from.columns()) {
        while (target != end && target->id < source.id) ++target;
        if (target != end && target->id == source.id)
            relocate_run(*source.type, target->at(new_row), source.at(from_family.first), count);
        else
            destroy_run(*source.type, source.at(from_family.first), count);
    }
    for (std::uint32_t i = 0; i != count; ++i) {
        const entity e = from.entities()[from_family.first + i];
        to.entities()[new_row + i] = e;
        entity_record& record = pool[e];
        record.archetype = to.id();
        record.row = new_row + i;
        record.family = key;
    }
    if (to.ticks() != nullptr)
        carry_ticks(from, from_family, from_family.first, count, to, to_family, new_row);
    to.extend(to_family, count);
    from.abandon(from_family);
}

} // namespace pecs::detail
