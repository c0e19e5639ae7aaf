module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>

module pecs.world;

import pecs.archetype;
import pecs.query;
import pecs.relation;

namespace pecs {
namespace {

void check_default(component_id id) {
    if (!type_of(id).constructible)
        throw unsupported_component{id, "has no default value: add it with a value"};
}

void construct_default(component_id id, void* to, std::size_t count) {
    const component_type& type = type_of(id);
    check_default(id);
    if (type.is_tag()) return;
    if (type.construct != nullptr)
        type.construct(to, count);
    else
        std::memset(to, 0, count * type.size);
}

void check_relation(component_id id) {
    if (!type_of(id).relation) throw unsupported_component{id, "is no relation: only relations have targets"};
}

void check_no_relation(component_id id) {
    if (type_of(id).relation)
        throw unsupported_component{id, "is a relation and needs a target: use relate()"};
}

bool has_many(component_id id) { return type_of(id).rules.many; }

void check_column(component_id id) {
    if (has_many(id))
        throw unsupported_component{id, "has many targets and is no component: name the target, too"};
}

/// Whether an entity has a component, wherever that is kept.
bool has_value(const detail::storage& storage, entity e, component_id id) noexcept {
    return storage.has(e, id) || storage.beside().contains(e, id);
}

/// Values of a type in memory of their own, made by user code before anything changes, and then moved to where they belong.
class new_values {
public:
    /// Default values.
    new_values(const detail::storage& all, component_id id, std::size_t count) : new_values{all, id} {
        if (count == 0) return;
        check_default(id);
        if (type_.is_tag()) return;
        allocate(count);
        const detail::structure_lock lock{all};
        construct_default(id, data_, count);
        made_ = count;
    }
    /// Copies of a value, which may lie in a column that is about to grow; of a tag it is not looked at.
    new_values(const detail::storage& all, component_id id, std::size_t count, const void* value)
        : new_values{all, id} {
        if (count == 0 || type_.is_tag()) return;
        if (!type_.copyable) throw unsupported_component{id, "cannot be copied: add it with its C++ type"};
        allocate(count);
        const detail::structure_lock lock{all};
        for (; made_ != count; ++made_) {
            if (type_.copy != nullptr)
                type_.copy(data_ + made_ * type_.size, value, 1);
            else
                std::memcpy(data_ + made_ * type_.size, value, type_.size);
        }
    }
    new_values(const new_values&) = delete;
    new_values& operator=(const new_values&) = delete;
    ~new_values() {
        if (taken_ != made_) detail::destroy_run(type_, data_ + taken_ * type_.size, made_ - taken_);
    }
    /// Moves the next ones to raw memory; tags have none.
    void move_to(void* to, std::size_t count) noexcept {
        if (type_.is_tag()) return;
        detail::relocate_run(type_, to, data_ + taken_ * type_.size, count);
        taken_ += count;
    }

private:
    new_values(const detail::storage& all, component_id id)
        : type_{type_of(id)}, memory_{small_, sizeof small_, all.memory()} {}
    void allocate(std::size_t count) {
        data_ = static_cast<std::byte*>(memory_.allocate(count * type_.size, type_.alignment));
    }

    const component_type& type_;
    std::byte small_[256]; // NOLINT(cppcoreguidelines-pro-type-member-init): raw
    std::pmr::monotonic_buffer_resource memory_;
    std::byte* data_ = nullptr;
    std::size_t made_ = 0;
    std::size_t taken_ = 0;
};

/// Prepares a batch and tells observers of what will happen; sparse components come and go as said.
std::span<const detail::batch_step> begin_batch(detail::storage& all, std::span<const entity> list,
                                                std::uint32_t bundle,
                                                std::span<const relation_link> links = {},
                                                const component_mask& came = {},
                                                const component_mask& gone = {}) {
    const std::span<const detail::batch_step> steps = all.prepare_batch(list, bundle, links);
    if (all.watch() == nullptr) return steps;
    try {
        const detail::beside_change change{*all.watch(), came, gone};
        all.announce(list);
    } catch (...) {
        all.cancel_batch();
        throw;
    }
    return steps;
}

/// The bundle that changes nothing, for entities that only get or lose what is beside their rows.
std::uint32_t no_bundle() { return detail::static_bundle<true>(detail::types<>{}, detail::types<>{}); }

/// Moves values into the new rows of entities that get a component, and commits the batch.
void finish_batch(detail::storage& all, std::span<const entity> list,
                  std::span<const detail::batch_step> steps, component_id id, new_values& values) noexcept {
    for (const detail::batch_step& step : steps)
        if (step.from.archetype != step.to.archetype)
            values.move_to(all.column_data(id, step.to.archetype) + step.first_row * type_of(id).size,
                           step.count);
    all.commit_batch(list);
}

/// Gives a component to entities that lack it; observers are told later of what has come.
void give(detail::storage& all, std::span<const entity> list, component_id id, new_values& values) {
    if (!type_of(id).is_sparse()) {
        finish_batch(all, list, begin_batch(all, list, detail::bundle_adding(id)), id, values);
        return;
    }
    for (const entity e : list) (void)all.beside().reserve(id, e, list.size());
    (void)begin_batch(all, list, no_bundle(), {}, {id});
    all.commit_batch(list);
    for (const entity e : list) {
        detail::sparse_set& set = *all.beside().set(id);
        values.move_to(set.next_cell(), 1);
        all.beside().insert(set, e);
    }
}

/// Throws unless the entities of a list can get a component.
void check_absent(detail::storage& all, std::span<const entity> list, component_id id) {
    all.check_unlocked();
    check_no_relation(id);
    all.check_list(list);
    for (const entity e : list)
        if (has_value(all, e, id)) detail::throw_duplicate_component(e, id);
}

/// Gives copies of a value to the entities of a list, those that have the component and those that lack it.
void set_values(detail::storage& all, std::span<const entity> list, component_id id, const void* value) {
    const component_type& type = type_of(id);
    std::byte small[256];
    std::pmr::monotonic_buffer_resource memory{small, sizeof small, all.memory()};
    detail::buffer<entity> fresh{&memory};
    detail::buffer<entity> known{&memory};
    fresh.reserve(list.size());
    known.reserve(list.size());
    for (const entity e : list) {
        if (!has_value(all, e, id))
            fresh.append(e);
        else if (!type.is_tag())
            known.append(e);
    }
    if (!fresh.empty()) check_no_relation(id);
    new_values values{all, id, fresh.size() + known.size(), value};
    if (all.watch() != nullptr) all.watch()->reserve(list.size());
    if (!fresh.empty()) give(all, {fresh.data(), fresh.size()}, id, values);
    for (const entity e : known) {
        void* const old = type.is_sparse() ? all.beside().find(e, id) : all.find(e, id, type.size);
        if (all.tracking()) all.mark_written(e, id);
        detail::destroy_run(type, old, 1);
        values.move_to(old, 1);
        if (all.watch() != nullptr) all.watch()->note_set(e, {id});
    }
    all.settle();
}

/// Adds edges with default data, unless they are there.
void add_edges(const detail::storage& all, detail::edge_draft& draft, std::span<const entity> list,
               component_id relation, entity target) {
    const detail::edge_index* const edges = all.edges(relation);
    const auto missing = std::ranges::count_if(
        list, [&](entity e) { return edges == nullptr || edges->find(e, target) == nullptr; });
    new_values values{all, relation, static_cast<std::size_t>(missing)};
    for (const entity e : list) {
        const detail::edge_index::placed place = draft.add(relation, e, target);
        if (place.fresh) values.move_to(place.data, 1);
    }
}

/// The entities that a query matches.
detail::buffer<entity> listed(const detail::storage& all, const dynamic_query& query) {
    detail::buffer<entity> list{all.memory()};
    list.reserve(query.count());
    query.each([&](const family_view& family) {
        for (const entity e : family.entities()) list.append(e);
    });
    return list;
}

std::span<const entity> span_of(const detail::buffer<entity>& list) { return {list.data(), list.size()}; }

} // namespace

// --- entities

entity by_id_verbs::spawn(std::span<const component_id> ids, std::span<const relation_link> links) {
    return spawn_batch(1, ids, links)[0];
}

std::span<const entity> by_id_verbs::spawn_batch(std::size_t count, std::span<const component_id> ids,
                                                 std::span<const relation_link> links) {
    storage_->check_unlocked();
    component_mask mask;
    component_mask sparse;
    for (const component_id id : ids) {
        check_no_relation(id);
        (type_of(id).is_sparse() ? sparse : mask).set(id);
    }
    for (const relation_link& given : links) {
        check_relation(given.relation);
        detail::check_target(*storage_, given.relation, given.target);
        if (!has_many(given.relation)) mask.set(given.relation);
    }
    if (count == 0) return {};
    const std::uint32_t to = storage_->archetype_of(mask);
    const detail::row_run run = storage_->prepare_run(to, count, links);
    const std::span<const entity> made{storage_->archetype_at(to)->entities() + run.first, count};
    component_mask filled;
    detail::edge_draft draft{*storage_};
    try {
        const detail::structure_lock lock{*storage_};
        mask.each([&](component_id id) {
            construct_default(id, storage_->column_data(id, to) + run.first * type_of(id).size, count);
            filled.set(id);
        });
        sparse.each([&](component_id id) {
            for (std::size_t i = 0; i != count; ++i) {
                detail::sparse_set& set = storage_->beside().reserve(id, made[i], count - i);
                construct_default(id, set.next_cell(), 1);
                storage_->beside().insert(set, made[i]);
            }
        });
        for (const relation_link& given : links)
            if (has_many(given.relation)) add_edges(*storage_, draft, made, given.relation, given.target);
    } catch (...) {
        filled.each([&](component_id id) {
            const component_type& type = type_of(id);
            if (!type.is_tag())
                detail::destroy_run(type, storage_->column_data(id, to) + run.first * type.size, count);
        });
        for (const entity e : made) storage_->beside().forget(e);
        storage_->cancel_run(run);
        throw;
    }
    storage_->commit_run(run, count);
    draft.keep();
    draft.settle(made);
    return made;
}

// --- relations

void by_id_verbs::relate(entity e, component_id relation, entity target) {
    relate_batch({&e, 1}, relation, target);
}

void by_id_verbs::relate_batch(std::span<const entity> list, component_id relation, entity target) {
    storage_->check_unlocked();
    check_relation(relation);
    storage_->check_list(list);
    detail::check_target(*storage_, relation, target);
    if (has_many(relation)) {
        detail::check_acyclic_edges(*storage_, list, relation, target);
        detail::edge_draft draft{*storage_};
        add_edges(*storage_, draft, list, relation, target);
        draft.keep();
        draft.settle();
        return;
    }
    detail::check_acyclic(*storage_, list, relation, target);
    const auto missing = std::ranges::count_if(list, [&](entity e) { return !storage_->has(e, relation); });
    new_values values{*storage_, relation, static_cast<std::size_t>(missing)};
    const relation_link links[] = {{relation, target}};
    const std::uint32_t bundle = detail::bundle_id({.added = {relation}, .removed = {}, .strict = false});
    finish_batch(*storage_, list, begin_batch(*storage_, list, bundle, links), relation, values);
    storage_->settle();
}

void by_id_verbs::relate_batch(const dynamic_query& all, component_id relation, entity target) {
    relate_batch(span_of(listed(*storage_, all)), relation, target);
}

void by_id_verbs::unrelate(entity e, component_id relation) { unrelate_batch({&e, 1}, relation); }

void by_id_verbs::unrelate_batch(std::span<const entity> list, component_id relation) {
    check_relation(relation);
    if (!has_many(relation)) {
        remove_batch(list, relation);
        return;
    }
    storage_->check_unlocked();
    storage_->check_list(list);
    for (const entity e : list)
        if (!storage_->has_edges(e, relation)) detail::throw_missing_component(e, relation);
    if (!list.empty()) storage_->cut_edges(relation, list, null);
}

void by_id_verbs::unrelate_batch(const dynamic_query& all, component_id relation) {
    unrelate_batch(span_of(listed(*storage_, all)), relation);
}

void by_id_verbs::unrelate(entity e, component_id relation, entity target) {
    unrelate_batch({&e, 1}, relation, target);
}

void by_id_verbs::unrelate_batch(std::span<const entity> list, component_id relation, entity target) {
    check_relation(relation);
    storage_->check_unlocked();
    storage_->check_list(list);
    for (const entity e : list)
        if (!has(e, relation, target)) detail::throw_missing_edge(e, relation, target);
    if (!has_many(relation))
        remove_batch(list, relation);
    else if (!list.empty())
        storage_->cut_edges(relation, list, target);
}

void by_id_verbs::unrelate_batch(const dynamic_query& all, component_id relation, entity target) {
    unrelate_batch(span_of(listed(*storage_, all)), relation, target);
}

component_id by_id_verbs::observed_relation(std::span<const component_id> ids) {
    if (ids.size() != 1)
        throw unsupported_component{component_id{detail::no_component},
                                    "is not one relation: on_relate is about exactly one"};
    check_relation(ids[0]);
    return ids[0];
}

component_mask by_id_verbs::observed_types(detail::happening what, std::span<const component_id> ids) {
    component_mask types;
    bool data = false;
    for (const component_id id : ids) {
        check_column(id);
        types.set(id);
        data = data || !type_of(id).is_tag();
    }
    const bool whole = what == detail::happening::spawned || what == detail::happening::despawned;
    if (types.empty() && !whole)
        throw unsupported_component{component_id{detail::no_component},
                                    "names nothing that could be observed"};
    if (what == detail::happening::set && !data)
        throw unsupported_component{ids[0], "is a tag and has no value that could be set: use on_add"};
    return types;
}

std::span<const entity> by_id_verbs::targets(entity e, component_id relation) const noexcept {
    const detail::edge_index* const edges = storage_->edges(relation);
    if (edges == nullptr) return {};
    return edges->targets(e);
}

std::span<const entity> by_id_verbs::sources(entity e, component_id relation) const noexcept {
    const detail::edge_index* const edges = storage_->edges(relation);
    if (edges == nullptr) return {};
    return edges->sources(e);
}

void* by_id_verbs::get(entity e, component_id relation, entity target) const {
    check_relation(relation);
    if (!has_many(relation))
        throw unsupported_component{relation, "has one target at most: get its data as of any component"};
    void* const value = try_get(e, relation, target);
    if (value == nullptr) {
        storage_->check_alive(e);
        if (has(e, relation, target))
            throw unsupported_component{relation, "is a tag and has no value: ask with has()"};
        detail::throw_missing_edge(e, relation, target);
    }
    return value;
}

void* by_id_verbs::try_get(entity e, component_id relation, entity target) const noexcept {
    const detail::edge_index* const edges = storage_->edges(relation);
    return edges == nullptr || edges->type().is_tag() ? nullptr : edges->find(e, target);
}

entity by_id_verbs::target(entity e, component_id relation) const noexcept {
    return storage_->target(e, relation);
}

bool by_id_verbs::has(entity e, component_id relation, entity target) const noexcept {
    if (const detail::edge_index* const edges = storage_->edges(relation))
        return edges->find(e, target) != nullptr;
    return target && storage_->target(e, relation) == target;
}

// --- components

void by_id_verbs::add(entity e, component_id id) { add_batch({&e, 1}, id); }

void by_id_verbs::add_batch(std::span<const entity> list, component_id id) {
    check_absent(*storage_, list, id);
    new_values values{*storage_, id, list.size()};
    give(*storage_, list, id, values);
    storage_->settle();
}

void by_id_verbs::add_batch(const dynamic_query& all, component_id id) {
    add_batch(span_of(listed(*storage_, all)), id);
}

void by_id_verbs::add(entity e, component_id id, const void* value) { add_batch({&e, 1}, id, value); }

void by_id_verbs::add_batch(std::span<const entity> list, component_id id, const void* value) {
    check_absent(*storage_, list, id);
    new_values values{*storage_, id, list.size(), value};
    give(*storage_, list, id, values);
    storage_->settle();
}

void by_id_verbs::add_batch(const dynamic_query& all, component_id id, const void* value) {
    add_batch(span_of(listed(*storage_, all)), id, value);
}

void by_id_verbs::set(entity e, component_id id, const void* value) {
    storage_->check_alive(e);
    set_values(*storage_, {&e, 1}, id, value); // if it is there, nothing moves: this is allowed in a loop
}

void by_id_verbs::set_batch(std::span<const entity> list, component_id id, const void* value) {
    storage_->check_unlocked();
    storage_->check_list(list);
    set_values(*storage_, list, id, value);
}

void by_id_verbs::set_batch(const dynamic_query& all, component_id id, const void* value) {
    set_batch(span_of(listed(*storage_, all)), id, value);
}

void by_id_verbs::remove(entity e, component_id id) { remove_batch({&e, 1}, id); }

void by_id_verbs::remove_batch(std::span<const entity> list, component_id id) {
    storage_->check_unlocked();
    check_column(id);
    storage_->check_list(list);
    for (const entity e : list)
        if (!has_value(*storage_, e, id)) detail::throw_missing_component(e, id);
    const bool sparse = type_of(id).is_sparse();
    const std::uint32_t bundle = sparse ? no_bundle() : detail::bundle_removing(id);
    (void)begin_batch(*storage_, list, bundle, {}, {}, sparse ? component_mask{id} : component_mask{});
    storage_->commit_batch(list);
    for (std::size_t i = 0; sparse && i != list.size(); ++i) storage_->beside().erase(id, list[i]);
    storage_->settle();
}

void by_id_verbs::remove_batch(const dynamic_query& all, component_id id) {
    remove_batch(span_of(listed(*storage_, all)), id);
}

bool by_id_verbs::has(entity e, component_id id) const noexcept {
    return id.index() < component_count() && (has_value(*storage_, e, id) || storage_->has_edges(e, id));
}

void* by_id_verbs::get(entity e, component_id id) const {
    check_column(id);
    void* const value = try_get(e, id);
    if (value == nullptr) {
        if (has_value(*storage_, e, id))
            throw unsupported_component{id, "is a tag and has no value: ask with has()"};
        storage_->explain_missing(e, id);
    }
    return value;
}

void* by_id_verbs::try_get(entity e, component_id id) const noexcept {
    if (id.index() >= component_count()) return nullptr;
    const component_type& type = type_of(id);
    if (type.is_tag()) return nullptr;
    void* const value = type.is_sparse() ? storage_->beside().find(e, id) : storage_->find(e, id, type.size);
    if (value != nullptr && storage_->tracking()) storage_->mark_written(e, id);
    return value;
}

void by_id_verbs::disable(entity e, component_id id) { disable_batch({&e, 1}, id); }

void by_id_verbs::disable_batch(std::span<const entity> list, component_id id) {
    check_column(id);
    detail::disable_all(*storage_, list, id);
}

void by_id_verbs::disable_batch(const dynamic_query& all, component_id id) {
    disable_batch(span_of(listed(*storage_, all)), id);
}

void by_id_verbs::enable(entity e, component_id id) { enable_batch({&e, 1}, id); }

void by_id_verbs::enable_batch(std::span<const entity> list, component_id id) {
    check_column(id);
    detail::enable_all(*storage_, list, id);
}

void by_id_verbs::enable_batch(const dynamic_query& all, component_id id) {
    enable_batch(span_of(listed(*storage_, all)), id);
}

bool by_id_verbs::enabled(entity e, component_id id) const noexcept {
    return id.index() < component_count() && has_value(*storage_, e, id) &&
           !storage_->beside().disabled(e, id);
}

} // namespace pecs
