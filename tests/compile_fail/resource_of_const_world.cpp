// error: read-only|const-qualified|cannot assign
import pecs;

struct Clock {
    double step;
};

void use(const pecs::world& w) { w.resource<Clock>().step = 1; }
