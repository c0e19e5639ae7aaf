// error: a relation needs a target
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
    int since = 0;
};

void use(pecs::world& w, pecs::entity e) { w.add(e, Likes{}); }
