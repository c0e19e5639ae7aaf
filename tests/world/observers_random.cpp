// Random verbs on a world and on a naive model of it. The model predicts every notification: who is told what, about
// whom, with which values, in which order. Order among entities is exact, but for verbs about a query and for `clear`,
// whose order is that of the storage: there the notices of one observer are compared as a set.
#include <boost/ut.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
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
struct B {
    int value = 0;
    std::string text; // so that it does not move as bytes
};
struct T {};
struct Child {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    int value = 0;
    static constexpr pecs::relation_rules rules{};
};
struct Near {
    static constexpr pecs::relation_rules rules{};
};
struct Needs {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::forbid};
};
struct Knows {
    int value = 0;
    static constexpr pecs::relation_rules rules{.many = true};
};
struct Owned {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::cascade, .many = true};
};
struct Friend {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
};

enum part : unsigned { a = 1, b = 2, t = 4, child = 8, likes = 16, near = 32, needs = 64 };
enum edge_kind : std::size_t { knows, owned, friends };
enum class kind : std::uint8_t { add, remove, set, spawn, despawn, relate, edge, edge_value };

/// What the model knows of an entity. A relation is there if its target is.
struct state {
    unsigned has = 0;
    int a_value = 0;
    int b_value = 0;
    int likes_value = 0;
    std::array<entity, 4> targets{}; ///< child, likes, near, needs

    [[nodiscard]] static std::size_t slot(unsigned relation) {
        return relation == child ? 0 : relation == likes ? 1 : relation == near ? 2 : 3;
    }
    [[nodiscard]] entity target(unsigned relation) const { return targets[slot(relation)]; }
    void relate(unsigned relation, entity to) {
        targets[slot(relation)] = to;
        has = to ? has | relation : has & ~relation;
    }
};

/// A change of one entity; nothing before it was born, nothing after it died.
struct transition {
    entity who;
    std::optional<state> before;
    std::optional<state> after;
    unsigned given = 0;
};
struct edge_event {
    edge_kind relation;
    entity source;
    entity old_target;
    entity new_target;
};

struct spec {
    kind what;
    unsigned types;         ///< parts, or one relation
    edge_kind edge = knows; ///< for edges
};

std::string name(entity e) {
    return e ? std::to_string(e.index()) + "v" + std::to_string(e.generation()) : "-";
}
std::string values(const state& of, unsigned types) {
    std::string text;
    if ((types & a) != 0) text += " a" + std::to_string(of.a_value);
    if ((types & b) != 0) text += " b" + std::to_string(of.b_value);
    if ((types & likes) != 0) text += " l" + std::to_string(of.likes_value);
    return text;
}

struct line {
    std::size_t observer;
    std::string text;
    bool operator==(const line&) const = default;
};

class tester {
public:
    explicit tester(std::uint64_t seed) : random_{seed} {
        (void)pecs::id_of<Child>();
        (void)pecs::id_of<Likes>();
        (void)pecs::id_of<Near>();
        (void)pecs::id_of<Needs>();
        for (std::size_t i = 0; i != specs.size(); ++i)
            if (chance(80)) subscribe(i);
    }

    void run(std::size_t steps) {
        for (step_ = 0; step_ != steps && good_; ++step_) {
            expected_.clear();
            told_.clear();
            unordered_ = false;
            act();
            compare();
            if (step_ % 16 == 0) good_ = good_ && world_.validate();
        }
    }
    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] std::size_t notices() const { return notices_; }

private:
    static constexpr std::array<spec, 26> specs{{
        {kind::add, a},         {kind::remove, a},         {kind::set, a},
        {kind::add, a | b},     {kind::remove, a | b},     {kind::set, a | b},
        {kind::add, t},         {kind::remove, t},         {kind::spawn, 0},
        {kind::despawn, 0},     {kind::spawn, b},          {kind::despawn, a | t},
        {kind::relate, child},  {kind::relate, likes},     {kind::relate, near},
        {kind::relate, needs},  {kind::add, likes},        {kind::remove, likes},
        {kind::set, likes},     {kind::remove, child | t}, {kind::edge, 0, knows},
        {kind::edge, 0, owned}, {kind::edge, 0, friends},  {kind::edge_value, 0, knows},
        {kind::add, a}, // with spans
        {kind::relate, likes},
    }};

    // --- chance

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random_); }
    bool chance(std::size_t percent) { return below(100) < percent; }
    int number() { return static_cast<int>(below(1000)); }
    entity any() {
        if (alive_.empty()) return pecs::null;
        return std::next(alive_.begin(), static_cast<std::ptrdiff_t>(below(alive_.size())))->first;
    }
    std::vector<entity> some() {
        std::vector<entity> list;
        for (const auto& [e, known] : alive_)
            if (chance(25)) list.push_back(e);
        std::ranges::shuffle(list, random_);
        return list;
    }
    /// Those of a list that have some parts and lack others.
    std::vector<entity> fitting(unsigned with, unsigned without) {
        std::vector<entity> list = some();
        std::erase_if(
            list, [&](entity e) { return (alive_[e].has & with) != with || (alive_[e].has & without) != 0; });
        return list;
    }

    // --- observers

    void subscribe(std::size_t i) {
        const auto note = [this, i](const std::string& text) { told_.push_back({i, text}); };
        const auto targets = [note](entity e, entity old, entity now) {
            note(name(e) + " " + name(old) + ">" + name(now));
        };
        const auto plain = [note](entity e) { note(name(e)); };
        const auto with_a = [note](entity e, A& v) { note(name(e) + " a" + std::to_string(v.value)); };
        const auto with_ab = [note](entity e, A& v, const B& w) {
            note(name(e) + " a" + std::to_string(v.value) + " b" + std::to_string(w.value));
        };
        const auto with_likes = [note](entity e, Likes& v) {
            note(name(e) + " l" + std::to_string(v.value));
        };
        pecs::observer made;
        switch (i) {
        case 0: made = world_.observe<A>(pecs::on_add, with_a); break;
        case 1: made = world_.observe<A>(pecs::on_remove, with_a); break;
        case 2: made = world_.observe<A>(pecs::on_set, with_a); break;
        case 3: made = world_.observe<A, B>(pecs::on_add, with_ab); break;
        case 4: made = world_.observe<A, B>(pecs::on_remove, with_ab); break;
        case 5: made = world_.observe<A, B>(pecs::on_set, with_ab); break;
        case 6: made = world_.observe<T>(pecs::on_add, plain); break;
        case 7: made = world_.observe<T>(pecs::on_remove, plain); break;
        case 8: made = world_.observe(pecs::on_spawn, plain); break;
        case 9: made = world_.observe(pecs::on_despawn, plain); break;
        case 10:
            made = world_.observe<B>(
                pecs::on_spawn, [note](entity e, B& v) { note(name(e) + " b" + std::to_string(v.value)); });
            break;
        case 11: made = world_.observe<A, T>(pecs::on_despawn, with_a); break;
        case 12: made = world_.observe<Child>(pecs::on_relate, targets); break;
        case 13: made = world_.observe<Likes>(pecs::on_relate, targets); break;
        case 14: made = world_.observe<Near>(pecs::on_relate, targets); break;
        case 15: made = world_.observe<Needs>(pecs::on_relate, targets); break;
        case 16: made = world_.observe<Likes>(pecs::on_add, with_likes); break;
        case 17: made = world_.observe<Likes>(pecs::on_remove, with_likes); break;
        case 18: made = world_.observe<Likes>(pecs::on_set, with_likes); break;
        case 19: made = world_.observe<Child, T>(pecs::on_remove, plain); break;
        case 20: made = world_.observe<Knows>(pecs::on_relate, targets); break;
        case 21: made = world_.observe<Owned>(pecs::on_relate, targets); break;
        case 22: made = world_.observe<Friend>(pecs::on_relate, targets); break;
        case 23:
            made = world_.observe<Knows>(pecs::on_set, [note](entity e, entity to, Knows& v) {
                note(name(e) + "=" + name(to) + " " + std::to_string(v.value));
            });
            break;
        case 24:
            made = world_.observe<A>(pecs::on_add, [note](std::span<const entity> all, std::span<A> list) {
                for (std::size_t k = 0; k != all.size(); ++k)
                    note(name(all[k]) + " a" + std::to_string(list[k].value));
            });
            break;
        default:
            made = world_.observe<Likes>(pecs::on_relate,
                                         [targets](std::span<const entity> all, entity old, entity now) {
                                             for (const entity e : all) targets(e, old, now);
                                         });
        }
        observers_.emplace_back(i, std::move(made));
    }

    // --- predictions

    static bool has_all(const std::optional<state>& s, unsigned types) {
        return s && (s->has & types) == types;
    }
    static void predict_one(std::vector<line>& out, std::size_t i, const transition& of, bool before) {
        const spec& s = specs[i];
        const bool had = has_all(of.before, s.types);
        const bool has = has_all(of.after, s.types);
        bool told = false;
        const state* shown = before ? &*of.before : &*of.after;
        switch (s.what) {
        case kind::add: told = !before && has && !had; break;
        case kind::remove: told = before && had && !has; break;
        case kind::set: told = !before && had && has && (of.given & s.types) != 0; break;
        case kind::spawn: told = !before && !of.before && has; break;
        case kind::despawn: told = before && had && !of.after; break;
        case kind::relate: {
            const entity old = of.before ? of.before->target(s.types) : pecs::null;
            const entity now = of.after ? of.after->target(s.types) : pecs::null;
            if (old != now && before == !now)
                out.push_back({i, name(of.who) + " " + name(old) + ">" + name(now)});
            return;
        }
        default: return;
        }
        if (told) out.push_back({i, name(of.who) + values(*shown, s.types)});
    }
    /// Adds what will be told in one phase.
    void predict(const std::vector<transition>& list, const std::vector<edge_event>& edges, bool before) {
        for (const auto& [i, handle] : observers_) {
            for (const transition& each : list)
                if (before ? each.before.has_value() : each.after.has_value())
                    predict_one(expected_, i, each, before);
            if (specs[i].what != kind::edge) continue;
            for (const edge_event& each : edges)
                if (each.relation == specs[i].edge)
                    expected_.push_back(
                        {i, name(each.source) + " " + name(each.old_target) + ">" + name(each.new_target)});
        }
    }
    /// Adds what will be told of transitions, and carries them out in the model.
    void expect_changes(const std::vector<transition>& list) {
        predict(list, {}, true);
        predict(list, {}, false);
        for (const transition& each : list) {
            if (each.after)
                alive_[each.who] = *each.after;
            else
                alive_.erase(each.who);
        }
    }
    transition change(entity e, const std::function<void(state&)>& how, unsigned given = 0) {
        transition of{e, alive_[e], alive_[e], given};
        how(*of.after);
        return of;
    }
    void compare() {
        if (unordered_) {
            const auto less = [](const line& x, const line& y) {
                return x.observer == y.observer && x.text < y.text;
            };
            const auto sort_groups = [&](std::vector<line>& list) {
                for (auto first = list.begin(); first != list.end();) {
                    const auto last = std::find_if(
                        first, list.end(), [&](const line& l) { return l.observer != first->observer; });
                    std::sort(first, last, less);
                    first = last;
                }
            };
            sort_groups(expected_);
            sort_groups(told_);
        }
        notices_ += told_.size();
        if (expected_ == told_ && world_.size() == alive_.size()) return;
        good_ = false;
        std::printf("step %zu, verb %zu: %zu entities in the model, %zu in the world\n", step_, verb_,
                    alive_.size(), world_.size());
        for (std::size_t i = 0; i < std::max(expected_.size(), told_.size()); ++i)
            std::printf("  %-40s | %s\n",
                        i < expected_.size()
                            ? (std::to_string(expected_[i].observer) + ": " + expected_[i].text).c_str()
                            : "",
                        i < told_.size() ? (std::to_string(told_[i].observer) + ": " + told_[i].text).c_str()
                                         : "");
    }

    // --- edges in the model are those of the world, which other tests look after

    template <class R> std::vector<entity> targets_of(entity e) {
        const auto list = world_.targets<R>(e);
        return {list.begin(), list.end()};
    }
    template <class R> std::vector<entity> sources_of(entity e) {
        std::vector<entity> list;
        world_.each_source<R>(e, [&](entity source) { list.push_back(source); });
        return list;
    }
    static void both_ways(std::vector<edge_event>& out, edge_kind relation, entity e, entity old,
                          entity now) {
        out.push_back({relation, e, old, now});
        const entity other = old ? old : now;
        if (relation == friends && other != e) out.push_back({relation, other, old ? e : old, now ? e : now});
    }

    // --- deaths

    struct fate {
        std::vector<entity> dying;
        std::vector<entity> losing;
        bool forbidden = false;
    };
    template <class R> void follow(std::vector<entity>& found, std::set<entity>& known, entity target) {
        for (const entity source : sources_of<R>(target))
            if (known.insert(source).second) found.push_back(source);
    }
    fate fate_of(const std::vector<entity>& named) {
        fate result;
        std::set<entity> dead{named.begin(), named.end()};
        std::vector<entity> families;
        std::vector<entity> followers;
        std::vector<entity> losing;
        std::set<entity> lost;
        std::vector<entity> queue = named;
        std::set<entity> singles = dead;
        for (std::size_t next = 0; next != queue.size(); ++next) {
            const entity dying = queue[next];
            std::vector<entity> fresh;
            for (const entity source : sources_of<Child>(dying))
                if (dead.insert(source).second) fresh.push_back(source);
            families.insert(families.end(), fresh.begin(), fresh.end());
            queue.insert(queue.end(), fresh.begin(), fresh.end());
            follow<Likes>(losing, lost, dying);
            follow<Near>(losing, lost, dying);
            for (const entity source : sources_of<Owned>(dying))
                if (dead.insert(source).second) {
                    followers.push_back(source);
                    queue.push_back(source);
                }
        }
        for (const entity e : dead)
            for (const entity source : sources_of<Needs>(e))
                if (!dead.contains(source)) result.forbidden = true;
        result.dying = named;
        result.dying.insert(result.dying.end(), families.begin(), families.end());
        result.dying.insert(result.dying.end(), followers.begin(), followers.end());
        for (const entity e : losing)
            if (!dead.contains(e)) result.losing.push_back(e);
        return result;
    }
    template <class R>
    void ending_edges(std::vector<edge_event>& out, edge_kind relation, const std::vector<entity>& dying,
                      const std::set<entity>& dead) {
        for (const entity e : dying) {
            for (const entity target : targets_of<R>(e)) out.push_back({relation, e, target, pecs::null});
            for (const entity source : sources_of<R>(e))
                if (!dead.contains(source)) out.push_back({relation, source, e, pecs::null});
        }
    }
    void expect_deaths(const fate& what) {
        const std::set<entity> dead{what.dying.begin(), what.dying.end()};
        std::vector<transition> list;
        for (const entity e : what.dying) list.push_back({e, alive_[e], std::nullopt});
        for (const entity e : what.losing)
            list.push_back(change(e, [&](state& s) {
                for (const unsigned relation : {likes, near})
                    if (dead.contains(s.target(relation))) s.relate(relation, pecs::null);
            }));
        std::vector<edge_event> edges;
        ending_edges<Knows>(edges, knows, what.dying, dead);
        ending_edges<Owned>(edges, owned, what.dying, dead);
        ending_edges<Friend>(edges, friends, what.dying, dead);
        predict(list, edges, true);
        for (const transition& each : list) {
            if (each.after)
                alive_[each.who] = *each.after;
            else
                alive_.erase(each.who);
        }
        for (const entity e : what.dying) marked_.erase(e);
    }
    template <class Verb> void die(const std::vector<entity>& named, Verb verb) {
        const fate what = fate_of(named);
        if (what.forbidden) {
            try {
                verb();
                good_ = false;
            } catch (const pecs::target_in_use&) {
            }
            return;
        }
        expect_deaths(what);
        verb();
    }

    // --- births

    /// Values for new entities, as many as the state says.
    template <std::size_t Step = 0, class Make, class... Vs>
    auto with_values(const state& s, const Make& make, Vs... given) {
        if constexpr (Step == 0) {
            if ((s.has & a) != 0) return with_values<1>(s, make, given..., A{s.a_value});
            return with_values<1>(s, make, given...);
        } else if constexpr (Step == 1) {
            if ((s.has & b) != 0) return with_values<2>(s, make, given..., B{s.b_value, "text"});
            return with_values<2>(s, make, given...);
        } else if constexpr (Step == 2) {
            if ((s.has & t) != 0) return with_values<3>(s, make, given..., T{});
            return with_values<3>(s, make, given...);
        } else if constexpr (Step == 3) {
            if ((s.has & likes) != 0)
                return with_values<4>(s, make, given...,
                                      pecs::to<Likes>(s.target(likes), Likes{s.likes_value}));
            return with_values<4>(s, make, given...);
        } else {
            return make(given...);
        }
    }
    state new_state() {
        state s;
        s.has = static_cast<unsigned>(below(8));
        s.a_value = number();
        s.b_value = number();
        if (!alive_.empty() && chance(50)) {
            s.relate(likes, any());
            s.likes_value = number();
            marked_.insert(s.target(likes));
        }
        return s;
    }
    void expect_births(std::span<const entity> made, const state& s, std::optional<entity> known_target) {
        std::vector<transition> list;
        std::vector<edge_event> edges;
        for (const entity e : made) list.push_back({e, std::nullopt, s});
        if (known_target)
            for (const entity e : made) {
                both_ways(edges, friends, e, pecs::null, *known_target);
                marked_.insert(e);
                marked_.insert(*known_target);
            }
        predict(list, edges, false);
        for (const entity e : made) alive_[e] = s;
    }

    // --- verbs

    void act() {
        verb_ = below(32);
        switch (alive_.size() > 40 ? 3 : verb_) {
        case 0:
        case 1: spawn(); break;
        case 2: spawn_many(); break;
        case 3: despawn(); break;
        case 4: despawn_list(); break;
        case 5: despawn_query(); break;
        case 6: add(); break;
        case 7: remove(); break;
        case 8: exchange(); break;
        case 9: set(); break;
        case 10: add_list(); break;
        case 11: set_list(); break;
        case 12: exchange_list(); break;
        case 13: batch_by_query(); break;
        case 14: relate(); break;
        case 15: relate_data(); break;
        case 16: unrelate(); break;
        case 17: relate_list(); break;
        case 18: relate_query(); break;
        case 19: have_child(); break;
        case 20: need(); break;
        case 21: add_edge(); break;
        case 22: cut_edge(); break;
        case 23: edges_of_list(); break;
        case 24: by_id(); break;
        case 25: clone(); break;
        case 26:
        case 27: apply(); break;
        case 28: be_near(); break;
        case 29:
            if (chance(10)) clear();
            break;
        case 30: change_observers(); break;
        default: remove_list(); break;
        }
    }

    void spawn() {
        const state s = new_state();
        const entity other = chance(30) ? any() : pecs::null;
        const entity made = with_values(s, [&](auto... given) {
            return other ? world_.spawn(given..., pecs::to<Friend>(other)) : world_.spawn(given...);
        });
        expect_births({&made, 1}, s, other ? std::optional{other} : std::nullopt);
    }
    void spawn_many() {
        const state s = new_state();
        const entity other = chance(30) ? any() : pecs::null;
        const std::span<const entity> made = with_values(s, [&](auto... given) {
            const std::size_t count = below(4);
            return other ? world_.spawn_batch(count, given..., pecs::to<Friend>(other))
                         : world_.spawn_batch(count, given...);
        });
        expect_births(std::vector<entity>{made.begin(), made.end()}, s,
                      other ? std::optional{other} : std::nullopt);
    }
    void despawn() {
        if (const entity e = any()) die({e}, [&] { world_.despawn(e); });
    }
    void despawn_list() {
        std::vector<entity> list = some();
        if (list.size() > 3) list.resize(3);
        die(list, [&] { world_.despawn_batch(list); });
    }
    void despawn_query() {
        if (chance(70)) return;
        unordered_ = true;
        std::vector<entity> list;
        for (const auto& [e, s] : alive_)
            if ((s.has & (a | t)) == (a | t)) list.push_back(e);
        die(list, [&] { world_.despawn_batch(world_.query<A, T>()); });
    }
    void add() {
        const entity e = any();
        if (!e) return;
        const int value = number();
        const unsigned has = alive_[e].has;
        if ((has & (a | b)) == 0 && chance(50)) {
            expect_changes({change(e, [&](state& s) { s.has |= a | b, s.a_value = s.b_value = value; })});
            world_.add(e, B{value, "b"}, A{value});
        } else if ((has & a) == 0) {
            expect_changes({change(e, [&](state& s) { s.has |= a, s.a_value = value; })});
            world_.add(e, A{value});
        } else if ((has & t) == 0) {
            expect_changes({change(e, [&](state& s) { s.has |= t; })});
            world_.add<T>(e);
        }
    }
    void remove() {
        const entity e = any();
        if (!e) return;
        const unsigned has = alive_[e].has;
        if ((has & (a | t)) == (a | t) && chance(50)) {
            expect_changes({change(e, [&](state& s) { s.has &= ~(a | t); })});
            world_.remove<T, A>(e);
        } else if ((has & b) != 0) {
            expect_changes({change(e, [&](state& s) { s.has &= ~b; })});
            world_.remove<B>(e);
        } else if ((has & t) != 0) {
            expect_changes({change(e, [&](state& s) { s.has &= ~t; })});
            world_.remove<T>(e);
        }
    }
    void exchange() {
        const entity e = any();
        if (!e || (alive_[e].has & (a | b)) != a) return;
        const int value = number();
        expect_changes({change(e, [&](state& s) { s.has = (s.has & ~a) | b, s.b_value = value; })});
        world_.exchange<A>(e, B{value, "b"});
    }
    void set() {
        const entity e = any();
        if (!e) return;
        const int value = number();
        const unsigned had = alive_[e].has;
        if (chance(50)) {
            expect_changes({change(e, [&](state& s) { s.has |= a, s.a_value = value; }, had & a)});
            world_.set(e, A{value});
        } else {
            expect_changes({change(
                e, [&](state& s) { s.has |= a | b | t, s.a_value = s.b_value = value; }, had & (a | b))});
            world_.set(e, B{value, "b"}, T{}, A{value});
        }
    }
    void expect_list(const std::vector<entity>& list, const std::function<void(state&)>& how,
                     unsigned given = 0) {
        std::vector<transition> all;
        for (const entity e : list) all.push_back(change(e, how, alive_[e].has & given));
        expect_changes(all);
    }
    void add_list() {
        const std::vector<entity> list = fitting(0, a | t);
        const int value = number();
        expect_list(list, [&](state& s) { s.has |= a | t, s.a_value = value; });
        world_.add_batch(std::span<const entity>{list}, T{}, A{value});
    }
    void remove_list() {
        const std::vector<entity> list = fitting(a, 0);
        expect_list(list, [](state& s) { s.has &= ~a; });
        world_.remove_batch<A>(std::span<const entity>{list});
    }
    void exchange_list() {
        const std::vector<entity> list = fitting(b, t);
        expect_list(list, [](state& s) { s.has = (s.has & ~b) | t; });
        world_.exchange_batch<B>(std::span<const entity>{list}, T{});
    }
    void set_list() {
        const std::vector<entity> list = some();
        const int value = number();
        expect_list(list, [&](state& s) { s.has |= a | b, s.a_value = s.b_value = value; }, a | b);
        world_.set_batch(std::span<const entity>{list}, A{value}, B{value, "b"});
    }
    std::vector<entity> all_with(unsigned with, unsigned without) {
        std::vector<entity> list;
        for (const auto& [e, s] : alive_)
            if ((s.has & with) == with && (s.has & without) == 0) list.push_back(e);
        return list;
    }
    void batch_by_query() {
        unordered_ = true;
        const int value = number();
        switch (below(4)) {
        case 0:
            expect_list(all_with(a, t), [](state& s) { s.has |= t; });
            world_.add_batch(world_.query<A, pecs::without<T>>(), T{});
            break;
        case 1:
            expect_list(all_with(t, 0), [](state& s) { s.has &= ~t; });
            world_.remove_batch<T>(world_.query<T>());
            break;
        case 2:
            expect_list(all_with(a, b), [&](state& s) { s.has = (s.has & ~a) | b, s.b_value = value; });
            world_.exchange_batch<A>(world_.query<A, pecs::without<B>>(), B{value, "b"});
            break;
        default:
            expect_list(all_with(t, 0), [&](state& s) { s.has |= a, s.a_value = value; }, a);
            world_.set_batch(world_.query<T>(), A{value});
        }
    }
    void relate() {
        const entity e = any();
        if (!e) return;
        const entity to = any();
        marked_.insert(to);
        expect_changes({change(e, [&](state& s) {
            if ((s.has & likes) == 0) s.likes_value = 0;
            s.relate(likes, to);
        })});
        world_.relate<Likes>(e, to);
    }
    void relate_data() {
        const entity e = any();
        if (!e) return;
        const entity to = any();
        const int value = number();
        marked_.insert(to);
        expect_changes({change(
            e,
            [&](state& s) {
                s.likes_value = value;
                s.relate(likes, to);
            },
            alive_[e].has & likes)});
        world_.relate<Likes>(e, to, Likes{value});
    }
    void unrelate() {
        const entity e = any();
        if (!e) return;
        if ((alive_[e].has & likes) != 0) {
            expect_changes({change(e, [](state& s) { s.relate(likes, pecs::null); })});
            world_.unrelate<Likes>(e);
        } else if ((alive_[e].has & needs) != 0) {
            expect_changes({change(e, [](state& s) { s.relate(needs, pecs::null); })});
            world_.unrelate<Needs>(e);
        } else if ((alive_[e].has & child) != 0) {
            expect_changes({change(e, [](state& s) { s.relate(child, pecs::null); })});
            world_.reparent<Child>(e, pecs::null);
        }
    }
    void relate_list() {
        const std::vector<entity> list = some();
        const entity to = any();
        if (!to) return;
        marked_.insert(to);
        expect_list(list, [&](state& s) {
            if ((s.has & likes) == 0) s.likes_value = 0;
            s.relate(likes, to);
        });
        world_.relate_batch<Likes>(std::span<const entity>{list}, to);
    }
    void relate_query() {
        unordered_ = true;
        const entity to = any();
        if (!to) return;
        marked_.insert(to);
        expect_list(all_with(a, 0), [&](state& s) { s.relate(near, to); });
        world_.relate_batch<Near>(world_.query<A>(), to);
    }
    void be_near() {
        const std::vector<entity> list = fitting(near, 0);
        expect_list(list, [&](state& s) { s.relate(near, pecs::null); });
        world_.unrelate_batch<Near>(std::span<const entity>{list});
    }
    void have_child() {
        const entity e = any();
        const entity to = any();
        if (!e || !world_.can_relate<Child>(e, to)) return;
        marked_.insert(to);
        expect_changes({change(e, [&](state& s) { s.relate(child, to); })});
        world_.relate<Child>(e, to);
    }
    void need() {
        const entity e = any();
        const entity to = any();
        if (!e || chance(60)) return;
        marked_.insert(to);
        expect_changes({change(e, [&](state& s) { s.relate(needs, to); })});
        world_.relate<Needs>(e, to);
    }
    void expect_edge(edge_kind relation, entity e, entity to, bool there) {
        std::vector<edge_event> edges;
        if (!there) both_ways(edges, relation, e, pecs::null, to);
        predict({}, edges, false);
        marked_.insert(e);
        marked_.insert(to);
    }
    void expect_value(entity e, entity to, int value) {
        for (const auto& [i, handle] : observers_)
            if (specs[i].what == kind::edge_value)
                expected_.push_back({i, name(e) + "=" + name(to) + " " + std::to_string(value)});
    }
    void add_edge() {
        const entity e = any();
        if (!e) return;
        const entity to = any();
        switch (below(4)) {
        case 0: {
            const int value = number();
            const bool there = world_.has<Knows>(e, to);
            expect_edge(knows, e, to, there);
            if (there) expect_value(e, to, value);
            world_.relate<Knows>(e, to, Knows{value});
            break;
        }
        case 1:
            expect_edge(knows, e, to, world_.has<Knows>(e, to));
            world_.relate<Knows>(e, to);
            break;
        case 2:
            expect_edge(friends, e, to, world_.has<Friend>(e, to));
            world_.by_id().relate(e, pecs::id_of<Friend>(), to);
            break;
        default:
            if (chance(70)) return;
            expect_edge(owned, e, to, world_.has<Owned>(e, to));
            world_.relate<Owned>(e, to);
        }
    }
    template <class R> void cut(edge_kind relation, entity e) {
        const std::vector<entity> all = targets_of<R>(e);
        if (all.empty()) return;
        std::vector<edge_event> edges;
        if (chance(50)) {
            for (const entity to : all) both_ways(edges, relation, e, to, pecs::null);
            predict({}, edges, true);
            world_.unrelate<R>(e);
        } else {
            const entity to = all[below(all.size())];
            both_ways(edges, relation, e, to, pecs::null);
            predict({}, edges, true);
            if (chance(50))
                world_.unrelate<R>(e, to);
            else
                world_.by_id().unrelate(e, pecs::id_of<R>(), to);
        }
    }
    void cut_edge() {
        const entity e = any();
        if (!e) return;
        cut<Knows>(knows, e);
        if (expected_.empty()) cut<Friend>(friends, e);
    }
    void edges_of_list() {
        std::vector<entity> list = some();
        const entity to = any();
        if (!to) return;
        std::vector<edge_event> edges;
        if (chance(50)) {
            std::set<std::pair<entity, entity>> made;
            for (const entity e : list) {
                if (!world_.has<Friend>(e, to)) both_ways(edges, friends, e, pecs::null, to);
                marked_.insert(e);
            }
            marked_.insert(to);
            predict({}, edges, false);
            world_.relate_batch<Friend>(std::span<const entity>{list}, to);
        } else {
            std::erase_if(list, [&](entity e) { return world_.targets<Friend>(e).empty(); });
            std::set<entity> before;
            for (const entity e : list) {
                for (const entity other : targets_of<Friend>(e))
                    if (!before.contains(other)) both_ways(edges, friends, e, other, pecs::null);
                before.insert(e);
            }
            predict({}, edges, true);
            world_.unrelate_batch<Friend>(std::span<const entity>{list});
        }
    }
    void by_id() {
        const entity e = any();
        if (!e) return;
        const A value{number()};
        const unsigned had = alive_[e].has;
        switch (below(4)) {
        case 0:
            expect_changes({change(e, [&](state& s) { s.has |= a, s.a_value = value.value; }, had & a)});
            world_.by_id().set(e, pecs::id_of<A>(), &value);
            break;
        case 1:
            if ((had & a) == 0) return;
            expect_changes({change(e, [](state& s) { s.has &= ~a; })});
            world_.by_id().remove(e, pecs::id_of<A>());
            break;
        case 2:
            if ((had & t) != 0) return;
            expect_changes({change(e, [](state& s) { s.has |= t; })});
            world_.by_id().add(e, pecs::id_of<T>());
            break;
        default: {
            const entity to = any();
            marked_.insert(to);
            expect_changes({change(e, [&](state& s) {
                if ((s.has & likes) == 0) s.likes_value = 0;
                s.relate(likes, to);
            })});
            world_.by_id().relate(e, pecs::id_of<Likes>(), to);
        }
        }
    }
    void clone() {
        const entity e = any();
        if (!e) return;
        const state s = alive_[e];
        const std::array<std::vector<entity>, 3> targets{targets_of<Knows>(e), targets_of<Owned>(e),
                                                         targets_of<Friend>(e)};
        const entity made = world_.clone(e);
        std::vector<edge_event> edges;
        for (const edge_kind relation : {knows, owned, friends})
            for (const entity to : targets[relation]) {
                both_ways(edges, relation, made, pecs::null, to);
                marked_.insert(made);
            }
        predict({{made, std::nullopt, s}}, edges, false);
        alive_[made] = s;
    }
    void clear() {
        unordered_ = true;
        std::vector<entity> list;
        for (const auto& [e, s] : alive_) list.push_back(e);
        fate all;
        all.dying = list;
        expect_deaths(all);
        world_.clear();
    }
    void change_observers() {
        if (!observers_.empty() && chance(60))
            observers_.erase(observers_.begin() + static_cast<std::ptrdiff_t>(below(observers_.size())));
        if (chance(60)) subscribe(below(specs.size()));
    }

    // --- recorded commands: one change per entity, births first, ends last

    struct draft {
        entity who;
        std::optional<state> before;
        std::optional<state> after;
        unsigned given = 0;
    };
    void apply() {
        std::vector<draft> drafts;
        const auto place = [&](entity e) { return std::ranges::find(drafts, e, &draft::who); };
        const std::size_t count = 1 + below(8);
        for (std::size_t i = 0; i != count; ++i) {
            if (alive_.empty() || chance(20)) {
                const state s = new_state();
                if (const auto target = place(s.target(likes)); target != drafts.end() && !target->after)
                    continue;
                const entity made = with_values(s, [&](auto... given) { return recorder_.spawn(given...); });
                drafts.push_back({made, std::nullopt, s});
                continue;
            }
            const entity e = !drafts.empty() && chance(50) ? drafts[below(drafts.size())].who : any();
            if (!alive_.contains(e) && place(e) == drafts.end()) continue;
            draft on = place(e) != drafts.end() ? *place(e) : draft{e, alive_[e], alive_[e]};
            if (!on.after) continue;
            state& s = *on.after;
            const unsigned had = on.before ? on.before->has : 0;
            const int value = number();
            switch (below(6)) {
            case 0:
                if ((s.has & a) != 0) continue;
                recorder_.add(e, A{value});
                s.has |= a, s.a_value = value, on.given |= had & a;
                break;
            case 1:
                if ((s.has & a) == 0) continue;
                recorder_.remove<A>(e);
                s.has &= ~a;
                break;
            case 2:
                recorder_.set(e, A{value}, B{value, "b"}, T{});
                s.has |= a | b | t, s.a_value = s.b_value = value, on.given |= had & (a | b);
                break;
            case 3: {
                const entity to = any();
                if (std::ranges::any_of(drafts, [&](const draft& d) { return d.who == to && !d.after; }))
                    continue;
                recorder_.relate<Likes>(e, to, Likes{value});
                s.relate(likes, to);
                s.likes_value = value, on.given |= had & likes;
                marked_.insert(to);
                break;
            }
            case 4: {
                const entity to = any();
                if (std::ranges::any_of(drafts, [&](const draft& d) { return d.who == to && !d.after; }))
                    continue;
                recorder_.relate<Likes>(e, to);
                if ((s.has & likes) == 0) s.likes_value = 0, on.given |= had & likes;
                s.relate(likes, to);
                marked_.insert(to);
                break;
            }
            default:
                if (marked_.contains(e)) continue;
                recorder_.despawn(e);
                on.after.reset();
            }
            if (place(e) != drafts.end())
                *place(e) = on;
            else
                drafts.push_back(on);
        }
        std::vector<transition> births;
        for (const draft& each : drafts)
            if (!each.before && each.after) births.push_back({each.who, std::nullopt, each.after});
        expect_changes(births);
        for (const draft& each : drafts)
            if (each.before && each.after)
                expect_changes({{each.who, each.before, each.after, each.given & each.after->has}});
        for (const draft& each : drafts)
            if (each.before && !each.after) expect_changes({{each.who, each.before, std::nullopt}});
        if (!world_.apply(recorder_, pecs::on_failure::report).empty()) good_ = false;
    }

    std::mt19937_64 random_;
    pecs::world world_;
    pecs::commands recorder_ = world_.record();
    std::map<entity, state> alive_;
    std::set<entity> marked_; ///< those that may be targets, or have edges
    std::vector<std::pair<std::size_t, pecs::observer>> observers_;
    std::vector<line> expected_;
    std::vector<line> told_;
    bool unordered_ = false;
    bool good_ = true;
    std::size_t step_ = 0;
    std::size_t verb_ = 0;
    std::size_t notices_ = 0;
};

} // namespace

int main(int argc, char** argv) {
    using namespace boost::ut;

    "a model predicts every notification"_test = [&] {
        const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
        const std::uint64_t last = argc > 1 ? first : 60;
        std::size_t notices = 0;
        for (std::uint64_t seed = first; seed <= last; ++seed) {
            tester one{seed};
            one.run(600);
            notices += one.notices();
            expect(one.good()) << "seed" << seed;
            if (!one.good()) break;
        }
        expect(notices > 20000_u || argc > 1);
    };
}
