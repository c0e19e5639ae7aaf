// error: read-only|const-qualified|cannot assign
import pecs;

struct Position {
    float x, y;
};

void use(const pecs::world& w, pecs::entity e) { w.get<Position>(e).x = 1; }
