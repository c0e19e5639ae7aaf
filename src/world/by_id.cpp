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

/// Adds a component whose value `make` constructs, in the raw row that the entity will get. If it throws, the entity
/// has not moved yet.
template <class Make> void add_with(detail::storage& storage, entity e, component_id id, Make make) {
    storage.check_unlocked();
    storage.check_alive(e);
    const component_type& type = type_of(id);
    check_no_relation(id);
    const std::uint32_t bundle = detail::bundle_adding(id);
    const auto steps = storage.prepare_batch({&e, 1}, bundle);
    try {
        const detail::structure_lock lock{storage};
        make(storage.column_data(id, steps[0].to.archetype) + steps[0].first_row * type.size);
    } catch (...) {
        storage.cancel_batch();
        throw;
    }
    storage.commit_batch({&e, 1});
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

} // namespace

entity by_id_verbs::spawn(std::span<const component_id> ids, std::span<const relation_link> links) {
    storage_->check_unlocked();
    component_mask mask;
    for (const component_id id : ids) {
        check_no_relation(id);
        mask.set(id);
    }
    for (const relation_link& given : links) {
        check_relation(given.relation);
        detail::check_target(*storage_, given.relation, given.target);
        mask.set(given.relation);
    }
    const std::uint32_t to = storage_->archetype_of(mask);
    const detail::row_run run = storage_->prepare_run(to, 1, links);
    component_mask made;
    try {
        const detail::structure_lock lock{*storage_};
        mask.each([&](component_id id) {
            construct_default(id, storage_->column_data(id, to) + run.first * type_of(id).size);
            made.set(id);
        });
    } catch (...) {
        made.each([&](component_id id) {
            const component_type& type = type_of(id);
            if (!type.is_tag())
                detail::destroy_run(type, storage_->column_data(id, to) + run.first * type.size, 1);
        });
        storage_->cancel_run(run);
        throw;
    }
    storage_->commit_run(run, 1);
    return storage_->archetype_at(to)->entities()[run.first];
}

void by_id_verbs::relate(entity e, component_id relation, entity target) {
    storage_->check_unlocked();
    check_relation(relation);
    storage_->check_alive(e);
    detail::check_target(*storage_, relation, target);
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
    storage_->commit_batch({&e, 1});
}

void by_id_verbs::unrelate(entity e, component_id relation) {
    check_relation(relation);
    remove(e, relation);
}

entity by_id_verbs::target(entity e, component_id relation) const noexcept {
    return storage_->target(e, relation);
}

bool by_id_verbs::has(entity e, component_id relation, entity target) const noexcept {
    return target && storage_->target(e, relation) == target;
}

void by_id_verbs::add(entity e, component_id id) {
    add_with(*storage_, e, id, [id](void* to) { construct_default(id, to); });
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
    try {
        add_with(*storage_, e, id, [&](void* to) { detail::relocate_value(type, to, copy.data()); });
    } catch (...) {
        detail::destroy_run(type, copy.data(), 1);
        throw;
    }
}

void by_id_verbs::set(entity e, component_id id, const void* value) {
    storage_->check_alive(e);
    const component_type& type = type_of(id);
    if (!storage_->has(e, id)) {
        add(e, id, value);
        return;
    }
    if (type.is_tag()) return;
    const scratch copy{type, storage_->memory()};
    {
        const detail::structure_lock lock{*storage_};
        construct_copy(id, copy.data(), value);
    }
    void* const old = get(e, id);
    detail::destroy_run(type, old, 1);
    detail::relocate_value(type, old, copy.data());
}

void by_id_verbs::remove(entity e, component_id id) {
    (void)type_of(id);
    (void)storage_->change(e, detail::bundle_removing(id));
}

bool by_id_verbs::has(entity e, component_id id) const noexcept {
    return id.index() < component_count() && storage_->has(e, id);
}

void* by_id_verbs::get(entity e, component_id id) const {
    (void)type_of(id);
    void* const value = try_get(e, id);
    if (value == nullptr) {
        if (storage_->has(e, id))
            throw unsupported_component{id, "is a tag and has no value: ask with has()"};
        storage_->explain_missing(e, id);
    }
    return value;
}

void* by_id_verbs::try_get(entity e, component_id id) const noexcept {
    if (id.index() >= component_count()) return nullptr;
    const component_type& type = type_of(id);
    return type.is_tag() ? nullptr : storage_->find(e, id, type.size);
}

} // namespace pecs
