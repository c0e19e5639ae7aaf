// Random operations on a world with relations of both kinds, and on a model that is as simple as can be. The two are
// compared after every step, and the world checks itself. The seed of a failed run is printed; PECS_SEED=<seed> repeats.
#include <boost/ut.hpp>

#include "../support/seed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::target_death;

struct Number {
    int value = 0;
};
struct Mark {};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Follows {
    static constexpr pecs::relation_rules rules{};
};
struct Likes { // detach, with data that owns memory
    static constexpr pecs::relation_rules rules{.many = true};
    std::string why = "for no reason that would fit into a short string";
};
struct Needs {
    static constexpr pecs::relation_rules rules{.on_target_death = target_death::cascade, .many = true};
};
struct Uses {
    static constexpr pecs::relation_rules rules{
        .on_target_death = target_death::forbid, .acyclic = true, .many = true};
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
    std::string since = "ever, as far as anybody can remember it now";
};

constexpr std::size_t relations = 4;
constexpr std::array rules{Likes::rules, Needs::rules, Uses::rules, Knows::rules};

template <class F> decltype(auto) with_relation(std::size_t r, F f) {
    switch (r) {
    case 0: return f.template operator()<Likes>();
    case 1: return f.template operator()<Needs>();
    case 2: return f.template operator()<Uses>();
    default: return f.template operator()<Knows>();
    }
}

struct thing {
    bool number = false;
    bool mark = false;
    entity parent;
    entity leader;
};
using edge = std::pair<entity, entity>;

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
        case 10: relate_list(); break;
        case 11: unrelate_list(); break;
        case 12: change(); break;
        default: housekeeping(); break;
        }
    }

    /// Empty if world and model agree.
    [[nodiscard]] std::string difference() {
        if (!world_.validate()) return "the world is not valid";
        if (world_.size() != model_.size()) return "sizes differ";
        for (const auto& [e, t] : model_) {
            if (!world_.alive(e)) return "an entity is dead";
            if (world_.has<Number>(e) != t.number || world_.has<Mark>(e) != t.mark)
                return "components differ";
            if (world_.target<ChildOf>(e) != t.parent || world_.target<Follows>(e) != t.leader)
                return "single targets differ";
        }
        for (std::size_t r = 0; r != relations; ++r)
            if (with_relation(r, [&]<class R>() { return edges_differ<R>(edges_[r]); }))
                return "edges of relation " + std::to_string(r) + " differ";
        for (const auto& [ends, text] : edges_[0])
            if (world_.get<Likes>(ends.first, ends.second).why != text) return "data of Likes differs";
        for (const auto& [ends, text] : edges_[3])
            if (world_.get<Knows>(ends.first, ends.second).since != text) return "data of Knows differs";
        return "";
    }
    [[nodiscard]] const std::string& last() const { return last_; }

private:
    using list = std::vector<entity>;

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random_); }
    entity some() {
        if (model_.empty() || below(40) == 0)
            return below(2) == 0 || gone_.empty() ? entity{} : gone_[below(gone_.size())];
        auto at = model_.begin();
        // A few are in many of the edges.
        std::advance(at, static_cast<std::ptrdiff_t>(below(below(4) == 0 ? 1 : model_.size())));
        return at->first;
    }
    list some_of(std::size_t most) {
        list all;
        for (std::size_t n = below(most); n != 0; --n) all.push_back(some());
        return all;
    }
    [[nodiscard]] bool known(entity e) const { return model_.contains(e); }
    [[nodiscard]] bool usable(const list& all) const {
        const std::set<entity> distinct{all.begin(), all.end()};
        return distinct.size() == all.size() && std::ranges::all_of(all, [&](entity e) { return known(e); });
    }

    // --- the model

    [[nodiscard]] bool climbs_to(entity from, entity to) const {
        for (entity at = from; at; at = model_.at(at).parent)
            if (at == to) return true;
        return false;
    }
    [[nodiscard]] bool leads_to(entity from, entity to, std::size_t r) const {
        std::set<entity> seen{from};
        for (list queue{from}; !queue.empty();) {
            const entity at = queue.back();
            queue.pop_back();
            if (at == to) return true;
            for (auto next = edges_[r].lower_bound({at, {}});
                 next != edges_[r].end() && next->first.first == at; ++next)
                if (seen.insert(next->first.second).second) queue.push_back(next->first.second);
        }
        return false;
    }
    [[nodiscard]] bool fits(entity e, entity target, std::size_t r) const {
        return known(e) && known(target) && !(rules[r].acyclic && leads_to(target, e, r));
    }
    void add(std::size_t r, entity a, entity b, const std::string& text, bool replace) {
        const auto set = [&](edge ends) {
            if (replace)
                edges_[r][ends] = text;
            else
                edges_[r].emplace(ends, text);
        };
        set({a, b});
        if (rules[r].symmetric) set({b, a});
    }
    bool cut(std::size_t r, entity a, entity b) {
        const bool there = edges_[r].erase({a, b}) != 0;
        if (rules[r].symmetric) edges_[r].erase({b, a});
        return there;
    }
    void cut_all(std::size_t r, entity a) {
        std::erase_if(edges_[r], [&](const auto& each) {
            return each.first.first == a || (rules[r].symmetric && each.first.second == a);
        });
    }
    [[nodiscard]] bool has_any(std::size_t r, entity a) const {
        const auto at = edges_[r].lower_bound({a, {}});
        return a && at != edges_[r].end() && at->first.first == a;
    }
    /// All that dies with a set; empty if something forbids it.
    [[nodiscard]] std::optional<std::set<entity>> dying(std::set<entity> dead) const {
        for (bool more = true; more;) {
            more = false;
            for (const auto& [e, t] : model_)
                if (dead.contains(t.parent)) more = dead.insert(e).second || more;
            for (const auto& [ends, text] : edges_[1])
                if (dead.contains(ends.second)) more = dead.insert(ends.first).second || more;
        }
        for (const auto& [ends, text] : edges_[2])
            if (!dead.contains(ends.first) && dead.contains(ends.second)) return std::nullopt;
        return dead;
    }
    void bury(const std::set<entity>& dead) {
        for (const entity e : dead) {
            model_.erase(e);
            gone_.push_back(e);
        }
        for (auto& [e, t] : model_)
            if (dead.contains(t.leader)) t.leader = {};
        for (auto& all : edges_)
            std::erase_if(all, [&](const auto& each) {
                return dead.contains(each.first.first) || dead.contains(each.first.second);
            });
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
        const entity a = some();
        const entity b = some();
        const std::size_t kind = below(4);
        entity e;
        const bool done = succeeds([&] {
            switch (kind) {
            case 0: e = world_.spawn(Number{1}); break;
            case 1:
                e = world_.spawn(Number{1}, pecs::to<Likes>(a, Likes{"charm"}), pecs::to<ChildOf>(b));
                break;
            case 2: e = world_.spawn(pecs::to<Needs>(a), pecs::to<Knows>(b), Mark{}); break;
            default: e = world_.spawn(pecs::to<Uses>(a), pecs::to<Follows>(b)); break;
            }
        });
        expect_same(done, kind == 0 || (known(a) && known(b)));
        if (!done) return;
        model_[e] = {kind < 2, kind == 2, kind == 1 ? b : entity{}, kind == 3 ? b : entity{}};
        if (kind == 1) add(0, e, a, "charm", true);
        if (kind == 2) {
            add(1, e, a, {}, true);
            add(3, e, b, Knows{}.since, true);
        }
        if (kind == 3) add(2, e, a, {}, true);
    }
    void spawn_batch() {
        last_ = "spawn_batch";
        const entity a = some();
        list made;
        const std::size_t count = below(8);
        const bool done = succeeds([&] {
            const auto fresh = world_.spawn_batch(count, Number{2}, pecs::to<Likes>(a), pecs::to<Knows>(a));
            made.assign(fresh.begin(), fresh.end());
        });
        expect_same(done, known(a));
        for (const entity e : made) {
            model_[e] = {true, false, {}, {}};
            add(0, e, a, Likes{}.why, true);
            add(3, e, a, Knows{}.since, true);
        }
    }
    void despawn(const list& doomed) {
        last_ = "despawn of " + std::to_string(doomed.size());
        const auto dead = usable(doomed) ? dying({doomed.begin(), doomed.end()}) : std::nullopt;
        const bool done =
            succeeds([&] { doomed.size() == 1 ? world_.despawn(doomed[0]) : world_.despawn_batch(doomed); });
        expect_same(done, dead.has_value());
        if (dead) bury(*dead);
    }
    void despawn_list() { despawn(some_of(5)); }
    void despawn_query() {
        const entity a = some();
        const bool by_edge = below(2) == 0;
        std::set<entity> named;
        for (const auto& [e, t] : model_)
            if (a && (by_edge ? edges_[0].contains({e, a}) && t.number : t.leader == a)) named.insert(e);
        last_ = "despawn of a query of " + std::to_string(named.size());
        const auto dead = dying(named);
        const bool done = succeeds([&] {
            if (by_edge)
                world_.despawn_batch(world_.query<Number>().of<Likes>(a));
            else
                world_.despawn_batch(world_.query<>().of<Follows>(a));
        });
        expect_same(done, dead.has_value());
        if (dead) bury(*dead);
    }
    void relate() {
        const entity e = some();
        const entity target = some();
        const std::size_t r = below(relations + 1);
        last_ =
            "relate " + pecs::to_string(e) + " by " + std::to_string(r) + " to " + pecs::to_string(target);
        if (r == relations) {
            const bool done = succeeds([&] { world_.relate<ChildOf>(e, target); });
            expect_same(done, known(e) && known(target) && !climbs_to(target, e));
            if (done) model_[e].parent = target;
            return;
        }
        const bool with_data = below(2) == 0;
        const bool possible = fits(e, target, r);
        const bool done = succeeds([&] {
            if (with_data && r == 0)
                world_.relate<Likes>(e, target, Likes{"wit"});
            else if (with_data && r == 3)
                world_.relate<Knows>(e, target, Knows{"long"});
            else
                with_relation(r, [&]<class R>() { world_.relate<R>(e, target); });
        });
        expect_same(done, possible);
        if (done) add(r, e, target, data(r, with_data), with_data);
    }
    static std::string data(std::size_t r, bool given) {
        if (r == 0) return given ? "wit" : Likes{}.why;
        if (r == 3) return given ? "long" : Knows{}.since;
        return {};
    }
    void unrelate() {
        const std::size_t r = below(relations);
        entity e = some();
        entity target = some();
        if (!edges_[r].empty() && below(3) != 0) {
            auto at = edges_[r].begin();
            std::advance(at, static_cast<std::ptrdiff_t>(below(edges_[r].size())));
            std::tie(e, target) = at->first;
        }
        const bool all = below(4) == 0;
        last_ = all ? "unrelate all" : "unrelate";
        const bool possible = all ? has_any(r, e) : edges_[r].contains({e, target});
        const bool done = succeeds([&] {
            with_relation(r, [&]<class R>() {
                if (all)
                    world_.unrelate<R>(e);
                else
                    world_.unrelate<R>(e, target);
            });
        });
        expect_same(done, possible);
        if (!done) return;
        if (all)
            cut_all(r, e);
        else
            cut(r, e, target);
    }
    void relate_list() {
        const list all = some_of(8);
        const entity target = some();
        const std::size_t r = below(relations);
        last_ = "relate_batch of " + std::to_string(all.size()) + " by " + std::to_string(r);
        const bool possible = known(target) && usable(all) &&
                              std::ranges::all_of(all, [&](entity e) { return fits(e, target, r); });
        const bool done =
            succeeds([&] { with_relation(r, [&]<class R>() { world_.relate_batch<R>(all, target); }); });
        expect_same(done, possible);
        if (!done) return;
        for (const entity e : all) add(r, e, target, data(r, false), false);
    }
    void unrelate_list() {
        const entity target = some();
        const std::size_t r = below(relations);
        list all;
        for (const auto& [ends, text] : edges_[r])
            if (ends.second == target && below(3) != 0) all.push_back(ends.first);
        if (below(4) == 0) all.push_back(some());
        last_ = "unrelate_batch of " + std::to_string(all.size());
        const bool possible = usable(all) && std::ranges::all_of(all, [&](entity e) {
                                  return edges_[r].contains({e, target});
                              });
        const bool done =
            succeeds([&] { with_relation(r, [&]<class R>() { world_.unrelate_batch<R>(all, target); }); });
        expect_same(done, possible);
        if (!done) return;
        for (const entity e : all) cut(r, e, target);
    }
    void change() {
        const entity e = some();
        last_ = "components";
        if (!known(e)) return;
        thing& t = model_[e];
        t.mark ? world_.remove<Mark>(e) : world_.add(e, Mark{});
        t.mark = !t.mark;
    }
    void housekeeping() {
        last_ = "housekeeping";
        switch (below(12)) {
        case 0: world_.shrink(); break;
        case 1:
            if (below(10) != 0) break;
            world_.clear();
            for (const auto& [e, t] : model_) gone_.push_back(e);
            model_.clear();
            for (auto& all : edges_) all.clear();
            break;
        case 2: {
            pecs::world moved{std::move(world_)};
            world_ = std::move(moved);
            break;
        }
        default: world_.compact(); break;
        }
    }

    // --- what the world says

    template <class R> bool edges_differ(const std::map<edge, std::string>& expected) {
        std::set<edge> seen;
        std::map<entity, std::set<entity>> sources;
        std::set<entity> owners;
        for (const auto& [ends, text] : expected) {
            sources[ends.second].insert(ends.first);
            owners.insert(ends.first);
        }
        world_.each_edge<R>([&](entity a, entity b) {
            seen.insert({a, b});
            if (R::rules.symmetric) seen.insert({b, a});
        });
        if (seen.size() != expected.size()) return true;
        for (const auto& [ends, text] : expected)
            if (!seen.contains(ends) || !world_.has<R>(ends.first, ends.second)) return true;
        for (const auto& [e, t] : model_) {
            const auto there = world_.sources<R>(e);
            if (std::set<entity>{there.begin(), there.end()} != sources[e]) return true;
            if (there.size() != sources[e].size() || world_.source_count<R>(e) != there.size()) return true;
            for (const entity target : world_.targets<R>(e))
                if (!expected.contains({e, target})) return true;
            if (world_.has<R>(e) != owners.contains(e)) return true;
        }
        if (world_.query<>().template of<R>(pecs::any).count() != owners.size()) return true;
        if (world_.query<>().template of<R>(pecs::none).count() != model_.size() - owners.size()) return true;
        const entity a = some();
        std::set<entity> found;
        std::set<entity> wanted;
        for (auto [e] : world_.query<entity, pecs::with<Number>>().template of<R>(a)) found.insert(e);
        for (const entity e : sources[a])
            if (model_.at(e).number) wanted.insert(e);
        if (found != wanted) return true;
        const entity b = some();
        std::size_t both = 0;
        std::size_t expected_both = 0;
        world_.query<>().template of<R>(a).template of<ChildOf>(b).each([&](entity) { ++both; });
        for (const entity e : sources[a]) expected_both += b && model_.at(e).parent == b ? 1 : 0;
        return both != expected_both || (!gone_.empty() && !world_.sources<R>(gone_.back()).empty());
    }

    std::mt19937_64 random_;
    pecs::world world_;
    std::map<entity, thing> model_;
    std::array<std::map<edge, std::string>, relations> edges_;
    list gone_;
    std::string last_;
};

} // namespace

int main() {
    using namespace boost::ut;

    "a world with edges is what a simple model says"_test = [] {
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
