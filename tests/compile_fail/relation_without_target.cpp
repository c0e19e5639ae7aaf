// error: a relation needs a target
import pecs;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};

void use(pecs::world& w, pecs::entity e) { w.add(e, ChildOf{}); }
