// error: an entity has one target at most in this relation
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{};
    int since = 0;
};

auto use(pecs::world& w, pecs::entity e) { return w.targets<Likes>(e).size(); }
