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
    if (const detail::tick_column* const ticks = place_->find_ticks(id)) ticks->write(*group_, first_, size_);
    const std::span<const std::byte> found = const_bytes(id);
    return {const_cast<std::byte*>(found.data()), found.size()};
}

std::span<const std::byte> family_view::const_bytes(component_id id) const {
    const component_type& type = type_of(id);
    if (type.is_tag() || !place_->mask().test(id)) return {};
    return {all_->column_data(id, place_->id()) + first_ * type.size, size_ * type.size};
}

entity family_view::target(component_id relation) const noexcept {
    const detail::relation_index* const related = place_->relations();
    if (related == nullptr) return null;
    const std::uint32_t position = related->position(relation);
    return position == detail::none ? null : place_->target(*group_, position);
}

dynamic_query::dynamic_query(const detail::storage& all) : all_{&all}, cache_{detail::make_cache(all)} {
    cache_->wanted.uniform = true;
}

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
        throw unsupported_component{id,
                                    "has many targets and is no component: narrow the query down with of()"};
}

/// Whether a relation has many targets; throws if it is none.
bool has_many(component_id id) {
    const component_type& type = type_of(id);
    if (!type.relation) throw unsupported_component{id, "is no relation: only relations have targets"};
    return type.rules.many;
}

} // namespace

detail::filter& dynamic_query::changing() {
    cache_->forget();
    return cache_->wanted;
}

dynamic_query& dynamic_query::with(component_id id) {
    check_column(id);
    changing().require(id);
    return *this;
}

dynamic_query& dynamic_query::without(component_id id) {
    check_column(id);
    changing().exclude({id});
    return *this;
}

dynamic_query& dynamic_query::any_of(std::span<const component_id> ids) {
    component_mask alternatives;
    for (const component_id id : ids) {
        check_column(id);
        alternatives.set(id);
    }
    changing().offer(alternatives);
    return *this;
}

dynamic_query& dynamic_query::optional(component_id id) {
    check_column(id);
    changing().allow(id);
    return *this;
}

dynamic_query& dynamic_query::exact() noexcept {
    changing().exact = true;
    return *this;
}

dynamic_query& dynamic_query::disabled_too() noexcept {
    changing().hidden_too = true;
    return *this;
}

dynamic_query& dynamic_query::of(component_id relation, entity target) {
    const bool many = has_many(relation);
    detail::filter& wanted = changing();
    if (many) {
        wanted.edges.push_back({relation, detail::edge_condition::wanted::target, target});
    } else {
        wanted.targets.push_back({relation, target});
        wanted.required.set(relation);
    }
    return *this;
}

dynamic_query& dynamic_query::of(component_id relation, any_target /*every*/) {
    if (!has_many(relation)) return with(relation);
    changing().edges.push_back({relation, detail::edge_condition::wanted::any, null});
    return *this;
}

dynamic_query& dynamic_query::of(component_id relation, no_target /*none*/) {
    if (!has_many(relation)) return without(relation);
    changing().edges.push_back({relation, detail::edge_condition::wanted::none, null});
    return *this;
}

const detail::edge_condition* dynamic_query::fewest_sources() const noexcept {
    const detail::edge_condition* fewest = nullptr;
    for (const detail::edge_condition& each : cache_->wanted.edges)
        if (each.what == detail::edge_condition::wanted::target &&
            (fewest == nullptr || each.sources(*all_).size() < fewest->sources(*all_).size()))
            fewest = &each;
    return fewest;
}

bool dynamic_query::has_targets(const detail::archetype& place, const detail::family& group) const noexcept {
    return std::ranges::all_of(cache_->wanted.targets, [&](const detail::link& wanted) {
        return place.target(group, place.relations()->position(wanted.relation)) == wanted.target;
    });
}

std::size_t dynamic_query::count() const {
    std::size_t total = 0;
    const detail::filter* const wanted = asked();
    walk(cache_->matches(*all_), [&](const detail::archetype& place, const auto&, detail::piece rows) {
        detail::each_piece(*all_, wanted, place, rows.first, rows.stop - rows.first,
                           [&](std::uint32_t, std::uint32_t size) { total += size; });
    });
    return total;
}

entity dynamic_query::first() const {
    entity found = null;
    walk(cache_->matches(*all_), [&](const detail::archetype& place, const auto&, detail::piece rows) {
        if (found) return;
        const detail::filter* const wanted = asked();
        const detail::piece some =
            wanted == nullptr ? rows : detail::next_piece(*all_, *wanted, place, rows.first, rows.stop);
        if (some.first != some.stop) found = place.entities()[some.first];
    });
    return found;
}

bool dynamic_query::contains(entity e) const noexcept {
    if (!all_->entities().alive(e)) return false;
    const detail::archetype& place = *all_->archetype_at(all_->entities()[e].archetype);
    if (!cache_->wanted.matches(place.mask())) return false;
    if (const detail::filter* const wanted = asked())
        if (!detail::row_matches(*all_, *wanted, place, e)) return false;
    return std::ranges::all_of(cache_->wanted.targets, [&](const detail::link& wanted) {
        return all_->target(e, wanted.relation) == wanted.target;
    });
}

} // namespace pecs
