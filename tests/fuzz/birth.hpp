// A spawn: of a world, of a recorder, and of the model.
#pragma once

#include "model.hpp"
#include "prelude.hpp"
#include "stage.hpp"
#include "types.hpp"

import pecs;

namespace fuzz {

struct birth {
    static constexpr std::size_t kinds = 7;
    std::size_t kind;
    std::size_t bundle;
    entity x;
    entity y;
    int n;

    [[nodiscard]] static birth read(stage& on) {
        birth made{on.in.below(kinds), 0, {}, {}, 0};
        if (on.here().now.things.size() < 2) made.kind = 0; // nothing to relate to
        if (made.kind < 3) made.bundle = on.in.below(bundles);
        if (made.kind != 0) made.x = on.pick();
        if (made.kind >= 3 && made.kind != 6) made.y = on.pick();
        made.n = on.number();
        return made;
    }
    [[nodiscard]] std::string words() const {
        static constexpr std::array names{"",
                                          " to<Child>(x)",
                                          " to<Owner>(x, n)",
                                          " Position to<Child>(x) to<Guard>(y)",
                                          " Name to<Follows>(x, n) to<Likes>(y, n)",
                                          " Heat to<Friend>(x, n) to<Needs>(y)",
                                          " to<Uses>(x)"};
        return (kind < 3 ? text_of_parts(own_parts()) : "") + names[kind] + " x=" + text(x) +
               " y=" + text(y) + " n=" + std::to_string(n);
    }
    /// Makes one entity, or calls `make` otherwise.
    template <class Make> void values(Make make) const {
        switch (kind) {
        case 0: return with_bundle(bundle, [&]<class... Ts>() { make(Ts::of(n)...); });
        case 1: return with_bundle(bundle, [&]<class... Ts>() { make(Ts::of(n)..., pecs::to<Child>(x)); });
        case 2:
            return with_bundle(bundle,
                               [&]<class... Ts>() { make(pecs::to<Owner>(x, Owner::of(n)), Ts::of(n)...); });
        case 3: return make(Position::of(n), pecs::to<Child>(x), pecs::to<Guard>(y));
        case 4:
            return make(Name::of(n), pecs::to<Follows>(x, Follows::of(n)), pecs::to<Likes>(y, Likes::of(n)));
        case 5: return make(pecs::to<Friend>(x, Friend::of(n)), Heat::of(n), pecs::to<Needs>(y));
        default: return make(pecs::to<Uses>(x));
        }
    }
    [[nodiscard]] unsigned own_parts() const {
        unsigned found = kind == 3 ? mask<Position> : kind == 4 ? mask<Name> : kind == 5 ? mask<Heat> : 0;
        if (kind < 3) with_bundle(bundle, [&]<class... Ts>() { found = mask<Ts...>; });
        return found;
    }
    /// What is wrong with the targets that the entity cannot live without, and what with its edges.
    [[nodiscard]] problems links_wrong(const model& now) const {
        problems found = kind != 0 && kind < 5 ? now.target(x) : fine;
        if (kind == 3) found |= now.target(y);
        return found;
    }
    [[nodiscard]] problems edges_wrong(const model& now) const {
        problems found = kind >= 5 ? now.target(x) : fine;
        if (kind == 4 || kind == 5) found |= now.target(y);
        return found;
    }
    void put(model& now, entity e) const {
        thing& t = now.things[e];
        t.give_all(own_parts(), n);
        if (kind == 1 || kind == 3) t.relate(link<Child>, x, {});
        if (kind == 2) t.relate(link<Owner>, x, n);
        if (kind == 3) t.relate(link<Guard>, y, {});
        if (kind == 4) t.relate(link<Follows>, x, n);
    }
    /// Calls `edge(relation, target, data)` for its edges.
    template <class Edge> void each_edge(Edge edge_of) const {
        if (kind == 4) edge_of(edge<Likes>, y, n);
        if (kind == 5) edge_of(edge<Friend>, x, n), edge_of(edge<Needs>, y, 0);
        if (kind == 6) edge_of(edge<Uses>, x, 0);
    }
    void put_edges(model& now, entity e) const {
        each_edge([&](std::size_t r, entity to, int data) { now.link_edge(r, e, to, data, true); });
    }
};

} // namespace fuzz
