// error: a component must be destructible without throwing
import pecs;

struct Loud {
    Loud() = default;
    Loud(Loud&&) noexcept {}
    ~Loud() noexcept(false) {}
    int number = 0;
};

void use(pecs::world& w) { w.spawn(Loud{}); }
