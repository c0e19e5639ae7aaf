// When a world allocates, and what happens when it cannot, from its memory resource or from elsewhere.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/memory.hpp"
#include "../support/operator_new.hpp"
#include "../support/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::component_id;
using pecs::entity;
using pecs::world;
using support::faults;
using support::Frozen;
using support::Hidden;
using support::Huge;
using support::Name;
using support::Owned;
using support::Position;
using support::steady_allocations;
using support::Tracked;
using support::Velocity;
using support::watched_memory;
using support::Wide;

std::string dump(const world& w) {
    return support::snapshot<Position, Velocity, Name, Owned, Wide, Huge, Frozen, Hidden, Tracked>(w);
}

/// What a world holds and how many counted objects there are.
using state = std::pair<std::string, std::size_t>;
state state_of(const world& w) { return {dump(w), Tracked::log.alive()}; }

/// Types that nobody has used before, so that the lists of types and bundles, which all worlds share, have to
/// grow.
template <int> struct Fresh {
    int value;
};
template <int> struct Newer {
    int value;
};

/// Calls `f` until no allocation fails; what it did before a failure must not show.
template <class F> void insist(const world& w, F f) {
    using namespace boost::ut;
    for (;;) {
        const std::size_t left = faults::pause();
        const std::string before = dump(w);
        faults::resume(left);
        try {
            return f();
        } catch (const std::bad_alloc&) {
            faults::disarm();
            expect(dump(w) == before and w.validate());
        }
    }
}

/// A short story in which the allocation number `N` fails; true if there was one.
template <int N> bool fails_at_first_use() {
    using namespace boost::ut;
    world w;
    entity e;
    faults::arm(N, false);
    insist(w, [&] { e = w.spawn(Fresh<N>{1}); });
    insist(w, [&] { w.add(e, Newer<N>{2}); });
    insist(w, [&] { w.by_id().remove(e, pecs::id_of<Fresh<N>>()); });
    insist(w, [&] { w.exchange<Newer<N>>(e, Fresh<N>{3}); });
    faults::disarm();
    expect(w.get<Fresh<N>>(e).value == 3_i and not w.has<Newer<N>>(e) and w.validate()) << N;
    return faults::happened();
}

/// A long story with every verb. Each step is one call, so that it can be repeated when it fails.
class scenario {
public:
    explicit scenario(world& w) : w_{w} {
        steps_.reserve(1000);
        spawning();
        changing();
        batches();
        run_time_types();
        housekeeping();
    }
    [[nodiscard]] const std::vector<std::function<void()>>& steps() const { return steps_; }

private:
    template <class Step> void step(Step f) { steps_.emplace_back(f); }
    /// Steps for the entities of a list that exists only when they run.
    template <class Step> void step_each(std::vector<entity>& list, std::size_t count, Step f) {
        for (std::size_t i = 0; i != count; ++i)
            step([this, &list, i, f] { f(w_, list[i], static_cast<int>(i)); });
    }
    static void keep(std::vector<entity>& list, std::span<const entity> fresh) {
        list.assign(fresh.begin(), fresh.end()); // within what was reserved
    }

    void spawning() {
        one_.reserve(64);
        many_.reserve(64);
        step([this] { one_.push_back(w_.spawn()); });
        for (int i = 1; i != 12; ++i)
            step([this, i] {
                one_.push_back(w_.spawn(Position::of(i), Name::of(i), Owned::of(i), Tracked::of(i)));
            });
        step([this] { keep(many_, w_.spawn_batch(20, Name::of(1), Tracked::of(2), Huge::of(3))); });
        step([this] { (void)w_.spawn_batch<Position, Velocity, Frozen>(30); });
        step([this] {
            int n = 0;
            (void)w_.spawn_batch<Name, Tracked>(10, [&](Name& name, Tracked&) { name = Name::of(n++); });
        });
        step([this] { w_.reserve<Wide, Hidden>(40); });
        step([this] { w_.reserve(200); });
    }
    void changing() {
        step_each(one_, 12, [](world& w, entity e, int i) { w.add(e, Velocity::of(i)); });
        step_each(one_, 6, [](world& w, entity e, int i) { w.add(e, Frozen{}, Wide::of(i)); });
        step_each(one_, 4, [](world& w, entity e, int i) { w.exchange<Velocity>(e, Huge::of(i), Hidden{}); });
        step_each(one_, 12, [](world& w, entity e, int i) { w.set(e, Position::of(i), Name::of(i + 100)); });
        step_each(one_, 12, [](world& w, entity e, int i) { w.set(e, Name::of(i + 200)); });
        step_each(one_, 5, [](world& w, entity e, int) { w.remove<Frozen>(e); });
        step_each(one_, 3, [](world& w, entity e, int) { w.remove<Wide, Name>(e); });
        step([this] { w_.despawn(one_.back()); });
        step([this] { one_.back() = w_.spawn(Name::of(1)); });
    }
    void batches() {
        step([this] { w_.add_batch(many_, Position::of(7), Hidden{}, Name2::of(8)); });
        step([this] { w_.set_batch(many_, Name::of(9), Velocity::of(10), Frozen{}); });
        step([this] { w_.set_batch(many_, Name::of(11)); });
        step([this] { w_.exchange_batch<Huge>(many_, Wide::of(12), Owned2::of(13)); });
        step([this] { w_.remove_batch<Tracked, Frozen>(many_); });
        step([this] { w_.add_batch(one_, Tracked2::of(1)); });
        step([this] { w_.set_batch(one_, Tracked2::of(2), Wide::of(3)); });
        step([this] { w_.despawn_batch(std::span{many_}.first(10)); });
    }
    void run_time_types() {
        step([this] { w_.by_id().add(one_[0], pecs::id_of<Tracked>()); });
        step([this] { w_.by_id().set(one_[0], pecs::id_of<Tracked>(), &value_); });
        step([this] { w_.by_id().add(many_[15], pecs::id_of<Tracked>(), &value_); });
        step([this] { w_.by_id().remove(one_[0], pecs::id_of<Tracked>()); });
        step([this] {
            const std::array<component_id, 3> ids{pecs::id_of<Name>(), pecs::id_of<Huge>(),
                                                  pecs::id_of<Tracked>()};
            (void)w_.by_id().spawn(ids);
        });
    }
    void housekeeping() {
        step([this] { w_.compact(); });
        step([this] { w_.despawn_batch(std::span{many_}.last(10)); });
        step([this] { w_.shrink(); });
        for (int i = 0; i != 20; ++i)
            step([this, i] { (void)w_.spawn(Position::of(i), Huge::of(i), Name::of(i)); });
        step([this] { w_.clear(); });
        step([this] { w_.shrink(); });
        for (int i = 0; i != 10; ++i) step([this, i] { (void)w_.spawn(Name::of(i), Frozen{}); });
        step([this] { w_.compact(); });
        for (int i = 0; i != 10; ++i) step([this, i] { (void)w_.spawn(Name::of(i), Owned::of(i)); });
    }

    // Types of its own, so that some bundles are new to the process while it runs.
    struct Name2 {
        std::string text;
        static Name2 of(int n) { return {Name::of(n).text}; }
    };
    struct Owned2 {
        std::string text;
        static Owned2 of(int n) { return {Name::of(n).text}; }
    };
    using Tracked2 = support::Counted<2>;

    world& w_;
    std::vector<entity> one_;
    std::vector<entity> many_;
    Tracked value_{77};
    std::vector<std::function<void()>> steps_;
};
} // namespace

int main() {
    using namespace boost::ut;

    "spawning and despawning allocates nothing in the steady state"_test = [] {
        watched_memory memory;
        world w{&memory};
        std::array<entity, 20> all;
        expect(steady_allocations(memory, [&] {
                   for (entity& e : all) e = w.spawn(Position::of(1), Wide::of(2), Frozen{}, Tracked::of(3));
                   for (const entity e : all) w.despawn(e);
               }) == 0_ul);
        expect(w.empty() and w.validate());
    };

    "adding and removing allocates nothing in the steady state"_test = [] {
        watched_memory memory;
        world w{&memory};
        std::array<entity, 20> all;
        for (entity& e : all)
            e = w.spawn(Position::of(1), Name::of(1), Tracked::of(1), Huge::of(1), Owned::of(1));
        expect(steady_allocations(memory, [&] {
                   for (const entity e : all) w.add(e, Velocity::of(1));
                   for (const entity e : all) w.add(e, Frozen{}, Wide::of(2));
                   for (const entity e : all) w.remove<Velocity>(e);
                   for (const entity e : all) w.remove<Wide, Frozen>(e);
                   for (const entity e : all) w.add<Velocity, Hidden>(e);
                   for (const entity e : all) w.remove<Velocity, Hidden>(e);
               }) == 0_ul);
        for (const entity e : all) expect(w.get<Name>(e).number() == 1_i);
    };

    "exchanging and setting allocates nothing in the steady state"_test = [] {
        watched_memory memory;
        world w{&memory};
        std::array<entity, 20> all;
        for (entity& e : all) e = w.spawn(Position::of(1), Name::of(1));
        expect(steady_allocations(memory, [&] {
                   for (const entity e : all) w.exchange<Position>(e, Velocity::of(1), Frozen{});
                   for (const entity e : all) w.set(e, Velocity::of(2));
                   for (const entity e : all) w.set(e, Velocity::of(2), Wide::of(3));
                   for (const entity e : all) w.exchange<Velocity, Frozen, Wide>(e, Position::of(1));
               }) == 0_ul);
    };

    "batches allocate nothing in the steady state"_test = [] {
        watched_memory memory;
        world w{&memory};
        std::array<entity, 50> list;
        expect(steady_allocations(memory, [&] {
                   std::ranges::copy(w.spawn_batch(25, Position::of(1), Tracked::of(1)), list.begin());
                   std::ranges::copy(
                       w.spawn_batch<Position, Frozen>(25, [](Position& p) { p = Position::of(2); }),
                       list.begin() + 25);
                   w.add_batch(list, Wide::of(1), Hidden{});
                   w.exchange_batch<Hidden>(list, Velocity::of(1));
                   w.remove_batch<Wide>(list);
                   w.despawn_batch(std::span{list}.first(30));
                   (void)w.spawn_batch<Wide>(10);
                   w.clear();
               }) == 0_ul);
        expect(w.empty() and w.validate());
    };

    "verbs by id allocate nothing in the steady state, unless they copy a value"_test = [] {
        watched_memory memory;
        world w{&memory};
        const std::array<component_id, 2> ids{pecs::id_of<Position>(), pecs::id_of<Frozen>()};
        expect(steady_allocations(memory, [&] {
                   const entity e = w.by_id().spawn(ids);
                   w.by_id().add(e, pecs::id_of<Velocity>());
                   w.by_id().remove(e, pecs::id_of<Position>());
                   w.despawn(e);
               }) == 0_ul);
    };

    "reading never allocates"_test = [] {
        watched_memory memory;
        world w{&memory};
        const entity e = w.spawn(Position::of(1), Name::of(1));
        const auto names = w.access<Name>();
        const std::size_t before = memory.allocations() + support::global_allocations;
        std::size_t found = 0;
        for (int i = 0; i != 10; ++i) {
            w.each_entity([&](entity every) { found += w.has<Position>(every) ? 1 : 0; });
            found += w.try_get<Velocity>(e) == nullptr ? 1 : 0;
            found += names.try_get(e) != nullptr && w.alive(e) && !w.get<Name>(e).text.empty() ? 1 : 0;
        }
        expect(memory.allocations() + support::global_allocations == before and found == 30_ul);
    };

    "the first use of types may fail and can be repeated"_test = [] {
        const std::size_t failures = []<int... N>(std::integer_sequence<int, N...>) {
            return (std::size_t{0} + ... + (fails_at_first_use<N>() ? 1 : 0));
        }(std::make_integer_sequence<int, 40>{});
        expect(failures > 10_ul and failures < 40_ul) << failures;
    };

    // Every allocation fails once, each in a run of its own. The step that it was for is then tried again, so
    // that the rest of every run can be compared with a run without failures.
    "a failed allocation changes nothing, wherever it happens"_test = [] {
        std::vector<state> expected; // before each step, and at the end
        {
            world w;
            const scenario story{w};
            for (const auto& step : story.steps()) {
                expected.push_back(state_of(w));
                step();
            }
            expected.push_back(state_of(w));
        }
        for (const bool lasting : {false, true}) {
            std::size_t runs = 0;
            for (bool failed = true; failed; ++runs) {
                Tracked::forget();
                watched_memory memory;
                {
                    world w{&memory};
                    const scenario story{w};
                    faults::arm(runs, lasting);
                    for (std::size_t i = 0; i != story.steps().size(); ++i) {
                        try {
                            story.steps()[i]();
                        } catch (const std::bad_alloc&) {
                            faults::disarm();
                            expect(state_of(w) == expected[i] and w.validate())
                                << "step" << i << "of run" << runs;
                            story.steps()[i]();
                        }
                    }
                    faults::disarm();
                    failed = faults::happened();
                    expect(state_of(w) == expected.back() and w.validate()) << "run" << runs;
                }
                expect(memory.clean()) << "run" << runs;
                expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul) << "run" << runs;
            }
            expect(runs > 200_ul) << runs;
        }
    };
}
