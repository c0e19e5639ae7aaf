// error: the callback does not fit the query
import pecs;

struct Position {
    float x, y;
};
struct Velocity {
    float dx, dy;
};
struct DockedTo {
    static constexpr pecs::relation_rules rules{};
};

void use(pecs::world& w, pecs::entity e) {
    w.query<Position>().by<DockedTo>().each(e, [](Velocity&) {});
}
