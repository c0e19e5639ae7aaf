module;
#include <cstdint>

module pecs.query;

import pecs.archetype;

namespace pecs::detail {

void filter::require(component_id id) {
    if (!type_of(id).is_sparse()) {
        required.set(id);
        return;
    }
    needed.push_back(id);
    sparse.set(id);
}

void filter::require(const component_mask& ids) {
    ids.each([this](component_id id) { require(id); });
}

void filter::exclude(const component_mask& ids) {
    ids.each([this](component_id id) {
        if (!type_of(id).is_sparse()) {
            excluded.set(id);
            return;
        }
        banned.push_back(id);
        sparse.set(id);
    });
}

void filter::offer(const component_mask& ids) {
    alternatives.push_back(ids);
    ids.each([this](component_id id) {
        if (type_of(id).is_sparse()) sparse.set(id);
    });
}

void filter::allow(component_id id) {
    if (type_of(id).is_sparse()) sparse.set(id);
    optional.set(id); // counts as named
}

bool filter::concerned(const storage& all) const noexcept {
    const extras& beside = all.beside();
    if (beside.disabled_entities() != 0 && !hidden_too) return true;
    return beside.disabled_types().intersects(required | optional | sparse);
}

} // namespace pecs::detail
