// What the observers of a test are told, and what they should be told of one change: components, targets and edges of all
// kinds, and one observer of each kind that there is.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace observed {

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

inline std::string name(entity e) {
    return e ? std::to_string(e.index()) + "v" + std::to_string(e.generation()) : "-";
}
inline std::string values(const state& of, unsigned types) {
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

/// A world with observers that write down what they are told, beside what they should be told.
class witness {
public:
    witness(const witness&) = delete;
    witness& operator=(const witness&) = delete;
    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] std::size_t notices() const { return notices_; }

protected:
    witness() {
        (void)pecs::id_of<Child>();
        (void)pecs::id_of<Likes>();
        (void)pecs::id_of<Near>();
        (void)pecs::id_of<Needs>();
    }
    ~witness() = default;

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
    void expect_value(entity e, entity to, int value) {
        for (const auto& [i, handle] : observers_)
            if (specs[i].what == kind::edge_value)
                expected_.push_back({i, name(e) + "=" + name(to) + " " + std::to_string(value)});
    }

    /// Compares the two.
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
        if (expected_ == told_) return;
        good_ = false;
        for (std::size_t i = 0; i < std::max(expected_.size(), told_.size()); ++i)
            std::printf("  %-40s | %s\n",
                        i < expected_.size()
                            ? (std::to_string(expected_[i].observer) + ": " + expected_[i].text).c_str()
                            : "",
                        i < told_.size() ? (std::to_string(told_[i].observer) + ": " + told_[i].text).c_str()
                                         : "");
    }

    pecs::world world_;
    std::vector<std::pair<std::size_t, pecs::observer>> observers_;
    std::vector<line> expected_;
    std::vector<line> told_;
    bool unordered_ = false; ///< the notices of one observer may come in any order
    bool good_ = true;

private:
    std::size_t notices_ = 0;
};

} // namespace observed
