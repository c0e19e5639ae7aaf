// error: use on_relate, or on_set with a callback that takes
import pecs;

struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
};

void use(pecs::world& w) {
    auto seen = w.observe<Knows>(pecs::on_add, [](pecs::entity) {});
}
