// error: each entity of a batch gets a copy, and the type has no copy constructor
import pecs;

struct Leases {
    static constexpr pecs::relation_rules rules{.many = true};
    Leases() = default;
    Leases(Leases&&) noexcept = default;
    int number = 0;
};

void use(pecs::world& w, pecs::entity e) { w.relate_batch<Leases>({&e, 1}, e, Leases{}); }
