// error: on_relate is about one relation
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{};
};
struct Needs {
    static constexpr pecs::relation_rules rules{};
};

void use(pecs::world& w) {
    auto seen = w.observe<Likes, Needs>(pecs::on_relate, [](pecs::entity, pecs::entity, pecs::entity) {});
}
