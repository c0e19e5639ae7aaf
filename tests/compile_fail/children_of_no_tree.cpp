// error: parents and children need an acyclic relation
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{};
};

auto use(const pecs::world& w, pecs::entity e) { return w.children<Likes>(e); }
