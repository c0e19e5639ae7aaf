// error: a tag has no value; ask with has
import pecs;

struct Frozen {};

bool use(pecs::world& w, pecs::entity e) { return w.try_get<Frozen>(e) != nullptr; }
