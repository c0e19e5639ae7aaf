// error: the type has no default constructor, so give a value
import pecs;

struct Seed {
    explicit Seed(int given) : number{given} {}
    int number;
};

void use(pecs::world& w, pecs::entity e) { w.add<Seed>(e); }
