// error: the callback must take a const pecs::family_view&
import pecs;

void use(pecs::world& w) {
    w.by_id().query().each([](pecs::entity) {});
}
