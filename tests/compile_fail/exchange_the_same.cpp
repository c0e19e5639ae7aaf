// error: a component type is named twice
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w, pecs::entity e) { w.exchange<Position>(e, Position{1, 2}); }
