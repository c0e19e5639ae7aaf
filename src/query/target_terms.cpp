module;
#include <cstddef>

module pecs.query;

import pecs.archetype;

namespace pecs::detail {

const entity_record* find_above(const storage& all, component_id relation, std::byte* const* columns,
                                entity from) noexcept {
    for (entity at = all.target(from, relation); at; at = all.target(at, relation)) {
        const entity_record& record = all.entities()[at];
        if (columns[record.archetype] != nullptr) return &record;
    }
    return nullptr;
}

} // namespace pecs::detail
