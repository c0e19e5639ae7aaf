// error: a term is no reference: write T for T&
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w) {
    w.query<Position&>().each([](Position&) {});
}
