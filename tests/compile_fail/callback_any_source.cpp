// error: the callback must take .entity, component_id.
import pecs;

void use(pecs::world& w, pecs::entity e) {
    w.each_source(e, [](pecs::entity) {});
}
