module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>

module pecs.world;

import pecs.archetype;
import pecs.relation;

namespace pecs {
namespace {

void construct_default(component_id id, void* to) {
    const component_type& type = type_of(id);
    if (!type.constructible) throw unsupported_component{id, "has no default value: add it with a value"};
    if (type.is_tag()) return;
    if (type.construct != nullptr)
        type.construct(to, 1);
    else
        std::memset(to, 0, type.size);
}

void construct_copy(component_id id, void* to, const void* value) {
    const component_type& type = type_of(id);
    if (!type.copyable) throw unsupported_component{id, "cannot be copied: add it with its C++ type"};
    if (type.is_tag()) return;
    if (type.copy != nullptr)
        type.copy(to, value, 1);
    else
        std::memcpy(to, value, type.size);
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

/// Commits a batch of one entity, to whose new row a value of a component was given, if it is another archetype's; what
/// observers throw after the change is left to `settle`.
void commit_one(detail::storage& storage, entity e, component_id id) {
    try {
        storage.announce({&e, 1});
    } catch (...) {
        const component_type& type = type_of(id);
        const detail::batch_step& step = storage.steps()[0];
        if (step.from.archetype != step.to.archetype && !type.is_tag())
            detail::destroy_run(type, storage.column_data(id, step.to.archetype) + step.first_row * type.size,
                                1);
        storage.cancel_batch();
        throw;
    }
    storage.commit_batch({&e, 1});
}

/// Whether an entity has a component, wherever that is kept.
bool has_value(const detail::storage& storage, entity e, component_id id) noexcept {
    return storage.has(e, id) || storage.beside().contains(e, id);
}

/// Adds a component whose value `make` constructs, in the raw row that the entity will get. If it throws, the entity
/// has not moved yet.
template <class Make> void add_with(detail::storage& storage, entity e, component_id id, Make make) {
    storage.check_unlocked();
    storage.check_alive(e);
    const component_type& type = type_of(id);
    check_no_relation(id);
    if (type.is_sparse()) {
        if (storage.beside().contains(e, id)) detail::throw_duplicate_component(e, id);
        detail::sparse_set& set = storage.beside().reserve(id, e);
        {
            const detail::structure_lock lock{storage};
            make(set.next_cell());
        }
        if (storage.watch() != nullptr) {
            try {
                const detail::beside_change change{*storage.watch(), {id}, {}};
                storage.announce_beside(e);
            } catch (...) {
                if (!type.is_tag()) detail::destroy_run(type, set.next_cell(), 1);
                throw;
            }
        }
        storage.beside().insert(set, e);
        return;
    }
    const std::uint32_t bundle = detail::bundle_adding(id);
    const auto steps = storage.prepare_batch({&e, 1}, bundle);
    try {
        const detail::structure_lock lock{storage};
        make(storage.column_data(id, steps[0].to.archetype) + steps[0].first_row * type.size);
    } catch (...) {
        storage.cancel_batch();
        throw;
    }
    commit_one(storage, e, id);
}

/// Raw memory for one value.
class scratch {
public:
    scratch(const component_type& type, std::pmr::memory_resource* memory)
        : type_{type}, memory_{memory}, data_{memory->allocate(type.size, type.alignment)} {}
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch() { memory_->deallocate(data_, type_.size, type_.alignment); }
    [[nodiscard]] void* data() const noexcept { return data_; }

private:
    const component_type& type_;
    std::pmr::memory_resource* memory_;
    void* data_;
};

/// Adds an edge with default data, unless it is there; then it is false.
bool add_edge(detail::storage& storage, entity e, component_id relation, entity target) {
    const component_type& type = type_of(relation);
    if (type.is_tag()) return storage.add_edge(relation, e, target).fresh;
    const scratch fresh{type, storage.memory()};
    {
        const detail::structure_lock lock{storage};
        construct_default(relation, fresh.data());
    }
    try {
        const auto place = storage.add_edge(relation, e, target);
        if (place.fresh)
            detail::relocate_value(type, place.data, fresh.data());
        else
            detail::destroy_run(type, fresh.data(), 1);
        return place.fresh;
    } catch (...) {
        detail::destroy_run(type, fresh.data(), 1);
        throw;
    }
}

} // namespace

entity by_id_verbs::spawn(std::span<const component_id> ids, std::span<const relation_link> links) {
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
    const std::uint32_t to = storage_->archetype_of(mask);
    const detail::row_run run = storage_->prepare_run(to, 1, links);
    const entity e = storage_->archetype_at(to)->entities()[run.first];
    component_mask made;
    detail::buffer<detail::edge_change> edges_made{storage_->memory()};
    try {
        const detail::structure_lock lock{*storage_};
        mask.each([&](component_id id) {
            construct_default(id, storage_->column_data(id, to) + run.first * type_of(id).size);
            made.set(id);
        });
        sparse.each([&](component_id id) {
            detail::sparse_set& set = storage_->beside().reserve(id, e);
            construct_default(id, set.next_cell());
            storage_->beside().insert(set, e);
        });
        for (const relation_link& given : links)
            if (has_many(given.relation)) {
                edges_made.reserve(edges_made.size() + 1);
                if (add_edge(*storage_, e, given.relation, given.target))
                    edges_made.append({given.relation, e, given.target});
            }
    } catch (...) {
        for (const relation_link& given : links)
            if (auto* const edges = storage_->edges(given.relation)) edges->erase_targets(e);
        made.each([&](component_id id) {
            const component_type& type = type_of(id);
            if (!type.is_tag())
                detail::destroy_run(type, storage_->column_data(id, to) + run.first * type.size, 1);
        });
        storage_->beside().forget(e);
        storage_->cancel_run(run);
        throw;
    }
    storage_->commit_run(run, 1);
    if (storage_->watch() != nullptr)
        storage_->tell_new({run.archetype, run.key, run.first, 1}, {edges_made.data(), edges_made.size()});
    return e;
}

void by_id_verbs::relate(entity e, component_id relation, entity target) {
    storage_->check_unlocked();
    check_relation(relation);
    storage_->check_alive(e);
    detail::check_target(*storage_, relation, target);
    if (has_many(relation)) {
        detail::check_acyclic_edges(*storage_, {&e, 1}, relation, target);
        if (add_edge(*storage_, e, relation, target) && storage_->watch() != nullptr)
            storage_->tell_edge({relation, e, target}, true);
        return;
    }
    detail::check_acyclic(*storage_, e, relation, target);
    const relation_link links[] = {{relation, target}};
    const std::uint32_t bundle = detail::bundle_id({.added = {relation}, .removed = {}, .strict = false});
    const auto steps = storage_->prepare_batch({&e, 1}, bundle, links);
    if (steps[0].from.archetype != steps[0].to.archetype) {
        try {
            const detail::structure_lock lock{*storage_};
            construct_default(relation, storage_->column_data(relation, steps[0].to.archetype) +
                                            steps[0].first_row * type_of(relation).size);
        } catch (...) {
            storage_->cancel_batch();
            throw;
        }
    }
    commit_one(*storage_, e, relation);
    storage_->settle();
}

void by_id_verbs::unrelate(entity e, component_id relation) {
    check_relation(relation);
    if (!has_many(relation)) {
        remove(e, relation);
        return;
    }
    storage_->check_unlocked();
    if (!storage_->has_edges(e, relation)) storage_->explain_missing(e, relation);
    storage_->cut_edges(relation, {&e, 1}, null);
}

void by_id_verbs::unrelate(entity e, component_id relation, entity target) {
    check_relation(relation);
    storage_->check_unlocked();
    storage_->check_alive(e);
    if (!has(e, relation, target)) detail::throw_missing_edge(e, relation, target);
    if (has_many(relation))
        storage_->cut_edges(relation, {&e, 1}, target);
    else
        remove(e, relation);
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

void by_id_verbs::add(entity e, component_id id) {
    add_with(*storage_, e, id, [id](void* to) { construct_default(id, to); });
    storage_->settle();
}

void by_id_verbs::add(entity e, component_id id, const void* value) {
    const component_type& type = type_of(id);
    if (type.is_tag()) {
        add(e, id);
        return;
    }
    // `value` may lie in the column that is about to grow, so it is copied first.
    const scratch copy{type, storage_->memory()};
    construct_copy(id, copy.data(), value);
    bool moved = false;
    try {
        add_with(*storage_, e, id, [&](void* to) {
            detail::relocate_value(type, to, copy.data());
            moved = true;
        });
    } catch (...) {
        if (!moved) detail::destroy_run(type, copy.data(), 1);
        throw;
    }
    storage_->settle();
}

void by_id_verbs::set(entity e, component_id id, const void* value) {
    storage_->check_alive(e);
    const component_type& type = type_of(id);
    if (!has_value(*storage_, e, id)) {
        add(e, id, value);
        return;
    }
    if (type.is_tag()) return;
    const scratch copy{type, storage_->memory()};
    {
        const detail::structure_lock lock{*storage_};
        construct_copy(id, copy.data(), value);
    }
    if (storage_->watch() != nullptr) {
        try {
            storage_->watch()->reserve(1);
        } catch (...) {
            detail::destroy_run(type, copy.data(), 1);
            throw;
        }
    }
    void* const old = get(e, id);
    detail::destroy_run(type, old, 1);
    detail::relocate_value(type, old, copy.data());
    if (storage_->watch() != nullptr) {
        storage_->watch()->note_set(e, {id});
        storage_->settle();
    }
}

void by_id_verbs::remove(entity e, component_id id) {
    check_column(id);
    if (type_of(id).is_sparse()) {
        storage_->check_unlocked();
        if (!storage_->beside().contains(e, id)) storage_->explain_missing(e, id);
        if (storage_->watch() != nullptr) {
            const detail::beside_change change{*storage_->watch(), {}, {id}};
            storage_->announce_beside(e);
        }
        storage_->beside().erase(id, e);
        return;
    }
    (void)storage_->change(e, detail::bundle_removing(id));
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

void by_id_verbs::disable(entity e, component_id id) {
    check_column(id);
    detail::disable_all(*storage_, {&e, 1}, id);
}

void by_id_verbs::enable(entity e, component_id id) {
    check_column(id);
    detail::enable_all(*storage_, {&e, 1}, id);
}

bool by_id_verbs::enabled(entity e, component_id id) const noexcept {
    return id.index() < component_count() && has_value(*storage_, e, id) &&
           !storage_->beside().disabled(e, id);
}

} // namespace pecs
