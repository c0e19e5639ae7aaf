// Thousands of random operations, right ones and wrong ones, against a model that is too simple to be wrong.
// The seed of a failed run is printed; PECS_SEED=<seed> repeats it.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/seed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::component_id;
using pecs::entity;
using pecs::world;
using support::Frozen;
using support::Hidden;
using support::Huge;
using support::Name;
using support::Owned;
using support::Position;
using support::Tracked;
using support::Wide;

template <class... Ts> struct bundle {};

/// A type that exists only at run time, and a tag of that kind.
component_id number_type() {
    static const component_id id =
        pecs::register_component({.name = "random.Number", .size = 4, .alignment = 4});
    return id;
}
component_id mark_type() {
    static const component_id id = pecs::register_component({.name = "random.Mark"});
    return id;
}

/// What an entity has, by component id.
using components = std::map<component_id, int>;
template <class T> int modelled(int n) { return std::is_empty_v<T> ? 0 : n; }

/// The ways in which a call can be wrong; a set of them, as bits.
enum fault : unsigned { fine = 0, dead = 1, duplicate = 2, missing = 4, repeated = 8 };

template <class Call> unsigned outcome(Call call) {
    try {
        call();
        return fine;
    } catch (const pecs::dead_entity&) {
        return dead;
    } catch (const pecs::duplicate_component&) {
        return duplicate;
    } catch (const pecs::missing_component&) {
        return missing;
    } catch (const pecs::repeated_entity&) {
        return repeated;
    }
}

class game {
public:
    explicit game(std::uint64_t seed) : random_{seed} {}

    /// One operation; false if it did not end as the model foretold.
    bool play() {
        switch (below(20)) {
        case 0:
        case 1: return with_bundle([&]<class... Ts>(bundle<Ts...>) { return spawn<Ts...>(); });
        case 2: return with_bundle([&]<class... Ts>(bundle<Ts...>) { return spawn_batch<Ts...>(); });
        case 3: return despawn();
        case 4: return below(4) == 0 ? despawn_batch() : true;
        case 5:
        case 6:
        case 7: return with_bundle([&]<class... Ts>(bundle<Ts...>) { return add<Ts...>(); });
        case 8:
        case 9: return with_bundle([&]<class... Ts>(bundle<Ts...>) { return remove<Ts...>(); });
        case 10:
        case 11: return with_bundle([&]<class... Ts>(bundle<Ts...>) { return set<Ts...>(); });
        case 12: return exchange_any();
        case 13: return with_bundle([&]<class... Ts>(bundle<Ts...>) { return add_batch<Ts...>(); });
        case 14: return with_bundle([&]<class... Ts>(bundle<Ts...>) { return remove_batch<Ts...>(); });
        case 15: return with_bundle([&]<class... Ts>(bundle<Ts...>) { return set_batch<Ts...>(); });
        case 16:
        case 17:
        case 18: return by_id();
        default: return housekeeping();
        }
    }

    /// Whether the world is what the model says.
    [[nodiscard]] bool agrees() {
        if (!world_.validate() || world_.size() != model_.size()) return false;
        auto expected = model_.begin();
        bool same = true;
        std::size_t tracked = 0;
        world_.each_entity([&](entity e) {
            same = same && expected != model_.end() && expected->first == e && agrees(e, expected->second);
            tracked += expected->second.contains(pecs::id_of<Tracked>()) ? 1 : 0;
            ++expected;
        });
        return same && Tracked::log.alive() == tracked && Tracked::log.wrong == 0;
    }
    [[nodiscard]] std::size_t size() const { return model_.size(); }

private:
    // --- chance

    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
    int number() { return static_cast<int>(below(1000)); }

    /// A live entity; now and then one that is not.
    entity any() {
        if (model_.empty() || below(30) == 0)
            return below(2) == 0 || dead_.empty() ? pecs::null : dead_[below(dead_.size())];
        return std::next(model_.begin(), static_cast<std::ptrdiff_t>(below(model_.size())))->first;
    }
    /// A shuffled list of entities; mostly of those that `fits`, rarely with a dead or repeated one.
    template <class Fits> std::vector<entity> some(Fits fits) {
        std::vector<entity> list;
        const bool careful = below(5) != 0;
        for (const auto& [e, has] : model_)
            if (below(3) == 0 && (!careful || fits(has))) list.push_back(e);
        std::ranges::shuffle(list, random_);
        if (below(15) == 0) list.push_back(any());
        return list;
    }
    template <class F> bool with_bundle(F f) {
        switch (below(7)) {
        case 0: return f(bundle<Position>{});
        case 1: return f(bundle<Name>{});
        case 2: return f(bundle<Tracked, Frozen>{});
        case 3: return f(bundle<Huge, Position>{});
        case 4: return f(bundle<Owned>{});
        case 5: return f(bundle<Hidden>{});
        default: return f(bundle<Name, Wide, Hidden>{});
        }
    }

    // --- the model

    template <class... Ts> static bool has_all(const components& has) {
        return (has.contains(pecs::id_of<Ts>()) && ...);
    }
    template <class... Ts> static bool has_any(const components& has) {
        return (has.contains(pecs::id_of<Ts>()) || ...);
    }
    template <class... Ts> static void put(components& has, int n) {
        ((has[pecs::id_of<Ts>()] = modelled<Ts>(n)), ...);
    }
    template <class... Ts> static void take(components& has) { (has.erase(pecs::id_of<Ts>()), ...); }

    void born(entity e, components has) {
        fresh_ = fresh_ && seen_.insert(e.bits()).second;
        model_.emplace(e, std::move(has));
    }
    void died(entity e) {
        model_.erase(e);
        dead_.push_back(e);
    }
    /// What may be wrong with a call for these entities; `wrong(components)` says it for one that lives.
    template <class Wrong> unsigned faults_of(std::span<const entity> list, Wrong wrong) const {
        unsigned faults = fine;
        std::set<entity> once;
        for (const entity e : list) {
            const auto found = model_.find(e);
            if (found == model_.end())
                faults |= dead;
            else
                faults |= wrong(found->second);
            if (!once.insert(e).second) faults |= repeated;
        }
        return faults;
    }
    /// Makes the call; it must go well if nothing is wrong, and otherwise end in an error that is foretold.
    template <class Call, class Then> bool attempt(unsigned faults, Call call, Then then) {
        const unsigned result = outcome(call);
        if (faults != fine) return result != fine && (result & faults) == result;
        if (result != fine) return false;
        then();
        return fresh_;
    }

    [[nodiscard]] bool agrees(entity e, const components& has) {
        return world_.alive(e) && agrees_one<Position>(e, has) && agrees_one<Name>(e, has) &&
               agrees_one<Owned>(e, has) && agrees_one<Huge>(e, has) && agrees_one<Frozen>(e, has) &&
               agrees_one<Hidden>(e, has) && agrees_one<Tracked>(e, has) && agrees_one<Wide>(e, has) &&
               agrees_number(e, has) && world_.by_id().has(e, mark_type()) == has.contains(mark_type());
    }
    template <class T> [[nodiscard]] bool agrees_one(entity e, const components& has) const {
        const auto known = has.find(pecs::id_of<T>());
        if (known == has.end()) return !world_.has<T>(e);
        if (!world_.has<T>(e)) return false;
        if constexpr (std::is_empty_v<T>)
            return true;
        else
            return world_.get<T>(e).number() == known->second;
    }
    [[nodiscard]] bool agrees_number(entity e, const components& has) {
        const void* const value = world_.by_id().try_get(e, number_type());
        const auto known = has.find(number_type());
        if (known == has.end() || value == nullptr) return known == has.end() && value == nullptr;
        int n = 0;
        std::memcpy(&n, value, sizeof n);
        return n == known->second;
    }

    // --- the operations

    template <class... Ts> bool spawn() {
        const int n = number();
        components has;
        put<Ts...>(has, n);
        born(world_.spawn(Ts::of(n)...), has);
        return fresh_;
    }
    template <class... Ts> bool spawn_batch() {
        const std::size_t count = below(12);
        const int n = number();
        components has;
        put<Ts...>(has, n);
        std::vector<entity> made;
        if constexpr ((std::is_copy_constructible_v<Ts> && ...)) {
            for (const entity e : world_.spawn_batch(count, Ts::of(n)...)) made.push_back(e);
        } else {
            for (const entity e :
                 world_.spawn_batch<Ts...>(count, [&](Ts&... values) { ((values = Ts::of(n)), ...); }))
                made.push_back(e);
        }
        for (const entity e : made) born(e, has);
        return fresh_ && made.size() == count;
    }
    bool despawn() {
        const entity e = any();
        return attempt(
            faults_of({&e, 1}, [](const components&) { return fine; }), [&] { world_.despawn(e); },
            [&] { died(e); });
    }
    bool despawn_batch() {
        const auto list = some([](const components&) { return true; });
        return attempt(
            faults_of(list, [](const components&) { return fine; }), [&] { world_.despawn_batch(list); },
            [&] {
                for (const entity e : list) died(e);
            });
    }
    template <class... Ts> bool add() {
        const entity e = any();
        const int n = number();
        const auto wrong = [](const components& has) { return has_any<Ts...>(has) ? duplicate : fine; };
        return attempt(
            faults_of({&e, 1}, wrong), [&] { world_.add(e, Ts::of(n)...); },
            [&] { put<Ts...>(model_[e], n); });
    }
    template <class... Ts> bool remove() {
        const entity e = any();
        const auto wrong = [](const components& has) { return has_all<Ts...>(has) ? fine : missing; };
        return attempt(
            faults_of({&e, 1}, wrong), [&] { world_.remove<Ts...>(e); }, [&] { take<Ts...>(model_[e]); });
    }
    template <class... Ts> bool set() {
        const entity e = any();
        const int n = number();
        return attempt(
            faults_of({&e, 1}, [](const components&) { return fine; }), [&] { world_.set(e, Ts::of(n)...); },
            [&] { put<Ts...>(model_[e], n); });
    }
    template <class... Ts> bool add_batch() {
        const int n = number();
        const auto list = some([](const components& has) { return !has_any<Ts...>(has); });
        const auto wrong = [](const components& has) { return has_any<Ts...>(has) ? duplicate : fine; };
        if constexpr ((std::is_copy_constructible_v<Ts> && ...)) {
            return attempt(
                faults_of(list, wrong), [&] { world_.add_batch(list, Ts::of(n)...); },
                [&] {
                    for (const entity e : list) put<Ts...>(model_[e], n);
                });
        } else {
            return true;
        }
    }
    template <class... Ts> bool remove_batch() {
        const auto list = some([](const components& has) { return has_all<Ts...>(has); });
        const auto wrong = [](const components& has) { return has_all<Ts...>(has) ? fine : missing; };
        return attempt(
            faults_of(list, wrong), [&] { world_.remove_batch<Ts...>(list); },
            [&] {
                for (const entity e : list) take<Ts...>(model_[e]);
            });
    }
    template <class... Ts> bool set_batch() {
        const int n = number();
        const auto list = some([](const components&) { return true; });
        if constexpr ((std::is_copy_constructible_v<Ts> && ...)) {
            return attempt(
                faults_of(list, [](const components&) { return fine; }),
                [&] { world_.set_batch(list, Ts::of(n)...); },
                [&] {
                    for (const entity e : list) put<Ts...>(model_[e], n);
                });
        } else {
            return true;
        }
    }
    bool exchange_any() {
        switch (below(5)) {
        case 0: return exchange(bundle<Position>{}, bundle<Name>{});
        case 1: return exchange(bundle<Name>{}, bundle<Huge, Position>{});
        case 2: return exchange(bundle<Tracked, Frozen>{}, bundle<Owned>{});
        case 3: return exchange(bundle<Owned>{}, bundle<Name, Hidden>{});
        default: return exchange(bundle<Hidden>{}, bundle<Tracked, Frozen>{});
        }
    }
    template <class... Rs, class... As> bool exchange(bundle<Rs...>, bundle<As...>) {
        const int n = number();
        const auto wrong = [](const components& has) {
            return (has_all<Rs...>(has) ? fine : missing) | (has_any<As...>(has) ? duplicate : fine);
        };
        const auto apply = [&](entity e) {
            take<Rs...>(model_[e]);
            put<As...>(model_[e], n);
        };
        if constexpr ((std::is_copy_constructible_v<As> && ...)) {
            if (below(2) == 0) {
                const auto list = some([&](const components& has) { return wrong(has) == fine; });
                return attempt(
                    faults_of(list, wrong), [&] { world_.exchange_batch<Rs...>(list, As::of(n)...); },
                    [&] { std::ranges::for_each(list, apply); });
            }
        }
        const entity e = any();
        return attempt(
            faults_of({&e, 1}, wrong), [&] { world_.exchange<Rs...>(e, As::of(n)...); }, [&] { apply(e); });
    }
    bool by_id() {
        const entity e = any();
        const std::array<component_id, 6> ids{number_type(),          mark_type(),
                                              pecs::id_of<Name>(),    pecs::id_of<Frozen>(),
                                              pecs::id_of<Tracked>(), pecs::id_of<Huge>()};
        const component_id id = ids[below(ids.size())];
        const auto has_it = [&](const components& has) { return has.contains(id); };
        const auto wrong_to_add = [&](const components& has) { return has_it(has) ? duplicate : fine; };
        switch (below(5)) {
        case 0:
            born(world_.by_id().spawn(std::span{ids}.first(2)), {{number_type(), 0}, {mark_type(), 0}});
            return fresh_;
        case 1:
            return attempt(
                faults_of({&e, 1}, wrong_to_add), [&] { world_.by_id().add(e, id); },
                [&] { model_[e][id] = 0; });
        case 2:
            return attempt(
                faults_of({&e, 1}, [&](const components& has) { return has_it(has) ? fine : missing; }),
                [&] { world_.by_id().remove(e, id); }, [&] { model_[e].erase(id); });
        case 3: {
            const int n = number();
            return attempt(
                faults_of({&e, 1}, [](const components&) { return fine; }),
                [&] { world_.by_id().set(e, number_type(), &n); }, [&] { model_[e][number_type()] = n; });
        }
        default: {
            const Name name = Name::of(number());
            return attempt(
                faults_of({&e, 1},
                          [](const components& has) { return has_any<Name>(has) ? duplicate : fine; }),
                [&] { world_.by_id().add(e, pecs::id_of<Name>(), &name); },
                [&] { put<Name>(model_[e], name.number()); });
        }
        }
    }
    bool housekeeping() {
        switch (below(12)) {
        case 0: {
            world moved{std::move(world_)};
            world_ = std::move(moved);
            break;
        }
        case 1:
            if (below(4) == 0) {
                world_.clear();
                while (!model_.empty()) died(model_.begin()->first);
            }
            break;
        case 2:
        case 3:
        case 4: world_.shrink(); break;
        case 5: world_.reserve<Name, Huge>(below(50)); break;
        case 6: world_.reserve(below(50)); break;
        default: world_.compact(); break;
        }
        return true;
    }

    std::mt19937_64 random_;
    world world_;
    std::map<entity, components> model_;
    std::vector<entity> dead_;
    std::set<std::uint64_t> seen_;
    bool fresh_ = true; ///< no handle was given twice
};

} // namespace

int main() {
    using namespace boost::ut;
    const std::uint64_t seed = support::first_seed();

    "a world is what a simple model says, after every operation"_test = [seed] {
        std::size_t largest = 0;
        for (std::uint64_t round = 0; round != 10; ++round) {
            Tracked::forget();
            {
                game g{seed + round};
                for (int step = 0; step != 1000; ++step) {
                    const bool good = g.play();
                    expect(good >> fatal) << "step" << step << "of round" << round << "PECS_SEED=" << seed;
                    const bool same = g.agrees();
                    expect(same >> fatal)
                        << "after step" << step << "of round" << round << "PECS_SEED=" << seed;
                    largest = std::max(largest, g.size());
                }
            }
            expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul) << "PECS_SEED=" << seed;
        }
        expect(largest > 50_ul) << largest;
    };
}
