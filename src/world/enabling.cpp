module;
#include <cstddef>
#include <span>

module pecs.world;

import pecs.archetype;

namespace pecs::detail {
namespace {

void check(storage& all, std::span<const entity> list, component_id id) {
    all.check_unlocked();
    all.check_list(list);
    if (id.index() == no_component) return;
    for (const entity e : list)
        if (!all.has(e, id) && !all.beside().contains(e, id)) throw_missing_component(e, id);
}

} // namespace

void disable_all(storage& all, std::span<const entity> list, component_id id) {
    check(all, list, id);
    const bool whole = id.index() == no_component;
    for (const entity e : list) {
        if (whole)
            all.beside().reserve_disabled(e);
        else
            all.beside().reserve_disabled(e, id);
    }
    for (const entity e : list) {
        if (whole)
            all.beside().disable(e);
        else
            all.beside().disable(e, id);
    }
}

void enable_all(storage& all, std::span<const entity> list, component_id id) {
    check(all, list, id);
    for (const entity e : list) {
        if (id.index() == no_component)
            all.beside().enable(e);
        else
            all.beside().enable(e, id);
    }
}

} // namespace pecs::detail
