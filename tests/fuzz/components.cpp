#include "operations.hpp"
#include "questions.hpp"

import pecs;

namespace fuzz {
namespace {

/// The exchanges there are; `f` gets two lists of types.
template <class F> void with_exchange(std::size_t number, F&& f) {
    switch (number) {
    case 0: return f(list<Position>{}, list<Name>{});
    case 1: return f(list<Name>{}, list<Position, Frozen>{});
    case 2: return f(list<Frozen>{}, list<Heat>{});
    case 3: return f(list<Heat>{}, list<Position>{});
    case 4: return f(list<Stable, Mark>{}, list<Frozen>{});
    case 5: return f(list<Owner>{}, list<Stable>{});
    default: return f(list<Name, Heat>{}, list<Mark, Stable>{});
    }
}
constexpr std::size_t exchanges = 7;

/// The same change of components by each of the verbs.
enum verb : std::size_t { adding, removing, setting, exchanging, verbs };

entities found(const arena& all, const auto& fits) {
    entities some;
    for (const auto& [e, t] : all.now.things)
        if (fits(e, t)) some.push_back(e);
    return some;
}

} // namespace

void add(stage& on) {
    const entity e = on.pick();
    const std::size_t number = on.in.below(bundles + 1);
    const int n = on.number();
    arena& all = on.here();
    if (number == bundles) {
        if (on.attempt("add<prefab> " + text(e), all.now.change(e, mask<pecs::prefab>, 0),
                       [&] { all.world().add(e, pecs::prefab{}); }))
            all.now.add(e, mask<pecs::prefab>, 0);
        return;
    }
    with_bundle(number, [&]<class... Ts>() {
        const std::string what = "add" + text_of_parts(mask<Ts...>) + " " + text(e);
        if (on.attempt(what + " n=" + std::to_string(n), all.now.change(e, mask<Ts...>, 0),
                       [&] { n == 0 ? all.world().add<Ts...>(e) : all.world().add(e, Ts::of(n)...); }))
            all.now.add(e, mask<Ts...>, n);
    });
}

void remove(stage& on) {
    const entity e = on.pick();
    const std::size_t number = on.in.below(bundles + parts::size - first_link + 1);
    arena& all = on.here();
    const auto go = [&]<class... Ts>() {
        if (on.attempt("remove" + text_of_parts(mask<Ts...>) + " " + text(e),
                       all.now.change(e, 0, mask<Ts...>), [&] { all.world().remove<Ts...>(e); }))
            all.now.things.at(e).drop_all(mask<Ts...>);
    };
    if (number < bundles)
        with_bundle(number, go);
    else
        with_type(parts{}, number - bundles + first_link - 1, go); // a tag, and the relations with one target
}

void exchange(stage& on) {
    const entity e = on.pick();
    const std::size_t number = on.in.below(exchanges);
    const int n = on.number();
    arena& all = on.here();
    with_exchange(number, [&]<class... Gone, class... Come>(list<Gone...>, list<Come...>) {
        if (!on.attempt("exchange" + text_of_parts(mask<Gone...>) + text_of_parts(mask<Come...>) + " " +
                            text(e) + " n=" + std::to_string(n),
                        all.now.change(e, mask<Come...>, mask<Gone...>),
                        [&] { all.world().exchange<Gone...>(e, Come::of(n)...); }))
            return;
        all.now.things.at(e).drop_all(mask<Gone...>);
        all.now.add(e, mask<Come...>, n);
    });
}

void set(stage& on) {
    const entity e = on.pick();
    const std::size_t number = on.in.below(bundles);
    const int n = on.number();
    arena& all = on.here();
    with_bundle(number, [&]<class... Ts>() {
        if (on.attempt("set" + text_of_parts(mask<Ts...>) + " " + text(e) + " n=" + std::to_string(n),
                       all.now.with(e), [&] { all.world().set(e, Ts::of(n)...); }))
            all.now.add(e, mask<Ts...>, n);
    });
}

void write(stage& on) {
    const entity e = on.pick();
    const int n = on.number();
    arena& all = on.here();
    const auto go = [&]<class T>(auto assign) {
        if (!on.attempt("write" + text_of_parts(mask<T>) + " " + text(e) + " n=" + std::to_string(n),
                        all.now.change(e, 0, mask<T>), [&] { assign(all.world().get<T>(e)); }))
            return;
        all.now.things.at(e).write(part<T>, n);
        if (all.told) all.told->wrote(e, part<T>, n);
    };
    switch (on.in.below(4)) {
    case 0: return go.operator()<Position>([&](Position& v) { v = Position::of(n); });
    case 1: return go.operator()<Name>([&](Name& v) { v = Name::of(n); });
    case 2: return go.operator()<Stable>([&](Stable& v) { v = Stable::of(n); });
    default: return go.operator()<Owner>([&](Owner& v) { v.since = n; });
    }
}

void enable(stage& on) {
    const entity e = on.pick();
    const unsigned how = on.in.byte();
    const bool off = how % 3 != 0;
    arena& all = on.here();
    const std::string verb_name = off ? "disable" : "enable";
    if (how / 3 % 3 == 0) {
        if (on.attempt(verb_name + " " + text(e), all.now.with(e),
                       [&] { off ? all.world().disable(e) : all.world().enable(e); }))
            all.now.things.at(e).off = off;
        return;
    }
    with_type(parts{}, how % parts::size, [&]<class T>() {
        if (!on.attempt(verb_name + text_of_parts(mask<T>) + " " + text(e), all.now.change(e, 0, mask<T>),
                        [&] { off ? all.world().disable<T>(e) : all.world().enable<T>(e); }))
            return;
        unsigned& parts_off = all.now.things.at(e).off_parts;
        parts_off = off ? parts_off | mask<T> : parts_off & ~mask<T>;
    });
}

void enable_batch(stage& on) {
    const entities some = on.pick_some(8);
    const bool off = on.in.coin();
    arena& all = on.here();
    if (!on.attempt((off ? "disable_batch " : "enable_batch ") + text(some), all.now.with_list(some),
                    [&] { off ? all.world().disable_batch(some) : all.world().enable_batch(some); }))
        return;
    for (const entity e : some) all.now.things.at(e).off = off;
}

void enable_parts(stage& on) {
    const unsigned how = on.in.byte();
    const bool off = how % 2 == 0;
    const std::size_t which = on.in.below(parts::size);
    const entities listed = how < 160 ? on.pick_some(8) : entities{};
    arena& all = on.here();
    with_type(parts{}, which, [&]<class T>() {
        const std::string name = (off ? "disable_batch" : "enable_batch") + text_of_parts(mask<T>) + " ";
        const auto change = [&](const entities& some) {
            for (const entity e : some) {
                unsigned& parts_off = all.now.things.at(e).off_parts;
                parts_off = off ? parts_off | mask<T> : parts_off & ~mask<T>;
            }
        };
        pecs::world& w = all.world();
        if (how < 160) {
            if (on.attempt(name + text(listed), all.now.change_all(listed, 0, mask<T>),
                           [&] { off ? w.disable_batch<T>(listed) : w.enable_batch<T>(listed); }))
                change(listed);
            return;
        }
        const auto query = w.query<pecs::disabled_too, pecs::with<T>>();
        const entities some = found(all, [](entity, const thing& t) {
            return t.holds<T>() && (std::is_same_v<T, pecs::prefab> || !t.holds<pecs::prefab>());
        });
        on.attempt(name + "of a query, which are " + text(some), fine,
                   [&] { off ? w.disable_batch<T>(query) : w.enable_batch<T>(query); });
        change(some);
    });
}

void change_batch(stage& on) {
    const entities some = on.pick_some(8);
    const std::size_t how = on.in.below(verbs);
    const std::size_t number = on.in.byte();
    const int n = on.number();
    arena& all = on.here();
    const std::span<const entity> span{some};
    if (how == exchanging)
        return with_exchange(number % exchanges, [&]<class... Gone, class... Come>(list<Gone...>,
                                                                                   list<Come...>) {
            if (!on.attempt("exchange_batch" + text_of_parts(mask<Gone...>) + text_of_parts(mask<Come...>) +
                                " " + text(some) + " n=" + std::to_string(n),
                            all.now.change_all(some, mask<Come...>, mask<Gone...>),
                            [&] { all.world().exchange_batch<Gone...>(span, Come::of(n)...); }))
                return;
            for (const entity e : some) {
                all.now.things.at(e).drop_all(mask<Gone...>);
                all.now.add(e, mask<Come...>, n);
            }
        });
    with_bundle(number % bundles, [&]<class... Ts>() {
        const unsigned which = mask<Ts...>;
        const std::string tail = text_of_parts(which) + " " + text(some) + " n=" + std::to_string(n);
        if (how == adding) {
            if (on.attempt("add_batch" + tail, all.now.change_all(some, which, 0),
                           [&] { all.world().add_batch(span, Ts::of(n)...); }))
                for (const entity e : some) all.now.add(e, which, n);
        } else if (how == removing) {
            if (on.attempt("remove_batch" + tail, all.now.change_all(some, 0, which),
                           [&] { all.world().remove_batch<Ts...>(span); }))
                for (const entity e : some) all.now.things.at(e).drop_all(which);
        } else {
            if (on.attempt("set_batch" + tail, all.now.with_list(some),
                           [&] { all.world().set_batch(span, Ts::of(n)...); }))
                for (const entity e : some) all.now.add(e, which, n);
        }
    });
}

void change_query(stage& on) {
    const std::size_t number = on.in.below(batch_questions);
    const entity target = on.pick();
    const std::size_t how = on.in.below(8);
    const int n = on.number();
    arena& all = on.here();
    ask_simple(number, all.world(), all.now, target, [&](const auto& query, const auto& fits) {
        const entities some = found(all, fits);
        const std::string tail = " of query " + std::to_string(number) + " with " + text(target) +
                                 ", which are " + text(some) + " n=" + std::to_string(n);
        const auto change = [&]<class... Gone, class... Come>(list<Gone...>, list<Come...>, auto call) {
            if (!on.attempt("remove_batch" + text_of_parts(mask<Gone...>) + " add_batch" +
                                text_of_parts(mask<Come...>) + tail,
                            all.now.change_all(some, mask<Come...>, mask<Gone...>), call))
                return;
            for (const entity e : some) {
                all.now.things.at(e).drop_all(mask<Gone...>);
                all.now.add(e, mask<Come...>, n);
            }
        };
        pecs::world& w = all.world();
        switch (how) {
        case 0: return change(list<>{}, list<Frozen>{}, [&] { w.add_batch(query, Frozen{}); });
        case 1:
            return change(list<>{}, list<Heat, Name>{},
                          [&] { w.add_batch(query, Heat::of(n), Name::of(n)); });
        case 2: return change(list<Position>{}, list<>{}, [&] { w.remove_batch<Position>(query); });
        case 3: return change(list<Mark>{}, list<>{}, [&] { w.remove_batch<Mark>(query); });
        case 4: return change(list<Name>{}, list<Frozen>{}, [&] { w.exchange_batch<Name>(query, Frozen{}); });
        case 5:
            if (on.attempt("set_batch<Position, Stable>" + tail, fine,
                           [&] { w.set_batch(query, Position::of(n), Stable::of(n)); }))
                for (const entity e : some) all.now.add(e, mask<Position, Stable>, n);
            return;
        case 6:
            if (on.attempt("disable_batch" + tail, fine, [&] { w.disable_batch(query); }))
                for (const entity e : some) all.now.things.at(e).off = true;
            return;
        default:
            on.attempt("enable_batch of all", fine,
                       [&] { w.enable_batch(w.query<pecs::disabled_too, pecs::optional<pecs::prefab>>()); });
            for (auto& [e, t] : all.now.things) t.off = false;
        }
    });
}

} // namespace fuzz
