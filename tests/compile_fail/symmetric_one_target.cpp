// error: a symmetric relation has many targets
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{.symmetric = true};
    int since = 0;
};

void use(pecs::world& w, pecs::entity e) { w.relate<Likes>(e, e); }
