// error: cannot be combined with parents_first
import pecs;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};

auto use(pecs::world& w, pecs::entity e) { return w.query<>().parents_first<ChildOf>().of<Likes>(e).count(); }
