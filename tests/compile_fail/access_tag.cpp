// error: a tag has no value to access. ask with has
import pecs;

struct Frozen {};

auto use(pecs::world& w) { return w.access<Frozen>(); }
