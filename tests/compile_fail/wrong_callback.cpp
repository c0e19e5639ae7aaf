// error: the callback does not fit the query: it must take, in the order of the terms
import pecs;

struct Position {
    float x, y;
};
struct Velocity {
    float dx, dy;
};

void use(pecs::world& w) {
    w.query<Position, const Velocity>().each([](const Velocity&, Position&) {});
}
