// error: changes of a relation with many targets are not tracked
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};

auto use(pecs::world& w, pecs::tick seen) { return w.query<>().changed<Likes>(seen); }
