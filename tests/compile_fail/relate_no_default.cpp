// error: the type has no default constructor, so give a value
import pecs;

struct Owes {
    static constexpr pecs::relation_rules rules{};
    explicit Owes(int given) : coins{given} {}
    int coins;
};

void use(pecs::world& w, pecs::entity e) { w.relate<Owes>(e, e); }
