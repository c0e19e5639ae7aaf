// error: a relation cannot be sparse
import pecs;

struct Orbits {
    static constexpr pecs::relation_rules rules{};
    static constexpr auto storage = pecs::component_storage::sparse;
};

void use(pecs::world& w, pecs::entity e) { w.relate<Orbits>(e, e); }
