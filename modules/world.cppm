// pecs.world: the facade that programs use.
export module pecs.world;

export import pecs.span;
export import pecs.core;
export import pecs.relation;
export import :stats;
export import :accessor;
export import :by_id;
export import :rows;
export import :state;
export import :edge_draft;
export import :set_fill;
export import :entity_verbs;
export import :component_verbs;
export import :batch_verbs;
export import :edge_verbs;
export import :relation_verbs;
export import :hierarchy_verbs;
export import :order_verbs;
export import :path_verbs;
export import :clone_verbs;
export import :prefab_verbs;
export import :resource_verbs;
export import :enabling_verbs;
export import :commands;
export import :world;
