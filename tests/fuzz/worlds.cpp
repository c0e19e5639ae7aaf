#include "operations.hpp"

import pecs;

namespace fuzz {

void another_world(stage& on) {
    on.current = on.in.below(on.arenas.size());
    on.say("in world " + std::to_string(on.current));
}

void move_world(stage& on) {
    arena& all = on.here();
    const unsigned how = on.in.byte();
    if (how % 3 == 0) {
        on.say("move the world to another object");
        all.owner = std::make_unique<pecs::world>(std::move(*all.owner));
    } else if (how % 3 == 1) {
        on.say("move the world away and back");
        pecs::world away{std::move(all.world())};
        all.world() = std::move(away);
    } else {
        const std::size_t other = how / 3 % on.arenas.size();
        if (other == on.current) return;
        arena& lost = *on.arenas[other];
        on.say("move the world over world " + std::to_string(other) + ", and begin a new one");
        lost.later.clear();
        lost.told.reset();
        lost.asked.clear();
        lost.world() = std::move(all.world());
        lost.now = std::move(all.now);
        lost.told = std::move(all.told);
        lost.later = std::move(all.later);
        lost.pending = std::exchange(all.pending, 0);
        lost.seen = std::exchange(all.seen, {});
        lost.asked = std::exchange(all.asked, {});
        lost.kept_at = std::exchange(all.kept_at, {});
        all.later.clear();
        all.now = {};
        all.world() = pecs::world{};
    }
}

void tidy(stage& on) {
    pecs::world& world = on.here().world();
    switch (on.in.below(4)) {
    case 0: on.attempt("shrink", fine, [&] { world.shrink(); }); break;
    case 1: on.attempt("compact", fine, [&] { world.compact(); }); break;
    case 2: on.attempt("reserve", fine, [&] { world.reserve<Position, Name>(40); }); break;
    default: on.attempt("stats", fine, [&] { (void)world.stats(); }); break;
    }
}

void observe(stage& on) {
    arena& all = on.here();
    on.say(all.told ? "stop observing" : "observe everything");
    if (all.told)
        all.told.reset();
    else
        all.told = std::make_unique<mirror>(all.world(), all.now);
}

// Verbs that must be refused, and change nothing.
void misuse(stage& on) {
    const entity e = on.pick();
    const entity other = on.pick();
    arena& all = on.here();
    pecs::world& world = all.world();
    switch (on.in.below(5)) {
    case 0: {
        if (world.query<>().empty()) return;
        const auto call = [&](auto verb) {
            problems got = fine;
            bool first = true;
            world.query<>().each([&](entity) {
                if (std::exchange(first, false)) got = stage::outcome(verb);
            });
            if (got != world_locked) throw mismatch{"a change in a loop: " + describe(got)};
        };
        on.say("changes in a loop");
        call([&] { world.spawn(Position{}); });
        call([&] { world.clear(); });
        call([&] { (void)world.record(); });
        call([&] { world.spawn_batch<Position>(2); });
        call([&] { world.by_id().spawn({}); });
        call([&] { world.emplace_resource<Clock>(1); });
        if (all.now.alive(e)) {
            call([&] { world.despawn(e); });
            call([&] { world.relate<Owner>(e, e); });
            call([&] { world.relate<Likes>(e, e); });
            call([&] { world.disable(e); });
            call([&] { world.clone(e); });
            if (!all.now.things.at(e).holds<Mark>()) call([&] { world.add(e, Mark{}); });
            if (!all.now.things.at(e).holds<Heat>()) call([&] { world.by_id().add(e, pecs::id_of<Heat>()); });
            call([&] { world.by_id().relate(e, pecs::id_of<Owner>(), e); });
            if (all.now.things.at(e).holds<Child>()) {
                call([&] { world.place_first<Child>(e); });
                call([&] { world.reparent<Child>(e, pecs::null); });
                call([&] { world.disable_batch<Child>(std::span{&e, 1}); });
                call([&] { world.by_id().remove(e, pecs::id_of<Child>()); });
            }
        }
        for (recorder& each : all.later) call([&] { world.apply(each.verbs); });
        return;
    }
    case 1:
        for (const auto& from : on.arenas)
            if (from.get() != &all && !from->later.empty())
                on.attempt("apply commands of another world", foreign_commands,
                           [&] { world.apply(from->later[0].verbs); });
        return;
    case 2:
        on.attempt("ask a query for " + text(e),
                   !all.now.alive(e)                                                          ? dead_entity
                   : all.now.things.at(e).visible() && all.now.things.at(e).shows<Position>() ? fine
                                                                                              : no_match,
                   [&] { (void)world.query<const Position>().get(e); });
        return;
    case 3:
        on.say("questions about " + text(e));
        if (world.can_relate<Child>(e, other) != (all.now.relate({e}, link<Child>, other) == fine))
            throw mismatch{"can_relate"};
        if (all.now.alive(e) && world.descendants<Child>(e).size() + 1 != all.now.tree(link<Child>, e).size())
            throw mismatch{"descendants"};
        if (all.now.alive(e) && world.is_ancestor<Child>(other, e) != (e != other && all.now.alive(other) &&
                                                                       all.now.climbs(link<Child>, e, other)))
            throw mismatch{"is_ancestor"};
        return;
    default:
        on.attempt("get<Likes> " + text(e) + " " + text(other),
                   !all.now.alive(e)                         ? dead_entity
                   : all.now.has_edge(edge<Likes>, e, other) ? fine
                                                             : missing_component,
                   [&] { (void)world.get<Likes>(e, other); });
    }
}

} // namespace fuzz
