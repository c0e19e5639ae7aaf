// error: the callback must take an entity, and may take R& behind it
import pecs;

struct Position {
    float x, y;
};
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
    int much = 0;
};

void use(pecs::world& w, pecs::entity e) {
    w.each_target<Likes>(e, [](Position&) {});
}
