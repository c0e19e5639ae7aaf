// error: the key of each_sorted must be trivially copyable and have an operator <
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w) {
    w.query<Position>().each_sorted([](const Position& p) { return p; }, [](Position&) {});
}
