// error: changed and added can follow them
import pecs;

struct Position {
    float x, y;
};

auto use(pecs::world& w, pecs::tick seen) {
    return w.query<const Position>().changed<Position>(seen).parents_first<pecs::child_of>();
}
