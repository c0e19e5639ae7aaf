// error: by<R>.. comes first
import pecs;

struct Position {
    float x, y;
};
struct DockedTo {
    static constexpr pecs::relation_rules rules{};
};

auto use(pecs::world& w, pecs::entity e) { return w.query<Position>().of<DockedTo>(e).by<DockedTo>(); }
