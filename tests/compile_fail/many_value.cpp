// error: for the data of one target
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
    int since = 0;
};

int use(pecs::world& w, pecs::entity e) { return w.get<Likes>(e).since; }
