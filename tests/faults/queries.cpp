// Every allocation fails in turn, and every callback and constructor throws in turn, in stories about reading: typed and
// run-time queries that meet archetypes for the first time, orders by key and by depth, change ticks, resources. Whatever
// fails, nothing has changed, the structure is unlocked, and no change is missed later.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/fault_run.hpp"
#include "../support/fault_stage.hpp"
#include "../support/snapshot.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::to;
using support::Frozen;
using support::Name;
using support::no_faults;
using support::Position;
using support::user_code;
using support::Velocity;

struct PartOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true};
};
struct Health {
    static constexpr auto tracking = pecs::change_tracking::rows;
    int points = 0;
    [[nodiscard]] int number() const { return points; }
};
struct Lit {
    static constexpr auto storage = pecs::component_storage::sparse;
    int heat = 0;
    [[nodiscard]] int number() const { return heat; }
};
using Clock = support::Touchy<50>;
using Config = support::Touchy<51>;

class query_stage : public support::fault_stage<pecs::world, entity, Clock, Config> {
public:
    using fault_stage::fault_stage;
    static constexpr bool has_twin = true;

    /// What was written since the tick is found by a query for changes.
    [[nodiscard]] bool valid() const {
        const no_faults quiet;
        bool found = w.validate();
        for (const entity e : written_)
            if (w.has<Health>(e))
                found = found && w.query<const Health>().changed<Health>(since_).contains(e);
        for (const entity e : lit_)
            if (w.has<Lit>(e)) found = found && w.query<const Lit>().changed<Lit>(since_).contains(e);
        return found;
    }

    void step(std::uint64_t choice) {
        begin(choice);
        if (living.size() < 8) {
            (void)w.spawn_batch<Position, Health>(10);
        } else if (living.size() > 40) {
            w.despawn_batch(some(20));
        } else {
            switch (roll(6)) {
            case 0: change(any(), any()); break;
            case 1: ticks(any()); break;
            case 2: resources(); break;
            case 3: loops(any()); break;
            case 4: related(any()); break;
            default: by_id(any()); break;
            }
        }
    }

    [[nodiscard]] std::string state() const {
        return support::written([&](std::string& text) {
            text = support::snapshot<Position, Velocity, Name, Health, Frozen, Lit>(w) +
                   support::targets<PartOf>(w);
            support::write(text, w.has_resource<Clock>() ? w.resource<Clock>().number() : -1);
            support::write(text, w.has_resource<Config>() ? w.resource<Config>().number() : -1);
            support::write_families(text, w.query<entity>(), [&](entity e) {
                std::string family;
                support::write_entity(family, w.target<PartOf>(e));
                return family;
            });
        });
    }

private:
    static void note(std::vector<entity>& list, entity e) {
        const no_faults quiet;
        list.push_back(e);
    }
    void wrote(entity e) { note(written_, e); }
    void change(entity e, entity other) {
        const int n = number();
        switch (roll(8)) {
        case 0: (void)w.spawn(Position::of(n), to<PartOf>(e)); break;
        case 1: w.set(e, Velocity::of(n)); break;
        case 2: w.set(e, made<Name>(n), Frozen{}); break;
        case 3: w.set(e, Lit{n}); break;
        case 4: w.relate<Knows>(e, other); break;
        case 5: w.remove<Velocity>(e); break;
        case 6: w.shrink(); break;
        default: w.despawn(e); break;
        }
    }
    void ticks(entity e) {
        switch (roll(9)) {
        case 0:
            since_ = w.now();
            written_.clear();
            lit_.clear();
            break;
        case 1:
            w.set(e, Health{number()});
            wrote(e);
            break;
        case 2: w.track<Position, PartOf>(); break;
        case 5: w.track<Lit>(); break;
        case 6:
            w.set(e, Lit{number()});
            note(lit_, e);
            break;
        case 7: w.query<>().changed<Lit>(since_).each([] { user_code(); }); break;
        case 3:
            w.query<const Health>().changed<Health>(since_).each([](const Health&) { user_code(); });
            break;
        case 4:
            w.query<const Position>().added<Position>(since_).each([](const Position&) { user_code(); });
            break;
        default:
            w.query<pecs::tracked<Health>>().each([&](entity who, pecs::tracked_ref<Health> h) {
                if (who != e || h->points == 7) return;
                h.write().points = 7;
                wrote(who);
            });
            break;
        }
    }
    void resources() {
        const int n = number();
        switch (roll(6)) {
        case 0: (void)w.emplace_resource<Clock>(); break;
        case 1: (void)w.set_resource(Clock{n}); break;
        case 2: {
            const Config config{n};
            (void)w.emplace_resource<Config>(config);
            break;
        }
        case 3: w.remove_resource<Config>(); break;
        case 4: w.remove_resource<Clock>(); break;
        default:
            w.query<const Position, pecs::res<const Clock>>().each(
                [](const Position&, const Clock&) { user_code(); });
            break;
        }
    }
    void loops(entity e) {
        switch (roll(7)) {
        case 0: w.query<const Position>().each([](const Position&) { user_code(); }); break;
        case 1:
            for ([[maybe_unused]] auto row : w.query<const Position, const Velocity>()) user_code();
            break;
        case 2:
            for ([[maybe_unused]] auto run : w.query<const Name, pecs::without<Velocity>>().columns())
                user_code();
            break;
        case 3:
            w.query<const Position, pecs::optional<const Name>>().each_sorted(
                [](const Position& p, const Name*) {
                    user_code();
                    return -p.x;
                },
                [](const Position&, const Name*) { user_code(); });
            break;
        case 4: w.query<const Lit>().each([](const Lit&) { user_code(); }); break;
        case 5: (void)w.query<pecs::any_of<Name, Velocity>, pecs::exact>().count(); break;
        default: (void)w.query<const Health>().contains(e); break;
        }
    }
    void related(entity e) {
        switch (roll(6)) {
        case 0: w.query<const Position>().of<PartOf>(e).each([](const Position&) { user_code(); }); break;
        case 1: {
            const auto children = w.query<const Position>().by<PartOf>();
            children.each(e, [](const Position&) { user_code(); });
            break;
        }
        case 2:
            for ([[maybe_unused]] auto family : w.query<>().families<PartOf>()) user_code();
            break;
        case 3: w.query<>().parents_first<PartOf>().each([](entity) { user_code(); }); break;
        case 4:
            w.query<pecs::at_target<PartOf, const Health>>().each([](const Health&) { user_code(); });
            break;
        default: w.query<>().of<Knows>(e).each([](entity) { user_code(); }); break;
        }
    }
    void by_id(entity e) {
        auto all = w.by_id().query();
        all.with(pecs::id_of<Position>());
        switch (roll(4)) {
        case 0: all.without(pecs::id_of<Velocity>()); break;
        case 1: all.any_of({pecs::id_of<Name>(), pecs::id_of<Health>(), pecs::id_of<Lit>()}); break;
        case 2: all.of(pecs::id_of<PartOf>(), e); break;
        default: all.optional(pecs::id_of<Name>()); break;
        }
        all.each([](const pecs::family_view&) { user_code(); });
        (void)all.count();
    }

    pecs::tick since_;
    std::vector<entity> written_;
    std::vector<entity> lit_; ///< the same of sparse values
};
} // namespace

int main() {
    using namespace boost::ut;

    "reading: what fails has changed nothing, and no change is missed"_test = [] {
        const auto report = support::play_all<query_stage>("reading", 1200, 250);
        expect(report.bad == 0_ul) << report.first_bad;
        expect(report.memory > 1000_ul and report.user > 1000_ul and report.refused > 50_ul);
    };
}
