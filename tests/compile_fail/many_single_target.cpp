// error: an entity may have many targets in this relation
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
    int since = 0;
};

auto use(pecs::world& w, pecs::entity e) { return w.target<Likes>(e); }
