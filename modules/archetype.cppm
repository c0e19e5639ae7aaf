// pecs.archetype: where entities and their components are kept. Everything here is for the layers above; programs use
// it through `world`.
export module pecs.archetype;

export import pecs.core;
export import :buffer;
export import :entity_pool;
export import :extents;
export import :families;
export import :column;
export import :edges;
export import :ticks;
export import :archetype;
export import :bundle;
export import :column_tables;
export import :mask_index;
export import :structure_lock;
export import :observers;
export import :attachments;
export import :resources;
export import :set_ticks;
export import :sparse_set;
export import :index_bits;
export import :extras;
export import :storage;
