// Resources, change ticks, loops that write, and queries by id.
#include "operations.hpp"

import pecs;

namespace fuzz {
namespace {

/// Says that a value was written through a reference.
void wrote(arena& all, entity e, std::size_t which, int n) {
    all.now.things.at(e).write(which, n);
    if (all.told) all.told->wrote(e, which, n);
}

template <class T> void change_resource(stage& on, unsigned how, int n) {
    constexpr std::size_t which = std::is_same_v<T, Clock> ? 0 : 1;
    arena& all = on.here();
    pecs::world& w = all.world();
    std::optional<int>& now = all.now.resources[which];
    const std::string name = which == 0 ? "Clock" : "Seat";
    const problems wrong = now ? fine : missing_resource;
    switch (how % 4) {
    case 0:
        on.attempt("emplace_resource " + name + " n=" + std::to_string(n), fine,
                   [&] { all.kept_at[which] = &w.emplace_resource<T>(n); });
        now = n;
        return;
    case 1:
        if constexpr (which == 0) {
            on.attempt("set_resource " + name + " n=" + std::to_string(n), fine,
                       [&] { all.kept_at[which] = &w.set_resource(T{n}); });
            now = n;
            return;
        }
        [[fallthrough]];
    case 2:
        if (on.attempt("remove_resource " + name, wrong, [&] { w.remove_resource<T>(); })) {
            now.reset();
            all.kept_at[which] = nullptr;
        }
        return;
    default:
        if (on.attempt("write resource " + name + " n=" + std::to_string(n), wrong,
                       [&] { w.resource<T>().write(n); }))
            now = n;
    }
}

} // namespace

void resources(stage& on) {
    const unsigned how = on.in.byte();
    const int n = on.number();
    how % 2 == 0 ? change_resource<Clock>(on, how / 2, n) : change_resource<Seat>(on, how / 2, n);
}

void note_tick(stage& on) {
    arena& all = on.here();
    on.say("note the tick");
    each_type(tracked_parts{}, [&]<class T>() { all.world().track<T>(); });
    all.seen = all.world().now();
    for (auto& [e, t] : all.now.things) t.touched = t.fresh = 0;
    each_type(tracked_parts{}, [&]<class T>() {
        require(all.world().query<>().changed<T>(*all.seen).empty() &&
                    all.world().query<>().added<T>(*all.seen).empty(),
                "something has changed after now");
    });
}

// Writes through loops and accessors.
void write_many(stage& on) {
    const std::size_t how = on.in.below(8);
    const entity e = on.pick();
    const int n = on.number();
    arena& all = on.here();
    pecs::world& w = all.world();
    on.say("write in a loop, way " + std::to_string(how) + " with " + text(e) + " n=" + std::to_string(n));
    switch (how) {
    case 0:
        w.query<Position>().each([&](entity at, Position& v) {
            v = Position::of(n);
            wrote(all, at, part<Position>, n);
        });
        return;
    case 1:
        w.query<pecs::tracked<Owner>>().each([&](entity at, pecs::tracked_ref<Owner> v) {
            if (v->since % 2 == n % 2) return;
            v.write().since = n;
            wrote(all, at, part<Owner>, n);
        });
        return;
    case 2:
        for (auto [some, names] : w.query<Name>().columns())
            for (std::size_t i = 0; i != some.size(); ++i) {
                names[i] = Name::of(n);
                wrote(all, some[i], part<Name>, n);
            }
        return;
    case 3:
        if (Position* const v = w.access<Position>().try_get(e)) {
            *v = Position::of(n);
            wrote(all, e, part<Position>, n);
        }
        return;
    case 4:
        w.query<>().of<Owner>(e).each([](entity) {}); // nothing is written
        w.query<Owner>().of<Owner>(e).each([&](entity at, Owner& v) {
            v.since = n;
            wrote(all, at, part<Owner>, n);
        });
        return;
    case 5: {
        auto query = w.by_id().query();
        query.with(pecs::id_of<Position>()).each([&](const pecs::family_view& some) {
            const std::span<Position> values = some.values<Position>();
            for (std::size_t i = 0; i != values.size(); ++i) {
                values[i] = Position::of(n);
                wrote(all, some.entities()[i], part<Position>, n);
            }
        });
        return;
    }
    case 6: {
        std::map<entity, int> changed; // several may share a target
        w.query<pecs::at_target<Owner, Position>>().each([&](entity at, Position& v) {
            v = Position::of(n);
            changed[all.now.things.at(at).targets[link<Owner>]] = n;
        });
        for (const auto& [target, value] : changed) wrote(all, target, part<Position>, value);
        return;
    }
    default:
        w.query<pecs::optional<Name>>().parents_first<Child>().each([&](entity at, Name* v) {
            if (v == nullptr) return;
            *v = Name::of(n);
            wrote(all, at, part<Name>, n);
        });
    }
}

void ask_by_id(stage& on) {
    arena& all = on.here();
    if (all.asked.size() == 3) all.asked.erase(all.asked.begin());
    dynamic made{.query = all.world().by_id().query()};
    std::string words = "make a query by id:";
    const auto id_of_part = [](std::size_t which) { return id_in(parts{}, which); };
    for (std::size_t i = on.in.below(4); i != 0; --i) {
        const unsigned how = on.in.byte();
        const std::size_t which = how % parts::size;
        const unsigned bit = 1U << which;
        const std::size_t r = how % links::size;
        switch (how / parts::size % 8) {
        case 0:
        case 1:
            made.query.with(id_of_part(which));
            made.with |= bit;
            words += std::string{" with "} + part_names[which];
            break;
        case 2:
            made.query.without(id_of_part(which));
            made.without |= bit;
            words += std::string{" without "} + part_names[which];
            break;
        case 3: {
            if (made.any) break;
            const std::size_t other = (which + 1 + how / 64) % parts::size;
            made.query.any_of({id_of_part(which), id_of_part(other)});
            made.any = bit | 1U << other;
            words += " any of " + text_of_parts(*made.any);
            break;
        }
        case 4:
            made.query.optional(id_of_part(which));
            made.maybe |= bit;
            words += std::string{" maybe "} + part_names[which];
            break;
        case 5:
            made.query.exact();
            made.exact = true;
            words += " exact";
            break;
        case 6:
            made.query.disabled_too();
            made.disabled_too = true;
            words += " disabled too";
            break;
        default: {
            const entity target = on.pick();
            if (how >= 128) {
                const std::size_t edge = how % edges::size;
                const pecs::component_id id = id_in(edges{}, edge);
                words += std::string{" "} + edge_names[edge] + " to " + text(target);
                if (how % 5 == 0 && !made.edges_none) {
                    made.query.of(id, pecs::none);
                    made.edges_none = edge;
                    words += " no: none";
                } else if (target) {
                    made.query.of(id, target);
                    made.edges_of.emplace_back(edge, target);
                } else {
                    made.query.of(id, pecs::any);
                    made.edges_of.emplace_back(edge, target);
                }
                break;
            }
            made.query.of(id_of_part(first_link + r), target);
            made.of.emplace_back(r, target);
            made.with |= 1U << (first_link + r);
            words += std::string{" "} + part_names[first_link + r] + " to " + text(target);
        }
        }
    }
    on.say(words);
    all.asked.push_back(std::move(made));
    compare_asked(all);
}

} // namespace fuzz
