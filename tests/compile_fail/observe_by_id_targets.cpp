// error: the callback must take .entity, entity old_target, entity new_target.
import pecs;

void use(pecs::world& w, pecs::component_id id) {
    auto seen = w.by_id().observe(pecs::on_relate, {&id, 1}, [](pecs::entity) {});
}
