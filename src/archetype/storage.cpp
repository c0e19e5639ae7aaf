module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <type_traits>

module pecs.archetype;

namespace pecs::detail {
namespace {

/// Makes sure that a table has a place at `position`; new places are empty.
template <class Table>
void reserve_table(Table& table, std::uint32_t position, std::pmr::memory_resource* memory) {
    using value = std::remove_pointer_t<decltype(table.data)>;
    if (position < table.capacity) return;
    const std::uint32_t capacity = position < 8 ? 8 : position * 2;
    auto* const data = static_cast<value*>(memory->allocate(capacity * sizeof(value), alignof(value)));
    for (std::uint32_t i = 0; i != capacity; ++i) data[i] = i < table.size ? table.data[i] : value{};
    if (table.data != nullptr)
        memory->deallocate(static_cast<void*>(table.data), table.capacity * sizeof(value), alignof(value));
    table.data = data;
    table.capacity = capacity;
}

template <class Table> void release_table(Table& table, std::pmr::memory_resource* memory) noexcept {
    using value = std::remove_pointer_t<decltype(table.data)>;
    if (table.data != nullptr)
        memory->deallocate(static_cast<void*>(table.data), table.capacity * sizeof(value), alignof(value));
    table = {};
}

/// Removes the collected archetypes from a list, keeping the order of the others. Returns the new length.
std::size_t without_collected(std::uint32_t* ids, std::size_t count,
                              const buffer<archetype*>& archetypes) noexcept {
    return static_cast<std::size_t>(
        std::remove_if(ids, ids + count, [&](std::uint32_t id) { return archetypes[id] == nullptr; }) - ids);
}

} // namespace

storage::storage(std::pmr::memory_resource* memory)
    : memory_{memory},
      pool_{memory},
      archetypes_{memory},
      by_mask_{memory},
      steps_{memory},
      created_{memory},
      attachments_{memory} {
    (void)make_archetype({});
}

storage::~storage() {
    for (archetype* place : archetypes_)
        if (place != nullptr) std::pmr::polymorphic_allocator<>{memory_}.delete_object(place);
    for (column_table& table : columns_) release_table(table, memory_);
    for (archetype_list& list : users_) release_table(list, memory_);
}

void storage::explain_missing(entity e, component_id id) const {
    check_alive(e);
    throw_missing_component(e, id);
}

// --- archetypes and the graph

std::uint32_t storage::make_archetype(const component_mask& mask) {
    std::uint32_t id = first_hole_;
    while (id != archetypes_.size() && archetypes_[id] != nullptr) ++id;
    archetypes_.reserve(id + 1);
    created_.reserve(created_.size() + 1);
    mask.each([&](component_id component) {
        reserve_table(columns_[component.index()], id, memory_);
        reserve_table(users_[component.index()], users_[component.index()].size, memory_);
    });
    std::pmr::polymorphic_allocator<> allocator{memory_};
    auto* const made = allocator.new_object<archetype>(id, mask, memory_);
    try {
        by_mask_.insert(mask, id);
    } catch (...) {
        allocator.delete_object(made);
        throw;
    }
    if (id == archetypes_.size())
        archetypes_.append(made);
    else
        archetypes_[id] = made;
    first_hole_ = id + 1;
    created_.append(id);
    ++version_;
    mask.each([&](component_id component) {
        archetype_list& users = users_[component.index()];
        users.data[users.size++] = id;
        column_table& table = columns_[component.index()];
        if (id >= table.size) table.size = id + 1;
        table.data[id] = type_of(component).is_tag() ? &tag_column : nullptr;
    });
    return id;
}

std::uint32_t storage::archetype_of(const component_mask& mask) {
    const std::uint32_t known = by_mask_.find(mask);
    return known != none ? known : make_archetype(mask);
}

void storage::check_change(const archetype& from, const bundle& change, entity e) {
    if (!change.strict) return;
    (from.mask() & change.added).each([&](component_id id) { throw_duplicate_component(e, id); });
    (change.removed - from.mask()).each([&](component_id id) { throw_missing_component(e, id); });
}

std::uint32_t storage::make_edge(std::uint32_t from, std::uint32_t bundle, entity e) {
    const auto change = bundle_of(bundle);
    check_change(*archetypes_[from], change, e);
    const std::uint32_t to = archetype_of((archetypes_[from]->mask() - change.removed) | change.added);
    auto& edges = archetypes_[from]->edges;
    if (bundle >= edges.size()) edges.resize(bundle + 1, none);
    edges[bundle] = to;
    return to;
}

void storage::publish(const archetype& place) noexcept {
    for (const column& c : place.columns()) columns_[c.id.index()].data[place.id()] = c.data;
}

// --- one entity

placement storage::change(entity e, std::uint32_t bundle) {
    check_unlocked();
    check_alive(e);
    const std::uint32_t from = pool_[e].archetype;
    const std::uint32_t to = follow(from, bundle, e);
    if (to == from) return {e, to, pool_[e].row};
    reserve(*archetypes_[to], 1);
    return {e, to, transfer(pool_, e, *archetypes_[from], *archetypes_[to], 0)};
}

void storage::despawn(entity e) {
    check_unlocked();
    check_alive(e);
    const entity_record record = pool_[e];
    archetypes_[record.archetype]->remove(pool_, record.family, record.row);
    pool_.destroy(e);
}

// --- many entities

std::uint32_t storage::prepare_run(std::uint32_t archetype_id, std::size_t count) {
    check_unlocked();
    archetype& place = *archetypes_[archetype_id];
    pool_.reserve(count);
    reserve(place, count);
    const std::uint32_t first = place.next_row(0);
    pool_.peek(place.entities() + first, count);
    return first;
}

void storage::commit_run(std::uint32_t archetype_id, std::size_t count) noexcept {
    archetype& place = *archetypes_[archetype_id];
    pool_.create_run(count, archetype_id, place.next_row(0), 0);
    place.extend(0, static_cast<std::uint32_t>(count));
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

std::span<const batch_step> storage::prepare_batch(std::span<const entity> list, std::uint32_t bundle) {
    check_unlocked();
    check_list(list, bundle_of(bundle));
    steps_.clear();
    try {
        for (const entity e : list) {
            archetype& from = *archetypes_[pool_[e].archetype];
            if (from.pending == 0) steps_.push_back({from.id(), none, 0, 0});
            ++from.pending;
        }
        for (batch_step& step : steps_) {
            step.count = archetypes_[step.from]->pending;
            step.to = follow(step.from, bundle, null);
        }
        forget_pending();
        reserve_steps();
    } catch (...) {
        forget_pending();
        throw;
    }
    return {steps_.begin(), steps_.size()};
}

std::span<const batch_step> storage::prepare_archetypes(std::span<const archetype* const> sources,
                                                        std::uint32_t bundle) {
    check_unlocked();
    steps_.clear();
    try {
        for (const archetype* from : sources) {
            if (from->size() == 0) continue;
            entity any = null; // for the message, should the bundle not fit
            for (const family& group : from->families())
                if (group.size != 0) any = from->entities()[group.first];
            steps_.push_back({from->id(), follow(from->id(), bundle, any), from->size(), 0});
        }
        reserve_steps();
    } catch (...) {
        forget_pending();
        throw;
    }
    return {steps_.begin(), steps_.size()};
}

// Several steps may lead to one archetype: they get rows one after another.
void storage::reserve_steps() {
    for (const batch_step& step : steps_) {
        if (step.to == step.from) continue;
        archetype& to = *archetypes_[step.to];
        reserve(to, std::size_t{to.pending} + step.count);
        to.pending += step.count;
    }
    forget_pending();
    for (batch_step& step : steps_) { // after the last row has moved
        if (step.to == step.from) continue;
        archetype& to = *archetypes_[step.to];
        step.first_row = to.next_row(0) + to.pending;
        to.pending += step.count;
    }
    forget_pending();
}

void storage::forget_pending() noexcept {
    for (const batch_step& step : steps_) {
        archetypes_[step.from]->pending = 0;
        if (step.to != none) archetypes_[step.to]->pending = 0;
    }
}

void storage::commit_archetypes() noexcept {
    for (const batch_step& step : steps_)
        if (step.to != step.from) transfer_all(pool_, *archetypes_[step.from], *archetypes_[step.to], 0);
}

void storage::despawn_archetypes(std::span<const archetype* const> sources) {
    check_unlocked();
    for (const archetype* source : sources) {
        archetype& place = *archetypes_[source->id()];
        for (const family& group : place.families())
            for (std::uint32_t row = group.first; row != group.first + group.size; ++row)
                pool_.destroy(place.entities()[row]);
        place.clear();
    }
}

void storage::commit_batch(std::span<const entity> list, std::uint32_t bundle) noexcept {
    for (const entity e : list) {
        archetype& from = *archetypes_[pool_[e].archetype];
        archetype& to = *archetypes_[from.edges[bundle]];
        if (&to != &from) (void)transfer(pool_, e, from, to, 0);
    }
}

void storage::despawn_batch(std::span<const entity> list) {
    check_unlocked();
    check_list(list, bundle{});
    for (const entity e : list) despawn(e);
}

void storage::clear() {
    check_unlocked();
    for (archetype* place : archetypes_)
        if (place != nullptr) place->clear();
    pool_.destroy_all();
}

// --- housekeeping

void storage::collect(archetype& empty) noexcept {
    const std::uint32_t id = empty.id();
    empty.mask().each([&](component_id component) { columns_[component.index()].data[id] = nullptr; });
    by_mask_.erase(empty.mask());
    archetypes_[id] = nullptr;
    ++version_;
    ++collections_;
    first_hole_ = std::min(id, first_hole_);
    std::pmr::polymorphic_allocator<>{memory_}.delete_object(&empty);
}

void storage::shrink() {
    check_unlocked();
    for (std::uint32_t id = root + 1; id < archetypes_.size(); ++id)
        if (archetypes_[id] != nullptr && archetypes_[id]->size() == 0) collect(*archetypes_[id]);
    created_.set_size(without_collected(created_.data(), created_.size(), archetypes_));
    for (archetype_list& users : users_) {
        users.size = static_cast<std::uint32_t>(without_collected(users.data, users.size, archetypes_));
        if (users.size == 0) release_table(users, memory_);
    }
    while (archetypes_.back() == nullptr) archetypes_.pop_back();
    if (first_hole_ > archetypes_.size()) first_hole_ = static_cast<std::uint32_t>(archetypes_.size());
    for (archetype* place : archetypes_) {
        if (place == nullptr) continue;
        for (std::uint32_t& to : place->edges)
            if (to != none && (to >= archetypes_.size() || archetypes_[to] == nullptr)) to = none;
        while (!place->edges.empty() && place->edges.back() == none) place->edges.pop_back();
    }
    for (column_table& table : columns_) {
        while (table.size != 0 &&
               (table.size > archetypes_.size() || archetypes_[table.size - 1] == nullptr ||
                table.data[table.size - 1] == nullptr))
            --table.size;
        if (table.size == 0) release_table(table, memory_);
    }
    archetypes_.shrink();
    steps_.clear();
    steps_.shrink();
    pool_.shrink();
    compact();
}

void storage::compact() {
    check_unlocked();
    for (archetype* place : archetypes_) {
        if (place == nullptr) continue;
        place->trim();
        publish(*place);
    }
}

std::size_t storage::bytes() const noexcept {
    std::size_t total = sizeof(storage) + pool_.bytes() + archetypes_.bytes() + by_mask_.bytes() +
                        steps_.bytes() + created_.bytes();
    for (const archetype* place : archetypes_)
        if (place != nullptr) total += place->bytes();
    for (const column_table& table : columns_) total += table.capacity * sizeof(std::byte*);
    for (const archetype_list& users : users_) total += users.capacity * sizeof(std::uint32_t);
    return total;
}

bool storage::valid() const {
    if (!pool_.valid() || archetypes_.empty() || archetypes_[root] == nullptr) return false;
    std::size_t counted = 0;
    for (std::uint32_t id = 0; id != archetypes_.size(); ++id) {
        const archetype* const place = archetypes_[id];
        if (place == nullptr) continue;
        if (place->id() != id || by_mask_.find(place->mask()) != id || place->pending != 0) return false;
        if (!place->valid(pool_)) return false;
        counted += place->size();
        for (std::size_t c = 0; c != max_components; ++c) {
            const component_id component{static_cast<std::uint16_t>(c)};
            const column_table& table = columns_[c];
            if (place->mask().test(component)) {
                if (id >= table.size) return false;
            } else if (id < table.size && table.data[id] != nullptr) {
                return false;
            }
        }
        for (const column& c : place->columns())
            if (columns_[c.id.index()].data[id] != c.data) return false;
        for (const std::uint32_t to : place->edges)
            if (to != none && (to >= archetypes_.size() || archetypes_[to] == nullptr)) return false;
    }
    return counted == pool_.alive_count();
}

} // namespace pecs::detail
