// error: values of a sparse component do not lie side by side
import pecs;

struct Burning {
    static constexpr auto storage = pecs::component_storage::sparse;
    float heat;
};

void use(pecs::world& w) { (void)w.query<Burning>().columns(); }
