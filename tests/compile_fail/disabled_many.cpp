// error: a relation with many targets is no component
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};

void use(pecs::world& w, pecs::entity e) { w.disable<Likes>(e); }
