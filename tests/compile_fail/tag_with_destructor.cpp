// error: an empty component is a tag
import pecs;

struct Guard {
    Guard() = default;
    Guard(Guard&&) noexcept {}
    ~Guard() {}
};

void use(pecs::world& w) { w.spawn(Guard{}); }
