// error: the relation has no data. ask with has<R>.e, target.
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};

auto use(pecs::world& w, pecs::entity e) { return w.try_get<Likes>(e, e) != nullptr; }
