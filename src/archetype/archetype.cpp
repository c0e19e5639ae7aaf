module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>

module pecs.archetype;

namespace pecs::detail {
namespace {

constexpr std::uint32_t max_rows = none - 1;
constexpr std::uint32_t first_capacity = 8;

/// The power of two that holds `rows`, or all there can be.
std::uint32_t rounded(std::size_t rows) noexcept {
    if (rows > std::uint32_t{1} << 31U) return max_rows;
    return std::bit_ceil(static_cast<std::uint32_t>(std::max<std::size_t>(rows, first_capacity)));
}

} // namespace

archetype::archetype(std::uint32_t id, const component_mask& mask, std::pmr::memory_resource* memory)
    : id_{id}, mask_{mask}, columns_{memory}, extents_{memory, max_rows}, memory_{memory}, edges{memory} {
    columns_.reserve(mask.count());
    mask.each([&](component_id component) {
        const component_type& type = type_of(component);
        if (type.is_tag()) return;
        columns_.append({.type = &type, .size = type.size, .id = component});
        row_bytes_ += type.size;
    });
}

archetype::~archetype() {
    clear();
    reallocate(0);
}

std::size_t archetype::bytes() const noexcept {
    return sizeof(archetype) + row_capacity_ * row_bytes_ + columns_.bytes() + edges.bytes() +
           extents_.bytes();
}

bool archetype::grow(entity_pool& pool, std::uint32_t family_id, std::size_t count) {
    family& group = families_[family_id];
    const std::size_t needed = group.size + count;
    if (needed > max_rows) throw capacity_exceeded{"rows of one archetype", max_rows};
    const std::uint32_t wanted = rounded(needed);
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
    const extent fresh = extents_.allocate(wanted);
    try {
        const bool moved = reserve_rows(extents_.end());
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

bool archetype::reserve_rows(std::uint32_t rows) {
    if (rows <= row_capacity_) return false;
    reallocate(rounded(rows));
    return true;
}

// All new memory first, then the moves, which cannot fail.
void archetype::reallocate(std::uint32_t rows) {
    entity* next_entities = nullptr;
    if (rows != 0) {
        try {
            next_entities = static_cast<entity*>(memory_->allocate(rows * sizeof(entity), cache_line));
            for (column& c : columns_)
                c.next = static_cast<std::byte*>(memory_->allocate(rows * c.size, c.alignment()));
        } catch (...) {
            for (column& c : columns_) {
                if (c.next != nullptr) memory_->deallocate(c.next, rows * c.size, c.alignment());
                c.next = nullptr;
            }
            if (next_entities != nullptr)
                memory_->deallocate(next_entities, rows * sizeof(entity), cache_line);
            throw;
        }
    }
    for (column& c : columns_) {
        for (const family& group : std::span{families_, family_count_})
            if (group.size != 0)
                relocate_run(*c.type, c.next + group.first * c.size, c.at(group.first), group.size);
        if (c.data != nullptr) memory_->deallocate(c.data, row_capacity_ * c.size, c.alignment());
        c.data = c.next;
        c.next = nullptr;
    }
    for (const family& group : std::span{families_, family_count_})
        if (group.size != 0 && next_entities != nullptr)
            std::memcpy(static_cast<void*>(next_entities + group.first), entities_ + group.first,
                        group.size * sizeof(entity));
    if (entities_ != nullptr) memory_->deallocate(entities_, row_capacity_ * sizeof(entity), cache_line);
    entities_ = next_entities;
    row_capacity_ = rows;
}

void archetype::relocate_rows(entity_pool& pool, std::uint32_t from, std::uint32_t to,
                              std::uint32_t count) noexcept {
    if (count == 0) return;
    for (const column& c : columns_) relocate_run(*c.type, c.at(to), c.at(from), count);
    for (std::uint32_t i = 0; i != count; ++i) {
        entities_[to + i] = entities_[from + i];
        pool[entities_[to + i]].row = to + i;
    }
}

void archetype::close_gap(entity_pool& pool, std::uint32_t family_id, std::uint32_t row) noexcept {
    family& group = families_[family_id];
    const std::uint32_t last = group.first + --group.size;
    --size_;
    if (row == last) return;
    for (const column& c : columns_) relocate_value(*c.type, c.at(row), c.at(last));
    entities_[row] = entities_[last];
    pool[entities_[row]].row = row;
}

void archetype::remove(entity_pool& pool, std::uint32_t family_id, std::uint32_t row) noexcept {
    for (const column& c : columns_) destroy_run(*c.type, c.at(row), 1);
    close_gap(pool, family_id, row);
}

void archetype::clear() noexcept {
    for (const column& c : columns_)
        for (const family& group : std::span{families_, family_count_})
            if (group.size != 0) destroy_run(*c.type, c.at(group.first), group.size);
    abandon();
}

void archetype::abandon() noexcept {
    for (family& group : std::span{families_, family_count_}) group.size = 0;
    size_ = 0;
}

void archetype::trim() {
    for (family& group : std::span{families_, family_count_}) {
        extent place{group.first, group.capacity};
        if (group.size == 0) {
            if (group.capacity != 0) extents_.release(place);
            group = {};
        } else {
            extents_.trim(place, group.size);
            group.capacity = group.size;
        }
    }
    extents_.shrink();
    edges.shrink();
    // Last: once columns have moved, the caller must hear of it.
    if (extents_.end() != row_capacity_) reallocate(extents_.end());
}

bool archetype::valid(const entity_pool& pool) const {
    std::size_t counted = 0;
    std::size_t reserved = 0;
    for (std::uint32_t id = 0; id != family_count_; ++id) {
        const family& group = families_[id];
        if (group.size > group.capacity || group.first + group.capacity > extents_.end()) return false;
        counted += group.size;
        reserved += group.capacity;
        for (std::uint32_t row = group.first; row != group.first + group.size; ++row) {
            if (!pool.alive(entities_[row])) return false;
            const entity_record& record = pool[entities_[row]];
            if (record.archetype != id_ || record.row != row || record.family != id) return false;
        }
    }
    return counted == size_ && reserved + extents_.free_rows() == extents_.end() &&
           extents_.end() <= row_capacity_ && extents_.valid();
}

std::uint32_t transfer(entity_pool& pool, entity e, archetype& from, archetype& to,
                       std::uint32_t to_family) noexcept {
    entity_record& record = pool[e];
    const std::uint32_t row = record.row;
    const std::uint32_t new_row = to.next_row(to_family);
    const column* target = to.columns().begin();
    const column* const end = to.columns().end();
    for (const column& source : from.columns()) { // both lists ascend by id
        while (target != end && target->id < source.id) ++target;
        if (target != end && target->id == source.id)
            relocate_value(*source.type, target->at(new_row), source.at(row));
        else
            destroy_run(*source.type, source.at(row), 1);
    }
    to.entities()[new_row] = e;
    to.extend(to_family, 1);
    from.close_gap(pool, record.family, row);
    record.archetype = to.id();
    record.row = new_row;
    record.family = to_family;
    return new_row;
}

void transfer_all(entity_pool& pool, archetype& from, archetype& to, std::uint32_t to_family) noexcept {
    for (const family& group : from.families()) {
        if (group.size == 0) continue;
        const std::uint32_t new_row = to.next_row(to_family);
        const column* target = to.columns().begin();
        const column* const end = to.columns().end();
        for (const column& source : from.columns()) {
            while (target != end && target->id < source.id) ++target;
            if (target != end && target->id == source.id)
                relocate_run(*source.type, target->at(new_row), source.at(group.first), group.size);
            else
                destroy_run(*source.type, source.at(group.first), group.size);
        }
        for (std::uint32_t i = 0; i != group.size; ++i) {
            const entity e = from.entities()[group.first + i];
            to.entities()[new_row + i] = e;
            entity_record& record = pool[e];
            record.archetype = to.id();
            record.row = new_row + i;
            record.family = to_family;
        }
        to.extend(to_family, group.size);
    }
    from.abandon();
}

} // namespace pecs::detail
