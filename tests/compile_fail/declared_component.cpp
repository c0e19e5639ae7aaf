// error: the type is only declared here: include or import
import pecs;

struct Later;

bool use(pecs::world& w, pecs::entity e) { return w.has<Later>(e); }
