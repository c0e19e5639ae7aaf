// error: the callback must take what range-for gives
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w) {
    w.query<Position>().columns().each([](Position&) {});
}
