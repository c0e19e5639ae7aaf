// error: a query on a const world only reads
import pecs;

struct Position {
    float x, y;
};

auto use(const pecs::world& w) { return w.query<Position>().count(); }
