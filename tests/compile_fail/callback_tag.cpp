// error: the callback does not fit the query: .*nothing for tags
import pecs;

struct Position {
    float x, y;
};
struct Frozen {};

void use(pecs::world& w) {
    w.query<Position, Frozen>().each([](Position&, Frozen&) {});
}
