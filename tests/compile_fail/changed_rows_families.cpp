// error: a query that chooses single entities has no families
import pecs;

struct Health {
    static constexpr pecs::change_tracking tracking = pecs::change_tracking::rows;
    int points = 100;
};

auto use(pecs::world& w, pecs::tick seen) {
    return w.query<const Health>().changed<Health>(seen).families<pecs::child_of>();
}
