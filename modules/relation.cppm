// pecs.relation: entities that point at other entities. How a program names targets, what must hold before an entity
// gets one, and what follows when one dies. Where related entities are kept is the business of `pecs.archetype`.
export module pecs.relation;

export import pecs.core;
export import :target;
export import :checks;
export import :death;
export import :depth_order;
export import :hierarchy;
export import :sibling_order;
export import :name;
export import :clone;
