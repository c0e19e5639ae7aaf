// error: a query on a const world only reads
import pecs;

struct Clock {
    double step;
};

auto use(const pecs::world& w) { return w.query<pecs::res<Clock>>().count(); }
