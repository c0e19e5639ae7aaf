// error: a component is named twice in the query
import pecs;

struct Position {
    float x, y;
};

auto use(pecs::world& w) { return w.query<Position, const Position>().count(); }
