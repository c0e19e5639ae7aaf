// error: the callback does not fit the query
import pecs;

struct Position {
    float x, y;
};
struct Velocity {
    float dx, dy;
};

void use(pecs::world& w) {
    w.query<Position, Velocity>().each([](Position&) {});
}
