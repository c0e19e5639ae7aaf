// error: values of a sparse component do not lie side by side
import pecs;

struct Burning {
    static constexpr auto storage = pecs::component_storage::sparse;
    float heat;
};

auto use(pecs::world& w) { return w.query<pecs::tracked<Burning>>().columns(); }
