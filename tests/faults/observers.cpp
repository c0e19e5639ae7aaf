// Every allocation fails in turn, and every constructor and observer throws in turn, in stories of an observed world. What
// fails before the change has changed nothing; what an observer throws after it leaves the change in place, and all others
// are told.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/fault_run.hpp"
#include "../support/fault_stage.hpp"
#include "../support/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <span>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::to;
using support::injected;
using support::Name;
using support::no_faults;
using support::Position;
using Dear = support::Touchy<30>;

struct PartOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Knows : support::Touchy<31> {
    static constexpr pecs::relation_rules rules{.many = true};
    using support::Touchy<31>::Touchy;
};
struct Lit : support::Touchy<32> {
    static constexpr auto storage = pecs::component_storage::sparse;
    using support::Touchy<32>::Touchy;
};

class observed_stage : public support::fault_stage<pecs::world, entity, Dear, Knows, Lit> {
public:
    explicit observed_stage(std::pmr::memory_resource* memory) : fault_stage{memory} {
        observers_.push_back(
            w.observe<Dear>(pecs::on_add, [this](entity e, const Dear& d) { after(e, d.number()); }));
        observers_.push_back(
            w.observe<Dear>(pecs::on_remove, [this](entity e, const Dear& d) { before(e, d.number()); }));
        observers_.push_back(
            w.observe<Dear>(pecs::on_set, [this](entity e, const Dear& d) { after(e, d.number()); }));
        observers_.push_back(
            w.observe<Lit>(pecs::on_add, [this](entity e, const Lit& l) { after(e, l.number()); }));
        observers_.push_back(w.observe<Lit>(pecs::on_remove, [this](entity e) { before(e, 1); }));
        observers_.push_back(w.observe<Position>(
            pecs::on_add, [this](std::span<const entity> list, std::span<Position> values) {
                after(list[0], static_cast<int>(values.size()));
            }));
        observers_.push_back(w.observe<Position>(pecs::on_remove, [this](std::span<const entity> list) {
            before(list[0], static_cast<int>(list.size()));
        }));
        observers_.push_back(w.observe(pecs::on_spawn, [this](entity e) { after(e, 2); }));
        observers_.push_back(w.observe(pecs::on_despawn, [this](entity e) { before(e, 3); }));
        observers_.push_back(w.observe<PartOf>(pecs::on_relate, [this](entity e, entity /*old*/, entity now) {
            now ? after(e, 4) : before(e, 5);
        }));
        observers_.push_back(w.observe<Knows>(pecs::on_relate, [this](entity e, entity /*old*/, entity now) {
            now ? after(e, 6) : before(e, 7);
        }));
    }

    static constexpr bool has_twin = true;

    [[nodiscard]] bool carried_out() const { return thrown_after_; }
    [[nodiscard]] std::string told() const { return told_; }

    void step(std::uint64_t choice) {
        begin(choice);
        told_.clear();
        thrown_after_ = false;
        const int n = number();
        if (living.size() < 8) {
            (void)w.spawn_batch<Position, Dear>(10);
        } else if (living.size() > 45) {
            w.despawn_batch(some(25));
        } else {
            switch (roll(4)) {
            case 0: spawn(any(), n); break;
            case 1: change(any(), any(), n); break;
            case 2: change_many(any(), n); break;
            default: others(any(), n); break;
            }
        }
    }

    [[nodiscard]] std::string state() const {
        return support::written([&](std::string& text) {
            text = support::snapshot<Position, Name, Dear, Lit>(w) + support::targets<PartOf>(w);
            w.each_entity([&](entity e) {
                support::write_entities(text, w.targets<Knows>(e));
                support::write_entities(text, w.sources<Knows>(e));
                support::write_entities(text, w.children<PartOf>(e));
            });
        });
    }

private:
    void note(entity e, int n) {
        const no_faults quiet;
        support::write_entity(told_, e);
        support::write(told_, n);
    }
    void before(entity e, int n) {
        note(e, n);
        support::user_code();
    }
    void after(entity e, int n) {
        note(e, n);
        if (!support::user_faults::due()) return;
        thrown_after_ = true;
        throw injected{};
    }
    void spawn(entity target, int n) {
        switch (roll(5)) {
        case 0: (void)w.spawn(Position::of(n), Dear{n}, Lit{n}, to<PartOf>(target)); break;
        case 1: (void)w.spawn_batch(1 + roll(5), Dear{n}, made<Name>(n), to<PartOf>(target)); break;
        case 2: (void)w.spawn_batch<Position, Lit, Dear>(1 + roll(5)); break;
        case 3: (void)w.spawn(Dear{n}, to<Knows>(target, Knows{n})); break;
        default:
            if (w.descendants<PartOf>(target).size() < 15) (void)w.clone_subtree<PartOf>(target);
            break;
        }
    }
    void change(entity e, entity target, int n) {
        switch (roll(10)) {
        case 0: w.add(e, Dear{n}, Lit{n}); break;
        case 1: w.remove<Dear>(e); break;
        case 2: w.remove<Lit>(e); break;
        case 3: w.exchange<Position>(e, Dear{n}); break;
        case 4: w.set(e, Dear{n}, Position::of(n)); break;
        case 5: w.set(e, Lit{n}, made<Name>(n)); break;
        case 6: w.relate<PartOf>(e, target); break;
        case 7: w.unrelate<PartOf>(e); break;
        case 8: w.relate<Knows>(e, target, Knows{n}); break;
        default: w.unrelate<Knows>(e); break;
        }
    }
    void change_many(entity target, int n) {
        const Dear dear{n};
        const Lit lit{n};
        switch (roll(7)) {
        case 0: w.set_batch(some(6), dear, Position::of(n)); break;
        case 1: w.set_batch(some(4), lit); break;
        case 2: w.set_batch(w.query<>().of<PartOf>(target), dear); break;
        case 3: w.remove_batch<Position>(w.query<const Position>().of<PartOf>(target)); break;
        case 4: w.relate_batch<PartOf>(w.query<>().of<PartOf>(target), any()); break;
        case 5: w.relate_batch<PartOf>(some(5), target); break;
        default: w.relate_batch<Knows>(some(5), target); break;
        }
    }
    void others(entity e, int n) {
        switch (roll(6)) {
        case 0:
        case 1:
        case 2: w.despawn(e); break;
        case 3: w.shrink(); break;
        case 4: {
            const pecs::observer more = w.observe<Name>(pecs::on_add, [](entity) {});
            w.set(e, made<Name>(n));
            break;
        }
        default: w.despawn_batch(some(3)); break;
        }
    }

    std::string told_;
    bool thrown_after_ = false;
    std::vector<pecs::observer> observers_;
};
} // namespace

int main() {
    using namespace boost::ut;

    "an observed world: what fails before the change has changed nothing, what fails after it is told to all"_test =
        [] {
            const auto report = support::play_all<observed_stage>("an observed world", 500, 100);
            expect(report.bad == 0_ul) << report.first_bad;
            expect(report.memory > 2000_ul and report.user > 1000_ul and report.refused > 50_ul);
        };

    "room for new values of many that cannot be noted leaves no family behind"_test = [] {
        observed_stage::forget();
        std::size_t failures = 0;
        for (bool failed = true; failed; failures += failed ? 1 : 0) {
            pecs::world w;
            const auto observer = w.observe<Dear>(pecs::on_set, [](entity) {});
            const entity parent = w.spawn();
            const auto made = w.spawn_batch(100, Position::of(1), to<PartOf>(parent));
            const std::vector<entity> all{made.begin(), made.end()};
            const std::size_t families = w.stats().families;
            const Dear dear{1};
            support::faults::arm(failures, true);
            try {
                w.set_batch(all, dear);
                failed = false;
            } catch (const std::bad_alloc&) {
                failed = true;
            }
            support::faults::disarm();
            expect(w.validate() and w.stats().families == families) << failures;
        }
        expect(failures > 3_ul and observed_stage::clean()) << failures;
    };
}
