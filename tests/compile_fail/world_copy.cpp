// error: deleted
import pecs;

pecs::world use(const pecs::world& w) { return w; }
