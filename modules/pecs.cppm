// pecs: what a program imports. A table of contents, bottom layer first; internals stay in their modules.
export module pecs;

export import pecs.span;
export import pecs.core;
export import pecs.relation;
export import pecs.query;
export import pecs.world;
