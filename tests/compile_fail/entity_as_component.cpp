// error: pecs::entity cannot be a component
import pecs;

void use(pecs::world& w, pecs::entity e) { w.spawn(e); }
