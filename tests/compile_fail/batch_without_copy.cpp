// error: each entity of a batch gets a copy, and the type has no copy constructor
import pecs;

struct Handle {
    Handle() = default;
    Handle(Handle&&) noexcept = default;
    int number = 0;
};

void use(pecs::world& w) { (void)w.spawn_batch(3, Handle{}); }
