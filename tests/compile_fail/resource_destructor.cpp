// error: a resource must be destructible without throwing
import pecs;

struct Loud {
    ~Loud() noexcept(false) {}
    int number = 0;
};

void use(pecs::world& w) { w.emplace_resource<Loud>(); }
