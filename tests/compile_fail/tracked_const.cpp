// error: tracked<const T> is never written
import pecs;

struct Health {
    int points = 100;
};

auto use(pecs::world& w) { return w.query<pecs::tracked<const Health>>(); }
