// error: any_of<> names no component
import pecs;

auto use(pecs::world& w) { return w.query<pecs::any_of<>>().count(); }
