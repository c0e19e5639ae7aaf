// error: the callback must take .entity, entity target, R&.
import pecs;

struct Knows {
    int years;
    static constexpr pecs::relation_rules rules{.many = true};
};

void use(pecs::world& w) {
    auto seen = w.observe<Knows>(pecs::on_set, [](pecs::entity) {});
}
