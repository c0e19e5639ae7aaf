// error: a component must be movable without throwing
import pecs;

struct Pinned {
    Pinned() = default;
    Pinned(const Pinned&) = delete;
    int value = 0;
};

void use(pecs::world& w) { (void)w.spawn_batch<Pinned>(3); }
