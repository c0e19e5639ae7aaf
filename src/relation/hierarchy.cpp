module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>

module pecs.relation;

import pecs.archetype;

namespace pecs::detail {

entity_list descendants_of(const storage& all, component_id relation, entity e) {
    buffer<entity> list{all.memory()};
    const auto append_children = [&](entity parent) {
        each_family_of(all, relation, parent, [&](const archetype& place, const family& group) {
            list.reserve(list.size() + group.size);
            for (std::uint32_t row = group.first; row != group.first + group.size; ++row)
                list.append(place.entities()[row]);
        });
    };
    append_children(e);
    for (std::size_t next = 0; next != list.size(); ++next) append_children(list[next]);
    return entity_list{std::move(list)};
}

entity_list roots_of(const storage& all, component_id relation) {
    buffer<entity> list{all.memory()};
    for (const std::uint32_t id : all.created_with(relation)) {
        const archetype& place = *all.archetype_at(id);
        const std::uint32_t position = place.relations()->position(relation);
        for (const family& group : place.families()) {
            if (group.size == 0) continue;
            const entity target = place.target(group, position);
            if (!all.target(target, relation)) list.push_back(target);
        }
    }
    std::ranges::sort(list);
    const auto repeated = std::ranges::unique(list);
    list.set_size(list.size() - repeated.size());
    return entity_list{std::move(list)};
}

std::size_t depth_of(const storage& all, component_id relation, entity e) noexcept {
    std::size_t depth = 0;
    for (entity at = all.target(e, relation); at; at = all.target(at, relation)) ++depth;
    return depth;
}

entity root_above(const storage& all, component_id relation, entity e) noexcept {
    if (!all.entities().alive(e)) return null;
    entity root = e;
    for (entity at = all.target(e, relation); at; at = all.target(at, relation)) root = at;
    return root;
}

bool is_above(const storage& all, component_id relation, entity ancestor, entity e) noexcept {
    if (!ancestor) return false;
    for (entity at = all.target(e, relation); at; at = all.target(at, relation))
        if (at == ancestor) return true;
    return false;
}

bool may_relate(const storage& all, component_id relation, entity e, entity target) {
    if (!all.entities().alive(e) || !all.entities().alive(target)) return false;
    const relation_rules& rules = type_of(relation).rules;
    if (!rules.acyclic) return true;
    if (!rules.many) return target != e && !is_above(all, relation, e, target);
    try {
        check_acyclic_edges(all, {&e, 1}, relation, target);
        return true;
    } catch (const relation_cycle&) {
        return false;
    }
}

} // namespace pecs::detail
