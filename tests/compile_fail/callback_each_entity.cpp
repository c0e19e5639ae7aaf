// error: the callback must take an entity
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w) {
    w.each_entity([](Position&) {});
}
