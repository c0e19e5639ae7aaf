module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

module pecs.query;

import pecs.archetype;

namespace pecs {

std::span<std::byte> family_view::bytes(component_id id) const {
    const component_type& type = type_of(id);
    if (type.is_tag() || !has(id)) return {};
    if (const detail::tick_column* const ticks = place_->find_ticks(id))
        ticks->write(*group_, group_->first, group_->size);
    return {all_->column_data(id, place_->id()) + group_->first * type.size, group_->size * type.size};
}

std::span<const std::byte> family_view::const_bytes(component_id id) const {
    const component_type& type = type_of(id);
    if (type.is_tag() || !has(id)) return {};
    return {all_->column_data(id, place_->id()) + group_->first * type.size, group_->size * type.size};
}

entity family_view::target(component_id relation) const noexcept {
    const detail::relation_index* const related = place_->relations();
    if (related == nullptr) return null;
    const std::uint32_t position = related->position(relation);
    return position == detail::none ? null : place_->target(*group_, position);
}

dynamic_query::dynamic_query(const detail::storage& all) : all_{&all}, cache_{detail::make_cache(all)} {}

dynamic_query::dynamic_query(dynamic_query&& other) noexcept
    : all_{other.all_}, cache_{std::exchange(other.cache_, nullptr)} {}

dynamic_query& dynamic_query::operator=(dynamic_query&& other) noexcept {
    std::swap(all_, other.all_);
    std::swap(cache_, other.cache_);
    return *this;
}

dynamic_query::~dynamic_query() {
    if (cache_ != nullptr) cache_->destroy(cache_, all_->memory());
}

namespace {

/// Throws unless the component can be in an archetype.
void check_column(component_id id) {
    if (type_of(id).rules.many)
        throw unsupported_component{id, "has many targets and is no component: visit by_id().sources()"};
}

} // namespace

detail::filter& dynamic_query::changing() {
    cache_->forget();
    return cache_->wanted;
}

dynamic_query& dynamic_query::with(component_id id) {
    check_column(id);
    changing().required.set(id);
    return *this;
}

dynamic_query& dynamic_query::without(component_id id) {
    check_column(id);
    changing().excluded.set(id);
    return *this;
}

dynamic_query& dynamic_query::any_of(std::span<const component_id> ids) {
    component_mask alternatives;
    for (const component_id id : ids) {
        check_column(id);
        alternatives.set(id);
    }
    changing().alternatives.push_back(alternatives);
    return *this;
}

dynamic_query& dynamic_query::optional(component_id id) {
    check_column(id);
    changing().optional.set(id);
    return *this;
}

dynamic_query& dynamic_query::exact() noexcept {
    changing().exact = true;
    return *this;
}

dynamic_query& dynamic_query::of(component_id relation, entity target) {
    if (!type_of(relation).relation)
        throw unsupported_component{relation, "is no relation: only relations have targets"};
    check_column(relation);
    detail::filter& wanted = changing();
    wanted.targets.push_back({relation, target});
    wanted.required.set(relation);
    return *this;
}

bool dynamic_query::has_targets(const detail::archetype& place, const detail::family& group) const noexcept {
    return std::ranges::all_of(cache_->wanted.targets, [&](const detail::link& wanted) {
        return place.target(group, place.relations()->position(wanted.relation)) == wanted.target;
    });
}

std::size_t dynamic_query::count() const {
    std::size_t total = 0;
    walk(cache_->matches(*all_),
         [&](const detail::archetype&, const detail::family& group) { total += group.size; });
    return total;
}

entity dynamic_query::first() const {
    entity found = null;
    walk(cache_->matches(*all_), [&](const detail::archetype& place, const detail::family& group) {
        if (!found) found = place.entities()[group.first];
    });
    return found;
}

bool dynamic_query::contains(entity e) const noexcept {
    if (!all_->entities().alive(e)) return false;
    if (!cache_->wanted.matches(all_->archetype_at(all_->entities()[e].archetype)->mask())) return false;
    return std::ranges::all_of(cache_->wanted.targets, [&](const detail::link& wanted) {
        return all_->target(e, wanted.relation) == wanted.target;
    });
}

} // namespace pecs
