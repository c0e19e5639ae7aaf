// error: an entity has one target at most in this relation: use unrelate<R>.e.
import pecs;

struct DockedTo {
    static constexpr pecs::relation_rules rules{};
};

void use(pecs::commands& later, pecs::entity e) { later.unrelate<DockedTo>(e, e); }
