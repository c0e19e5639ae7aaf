// error: the type is no relation: declare its rules in it
import pecs;

struct Position {
    float x, y;
};
struct Velocity {
    float dx, dy;
};

auto use(pecs::world& w, pecs::entity e) { return w.query<Velocity>().of<Position>(e).count(); }
