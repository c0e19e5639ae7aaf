// error: the type is no relation
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w, pecs::entity e) { w.relate<Position>(e, e); }
