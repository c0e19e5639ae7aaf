// error: the type is only declared here: include or import
import pecs;

struct Later;

auto use(pecs::world& w) { return w.query<const Later>().count(); }
