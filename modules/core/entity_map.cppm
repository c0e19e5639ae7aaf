// Which entity stands for which while entities are copied. A component that holds handles says how they follow:
//
//   struct Aims { pecs::entity at; void map_entities(const pecs::entity_map& map) { at = map(at); } };
//
// (Targets of relations follow by themselves.)
export module pecs.core:entity_map;

import pecs.std;
import :entity;

export namespace pecs {

/// Maps originals to their copies, and all other entities to themselves. Valid during the call that it is given to.
class entity_map {
public:
    using function = entity (*)(const void* context, entity e) noexcept;

    constexpr entity_map(function look_up, const void* context) noexcept
        : look_up_{look_up}, context_{context} {}
    [[nodiscard]] inline entity operator()(entity e) const noexcept { return look_up_(context_, e); }

private:
    function look_up_;
    const void* context_;
};

} // namespace pecs
