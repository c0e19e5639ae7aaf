// error: changed and added for a sparse
import pecs;

struct Burning {
    static constexpr auto storage = pecs::component_storage::sparse;
    float heat;
};

auto use(pecs::world& w, pecs::tick seen) {
    return w.query<>().changed<Burning>(seen).families<pecs::child_of>();
}
