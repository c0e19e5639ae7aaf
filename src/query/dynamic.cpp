module;
#include <cstddef>
#include <span>
#include <utility>

module pecs.query;

import pecs.archetype;

namespace pecs {

std::span<std::byte> family_view::bytes(component_id id) const {
    const component_type& type = type_of(id);
    if (type.is_tag() || !has(id)) return {};
    return {all_->column_data(id, place_->id()) + group_->first * type.size, group_->size * type.size};
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

detail::filter& dynamic_query::changing() {
    cache_->forget();
    return cache_->wanted;
}

dynamic_query& dynamic_query::with(component_id id) {
    (void)type_of(id);
    changing().required.set(id);
    return *this;
}

dynamic_query& dynamic_query::without(component_id id) {
    (void)type_of(id);
    changing().excluded.set(id);
    return *this;
}

dynamic_query& dynamic_query::any_of(std::span<const component_id> ids) {
    component_mask any;
    for (const component_id id : ids) {
        (void)type_of(id);
        any.set(id);
    }
    changing().alternatives.push_back(any);
    return *this;
}

dynamic_query& dynamic_query::optional(component_id id) {
    (void)type_of(id);
    changing().optional.set(id);
    return *this;
}

dynamic_query& dynamic_query::exact() noexcept {
    changing().exact = true;
    return *this;
}

std::size_t dynamic_query::count() const {
    std::size_t total = 0;
    for (const detail::archetype* place : cache_->matches(*all_)) total += place->size();
    return total;
}

entity dynamic_query::first() const {
    detail::family_walk walk{cache_->matches(*all_)};
    return walk.advance() ? walk.place().entities()[walk.group().first] : null;
}

bool dynamic_query::contains(entity e) const noexcept {
    return all_->entities().alive(e) &&
           cache_->wanted.matches(all_->archetype_at(all_->entities()[e].archetype)->mask());
}

} // namespace pecs
