// pecs.query: finding entities by what they have, and going through them.
export module pecs.query;

export import pecs.span;
export import pecs.core;
export import pecs.relation;
export import :filter;
export import :cache;
export import :terms;
export import :row;
export import :access;
export import :target_terms;
export import :resource_terms;
export import :walk;
export import :row_test;
export import :set_terms;
export import :selection;
export import :edge_walk;
export import :set_walk;
export import :tick_terms;
export import :tick_walk;
export import :range;
export import :target_index;
export import :static_query;
export import :family_test;
export import :nested_walk;
export import :query;
export import :dynamic;
