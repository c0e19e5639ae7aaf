// error: the callback must take a reference to each component that has data
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w) {
    (void)w.spawn_batch<Position>(3, [](int, int) {});
}
