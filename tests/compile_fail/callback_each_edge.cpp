// error: the callback must take .entity source, entity target., and may take R& behind
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
    int much = 0;
};

void use(pecs::world& w) {
    w.each_edge<Likes>([](pecs::entity) {});
}
