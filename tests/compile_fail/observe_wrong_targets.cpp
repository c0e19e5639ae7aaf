// error: the callback must take .entity, entity old_target, entity new_target.
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{};
};

void use(pecs::world& w) {
    auto seen = w.observe<Likes>(pecs::on_relate, [](pecs::entity, pecs::entity) {});
}
