// Every allocation fails in turn, and every constructor and observer throws in turn, while commands are recorded and applied
// under each policy. A command that could not be recorded is not recorded. An `apply` that fails loses nothing: what it
// did not do stays recorded, and in the end, the world is the one that it would have been.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/fault_run.hpp"
#include "../support/fault_stage.hpp"
#include "../support/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::on_failure;
using pecs::to;
using support::Name;
using support::no_faults;
using support::Position;
using support::user_code;
using Dear = support::Touchy<40>;

struct PartOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Knows : support::Touchy<41> {
    static constexpr pecs::relation_rules rules{.many = true};
    using support::Touchy<41>::Touchy;
};
struct Lit : support::Touchy<42> {
    static constexpr auto storage = pecs::component_storage::sparse;
    using support::Touchy<42>::Touchy;
};

template <bool Observed>
class command_stage : public support::fault_stage<pecs::world, entity, Dear, Knows, Lit> {
public:
    explicit command_stage(std::pmr::memory_resource* memory) : fault_stage{memory} {
        recorders_.push_back(w.record(memory));
        recorders_.push_back(w.record());
        if constexpr (Observed) {
            observers_.push_back(w.observe<Dear>(pecs::on_add, [](entity) { user_code(); }));
            observers_.push_back(w.observe<Dear>(pecs::on_remove, [](entity) { user_code(); }));
            observers_.push_back(w.observe(pecs::on_despawn, [](entity) { user_code(); }));
        }
    }

    static constexpr bool has_twin = false; // the stock of handles is filled up only if there is memory

    [[nodiscard]] bool partial() const { return applied_; }

    void step(std::uint64_t choice) {
        begin(choice);
        const on_failure policies[] = {on_failure::ignore, on_failure::report, on_failure::throws};
        const on_failure policy = policies[choice % 3];
        applied_ = false;
        if (unfinished_) {
            apply(policy);
        } else if (living.size() < 8) {
            (void)w.spawn_batch<Position, Name>(10);
        } else if (living.size() > 60) {
            w.despawn_batch(some(30));
        } else if (roll(8) != 0) {
            record(recorders_[roll(2)], choose(), choose(), number());
        } else {
            apply(policy);
        }
    }

    [[nodiscard]] std::string state() const {
        return support::written([&](std::string& text) {
            text = support::snapshot<Position, Name, Dear, Lit>(w) + support::targets<PartOf>(w);
            w.each_entity([&](entity e) {
                support::write_entities(text, w.targets<Knows>(e));
                support::write_entities(text, w.children<PartOf>(e));
                support::write(text, w.enabled(e) ? 1 : 0);
            });
            for (const pecs::commands& each : recorders_)
                support::write(text, static_cast<long long>(each.size()));
            support::write_entities(text, fresh_);
        });
    }

private:
    /// One that lives, or will.
    entity choose() { return !fresh_.empty() && roll(3) == 0 ? fresh_[roll(fresh_.size())] : any(); }
    void keep(entity e) {
        const no_faults quiet;
        fresh_.push_back(e);
    }
    void apply(on_failure policy) {
        applied_ = unfinished_ = true;
        try {
            (void)w.apply(recorders_, policy);
        } catch (const pecs::error&) {
            forget_recorded();
            throw;
        }
        forget_recorded();
    }
    void forget_recorded() {
        for (pecs::commands& each : recorders_) each.clear();
        fresh_.clear();
        unfinished_ = false;
    }
    void record(pecs::commands& later, entity e, entity other, int n) {
        switch (roll(15)) {
        case 0: keep(later.spawn(Position::of(n), Dear{n})); break;
        case 1: keep(later.spawn(made<Name>(n), Lit{n}, to<PartOf>(other))); break;
        case 2: keep(later.spawn(to<Knows>(other, Knows{n}))); break;
        case 3: later.despawn(e); break;
        case 4: later.add(e, Dear{n}); break;
        case 5: later.add<Lit, Name>(e); break;
        case 6: later.remove<Dear>(e); break;
        case 7: later.remove<Lit>(e); break;
        case 8: later.exchange<Position>(e, Dear{n}, Lit{n}); break;
        case 9: later.set(e, made<Name>(n), Dear{n}); break;
        case 10: later.set(e, Lit{n}, Position::of(n)); break;
        case 11: later.relate<PartOf>(e, other); break;
        case 12: later.relate<Knows>(e, other, Knows{n}); break;
        case 13: roll(2) == 0 ? later.unrelate<PartOf>(e) : later.unrelate<Knows>(e); break;
        default: roll(2) == 0 ? later.disable(e) : later.enable(e); break;
        }
    }

    std::vector<pecs::commands> recorders_;
    std::vector<pecs::observer> observers_;
    std::vector<entity> fresh_; ///< recorded, not applied
    bool applied_ = false;      ///< by the last step
    bool unfinished_ = false;   ///< something failed
};
} // namespace

int main() {
    using namespace boost::ut;

    "commands: what was not applied stays recorded"_test = [] {
        const auto report = support::play_all<command_stage<false>>("commands", 1500, 250);
        expect(report.bad == 0_ul) << report.first_bad;
        expect(report.memory > 1000_ul and report.user > 50_ul and report.refused > 30_ul);
    };

    "commands in an observed world: what was not applied stays recorded"_test = [] {
        const auto report = support::play_all<command_stage<true>>("observed commands", 1500, 250);
        expect(report.bad == 0_ul) << report.first_bad;
        expect(report.memory > 1000_ul and report.user > 200_ul and report.refused > 30_ul);
    };
}
