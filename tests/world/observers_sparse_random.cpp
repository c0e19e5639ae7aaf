// Random verbs on a world with one column and two sparse components, and on a naive model of it, which predicts every
// notification: who is told what, about whom, with which values, in which order. The order of verbs about a query and of
// `clear` is that of the storage: there the notices of one observer are compared as a set.
#include <boost/ut.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {

using pecs::entity;

struct A {
    int value = 0;
};
struct S {
    int value = 0;
    std::string text{}; // so that it does not move as bytes
    static constexpr auto storage = pecs::component_storage::sparse;
};
struct T {
    int value = 0;
    static constexpr auto storage = pecs::component_storage::sparse_stable;
};

enum part : unsigned { a = 1, s = 2, t = 4 };
enum class kind : std::uint8_t { add, remove, set, spawn, despawn };

/// What the model knows of an entity.
struct state {
    unsigned has = 0;
    std::array<int, 3> values{};

    void give(unsigned parts, int value) {
        has |= parts;
        for (std::size_t i = 0; i != 3; ++i)
            if ((parts >> i & 1U) != 0) values[i] = value;
    }
};

/// A change of one entity; nothing before it was born, nothing after it died.
struct transition {
    entity who;
    std::optional<state> before;
    std::optional<state> after;
    unsigned given = 0;
};

struct line {
    std::size_t observer;
    std::string text;
    bool operator==(const line&) const = default;
    auto operator<=>(const line&) const = default;
};

std::string text_of(entity e, const state& of, unsigned types) {
    std::string text = std::to_string(e.index()) + "v" + std::to_string(e.generation());
    for (std::size_t i = 0; i != 3; ++i)
        if ((types >> i & 1U) != 0) text += " " + std::to_string(of.values[i]);
    return text;
}

class tester {
public:
    explicit tester(std::uint64_t seed) : random_{seed} {
        for (const unsigned types : {1U, 2U, 4U, 3U, 6U, 7U})
            for (const kind what : {kind::add, kind::remove, kind::set, kind::spawn, kind::despawn})
                if (chance(70)) specs_.push_back({what, types});
        std::ranges::shuffle(specs_, random_);
        for (std::size_t i = 0; i != specs_.size(); ++i) subscribe(i);
    }
    void run(std::size_t steps) {
        for (std::size_t i = 0; i != steps && good_; ++i) {
            expected_.clear();
            told_.clear();
            unordered_ = false;
            act();
            compare(i);
            if (i % 16 == 0) good_ = good_ && world_.validate();
        }
    }
    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] std::size_t notices() const { return notices_; }

private:
    struct spec {
        kind what;
        unsigned types;
    };

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random_); }
    bool chance(std::size_t percent) { return below(100) < percent; }
    int number() { return static_cast<int>(below(1000)); }
    unsigned parts() { return static_cast<unsigned>(1 + below(7)); }
    entity any() {
        return std::next(alive_.begin(), static_cast<std::ptrdiff_t>(below(alive_.size())))->first;
    }
    /// Some entities that have some parts and lack others, in any order.
    std::vector<entity> some(unsigned with, unsigned without) {
        std::vector<entity> list;
        for (const auto& [e, known] : alive_)
            if (chance(40) && (known.has & with) == with && (known.has & without) == 0) list.push_back(e);
        std::ranges::shuffle(list, random_);
        return list;
    }

    // --- observers

    void subscribe(std::size_t i) {
        const auto note = [this, i](entity e) { told_.push_back({i, seen(e, specs_[i].types)}); };
        switch (specs_[i].types) {
        case a: observe<A>(i, [note](entity e, A&) { note(e); }); break;
        case s: observe<S>(i, [note](entity e, S&) { note(e); }); break;
        case t: observe<T>(i, note); break;
        case a | s:
            observe<A, S>(i, [this, i](entity e, A& x, S& y) {
                told_.push_back({i, text_of(e, {a | s, {x.value, y.value, 0}}, a | s)});
            });
            break;
        case s | t:
            observe<S, T>(i, [note](std::span<const entity> list) {
                for (const entity e : list) note(e);
            });
            break;
        default:
            observe<A, S, T>(i, [this, i](entity e, A& x, S& y, T& z) {
                told_.push_back({i, text_of(e, {7, {x.value, y.value, z.value}}, 7)});
            });
        }
    }
    template <class... Ts, class F> void observe(std::size_t i, F f) {
        switch (specs_[i].what) {
        case kind::add: kept_.push_back(world_.observe<Ts...>(pecs::on_add, f)); break;
        case kind::remove: kept_.push_back(world_.observe<Ts...>(pecs::on_remove, f)); break;
        case kind::set: kept_.push_back(world_.observe<Ts...>(pecs::on_set, f)); break;
        case kind::spawn: kept_.push_back(world_.observe<Ts...>(pecs::on_spawn, f)); break;
        case kind::despawn: kept_.push_back(world_.observe<Ts...>(pecs::on_despawn, f)); break;
        }
    }
    /// What the world holds while an observer is told.
    std::string seen(entity e, unsigned types) {
        state now;
        if (const A* x = world_.try_get<A>(e)) now.values[0] = x->value;
        if (const S* x = world_.try_get<S>(e)) now.values[1] = x->value;
        if (const T* x = world_.try_get<T>(e)) now.values[2] = x->value;
        return text_of(e, now, types);
    }

    // --- prediction

    void predict(const std::vector<transition>& all) {
        for (const bool before : {true, false})
            for (std::size_t i = 0; i != specs_.size(); ++i)
                for (const transition& each : all)
                    if (hears(specs_[i], each, before))
                        expected_.push_back(
                            {i, text_of(each.who, before ? *each.before : *each.after, specs_[i].types)});
        for (const transition& each : all) {
            if (each.after)
                alive_[each.who] = *each.after;
            else
                alive_.erase(each.who);
        }
    }
    static bool hears(const spec& who, const transition& of, bool before) {
        const bool had = of.before && (of.before->has & who.types) == who.types;
        const bool has = of.after && (of.after->has & who.types) == who.types;
        switch (who.what) {
        case kind::add: return !before && has && !had;
        case kind::remove: return before && had && !has;
        case kind::set: return !before && had && has && (of.given & who.types) != 0;
        case kind::spawn: return !before && has && !of.before;
        case kind::despawn: return before && had && !of.after;
        }
        return false;
    }
    transition changed(entity e, unsigned lost, unsigned got, int value) const {
        transition made{e, alive_.at(e), alive_.at(e), 0};
        made.given = made.before->has & ~lost & got;
        made.after->has &= ~lost;
        made.after->give(got, value);
        return made;
    }
    transition ended(entity e) const { return {e, alive_.at(e), std::nullopt, 0}; }
    static transition born(entity e, unsigned parts, int value) {
        transition made{e, std::nullopt, state{}, 0};
        made.after->give(parts, value);
        return made;
    }

    // --- verbs, of each mix of components

    /// Calls `verb` with values of the parts.
    template <class Verb> static void with_values(unsigned parts, int v, Verb verb) {
        switch (parts) {
        case a: verb(A{v}); break;
        case s: verb(S{v, "text"}); break;
        case a | s: verb(A{v}, S{v, "text"}); break;
        case t: verb(T{v}); break;
        case a | t: verb(T{v}, A{v}); break;
        case s | t: verb(S{v, "text"}, T{v}); break;
        case a | s | t: verb(S{v, "text"}, A{v}, T{v}); break;
        default: verb();
        }
    }
    template <class World> static void add(World& to, entity e, unsigned parts, int v) {
        with_values(parts, v, [&]<class... Ts>(Ts... values) {
            if constexpr (sizeof...(Ts) != 0) to.add(e, values...);
        });
    }
    template <class World> static void set(World& to, entity e, unsigned parts, int v) {
        with_values(parts, v, [&]<class... Ts>(Ts... values) {
            if constexpr (sizeof...(Ts) != 0) to.set(e, values...);
        });
    }
    template <class World> static void remove(World& to, entity e, unsigned parts) {
        with_values(parts, 0, [&]<class... Ts>(Ts...) {
            if constexpr (sizeof...(Ts) != 0) to.template remove<Ts...>(e);
        });
    }
    /// One part for others.
    template <class Verb> static void exchanging(unsigned lost, unsigned got, int v, Verb verb) {
        with_values(got, v, [&]<class... Ts>(Ts... values) {
            if constexpr (sizeof...(Ts) != 0 && sizeof...(Ts) != 3) {
                if constexpr (!(std::same_as<Ts, A> || ...))
                    if (lost == a) verb(A{}, values...);
                if constexpr (!(std::same_as<Ts, S> || ...))
                    if (lost == s) verb(S{}, values...);
                if constexpr (!(std::same_as<Ts, T> || ...))
                    if (lost == t) verb(T{}, values...);
            }
        });
    }

    void act() {
        const std::size_t dice = alive_.size() < 4 ? 0 : below(16);
        const int v = number();
        const unsigned mix = parts();
        if (alive_.size() > 40 && chance(10)) {
            unordered_ = true;
            std::vector<transition> all;
            for (const auto& [e, known] : alive_) all.push_back(ended(e));
            world_.clear();
            predict(all);
            return;
        }
        switch (dice) {
        case 0: spawn_some(mix, v); break;
        case 1: change_one(any(), mix, v); break;
        case 2: change_one(any(), mix, v); break;
        case 3: set_one(any(), mix, v); break;
        case 4: exchange_one(any(), v); break;
        case 5: {
            const entity e = any();
            predict_after([&] { world_.despawn(e); }, {ended(e)});
            break;
        }
        case 6: {
            std::vector<transition> all;
            const std::vector<entity> list = some(0, 0);
            for (const entity e : list) all.push_back(ended(e));
            if (chance(40)) predict_after([&] { world_.despawn_batch(list); }, all);
            break;
        }
        case 7: {
            const std::vector<entity> list = some(0, mix);
            with_values(mix, v, [&]<class... Ts>(Ts... values) {
                if constexpr (sizeof...(Ts) != 0) world_.add_batch(list, values...);
            });
            predict(changes(list, 0, mix, v));
            break;
        }
        case 8: {
            const std::vector<entity> list = some(mix, 0);
            const std::vector<transition> all = changes(list, mix, 0, v);
            with_values(mix, v, [&]<class... Ts>(Ts...) {
                if constexpr (sizeof...(Ts) != 0) world_.template remove_batch<Ts...>(list);
            });
            predict(all);
            break;
        }
        case 9: {
            const std::vector<entity> list = some(0, 0);
            with_values(mix, v, [&]<class... Ts>(Ts... values) {
                if constexpr (sizeof...(Ts) != 0) world_.set_batch(list, values...);
            });
            predict(changes(list, 0, mix, v));
            break;
        }
        case 10: {
            const unsigned lost = 1U << below(3);
            const unsigned got = mix & ~lost;
            const std::vector<entity> list = some(lost, got);
            if (got == 0) break;
            exchanging(lost, got, v, [&]<class Lost, class... Ts>(Lost, Ts... values) {
                world_.template exchange_batch<Lost>(list, values...);
            });
            predict(changes(list, lost, got, v));
            break;
        }
        case 11: over_query(v); break;
        case 12: by_id(any(), v); break;
        case 13: {
            const entity e = any();
            const state from = alive_[e];
            transition made{world_.clone(e), std::nullopt, from, 0};
            predict({made});
            break;
        }
        default: apply_some(); break;
        }
    }
    template <class Verb> void predict_after(Verb verb, const std::vector<transition>& all) {
        verb();
        predict(all);
    }
    std::vector<transition> changes(const std::vector<entity>& list, unsigned lost, unsigned got,
                                    int v) const {
        std::vector<transition> all;
        for (const entity e : list) all.push_back(changed(e, lost, got, v));
        return all;
    }
    void spawn_some(unsigned mix, int v) {
        std::vector<transition> all;
        if (chance(30)) mix = 0;
        with_values(mix, v, [&](auto... values) {
            if (chance(50)) {
                all.push_back(born(world_.spawn(values...), mix, v));
            } else {
                for (const entity e : world_.spawn_batch(1 + below(4), values...))
                    all.push_back(born(e, mix, v));
            }
        });
        predict(all);
    }
    void change_one(entity e, unsigned mix, int v) {
        const unsigned has = alive_[e].has;
        const unsigned got = mix & ~has;
        const unsigned lost = mix & has;
        if (got != 0) {
            add(world_, e, got, v);
            predict({changed(e, 0, got, v)});
        } else {
            const transition made = changed(e, lost, 0, v);
            remove(world_, e, lost);
            predict({made});
        }
    }
    void set_one(entity e, unsigned mix, int v) {
        set(world_, e, mix, v);
        predict({changed(e, 0, mix, v)});
    }
    void exchange_one(entity e, int v) {
        const unsigned has = alive_[e].has;
        const unsigned lost = 1U << below(3);
        const unsigned got = 7U & ~has;
        if ((has & lost) == 0 || got == 0) return;
        exchanging(lost, got, v, [&]<class Lost, class... Ts>(Lost, Ts... values) {
            world_.template exchange<Lost>(e, values...);
        });
        predict({changed(e, lost, got, v)});
    }
    void over_query(int v) {
        unordered_ = true;
        std::vector<entity> with_s;
        std::vector<entity> with_a;
        std::vector<entity> with_s_only;
        for (const auto& [e, known] : alive_) {
            if ((known.has & s) != 0) with_s.push_back(e);
            if ((known.has & a) != 0) with_a.push_back(e);
            if ((known.has & (s | a)) == s) with_s_only.push_back(e);
        }
        switch (below(5)) {
        case 0: {
            const auto all = changes(with_s, s, 0, v);
            world_.remove_batch<S>(world_.query<S>());
            predict(all);
            break;
        }
        case 1: {
            const auto all = changes(with_a, a, 0, v);
            world_.remove_batch<A>(world_.query<A>());
            predict(all);
            break;
        }
        case 2:
            world_.add_batch(world_.query<S, pecs::without<A>>(), A{v});
            predict(changes(with_s_only, 0, a, v));
            break;
        case 3:
            world_.set_batch(world_.query<A>(), S{v, "text"}, T{v});
            predict(changes(with_a, 0, s | t, v));
            break;
        default: {
            std::vector<transition> all;
            for (const entity e : with_s_only) all.push_back(ended(e));
            world_.despawn_batch(world_.query<S, pecs::without<A>>());
            predict(all);
        }
        }
    }
    void by_id(entity e, int v) {
        const S value{v, "text"};
        const pecs::component_id id = pecs::id_of<S>();
        if ((alive_[e].has & s) == 0) {
            world_.by_id().add(e, id, &value);
            predict({changed(e, 0, s, v)});
        } else if (chance(50)) {
            world_.by_id().set(e, id, &value);
            predict({changed(e, 0, s, v)});
        } else {
            world_.by_id().remove(e, id);
            predict({changed(e, s, 0, v)});
        }
    }

    /// Several commands; each entity changes once, from what it was to what comes of them.
    void apply_some() {
        pecs::commands later = world_.record();
        struct draft {
            std::optional<state> now;
            unsigned given = 0;
        };
        std::vector<std::pair<entity, draft>> drafts;
        const auto draft_of = [&](entity e) -> draft& {
            for (auto& [known, of] : drafts)
                if (known == e) return of;
            drafts.push_back({e, {alive_.contains(e) ? std::optional{alive_[e]} : std::nullopt, 0}});
            return drafts.back().second;
        };
        std::vector<entity> touched;
        for (std::size_t i = 0; i != 3; ++i) touched.push_back(any());
        const std::size_t count = 1 + below(8);
        for (std::size_t i = 0; i != count; ++i) {
            const int v = number();
            const unsigned mix = parts();
            const entity e = touched[below(touched.size())];
            if (chance(20)) {
                with_values(mix, v, [&](auto... values) {
                    const entity made = later.spawn(values...);
                    touched.push_back(made);
                    drafts.push_back({made, {state{}, 0}});
                    drafts.back().second.now->give(mix, v);
                });
                continue;
            }
            draft& of = draft_of(e);
            if (!of.now) continue;
            if (chance(10)) {
                later.despawn(e);
                of.now.reset();
            } else if (chance(40)) {
                set(later, e, mix, v);
                of.now->give(mix, v);
                of.given |= mix;
            } else if (const unsigned got = mix & ~of.now->has; got != 0) {
                add(later, e, got, v);
                of.now->give(got, v);
                of.given |= got;
            } else {
                remove(later, e, mix);
                of.now->has &= ~mix;
                of.given &= ~mix;
            }
        }
        world_.apply(later);
        std::vector<transition> births;
        for (const auto& [e, of] : drafts)
            if (!alive_.contains(e) && of.now) births.push_back({e, std::nullopt, of.now, 0});
        std::vector<transition> moves;
        std::vector<transition> deaths;
        for (const auto& [e, of] : drafts) {
            if (!alive_.contains(e)) continue;
            if (of.now)
                moves.push_back({e, alive_[e], of.now, of.given & alive_[e].has & of.now->has});
            else
                deaths.push_back(ended(e));
        }
        predict(births);
        for (const transition& each : moves) predict({each});
        for (const transition& each : deaths) predict({each});
    }

    void compare(std::size_t step) {
        notices_ += told_.size();
        if (unordered_) { // the order of the observers stays
            std::ranges::sort(told_);
            std::ranges::sort(expected_);
        }
        if (told_ != expected_) {
            good_ = false;
            std::printf("step %zu:\n", step);
            for (const line& each : expected_)
                std::printf("  expected %zu: %s\n", each.observer, each.text.c_str());
            for (const line& each : told_) std::printf("  told %zu: %s\n", each.observer, each.text.c_str());
        }
        for (const auto& [e, known] : alive_) {
            const unsigned has =
                (world_.has<A>(e) ? a : 0U) | (world_.has<S>(e) ? s : 0U) | (world_.has<T>(e) ? t : 0U);
            good_ = good_ && has == known.has && seen(e, has) == text_of(e, known, has);
        }
        good_ = good_ && world_.size() == alive_.size();
    }

    std::mt19937_64 random_;
    pecs::world world_;
    std::map<entity, state> alive_;
    std::vector<spec> specs_;
    std::vector<pecs::observer> kept_;
    std::vector<line> expected_;
    std::vector<line> told_;
    bool unordered_ = false;
    bool good_ = true;
    std::size_t notices_ = 0;
};

} // namespace

int main(int argc, char** argv) {
    using namespace boost::ut;

    "a model predicts every notification of sparse components"_test = [&] {
        const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
        const std::uint64_t last = argc > 1 ? first : 60;
        std::size_t notices = 0;
        for (std::uint64_t seed = first; seed <= last; ++seed) {
            tester one{seed};
            one.run(400);
            notices += one.notices();
            expect(one.good()) << "seed" << seed;
            if (!one.good()) break;
        }
        expect(notices > 20000_u || argc > 1);
    };
}
