// error: const-qualified|read-only
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w) {
    for (auto [p] : w.query<const Position>()) p.x = 1;
}
