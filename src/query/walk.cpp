module;
#include <cstdint>
#include <span>

module pecs.query;

import pecs.archetype;

namespace pecs::detail {

const family* target_search::advance(component_id relation, entity target) noexcept {
    for (;;) {
        const family* group = nullptr;
        if (chain != none) {
            const relation_index& related = *place->relations();
            group = &place->families()[chain];
            chain = related.several.next_with(related.position(relation), chain);
        } else {
            if (next == matches.size()) return nullptr;
            place = matches[next++];
            const relation_index& related = *place->relations();
            if (related.count() == 1)
                group = related.one.find(target);
            else
                chain = related.several.first_with(related.position(relation), target);
        }
        if (group != nullptr && group->size != 0) return group;
    }
}

} // namespace pecs::detail
