// error: a term is no reference: write optional<T> for optional<T&>
import pecs;

struct Position {
    float x, y;
};

auto use(pecs::world& w) { return w.query<pecs::optional<Position&>>().count(); }
