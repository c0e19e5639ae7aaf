// error: a relation with many targets is no component, and no term of a query
import pecs;

struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
    int since = 0;
};

auto use(pecs::world& w) { return w.query<const Likes>().count(); }
