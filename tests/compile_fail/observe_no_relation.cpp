// error: the type is no relation
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w) {
    auto seen = w.observe<Position>(pecs::on_relate, [](pecs::entity, pecs::entity, pecs::entity) {});
}
