// error: each_sorted takes a key, not a comparison
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w) {
    w.query<Position>().each_sorted([](const Position& a, const Position& b) { return a.x < b.x; },
                                    [](Position&) {});
}
