module;
#include <cstdint>
#include <span>

module pecs.query;

import pecs.archetype;

namespace pecs::detail {

target_search next_with_target(archetype_span matches, component_id relation, entity target,
                               target_search from) noexcept {
    for (;;) {
        if (from.chain != none) {
            const relation_index& related = *from.place->relations();
            from.group = &from.place->families()[from.chain];
            from.chain = related.several.next_with(related.position(relation), from.chain);
        } else {
            from.group = nullptr;
            if (from.next == matches.size()) return from;
            from.place = matches[from.next++];
            const relation_index& related = *from.place->relations();
            if (related.count() == 1)
                from.group = related.one.find(target);
            else
                from.chain = related.several.first_with(related.position(relation), target);
        }
        if (from.group != nullptr && from.group->size != 0) return from;
    }
}

} // namespace pecs::detail
