// pecs.core: the words every other layer speaks. Entities, component types, masks of them, and errors.
export module pecs.core;

export import :version;
export import :entity;
export import :entity_map;
export import :rules;
export import :tick;
export import :component;
export import :registry;
export import :prefab;
export import :mask;
export import :error;
