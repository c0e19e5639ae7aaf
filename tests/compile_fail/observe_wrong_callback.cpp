// error: the callback must take .entity, T&.... with a reference to each component
import pecs;

struct Position {
    float x, y;
};
struct Velocity {
    float dx, dy;
};

void use(pecs::world& w) {
    auto seen = w.observe<Position, Velocity>(pecs::on_add, [](pecs::entity, Velocity&, Position&) {});
}
