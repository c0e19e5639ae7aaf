// error: a tag has no value that could be set: use on_add
import pecs;

struct Marked {};

void use(pecs::world& w) {
    auto seen = w.observe<Marked>(pecs::on_set, [](pecs::entity) {});
}
