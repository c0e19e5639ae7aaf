// error: the callback does not fit the query: .*T. for optional<T>
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w) {
    w.query<pecs::optional<Position>>().each([](Position&) {});
}
