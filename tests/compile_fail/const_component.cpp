// error: a component type is named without const or volatile: T, not const T
import pecs;

struct Position {
    float x, y;
};

auto use(pecs::world& w, pecs::entity e) { return w.get<const Position>(e).x; }
