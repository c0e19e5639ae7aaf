module;
#include <cstdint>
#include <memory_resource>

module pecs.world;

import pecs.archetype;

namespace pecs {

world::world() : world{std::pmr::get_default_resource()} {}

world::world(std::pmr::memory_resource* memory) : observer_verbs{memory} {}

world_stats world::stats() const {
    world_stats total;
    total.entities = size();
    total.bytes_used = size() * sizeof(detail::entity_record);
    total.bytes_reserved = storage_->bytes();
    total.resources = storage_->resources().size();
    total.bytes_used += storage_->resources().block_bytes();
    storage_->edge_relations().each([&](component_id id) {
        const std::size_t edges = storage_->edges(id)->size();
        total.edges += edges;
        total.bytes_used += edges * (2 * (sizeof(entity) + sizeof(std::uint32_t)) + type_of(id).size);
    });
    storage_->beside().types().each([&](component_id id) {
        const std::size_t values = storage_->beside().set(id)->size();
        total.sparse_values += values;
        total.bytes_used += values * (sizeof(entity) + sizeof(std::uint32_t) + type_of(id).size);
    });
    total.bytes_sparse_ticks = storage_->beside().tick_bytes();
    total.disabled = storage_->beside().disabled_count();
    for (std::uint32_t id = 0; id != storage_->archetype_slots(); ++id) {
        const detail::archetype* const place = storage_->archetype_at(id);
        if (place == nullptr) continue;
        archetype_stats& one = total.archetypes.emplace_back();
        one.components = place->mask();
        one.entities = place->size();
        one.families = place->size() == 0 ? 0 : place->family_count();
        one.rows = place->rows();
        one.bytes_families = place->relations() != nullptr ? place->relations()->bytes() : 0;
        one.bytes_ticks = place->tick_bytes();
        one.rows_reserved = place->row_capacity();
        one.bytes_used = place->size() * place->row_bytes();
        one.bytes_reserved = place->bytes();
        total.families += one.families;
        total.bytes_used += one.bytes_used;
    }
    return total;
}

} // namespace pecs
