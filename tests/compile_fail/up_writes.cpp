// error: up<R, const T> only reads, as several entities share the value
import pecs;

struct Position {
    float x, y;
};

auto use(pecs::world& w) { return w.query<pecs::up<pecs::child_of, Position>>().count(); }
