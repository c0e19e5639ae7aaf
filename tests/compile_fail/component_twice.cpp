// error: a component type is named twice
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w) { w.spawn(Position{1, 2}, Position{3, 4}); }
