// pecs.query: finding entities by what they have, and going through them.
export module pecs.query;

export import pecs.core;
export import :filter;
export import :cache;
export import :terms;
export import :row;
export import :access;
export import :range;
export import :query;
export import :dynamic;
