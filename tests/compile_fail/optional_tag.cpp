// error: a tag has no value, so optional<Tag> gives nothing
import pecs;

struct Frozen {};

auto use(pecs::world& w) { return w.query<pecs::optional<Frozen>>().count(); }
