// error: the callback does not fit the query
import pecs;

struct Position {
    float x, y;
};
struct Clock {
    double step;
};

void use(pecs::world& w) {
    w.query<Position, pecs::res<const Clock>>().each([](Position&, Clock&) {});
}
