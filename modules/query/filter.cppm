// What a query asks of an archetype, as masks: a few word operations decide. Prefabs match only if they are named.
export module pecs.query:filter;

import pecs.std;
import pecs.archetype;

export namespace pecs::detail {

struct filter {
    inline explicit filter(std::pmr::memory_resource* memory) noexcept
        : alternatives{memory}, targets{memory} {}

    component_mask required;
    component_mask excluded;
    component_mask optional;
    buffer<component_mask> alternatives; ///< at least one type of each of these
    buffer<link> targets;                ///< of run-time queries: what the families must relate to
    bool exact = false;                  ///< nothing but what is named

    [[nodiscard]] inline bool matches(const component_mask& mask) const noexcept {
        if (!mask.contains(required) || mask.intersects(excluded)) return false;
        component_mask named = required | optional;
        for (const component_mask& any : alternatives) {
            if (!mask.intersects(any)) return false;
            named |= any;
        }
        const component_id hidden = known_id<prefab>();
        if (hidden.index() != no_component && mask.test(hidden) && !named.test(hidden)) return false;
        return !exact || named.contains(mask);
    }
};

} // namespace pecs::detail
