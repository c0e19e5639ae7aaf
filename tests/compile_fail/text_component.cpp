// error: a text, or nullptr, is no component: use pecs::name
import pecs;

void use(pecs::world& w) { w.spawn("ship"); }
