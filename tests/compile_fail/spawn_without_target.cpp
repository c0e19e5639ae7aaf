// error: a relation needs a target
import pecs;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};

auto use(pecs::world& w) { return w.spawn(ChildOf{}); }
