// Every allocation fails in turn, and every constructor and callback throws in turn, in stories about entities and
// components: single verbs, batches, batches over queries, verbs by id, sparse components, enabling, memory. Whatever
// fails, nothing has changed.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/fault_run.hpp"
#include "../support/fault_stage.hpp"
#include "../support/snapshot.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>

import pecs;

namespace {
using pecs::component_id;
using pecs::component_storage;
using pecs::entity;
using support::Frozen;
using support::Huge;
using support::Name;
using support::no_faults;
using support::Position;
using support::user_code;
using support::Velocity;
using Dear = support::Touchy<1>;

struct Lit : support::Touchy<2> {
    static constexpr auto storage = component_storage::sparse;
    using support::Touchy<2>::Touchy;
    static Lit of(int n) { return Lit{n}; }
};
struct Pinned : support::Touchy<3> {
    static constexpr auto storage = component_storage::sparse_stable;
    using support::Touchy<3>::Touchy;
    static Pinned of(int n) { return Pinned{n}; }
};
struct Marked {
    static constexpr auto storage = component_storage::sparse;
    static Marked of(int /*n*/) { return {}; }
};

class component_stage : public support::fault_stage<pecs::world, entity, Dear, Lit, Pinned> {
public:
    using fault_stage::fault_stage;

    static constexpr bool has_twin = true;

    void step(std::uint64_t choice) {
        begin(choice);
        const int n = number();
        if (living.size() < 5) {
            (void)w.spawn_batch<Position, Name, Dear>(8);
        } else if (living.size() > 50) {
            w.despawn_batch(some(30));
        } else {
            switch (roll(5)) {
            case 0: spawn(n); break;
            case 1: change(any(), n); break;
            case 2: change_list(n); break;
            case 3: change_matches(n); break;
            default: others(any(), n); break;
            }
        }
    }

    [[nodiscard]] std::string state() const {
        return support::written([&](std::string& text) {
            text = support::snapshot<Position, Velocity, Name, Huge, Frozen, Dear, Lit, Pinned, Marked>(w);
            w.each_entity([&](entity e) {
                support::write(text, (w.enabled(e) ? 1 : 0) + (w.enabled<Name>(e) ? 2 : 0) +
                                         (w.enabled<Lit>(e) ? 4 : 0));
            });
            for (auto [e] : w.query<entity>()) support::write_entity(text, e);
            for (auto [e] : w.query<entity, pecs::with<Name>, pecs::disabled_too>())
                support::write_entity(text, e);
            for (auto [e] : w.query<entity, pecs::with<Lit>>()) support::write_entity(text, e);
        });
    }

private:
    void spawn(int n) {
        switch (roll(7)) {
        case 0: (void)w.spawn(Position::of(n), made<Name>(n), Dear::of(n)); break;
        case 1: (void)w.spawn(Huge::of(n), Frozen{}, Lit::of(n), Pinned::of(n)); break;
        case 2: (void)w.spawn_batch(1 + roll(6), made<Name>(n), Dear::of(n), Lit::of(n), Marked{}); break;
        case 3: (void)w.spawn_batch<Dear, Velocity, Pinned>(1 + roll(6)); break;
        case 4:
            (void)w.spawn_batch<Name, Dear, Lit>(1 + roll(5), [&](Name& name, Dear&, Lit&) {
                user_code();
                name = made<Name>(n);
            });
            break;
        case 5: (void)w.clone(any()); break;
        default: {
            const std::array<component_id, 3> ids{pecs::id_of<Name>(), pecs::id_of<Dear>(),
                                                  pecs::id_of<Lit>()};
            (void)w.by_id().spawn(std::span{ids}.first(1 + roll(3)));
            break;
        }
        }
    }
    void change(entity e, int n) {
        switch (roll(12)) {
        case 0: w.add(e, Velocity::of(n), made<Name>(n)); break;
        case 1: w.add(e, Lit::of(n), Dear::of(n)); break;
        case 2: w.add<Pinned, Huge>(e); break;
        case 3: w.remove<Name>(e); break;
        case 4: w.remove<Lit, Dear>(e); break;
        case 5: w.exchange<Velocity>(e, Frozen{}, Pinned::of(n)); break;
        case 6: w.exchange<Frozen>(e, Huge::of(n)); break;
        case 7: w.exchange<Lit>(e, made<Name>(n), Marked{}); break;
        case 8: w.set(e, made<Name>(n), Position::of(n)); break;
        case 9: w.set(e, Lit::of(n), Dear::of(n), Pinned::of(n)); break;
        case 10: w.set(e, Dear::of(n)); break;
        default: w.despawn(e); break;
        }
    }
    void change_list(int n) {
        const std::span<const entity> list = some(6);
        const Dear dear{n};
        const Lit lit{n};
        const Pinned pinned{n};
        const Name name = made<Name>(n);
        switch (roll(8)) {
        case 0: w.add_batch<Velocity, Frozen>(list, Velocity::of(n), Frozen{}); break;
        case 1: w.set_batch(list, name, dear); break;
        case 2: w.set_batch(list, lit, pinned, Huge::of(n)); break;
        case 3: w.remove_batch<Name>(list); break;
        case 4: w.set_batch(list, Marked{}, dear); break;
        case 5: w.exchange_batch<Dear>(list, Position::of(n), Marked{}); break;
        case 6: w.despawn_batch(list.first(1)); break;
        default: w.disable_batch(list); break;
        }
    }
    void change_matches(int n) {
        const Dear dear{n};
        const Lit lit{n};
        const Name name = made<Name>(n);
        switch (roll(9)) {
        case 0: w.set_batch(w.query<const Name>(), dear); break;
        case 1: w.set_batch(w.query<const Position>(), name, lit); break;
        case 2: w.remove_batch<Velocity>(w.query<Velocity>()); break;
        case 3: w.exchange_batch<Frozen>(w.query<pecs::with<Frozen>, pecs::without<Dear>>(), Dear{n}); break;
        case 4: w.add_batch(w.query<const Lit, pecs::without<Velocity>>(), Velocity::of(n)); break;
        case 5: w.exchange_batch<Lit>(w.query<Lit, pecs::without<Huge>>(), Huge::of(n)); break;
        case 6: w.despawn_batch(w.query<const Huge, const Velocity>()); break;
        case 7: w.disable_batch<Name>(w.query<const Name>()); break;
        default: w.enable_batch(w.query<pecs::disabled_too>()); break;
        }
    }
    void others(entity e, int n) {
        const component_id ids[] = {pecs::id_of<Dear>(), pecs::id_of<Lit>(), pecs::id_of<Pinned>()};
        const component_id id = ids[roll(3)];
        switch (roll(16)) {
        case 0: w.by_id().add(e, id); break;
        case 1: w.by_id().remove(e, id); break;
        case 2: by_value(e, id, n, true); break;
        case 3: by_value(e, id, n, false); break;
        case 4: w.disable(e); break;
        case 5: w.disable<Name>(e); break;
        case 6: w.enable<Lit>(e); break;
        case 7: w.reserve<Dear, Huge>(roll(40)); break;
        case 8: w.reserve(roll(100)); break;
        case 9: w.shrink(); break;
        case 10: w.compact(); break;
        case 11:
            if (roll(8) == 0) w.clear();
            break;
        case 12: w.by_id().disable(e, id); break;
        case 13: w.by_id().remove_batch(w.by_id().query().with(id), id); break;
        case 14: w.by_id().add_batch(some(5), id); break;
        default: (void)w.by_id().spawn_batch(1 + roll(4), ids); break;
        }
    }
    /// The three types look alike to somebody who knows no types.
    void by_value(entity e, component_id id, int n, bool add) {
        const Dear dear{n};
        const Lit lit{n};
        const Pinned pinned{n};
        const void* from = &pinned;
        if (id == pecs::id_of<Dear>()) from = &dear;
        if (id == pecs::id_of<Lit>()) from = &lit;
        switch (roll(2)) {
        case 0: add ? w.by_id().add(e, id, from) : w.by_id().set(e, id, from); break;
        default: add ? w.by_id().add_batch(some(5), id, from) : w.by_id().set_batch(some(5), id, from); break;
        }
    }
};
} // namespace

int main() {
    using namespace boost::ut;

    "entities and components: what fails has changed nothing"_test = [] {
        const auto report = support::play_all<component_stage>("entities and components", 600, 120);
        expect(report.bad == 0_ul) << report.first_bad;
        expect(report.memory > 2000_ul and report.user > 300_ul and report.refused > 100_ul);
    };
}
