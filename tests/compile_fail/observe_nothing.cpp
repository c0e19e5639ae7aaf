// error: name the components that are to be observed
import pecs;

void use(pecs::world& w) {
    auto seen = w.observe(pecs::on_add, [](pecs::entity) {});
}
