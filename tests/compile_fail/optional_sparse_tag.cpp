// error: a tag has no value, so optional<Tag> gives nothing
import pecs;

struct Lit {
    static constexpr auto storage = pecs::component_storage::sparse;
};

auto use(pecs::world& w) { return w.query<pecs::optional<Lit>>().count(); }
