// error: an order by depth needs an acyclic relation: declare .acyclic = true
import pecs;

struct Position {
    float x, y;
};
struct DockedTo {
    static constexpr pecs::relation_rules rules{};
};

auto use(pecs::world& w) { return w.query<Position>().parents_first<DockedTo>().count(); }
