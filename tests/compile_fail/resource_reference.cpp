// error: a resource must be a plain object type
import pecs;

struct Clock {
    double step;
};

bool use(const pecs::world& w) { return w.has_resource<Clock&>(); }
