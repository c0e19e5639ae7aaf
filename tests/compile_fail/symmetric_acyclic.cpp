// error: a symmetric relation always leads back
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{.acyclic = true, .many = true, .symmetric = true};
    int since = 0;
};

void use(pecs::world& w, pecs::entity e) { w.relate<Likes>(e, e); }
