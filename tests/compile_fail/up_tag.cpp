// error: a tag has no value, so up<R, const Tag> gives nothing
import pecs;

struct Frozen {};

auto use(pecs::world& w) { return w.query<pecs::up<pecs::child_of, const Frozen>>().count(); }
