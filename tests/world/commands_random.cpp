// Random commands in several recorders, against a second world that gets the same verbs one by one. The seed of a failed
// run is printed; PECS_SEED=<seed> repeats it.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/seed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::command_failure;
using pecs::entity;
using pecs::on_failure;
using pecs::world;
using support::Fragile;
using support::Frozen;
using support::Name;
using support::Position;
using support::Tracked;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Aims {
    static constexpr pecs::relation_rules rules{};
    Tracked value{5};
};
struct Holds {
    static constexpr pecs::relation_rules rules{.on_target_death = pecs::target_death::forbid};
};
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
    Fragile value{6};
};
struct Needs {
    static constexpr pecs::relation_rules rules{
        .on_target_death = pecs::target_death::cascade, .acyclic = true, .many = true};
};

constexpr int fine = -1;
template <class Call> int outcome(Call call) {
    try {
        call();
        return fine;
    } catch (const pecs::dead_entity&) {
        return static_cast<int>(command_failure::dead_entity);
    } catch (const pecs::dead_target&) {
        return static_cast<int>(command_failure::dead_target);
    } catch (const pecs::duplicate_component&) {
        return static_cast<int>(command_failure::duplicate_component);
    } catch (const pecs::missing_component&) {
        return static_cast<int>(command_failure::missing_component);
    } catch (const pecs::relation_cycle&) {
        return static_cast<int>(command_failure::relation_cycle);
    } catch (const pecs::target_in_use&) {
        return static_cast<int>(command_failure::target_in_use);
    }
}

class game {
public:
    explicit game(std::uint64_t seed) : random_{seed} {
        for (int i = 0; i != recorders; ++i) later_.push_back(w_.record());
        logs_.resize(recorders);
    }

    /// Some commands in every recorder, then all applied; false if the two worlds differ afterwards.
    bool round(int commands) {
        for (int i = 0; i != commands; ++i) record(below(recorders));
        if (below(4) == 0) direct();
        const on_failure policy = static_cast<on_failure>(below(3));
        std::vector<int> expected;
        for (auto& log : logs_) {
            for (const auto& step : log)
                if (const int result = outcome(step); result != fine) expected.push_back(result);
            log.clear();
        }
        if (policy ==
            on_failure::throws) { // throws again at the same command; the rest is applied afterwards
            std::size_t thrown = 0;
            while (outcome([&] { w_.apply(later_, policy); }) != fine) {
                ++thrown;
                if (!w_.validate()) return false;
                if (thrown == 2) break;
            }
            if ((thrown != 0) != !expected.empty()) return false;
            w_.apply(later_);
        } else {
            std::vector<int> got;
            for (const auto& failed : w_.apply(later_, policy))
                got.push_back(static_cast<int>(failed.reason));
            if (policy == on_failure::report && got != expected) return false;
        }
        for (const auto& each : later_)
            if (!each.empty()) return false;
        return same();
    }
    [[nodiscard]] std::size_t size() const { return w_.size(); }

private:
    static constexpr int recorders = 3;

    int below(int n) { return std::uniform_int_distribution<int>{0, n - 1}(random_); }
    entity some() {
        if (known_.empty() || below(50) == 0) return pecs::null;
        const std::size_t recent = std::min<std::size_t>(known_.size(), 60);
        return known_[known_.size() - 1 - static_cast<std::size_t>(below(static_cast<int>(recent)))];
    }
    [[nodiscard]] entity twin(entity e) const {
        const auto found = twins_.find(e);
        return found == twins_.end() ? pecs::null : found->second;
    }
    /// A spawn for both worlds: recorded now, and done by the twin when its turn comes.
    template <class Make> void spawn(std::size_t k, Make make) {
        const entity e = make(later_[k], [](entity x) { return x; });
        known_.push_back(e);
        logs_[k].push_back(
            [this, e, make] { twins_[e] = make(twin_, [this](entity x) { return twin(x); }); });
    }
    /// The same for other verbs.
    template <class Verb> void both(std::size_t k, Verb verb) {
        verb(later_[k], [](entity x) { return x; });
        logs_[k].push_back([this, verb] { verb(twin_, [this](entity x) { return twin(x); }); });
    }

    void record(int which) {
        const auto k = static_cast<std::size_t>(which);
        const int n = below(1000);
        const entity e = some();
        const entity t = some();
        switch (below(22)) {
        case 0: spawn(k, [n](auto& w, auto) { return w.spawn(Position::of(n), Tracked::of(n)); }); break;
        case 1: spawn(k, [](auto& w, auto) { return w.spawn(); }); break;
        case 2:
            spawn(k, [n, t](auto& w, auto f) {
                return w.spawn(Name::of(n), pecs::to<ChildOf>(f(t)), pecs::to<Aims>(f(t), Aims{Tracked{n}}));
            });
            break;
        case 3: spawn(k, [n](auto& w, auto) { return w.spawn(Fragile::of(n), Frozen{}); }); break;
        case 4:
        case 5: both(k, [e](auto& w, auto f) { w.despawn(f(e)); }); break;
        case 6: both(k, [e, n](auto& w, auto f) { w.add(f(e), Position::of(n)); }); break;
        case 7: both(k, [e, n](auto& w, auto f) { w.add(f(e), Tracked::of(n), Name::of(n)); }); break;
        case 8: both(k, [e](auto& w, auto f) { w.template remove<Position>(f(e)); }); break;
        case 9: both(k, [e](auto& w, auto f) { w.template remove<Tracked>(f(e)); }); break;
        case 10: both(k, [e, n](auto& w, auto f) { w.set(f(e), Tracked::of(n), Position::of(n)); }); break;
        case 11: both(k, [e, n](auto& w, auto f) { w.template exchange<Name>(f(e), Fragile::of(n)); }); break;
        case 12: both(k, [e, n](auto& w, auto f) { w.set(f(e), Name::of(n), Frozen{}); }); break;
        case 13: both(k, [e, t](auto& w, auto f) { w.template relate<ChildOf>(f(e), f(t)); }); break;
        case 14: both(k, [e, t](auto& w, auto f) { w.template relate<Aims>(f(e), f(t)); }); break;
        case 15:
            both(k, [e, t, n](auto& w, auto f) { w.template relate<Aims>(f(e), f(t), Aims{Tracked{n}}); });
            break;
        case 16:
            if (below(2) == 0)
                both(k, [e](auto& w, auto f) { w.template unrelate<Aims>(f(e)); });
            else
                both(k, [e](auto& w, auto f) { w.template unrelate<ChildOf>(f(e)); });
            break;
        case 17:
            if (below(3) == 0)
                both(k, [e, t](auto& w, auto f) { w.template relate<Holds>(f(e), f(t)); });
            else
                both(k, [e](auto& w, auto f) { w.template unrelate<Holds>(f(e)); });
            break;
        case 18:
            if (below(2) == 0)
                both(k, [e, t](auto& w, auto f) { w.template relate<Likes>(f(e), f(t)); });
            else
                both(k,
                     [e, t, n](auto& w, auto f) { w.template relate<Likes>(f(e), f(t), Likes{Fragile{n}}); });
            break;
        case 19: both(k, [e, t](auto& w, auto f) { w.template relate<Needs>(f(e), f(t)); }); break;
        case 20: both(k, [e, t](auto& w, auto f) { w.template unrelate<Likes>(f(e), f(t)); }); break;
        default:
            if (below(2) == 0)
                both(k, [e](auto& w, auto f) { w.template unrelate<Likes>(f(e)); });
            else
                spawn(k, [n](auto& w, auto) { return w.spawn(Position::of(n)); });
        }
    }
    /// Verbs of the world itself while commands are recorded.
    void direct() {
        for (int i = 0; i != 5; ++i) {
            const entity e = w_.spawn(Position::of(i));
            known_.push_back(e);
            twins_[e] = twin_.spawn(Position::of(i));
        }
        const entity e = some();
        const int a = outcome([&] { w_.despawn(e); });
        const int b = outcome([&] { twin_.despawn(twin(e)); });
        if (a != b) known_.clear(); // will be noticed: nothing is the same then
        if (below(10) == 0) w_.shrink();
        if (below(20) == 0) later_[0] = w_.record(), logs_[0].clear();
    }

    template <class T> [[nodiscard]] bool same_value(entity e, entity t) const {
        if (w_.has<T>(e) != twin_.has<T>(t)) return false;
        return !w_.has<T>(e) || w_.get<T>(e).number() == twin_.get<T>(t).number();
    }
    [[nodiscard]] bool same() const {
        if (!w_.validate() || !twin_.validate() || w_.size() != twin_.size()) return false;
        for (const auto& [e, t] : twins_) {
            if (w_.alive(e) != twin_.alive(t)) return false;
            if (!w_.alive(e)) continue;
            if (!same_value<Position>(e, t) || !same_value<Tracked>(e, t) || !same_value<Name>(e, t) ||
                !same_value<Fragile>(e, t) || w_.has<Frozen>(e) != twin_.has<Frozen>(t))
                return false;
            const auto target = [&](entity mine, entity its) {
                return mine == pecs::null ? its == pecs::null : twin(mine) == its;
            };
            if (!target(w_.target<ChildOf>(e), twin_.target<ChildOf>(t)) ||
                !target(w_.target<Aims>(e), twin_.target<Aims>(t)) ||
                !target(w_.target<Holds>(e), twin_.target<Holds>(t)))
                return false;
            if (w_.has<Aims>(e) && w_.get<Aims>(e).value.number() != twin_.get<Aims>(t).value.number())
                return false;
            if (w_.targets<Likes>(e).size() != twin_.targets<Likes>(t).size() ||
                w_.targets<Needs>(e).size() != twin_.targets<Needs>(t).size())
                return false;
            for (const entity other : w_.targets<Likes>(e))
                if (!twin_.has<Likes>(t, twin(other)) ||
                    w_.get<Likes>(e, other).value.number() != twin_.get<Likes>(t, twin(other)).value.number())
                    return false;
            for (const entity other : w_.targets<Needs>(e))
                if (!twin_.has<Needs>(t, twin(other))) return false;
        }
        return true;
    }

    std::mt19937_64 random_;
    world w_;
    world twin_;
    std::vector<pecs::commands> later_;
    std::vector<std::vector<std::function<void()>>> logs_;
    std::vector<entity> known_;
    std::map<entity, entity> twins_;
};
} // namespace

int main() {
    using namespace boost::ut;

    "recorded commands do what the verbs do one by one"_test = [] {
        for (const std::uint64_t seed : support::seeds(20)) {
            Tracked::forget();
            Fragile::forget();
            {
                game g{seed};
                for (int i = 0; i != 60; ++i) {
                    const bool right = g.round(5 + i * 2);
                    expect(fatal(right)) << "PECS_SEED=" << seed << "round" << i;
                }
                expect(g.size() != 0_ul);
            }
            expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul) << "PECS_SEED=" << seed;
            expect(Fragile::log.alive() == 0_ul and Fragile::log.wrong == 0_ul) << "PECS_SEED=" << seed;
        }
    };
}
