// error: parents_first, children_first and under cannot be combined
import pecs;

struct Position {
    float x, y;
};
struct DockedTo {
    static constexpr pecs::relation_rules rules{};
};

auto use(pecs::world& w, pecs::entity e) {
    return w.query<Position>().under<pecs::child_of>(e).of<DockedTo>(e);
}
