// error: the callback must take what range-for gives: an entity for each relation
import pecs;

struct Position {
    float x, y;
};
struct DockedTo {
    static constexpr pecs::relation_rules rules{};
};

void use(pecs::world& w) {
    w.query<Position>().families<DockedTo>().each([](Position&) {});
}
