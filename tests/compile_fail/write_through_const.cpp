// error: the callback does not fit the query: it must take.* const T& for const T
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w) {
    w.query<const Position>().each([](Position& p) { p.x = 1; });
}
