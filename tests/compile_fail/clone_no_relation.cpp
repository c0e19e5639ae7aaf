// error: the type is no relation
import pecs;

struct Position {
    float x, y;
};

auto use(pecs::world& w, pecs::entity e) { return w.clone_subtree<Position>(e); }
