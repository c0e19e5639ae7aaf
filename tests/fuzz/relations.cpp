#include "operations.hpp"
#include "questions.hpp"

import pecs;

namespace fuzz {

void relate(stage& on) {
    const entity e = on.pick();
    const entity target = on.pick();
    const unsigned how = on.in.byte();
    arena& all = on.here();
    with_type(links{}, how % links::size, [&]<class R>() {
        const bool with_data = how >= 128 && !std::is_empty_v<R>;
        const int n = with_data ? on.number() : 0;
        if (on.attempt(std::string{"relate<"} + part_names[part<R>] + "> " + text(e) + " to " + text(target) +
                           (with_data ? " n=" + std::to_string(n) : ""),
                       all.now.relate({e}, link<R>, target), [&] {
                           if (with_data)
                               all.world().relate<R>(e, target, R::of(n));
                           else
                               all.world().relate<R>(e, target);
                       }))
            all.now.things.at(e).relate(link<R>, target, with_data ? std::optional{n} : std::nullopt);
    });
}

void unrelate(stage& on) {
    const entity e = on.pick();
    arena& all = on.here();
    with_type(links{}, on.in.below(links::size), [&]<class R>() {
        if (on.attempt(std::string{"unrelate<"} + part_names[part<R>] + "> " + text(e),
                       all.now.change(e, 0, mask<R>), [&] { all.world().unrelate<R>(e); }))
            all.now.things.at(e).drop(part<R>);
    });
}

void relate_batch(stage& on) {
    const entities some = on.pick_some(8);
    const entity target = on.pick();
    const unsigned how = on.in.byte();
    arena& all = on.here();
    with_type(links{}, how % links::size, [&]<class R>() {
        const std::span<const entity> span{some};
        const std::string tail = std::string{"<"} + part_names[part<R>] + "> " + text(some);
        if (how < 192) {
            if (on.attempt("relate_batch" + tail + " to " + text(target),
                           all.now.relate(some, link<R>, target),
                           [&] { all.world().relate_batch<R>(span, target); }))
                for (const entity e : some) all.now.things.at(e).relate(link<R>, target, {});
        } else if (how >= 232 && !std::is_empty_v<R>) {
            const int n = on.number();
            if (on.attempt("relate_batch" + tail + " to " + text(target) + " n=" + std::to_string(n),
                           all.now.relate(some, link<R>, target),
                           [&] { all.world().relate_batch<R>(span, target, R::of(n)); }))
                for (const entity e : some) all.now.things.at(e).relate(link<R>, target, n);
        } else {
            if (on.attempt("unrelate_batch" + tail, all.now.change_all(some, 0, mask<R>),
                           [&] { all.world().unrelate_batch<R>(span); }))
                for (const entity e : some) all.now.things.at(e).drop(part<R>);
        }
    });
}

// All sources of a target get another one: families get new labels, or join others.
void relate_family(stage& on) {
    const entity from = on.pick();
    const entity to = on.pick();
    const unsigned how = on.in.byte();
    arena& all = on.here();
    with_type(links{}, how % links::size, [&]<class R>() {
        entities some;
        for (const auto& [e, t] : all.now.things)
            if (t.visible() && t.shows<R>() && t.targets[link<R>] == from) some.push_back(e);
        const auto query = all.world().query<>().template of<R>(from);
        const std::string tail = std::string{"<"} + part_names[part<R>] + "> of all of " + text(from);
        if (how < 224) {
            if (on.attempt("relate_batch" + tail + " to " + text(to), all.now.relate(some, link<R>, to),
                           [&] { all.world().relate_batch<R>(query, to); }))
                for (const entity e : some) all.now.things.at(e).relate(link<R>, to, {});
        } else if (how >= 240 && !std::is_empty_v<R>) {
            const int n = on.number();
            if (on.attempt("relate_batch" + tail + " to " + text(to) + " n=" + std::to_string(n),
                           all.now.relate(some, link<R>, to),
                           [&] { all.world().relate_batch<R>(query, to, R::of(n)); }))
                for (const entity e : some) all.now.things.at(e).relate(link<R>, to, n);
        } else {
            if (on.attempt("unrelate_batch" + tail, fine, [&] { all.world().unrelate_batch<R>(query); }))
                for (const entity e : some) all.now.things.at(e).drop(part<R>);
        }
    });
}

void relate_query(stage& on) {
    const std::size_t number = on.in.below(batch_questions);
    const entity with = on.pick();
    const entity to = on.pick();
    const unsigned how = on.in.byte();
    arena& all = on.here();
    ask_simple(number, all.world(), all.now, with, [&](const auto& query, const auto& fits) {
        entities some;
        for (const auto& [e, t] : all.now.things)
            if (fits(e, t)) some.push_back(e);
        with_type(list<Child, Owner>{}, how % 2, [&]<class R>() {
            if (on.attempt(std::string{"relate_batch<"} + part_names[part<R>] + "> of query " +
                               std::to_string(number) + " with " + text(with) + ", which are " + text(some) +
                               ", to " + text(to),
                           all.now.relate(some, link<R>, to),
                           [&] { all.world().relate_batch<R>(query, to); }))
                for (const entity e : some) all.now.things.at(e).relate(link<R>, to, {});
        });
    });
}

void relate_edge(stage& on) {
    const entity e = on.pick();
    const entity target = on.pick();
    const unsigned how = on.in.byte();
    arena& all = on.here();
    with_type(edges{}, how % edges::size, [&]<class R>() {
        const bool with_data = how >= 128 && !std::is_empty_v<R>;
        const int n = with_data ? on.number() : 0;
        if (on.attempt(std::string{"relate<"} + edge_names[edge<R>] + "> " + text(e) + " to " + text(target) +
                           (with_data ? " n=" + std::to_string(n) : ""),
                       all.now.add_edges({e}, edge<R>, target), [&] {
                           if (with_data)
                               all.world().relate<R>(e, target, R::of(n));
                           else
                               all.world().relate<R>(e, target);
                       }))
            all.now.link_edge(edge<R>, e, target, n, with_data);
    });
}

void unrelate_edge(stage& on) {
    const entity e = on.pick();
    const unsigned how = on.in.byte();
    arena& all = on.here();
    with_type(edges{}, how % edges::size, [&]<class R>() {
        const std::string name = std::string{"unrelate<"} + edge_names[edge<R>] + "> " + text(e);
        if (how >= 192) {
            if (on.attempt(name, all.now.cut_edges({e}, edge<R>, {}), [&] { all.world().unrelate<R>(e); }))
                all.now.cut_all_edges(edge<R>, e);
            return;
        }
        const auto first = all.now.edge_sets[edge<R>].lower_bound({e, {}}); // there mostly
        const entity target =
            how < 160 && first != all.now.edge_sets[edge<R>].end() ? first->first.second : on.pick();
        const problems wrong = target ? all.now.cut_edges({e}, edge<R>, target)
                                      : (all.now.alive(e) ? missing_component : dead_entity);
        if (on.attempt(name + " from " + text(target), wrong, [&] { all.world().unrelate<R>(e, target); }))
            all.now.cut_edge(edge<R>, e, target);
    });
}

void edge_batch(stage& on) {
    const entities some = on.pick_some(8);
    const entity target = on.pick();
    const unsigned how = on.in.byte();
    arena& all = on.here();
    with_type(edges{}, how % edges::size, [&]<class R>() {
        const std::span<const entity> span{some};
        const std::string tail = std::string{"<"} + edge_names[edge<R>] + "> " + text(some);
        if (how < 160) {
            if (on.attempt("relate_batch" + tail + " to " + text(target),
                           all.now.add_edges(some, edge<R>, target),
                           [&] { all.world().relate_batch<R>(span, target); }))
                for (const entity e : some) all.now.link_edge(edge<R>, e, target, 0, false);
        } else if (how >= 240 && !std::is_empty_v<R>) {
            const int n = on.number();
            if (on.attempt("relate_batch" + tail + " to " + text(target) + " n=" + std::to_string(n),
                           all.now.add_edges(some, edge<R>, target),
                           [&] { all.world().relate_batch<R>(span, target, R::of(n)); }))
                for (const entity e : some) all.now.link_edge(edge<R>, e, target, n, true);
        } else if (how < 208 && target) {
            if (on.attempt("unrelate_batch" + tail + " from " + text(target),
                           all.now.cut_edges(some, edge<R>, target),
                           [&] { all.world().unrelate_batch<R>(span, target); }))
                for (const entity e : some) all.now.cut_edge(edge<R>, e, target);
        } else {
            if (on.attempt("unrelate_batch" + tail, all.now.cut_edges(some, edge<R>, {}),
                           [&] { all.world().unrelate_batch<R>(span); }))
                for (const entity e : some) all.now.cut_all_edges(edge<R>, e);
        }
    });
}

} // namespace fuzz
