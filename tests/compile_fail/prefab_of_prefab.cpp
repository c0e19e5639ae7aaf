// error: what is made of a prefab is none itself
import pecs;

auto use(pecs::world& w, pecs::entity e) { return w.spawn_from(e, pecs::prefab{}); }
