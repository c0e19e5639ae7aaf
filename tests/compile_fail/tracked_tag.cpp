// error: a tag has no value to write
import pecs;

struct Frozen {};

auto use(pecs::world& w) { return w.query<pecs::tracked<Frozen>>(); }
