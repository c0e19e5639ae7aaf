// Random operations on entities with four relations of all rules, against a model that knows only maps. Everything is
// compared after every step, and the world checks itself. The seed of a failed run is printed; PECS_SEED=<seed> repeats.
#include <boost/ut.hpp>

#include "../support/seed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;

struct Number {
    int value = 0;
};
struct Name {
    std::string text;
};
struct ChildOf { // acyclic, cascade
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct OwnedBy { // detach, with data
    static constexpr pecs::relation_rules rules{};
    int since = 1;
};
struct Guards { // forbid
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::forbid};
};
struct Follows { // cascade, cycles allowed, data that must be destroyed
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::cascade};
    std::string mood = "calm";
};

constexpr std::size_t relations = 4;
constexpr std::array rules{ChildOf::rules, OwnedBy::rules, Guards::rules, Follows::rules};

/// Calls `f` with the relation of a number, as a template argument.
template <class F> decltype(auto) with_relation(std::size_t number, F&& f) {
    switch (number) {
    case 0: return f.template operator()<ChildOf>();
    case 1: return f.template operator()<OwnedBy>();
    case 2: return f.template operator()<Guards>();
    default: return f.template operator()<Follows>();
    }
}

struct thing {
    std::optional<int> number;
    std::optional<std::string> name;
    std::array<entity, relations> targets{};
    int since = 0;
    std::string mood;
};

class trial {
public:
    explicit trial(std::uint64_t seed) : random_{seed} {}

    void step() {
        switch (below(14)) {
        case 0:
        case 1:
        case 2: spawn(); break;
        case 3: spawn_batch(); break;
        case 4: despawn({some()}); break;
        case 5: despawn_list(); break;
        case 6: despawn_query(); break;
        case 7:
        case 8: relate(); break;
        case 9: unrelate(); break;
        case 10: change_components(); break;
        case 11: relate_list(); break;
        case 12: relate_family(); break;
        default: housekeeping(); break;
        }
    }

    /// Empty if world and model agree.
    [[nodiscard]] std::string difference() {
        if (!world_.validate()) return "the world is not valid";
        if (world_.size() != model_.size()) return "sizes differ";
        for (const auto& [e, t] : model_) {
            if (!world_.alive(e)) return "an entity is dead";
            if (world_.has<Number>(e) != t.number.has_value() || world_.has<Name>(e) != t.name.has_value())
                return "components differ";
            if (t.number && world_.get<Number>(e).value != *t.number) return "numbers differ";
            if (t.name && world_.get<Name>(e).text != *t.name) return "names differ";
            for (std::size_t r = 0; r != relations; ++r)
                if (with_relation(r, [&]<class R>() { return world_.target<R>(e) != t.targets[r]; }))
                    return "targets differ";
            if (t.targets[1] && world_.get<OwnedBy>(e).since != t.since) return "data of OwnedBy differs";
            if (t.targets[3] && world_.get<Follows>(e).mood != t.mood) return "data of Follows differs";
        }
        return queries_differ();
    }
    [[nodiscard]] const std::string& last() const { return last_; }

private:
    using list = std::vector<entity>;

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random_); }
    entity some() {
        if (model_.empty() || below(40) == 0)
            return below(2) == 0 || gone_.empty() ? entity{} : gone_[below(gone_.size())];
        auto at = model_.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(below(model_.size())));
        return at->first;
    }
    bool known(entity e) const { return model_.contains(e); }

    // --- the model

    [[nodiscard]] bool leads_to(entity from, entity to, std::size_t r) const {
        for (entity at = from; at; at = model_.at(at).targets[r])
            if (at == to) return true;
        return false;
    }
    /// All that dies with a set; empty if something forbids it.
    [[nodiscard]] std::optional<std::set<entity>> dying(std::set<entity> dead) const {
        for (bool more = true; more;) {
            more = false;
            for (const auto& [e, t] : model_)
                for (std::size_t r = 0; r != relations; ++r)
                    if (rules[r].on_target_death == pecs::target_death::cascade &&
                        dead.contains(t.targets[r]))
                        more = dead.insert(e).second || more;
        }
        for (const auto& [e, t] : model_)
            if (!dead.contains(e) && dead.contains(t.targets[2])) return std::nullopt;
        return dead;
    }
    void bury(const std::set<entity>& dead) {
        for (const entity e : dead) {
            model_.erase(e);
            gone_.push_back(e);
        }
        for (auto& [e, t] : model_)
            for (entity& target : t.targets)
                if (dead.contains(target)) target = {};
    }

    // --- the operations

    template <class Call> bool succeeds(Call call) {
        try {
            call();
            return true;
        } catch (const pecs::error& error) {
            last_ += std::string{" -> "} + error.what();
            return false;
        }
    }
    void expect_same(bool happened, bool expected) { boost::ut::expect(happened == expected) << last_; }

    void spawn() {
        last_ = "spawn";
        thing t;
        t.number = static_cast<int>(below(1000));
        entity e;
        const std::size_t kind = below(5);
        const entity a = some();
        const entity b = some();
        const bool fits = kind == 0 || (known(a) && (kind < 3 || known(b)));
        const bool done = succeeds([&] {
            const Number n{*t.number};
            switch (kind) {
            case 0: e = world_.spawn(n); break;
            case 1: e = world_.spawn(n, pecs::to<ChildOf>(a)); break;
            case 2: e = world_.spawn(pecs::to<OwnedBy>(a, OwnedBy{7}), n); break;
            case 3: e = world_.spawn(n, pecs::to<ChildOf>(a), pecs::to<Guards>(b)); break;
            default:
                e = world_.spawn(pecs::to<Follows>(b, Follows{"glad"}), n, pecs::to<ChildOf>(a),
                                 pecs::to<OwnedBy>(a));
            }
        });
        expect_same(done, fits);
        if (!done) return;
        if (kind == 1 || kind >= 3) t.targets[0] = a;
        if (kind == 2 || kind == 4) t.targets[1] = a;
        t.since = kind == 2 ? 7 : 1;
        if (kind == 3) t.targets[2] = b;
        if (kind == 4) t.targets[3] = b;
        t.mood = "glad";
        model_[e] = t;
    }
    void spawn_batch() {
        last_ = "spawn_batch";
        const entity a = some();
        const std::size_t count = below(6);
        list made;
        const bool done = succeeds([&] {
            const auto fresh =
                world_.spawn_batch(count, Number{5}, pecs::to<ChildOf>(a), pecs::to<OwnedBy>(a));
            made.assign(fresh.begin(), fresh.end());
        });
        expect_same(done, known(a));
        for (const entity e : made) model_[e] = {5, {}, {a, a, {}, {}}, 1, {}};
    }
    void despawn(const list& doomed) {
        last_ = "despawn of " + std::to_string(doomed.size());
        const std::set<entity> named{doomed.begin(), doomed.end()};
        const bool valid =
            named.size() == doomed.size() && std::ranges::all_of(doomed, [&](entity e) { return known(e); });
        const auto dead = valid ? dying(named) : std::nullopt;
        const bool done =
            succeeds([&] { doomed.size() == 1 ? world_.despawn(doomed[0]) : world_.despawn_batch(doomed); });
        expect_same(done, dead.has_value());
        if (dead) bury(*dead);
    }
    void despawn_list() {
        list doomed;
        for (std::size_t n = below(5); n != 0; --n) doomed.push_back(some());
        despawn(doomed);
    }
    void despawn_query() {
        const entity a = some();
        std::set<entity> named;
        for (const auto& [e, t] : model_)
            if (a && t.targets[1] == a) named.insert(e);
        last_ = "despawn of a query of " + std::to_string(named.size());
        const auto dead = dying(named);
        const bool done = succeeds([&] { world_.despawn_batch(world_.query<Number>().of<OwnedBy>(a)); });
        expect_same(done, dead.has_value());
        if (dead) bury(*dead);
    }
    void relate() {
        const entity e = some();
        const entity target = some();
        const std::size_t r = below(relations);
        last_ =
            "relate " + pecs::to_string(e) + " by " + std::to_string(r) + " to " + pecs::to_string(target);
        const bool fits = known(e) && known(target) && !(rules[r].acyclic && leads_to(target, e, r));
        const bool with_data = below(2) == 0;
        const bool done = succeeds([&] {
            if (with_data && r == 1)
                world_.relate<OwnedBy>(e, target, OwnedBy{42});
            else if (with_data && r == 3)
                world_.relate<Follows>(e, target, Follows{"keen"});
            else
                with_relation(r, [&]<class R>() { world_.relate<R>(e, target); });
        });
        expect_same(done, fits);
        if (done) set_target(model_[e], r, target, with_data);
    }
    static void set_target(thing& t, std::size_t r, entity target, bool with_data) {
        if (r == 1 && (with_data || !t.targets[1])) t.since = with_data ? 42 : 1;
        if (r == 3 && (with_data || !t.targets[3])) t.mood = with_data ? "keen" : "calm";
        t.targets[r] = target;
    }
    void unrelate() {
        const entity e = some();
        const std::size_t r = below(relations);
        last_ = "unrelate";
        const bool fits = known(e) && model_[e].targets[r];
        const bool done = succeeds([&] { with_relation(r, [&]<class R>() { world_.unrelate<R>(e); }); });
        expect_same(done, fits);
        if (done) model_[e].targets[r] = {};
    }
    void change_components() {
        const entity e = some();
        last_ = "components";
        if (!known(e)) return;
        thing& t = model_[e];
        if (t.name) {
            world_.exchange<Name>(e, pecs::max_components);
            world_.remove<std::size_t>(e);
            t.name.reset();
        } else {
            world_.add(e, Name{"a name that is too long for the string itself"});
            t.name = world_.get<Name>(e).text;
        }
    }
    void relate_list() {
        list some_of;
        for (std::size_t n = below(6); n != 0; --n) some_of.push_back(some());
        const entity target = some();
        const std::size_t r = below(relations);
        last_ = "relate_batch of " + std::to_string(some_of.size());
        const std::set<entity> distinct{some_of.begin(), some_of.end()};
        const bool fits =
            known(target) && distinct.size() == some_of.size() && std::ranges::all_of(some_of, [&](entity e) {
                return known(e) && !(rules[r].acyclic && leads_to(target, e, r));
            });
        const bool done =
            succeeds([&] { with_relation(r, [&]<class R>() { world_.relate_batch<R>(some_of, target); }); });
        expect_same(done, fits);
        if (!done) return;
        for (const entity e : some_of) set_target(model_[e], r, target, false);
    }
    void relate_family() {
        const entity from = some();
        const entity to = some();
        const std::size_t r = below(relations);
        last_ = "relate all of " + pecs::to_string(from) + " by " + std::to_string(r) + " to " +
                pecs::to_string(to);
        list sources;
        for (const auto& [e, t] : model_)
            if (from && t.targets[r] == from) sources.push_back(e);
        const bool fits = known(to) && std::ranges::none_of(sources, [&](entity e) {
                              return rules[r].acyclic && leads_to(to, e, r);
                          });
        const bool done = succeeds([&] {
            with_relation(
                r, [&]<class R>() { world_.relate_batch<R>(world_.query<>().template of<R>(from), to); });
        });
        expect_same(done, fits);
        if (!done) return;
        for (const entity e : sources) set_target(model_[e], r, to, false);
    }
    void housekeeping() {
        switch (below(10)) {
        case 0: world_.shrink(); break;
        case 1:
            if (below(10) != 0) break;
            world_.clear();
            for (const auto& [e, t] : model_) gone_.push_back(e);
            model_.clear();
            break;
        default: world_.compact(); break;
        }
        last_ = "housekeeping";
    }

    // --- what queries say

    template <class R>
    bool sources_differ(std::size_t r, const std::map<entity, std::set<entity>>& by_target) {
        std::map<entity, std::set<entity>> seen;
        std::size_t rows = 0;
        for (auto [target, entities] : world_.query<>().template families<R>()) {
            for (const entity e : entities) seen[target].insert(e);
            rows += entities.size();
        }
        std::size_t expected = 0;
        for (const auto& [e, t] : model_) expected += t.targets[r] ? 1 : 0;
        if (seen != by_target || rows != expected) return true;
        if (world_.query<>().template of<R>(pecs::any).count() != expected) return true;
        if (world_.query<>().template of<R>(pecs::none).count() != model_.size() - expected) return true;
        for (const auto& [target, sources] : by_target) {
            std::set<entity> found;
            for (auto [e] : world_.query<entity>().template of<R>(target)) found.insert(e);
            if (found != sources || world_.source_count<R>(target) != sources.size()) return true;
        }
        return !gone_.empty() && world_.query<>().template of<R>(gone_.back()).count() != 0;
    }
    bool hierarchy_differs() {
        std::set<entity> seen;
        for (auto [e] : world_.query<entity>().parents_first<ChildOf>()) {
            const entity parent = model_.at(e).targets[0];
            if ((parent && !seen.contains(parent)) || !seen.insert(e).second) return true;
        }
        if (seen.size() != model_.size()) return true;
        for (auto [e] : world_.query<entity>().children_first<ChildOf>()) {
            seen.erase(e);
            const entity parent = model_.at(e).targets[0];
            if (parent && !seen.contains(parent)) return true;
        }
        const entity root = some();
        std::set<entity> below;
        std::set<entity> expected;
        for (auto [e] : world_.query<entity>().under<ChildOf>(root)) {
            const entity parent = model_.at(e).targets[0];
            if (parent != root && !below.contains(parent)) return true; // parents first
            below.insert(e);
        }
        for (const auto& [e, t] : model_)
            if (root && e != root && leads_to(e, root, 0)) expected.insert(e);
        if (!seen.empty() || below != expected) return true;
        bool wrong = false;
        world_.query<entity, pecs::optional<pecs::up<ChildOf, const Name>>>().each(
            [&](entity e, const Name* name) {
                entity at = model_.at(e).targets[0];
                while (at && !model_.at(at).name) at = model_.at(at).targets[0];
                wrong = wrong || name != (at ? world_.try_get<Name>(at) : nullptr);
            });
        std::size_t named = 0;
        for (const auto& [e, t] : model_) named += t.targets[0] && model_.at(t.targets[0]).name ? 1 : 0;
        return wrong || world_.query<>().of<ChildOf>(pecs::having<const Name>).count() != named;
    }
    std::string queries_differ() {
        for (std::size_t r = 0; r != relations; ++r) {
            std::map<entity, std::set<entity>> by_target;
            for (const auto& [e, t] : model_)
                if (t.targets[r]) by_target[t.targets[r]].insert(e);
            if (with_relation(r, [&]<class R>() { return sources_differ<R>(r, by_target); }))
                return "families of relation " + std::to_string(r) + " differ";
        }
        std::size_t both = 0;
        std::size_t expected = 0;
        const entity a = some();
        for (auto [e] : world_.query<entity>().of<ChildOf>(a).of<OwnedBy>(a)) both += known(e) ? 1 : 1000;
        for (const auto& [e, t] : model_) expected += a && t.targets[0] == a && t.targets[1] == a ? 1 : 0;
        if (both != expected) return "a query for two targets differs";
        if (hierarchy_differs()) return "the hierarchy differs";
        std::set<entity> all;
        world_.query<const Number>().each([&](entity e, const Number&) { all.insert(e); });
        return all.size() == model_.size() && world_.query<Number>().count() == all.size() ? ""
                                                                                           : "each() differs";
    }

    std::mt19937_64 random_;
    pecs::world world_;
    std::map<entity, thing> model_;
    list gone_;
    std::string last_;
};

} // namespace

int main() {
    using namespace boost::ut;

    "a world with relations is what a simple model says"_test = [] {
        const std::uint64_t first = support::first_seed();
        for (std::uint64_t run = 0; run != 20; ++run) {
            trial t{first + run};
            for (int i = 0; i != 250; ++i) {
                t.step();
                const std::string wrong = t.difference();
                expect(fatal(wrong.empty()))
                    << wrong << "after" << t.last() << "in step" << i << "PECS_SEED=" << first + run;
            }
        }
    };
}
