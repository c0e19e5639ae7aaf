// error: a resource type is named without const or volatile
import pecs;

struct Clock {
    double step;
};

void use(pecs::world& w) { w.remove_resource<const Clock>(); }
