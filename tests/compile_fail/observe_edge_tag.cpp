// error: the relation has no data that could be set: use on_relate
import pecs;

struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
};

void use(pecs::world& w) {
    auto seen = w.observe<Knows>(pecs::on_set, [](pecs::entity, pecs::entity, Knows&) {});
}
