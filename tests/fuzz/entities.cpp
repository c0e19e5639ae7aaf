#include "birth.hpp"
#include "operations.hpp"
#include "questions.hpp"

import pecs;

namespace fuzz {
namespace {

void despawn_all(stage& on, const std::string& what, const entities& list,
                 const std::function<void()>& call) {
    model& now = on.here().now;
    if (on.attempt(what, now.despawn(list), call)) now.end(list);
}

/// Gives a value another one in its place.
template <class T> void renew(T& value, int n) {
    std::destroy_at(&value);
    std::construct_at(&value, T::of(n));
}

} // namespace

void spawn(stage& on) {
    if (!on.room(1)) return despawn(on);
    const birth wanted = birth::read(on);
    arena& all = on.here();
    entity made;
    if (!on.attempt(
            "spawn " + wanted.words(), wanted.links_wrong(all.now) | wanted.edges_wrong(all.now),
            [&] { wanted.values([&](auto... values) { made = all.world().spawn(std::move(values)...); }); }))
        return;
    on.say("    made " + text(made));
    if (all.now.alive(made)) throw mismatch{"the new handle is in use"};
    wanted.put(all.now, made);
    wanted.put_edges(all.now, made);
}

void spawn_batch(stage& on) {
    const std::size_t count = on.in.below(20);
    if (!on.room(count)) return despawn(on);
    const birth wanted = birth::read(on);
    arena& all = on.here();
    entities made;
    if (!on.attempt("spawn_batch " + std::to_string(count) + " " + wanted.words(),
                    wanted.links_wrong(all.now) | wanted.edges_wrong(all.now), [&] {
                        wanted.values([&](const auto&... values) {
                            const auto fresh = all.world().spawn_batch(count, values...);
                            made.assign(fresh.begin(), fresh.end());
                        });
                    }))
        return;
    on.say("    made " + text(made));
    if (made.size() != count) throw mismatch{"another number was made"};
    for (const entity e : made) {
        wanted.put(all.now, e);
        wanted.put_edges(all.now, e);
    }
}

// With default values, or with what a function makes of them; if it throws, nothing is made.
void spawn_default(stage& on) {
    const std::size_t count = on.in.below(12);
    if (!on.room(count)) return despawn(on);
    const std::size_t number = on.in.below(bundles);
    const std::size_t how = on.in.below(4);
    const int n = on.number();
    arena& all = on.here();
    with_bundle(number, [&]<class... Ts>() {
        const std::string what = "spawn_batch" + text_of_parts(mask<Ts...>) + " " + std::to_string(count);
        entities made;
        entities seen;
        const auto init = [&](entity e, auto&... values) {
            if (how == 3 && seen.size() == count / 2) throw 3;
            seen.push_back(e);
            (renew(values, n), ...);
        };
        if (how == 3 && count != 0) {
            on.say(what + " with a function that throws");
            try {
                (void)all.world().spawn_batch<Ts...>(count, init);
                throw mismatch{"what a function throws is lost"};
            } catch (const int) {
                require(std::ranges::none_of(seen, [&](entity e) { return all.world().alive(e); }),
                        "an entity was made, although a function threw");
            }
            return;
        }
        on.attempt(what + (how == 0 ? "" : " with a function, n=" + std::to_string(n)), fine, [&] {
            const auto fresh = how == 0 ? all.world().spawn_batch<Ts...>(count)
                                        : all.world().spawn_batch<Ts...>(count, init);
            made.assign(fresh.begin(), fresh.end());
        });
        on.say("    made " + text(made));
        require(made.size() == count, "another number was made");
        require(how == 0 || seen == made, "a function was called for others");
        for (const entity e : made) {
            require(!all.now.alive(e), "the new handle is in use");
            all.now.things[e].give_all(mask<Ts...>, how == 0 ? 0 : n);
        }
    });
}

void despawn(stage& on) {
    const entity e = on.pick();
    despawn_all(on, "despawn " + text(e), {e}, [&] { on.here().world().despawn(e); });
}

void despawn_batch(stage& on) {
    const entities list = on.pick_some(5);
    despawn_all(on, "despawn_batch " + text(list), list, [&] { on.here().world().despawn_batch(list); });
}

void despawn_query(stage& on) {
    const std::size_t number = on.in.below(batch_questions);
    const entity target = on.pick();
    arena& all = on.here();
    ask_simple(number, all.world(), all.now, target, [&](const auto& query, const auto& fits) {
        entities list;
        for (const auto& [e, t] : all.now.things)
            if (fits(e, t)) list.push_back(e);
        despawn_all(on, "despawn_batch of query " + std::to_string(number) + " with " + text(target), list,
                    [&] { all.world().despawn_batch(query); });
    });
}

void clear(stage& on) {
    if (on.in.below(8) != 0) return despawn_query(on);
    on.attempt("clear", fine, [&] { on.here().world().clear(); });
    on.here().now.clear();
}

} // namespace fuzz
