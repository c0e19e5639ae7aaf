// error: with, without, any_of and optional are about components
import pecs;

struct Position {
    float x, y;
};

auto use(pecs::world& w) { return w.query<pecs::with<pecs::without<Position>>>().count(); }
