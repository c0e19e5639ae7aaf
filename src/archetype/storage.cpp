module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

/// A number that no storage has had.
std::uint64_t next_version() noexcept {
    static constinit std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

} // namespace

storage::storage(std::pmr::memory_resource* memory, const storage_limits& limits)
    : memory_{memory},
      resources_{memory},
      pool_{memory, limits.entities, limits.last_generation},
      archetypes_{memory},
      columns_{memory},
      by_mask_{memory},
      steps_{memory},
      tuple_{memory},
      targets_{memory},
      edges_{memory},
      beside_{memory, ticks_},
      created_{memory},
      limits_{limits},
      attachments_{memory} {
    (void)make_archetype({});
}

storage::~storage() {
    if (observers_ != nullptr) std::pmr::polymorphic_allocator<>{memory_}.delete_object(observers_);
    watch_ = nullptr;
    for (archetype* place : archetypes_)
        if (place != nullptr) std::pmr::polymorphic_allocator<>{memory_}.delete_object(place);
    for (edge_index* index : edges_)
        if (index != nullptr) std::pmr::polymorphic_allocator<>{memory_}.delete_object(index);
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
    component_mask related;
    mask.each([&](component_id component) {
        if (type_of(component).relation) related.set(component);
    });
    tuple_.reserve(related.count());
    columns_.reserve(id + 1, mask);
    mask.each([&](component_id component) {
        reserve_table(users_[component.index()], users_[component.index()].size, memory_);
    });
    std::pmr::polymorphic_allocator<> allocator{memory_};
    auto* const made = allocator.new_object<archetype>(id, mask, memory_, limits_.rows);
    try {
        if (tracking())
            mask.each([&](component_id component) {
                if (tracks(component)) made->show_ticks(made->make_ticks(component, ticks_.clock));
            });
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
    relations_ |= related;
    version_ = next_version();
    mask.each([&](component_id component) {
        archetype_list& users = users_[component.index()];
        users.data[users.size++] = id;
        if (type_of(component).is_tag()) columns_.set(component, id, &tag_column);
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
    for (const column& c : place.columns()) columns_.set(c.id, place.id(), c.data);
}

// --- one entity

// The family in which an entity of `from` (none, for a new one) will be in `to`, where links replace targets.
family& storage::family_for(archetype& to, const archetype* from, const family* group,
                            std::span<const link> links) {
    const relation_index* const related = to.relations();
    if (related == nullptr) return to.only();
    tuple_.clear();
    for (const component_id id : related->ids) {
        entity target;
        for (const link& given : links)
            if (given.relation == id) target = given.target;
        if (!target) target = from->target(*group, from->relations()->position(id));
        tuple_.append(target);
        mark_target(target);
    }
    return to.make_family(tuple_.data());
}

placement storage::place_new(archetype& place, family& group) noexcept {
    const std::uint32_t row = archetype::next_row(group);
    const entity e = pool_.create(place.id(), row, place.key_of(group));
    place.entities()[row] = e;
    if (place.ticks() != nullptr) [[unlikely]]
        place.begin_rows(group, row, 1);
    place.extend(group, 1);
    return {e, place.id(), row};
}

placement storage::spawn(std::uint32_t bundle) {
    check_unlocked();
    const std::uint32_t to = follow(root, bundle, null);
    archetype& place = *archetypes_[to];
    pool_.reserve(1);
    reserve(place, place.only(), 1);
    return place_new(place, place.only());
}

placement storage::spawn(std::uint32_t bundle, std::span<const link> links) {
    check_unlocked();
    archetype& place = *archetypes_[follow(root, bundle, null)];
    pool_.reserve(1);
    family& group = family_for(place, nullptr, nullptr, links);
    try {
        reserve(place, group, 1);
    } catch (...) {
        place.drop_if_empty(group);
        throw;
    }
    return place_new(place, group);
}

[[gnu::always_inline]] inline placement storage::stay(entity e, const entity_record& record) {
    if (watch_ != nullptr) [[unlikely]]
        announce_beside(e);
    return {e, record.archetype, record.row};
}

[[gnu::always_inline]] inline placement storage::move(entity e, const entity_record& record, archetype& from,
                                                      archetype& to, std::span<const link> links) {
    if (&to == &from && links.empty()) return stay(e, record);
    family& group =
        to.relations() == nullptr ? to.only() : family_for(to, &from, &from.at(record.family), links);
    if (&to == &from && to.key_of(group) == record.family) return stay(e, record);
    try {
        reserve(to, group, 1);
        if (watch_ != nullptr) [[unlikely]]
            announce_one(e, from, record.family, to, group);
    } catch (...) {
        to.drop_if_empty(group);
        throw;
    }
    if (is_target(e)) note_moves(from, to, relations_in(links));
    if (beside_.disabled_count() != 0) [[unlikely]]
        beside_.lose(e, from.mask() - to.mask());
    const std::uint32_t row = transfer(pool_, e, from, to, group);
    if (from.relations() != nullptr) from.drop_if_empty(from.at(record.family));
    return {e, to.id(), row};
}

void storage::note_moves(const archetype& from, const archetype& to,
                         const component_mask& retargeted) noexcept {
    const component_mask either = (from.mask() | to.mask()) - (from.mask() & to.mask());
    ((either & relations_) | retargeted).each([&](component_id id) { ++relation_changes_[id.index()]; });
}

placement storage::change(entity e, std::uint32_t bundle, std::span<const link> links) {
    check_unlocked();
    check_alive(e);
    const entity_record record = pool_[e];
    archetype& from = *archetypes_[record.archetype];
    archetype& to = *archetypes_[follow(record.archetype, bundle, e)];
    return move(e, record, from, to, links);
}

placement storage::move_to(entity e, std::uint32_t archetype, std::span<const link> links) {
    const entity_record record = pool_[e];
    return move(e, record, *archetypes_[record.archetype], *archetypes_[archetype], links);
}

[[gnu::always_inline]] inline void storage::end_now(entity e) noexcept {
    const entity_record record = pool_[e];
    archetype& place = *archetypes_[record.archetype];
    family& group = place.at(record.family);
    place.remove(pool_, group, record.row);
    place.drop_if_empty(group);
    if (is_target(e)) unlink(e);
    beside_.forget(e);
    pool_.destroy(e);
}

void storage::despawn(entity e) {
    check_unlocked();
    check_alive(e);
    if (watch_ != nullptr) [[unlikely]]
        announce_end(e);
    end_now(e);
}

void storage::end(entity e) noexcept { end_now(e); }

void storage::unlink(entity e) noexcept {
    targets_[e.index() / 64] &= ~(std::uint64_t{1} << e.index() % 64);
    edge_relations_.each([&](component_id relation) { edges_[relation.index()]->erase_all(e); });
}

edge_index::placed storage::add_edge(component_id relation, entity source, entity target) {
    if (edges(relation) == nullptr) {
        if (relation.index() >= edges_.size()) edges_.resize(relation.index() + 1U, nullptr);
        edges_[relation.index()] = std::pmr::polymorphic_allocator<>{memory_}.new_object<edge_index>(
            relation, memory_, limits_.edges);
        edge_relations_.set(relation);
    }
    mark_target(source);
    mark_target(target);
    return edges_[relation.index()]->insert(source, target);
}

void storage::despawn_family(family_ref which) noexcept {
    archetype& place = *archetypes_[which.archetype];
    family* const group = place.find_key(which.key);
    if (group == nullptr) return;
    const entity* const dying = place.entities() + group->first;
    for (std::uint32_t i = 0; i != group->size; ++i)
        if (is_target(dying[i])) unlink(dying[i]);
    for (std::uint32_t i = 0; beside_.in_use() && i != group->size; ++i) beside_.forget(dying[i]);
    pool_.destroy_run(dying, group->size);
    group->doomed = 0;
    place.clear(*group);
    place.drop_if_empty(*group);
}

void storage::clear() {
    check_unlocked();
    if (watch_ != nullptr) announce_clear();
    for (archetype* place : archetypes_)
        if (place != nullptr) place->clear();
    for (edge_index* index : edges_)
        if (index != nullptr) index->clear();
    beside_.clear();
    pool_.destroy_all();
    for (std::uint64_t& word : targets_) word = 0;
}

// --- housekeeping

void storage::collect(archetype& empty) noexcept {
    const std::uint32_t id = empty.id();
    empty.mask().each([&](component_id component) { columns_.set(component, id, nullptr); });
    if (empty.relations() != nullptr)
        for (const component_id relation : empty.relations()->ids)
            relation_changes_[relation.index()] += empty.relations()->changes;
    by_mask_.erase(empty.mask());
    archetypes_[id] = nullptr;
    version_ = next_version();
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
    component_mask used;
    for (const archetype* place : archetypes_)
        if (place != nullptr) used |= place->mask();
    columns_.shrink(static_cast<std::uint32_t>(archetypes_.size()), used);
    archetypes_.shrink();
    steps_.clear();
    steps_.shrink();
    targets_.shrink();
    edge_relations_.each([&](component_id relation) {
        edge_index*& index = edges_[relation.index()];
        if (index->size() != 0) return;
        std::pmr::polymorphic_allocator<>{memory_}.delete_object(index);
        index = nullptr;
        edge_relations_.reset(relation);
    });
    while (!edges_.empty() && edges_.back() == nullptr) edges_.pop_back();
    edges_.shrink();
    beside_.shrink();
    pool_.shrink();
    compact();
}

void storage::compact() {
    check_unlocked();
    for (archetype* place : archetypes_) {
        if (place == nullptr) continue;
        try {
            place->trim(pool_);
        } catch (...) {
            publish(*place); // some of its columns may have moved
            throw;
        }
        publish(*place);
    }
    for (edge_index* index : edges_)
        if (index != nullptr) index->compact();
}

std::size_t storage::bytes() const noexcept {
    std::size_t total = sizeof(storage) + pool_.bytes() + archetypes_.bytes() + by_mask_.bytes() +
                        columns_.bytes() + steps_.bytes() + tuple_.bytes() + targets_.bytes() +
                        edges_.bytes() + created_.bytes() + resources_.bytes() + beside_.bytes() +
                        (observers_ != nullptr ? observers_->bytes() : 0);
    for (const edge_index* index : edges_)
        if (index != nullptr) total += index->bytes();
    for (const archetype* place : archetypes_)
        if (place != nullptr) total += place->bytes();
    for (const archetype_list& users : users_) total += users.capacity * sizeof(std::uint32_t);
    return total;
}

bool storage::valid() const {
    if (!pool_.valid() || archetypes_.empty() || archetypes_[root] == nullptr) return false;
    std::size_t counted = 0;
    for (std::uint32_t id = 0; id != archetypes_.size(); ++id) {
        const archetype* const place = archetypes_[id];
        if (place == nullptr) continue;
        if (place->id() != id || by_mask_.find(place->mask()) != id) return false;
        if (!place->valid(pool_)) return false;
        if (const relation_index* const related = place->relations())
            for (const family& group : place->families())
                for (std::uint32_t i = 0; group.size != 0 && i != related->count(); ++i)
                    if (!is_target(place->target(group, i))) return false;
        counted += place->size();
        for (std::size_t c = 0; c != max_components; ++c) {
            const component_id component{static_cast<std::uint16_t>(c)};
            if (!place->mask().test(component) && columns_.find(component, id) != nullptr) return false;
        }
        for (const column& c : place->columns())
            if (columns_.find(c.id, id) != c.data) return false;
        bool ticked = true; // what is tracked has ticks, and nothing else
        place->mask().each([&](component_id component) {
            ticked = ticked && tracks(component) == (place->find_ticks(component) != nullptr);
        });
        if (!ticked) return false;
        for (const std::uint32_t to : place->edges)
            if (to != none && (to >= archetypes_.size() || archetypes_[to] == nullptr)) return false;
    }
    return counted == pool_.alive_count() && valid_edges() && beside_.valid(pool_) && valid_disabled();
}

// Both ends of each edge are alive, and marked, so that they are not despawned without a look at their edges.
bool storage::valid_edges() const {
    for (std::size_t i = 0; i != edges_.size(); ++i) {
        if (edge_relations_.test(component_id{static_cast<std::uint16_t>(i)}) != (edges_[i] != nullptr))
            return false;
        if (edges_[i] == nullptr) continue;
        if (!edges_[i]->valid()) return false;
        for (const bool of_targets : {true, false}) {
            const target_table& owners = edges_[i]->owners(of_targets);
            for (std::uint32_t slot = 0; slot != owners.slot_count(); ++slot) {
                const entity e = owners.slots()[slot].target;
                if (e && (!pool_.alive(e) || !is_target(e))) return false;
            }
        }
    }
    return true;
}

// What is disabled is there.
bool storage::valid_disabled() const {
    bool fits = true;
    beside_.disabled_types().each([&](component_id id) {
        const bool sparse = type_of(id).is_sparse();
        for (std::uint32_t index = 0; index != pool_.index_count(); ++index) {
            const entity e{index, pool_.data()[index].generation};
            if (!pool_.data()[index].in_use() || !beside_.disabled(e, id)) continue;
            fits = fits && (sparse ? beside_.contains(e, id) : has(e, id));
        }
    });
    return fits;
}

} // namespace pecs::detail
