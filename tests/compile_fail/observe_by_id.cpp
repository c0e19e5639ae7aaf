// error: the callback must take an entity, or a std::span<const entity>
import pecs;

struct Position {
    float x, y;
};

void use(pecs::world& w, pecs::component_id id) {
    auto seen = w.by_id().observe(pecs::on_add, {&id, 1}, [](Position&) {});
}
