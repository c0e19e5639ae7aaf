// error: a component must be a plain object type, not a reference
import pecs;

struct Position {
    float x, y;
};

auto use(pecs::world& w, pecs::entity e) { return w.get<Position&>(e).x; }
