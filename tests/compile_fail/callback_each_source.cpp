// error: the callback must take an entity
import pecs;

struct Position {
    float x, y;
};
struct DockedTo {
    static constexpr pecs::relation_rules rules{};
};

void use(pecs::world& w, pecs::entity e) {
    w.each_source<DockedTo>(e, [](Position&) {});
}
