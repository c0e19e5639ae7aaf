// error: up<R, const T> needs an acyclic relation, or it might never end
import pecs;

struct Position {
    float x, y;
};
struct DockedTo {
    static constexpr pecs::relation_rules rules{};
};

auto use(pecs::world& w) { return w.query<pecs::up<DockedTo, const Position>>().count(); }
