// error: give it a noexcept move constructor
import pecs;

struct Loud {
    Loud() = default;
    Loud(Loud&&) {}
    int value = 0;
};

void use(pecs::world& w) { w.spawn(Loud{}); }
