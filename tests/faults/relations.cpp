// Every allocation fails in turn, and every constructor and callback throws in turn, in stories about relations: one target
// and many, symmetric ones, whole families, targets that die under every rule. Whatever fails, nothing has changed.
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
using pecs::entity;
using pecs::target_death;
using pecs::to;
using support::Name;
using support::Position;
using support::user_code;

template <int Number> using data = support::Touchy<10 + Number>;

struct PartOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes : data<0> {
    static constexpr pecs::relation_rules rules{};
    using data<0>::data;
};
struct Needs {
    static constexpr pecs::relation_rules rules{.on_target_death = target_death::forbid};
};
struct Knows : data<1> {
    static constexpr pecs::relation_rules rules{.many = true};
    using data<1>::data;
};
struct Married : data<2> {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
    using data<2>::data;
};
struct Feeds {
    static constexpr pecs::relation_rules rules{
        .on_target_death = target_death::cascade, .acyclic = true, .many = true};
};

class relation_stage : public support::fault_stage<pecs::world, entity, Likes, Knows, Married> {
public:
    using fault_stage::fault_stage;

    static constexpr bool has_twin = false; // batches over queries go through families in their order

    void step(std::uint64_t choice) {
        begin(choice);
        const int n = number();
        if (living.size() < 8) {
            (void)w.spawn_batch<Position, Name>(10);
        } else if (living.size() > 50) {
            w.despawn_batch(some(25));
        } else {
            switch (roll(6)) {
            case 0: spawn(any(), any(), n); break;
            case 1: relate_one(any(), any(), n); break;
            case 2: relate_edge(any(), any(), n); break;
            case 3: relate_list(any(), n); break;
            case 4: relate_matches(any(), any(), n); break;
            default: others(any(), n); break;
            }
        }
    }

    [[nodiscard]] std::string state() const {
        return support::written([&](std::string& text) {
            text = support::snapshot<Position, Name, Likes>(w) + support::targets<PartOf, Likes, Needs>(w);
            w.each_entity([&](entity e) {
                support::write_entities(text, w.targets<Knows>(e));
                support::write_entities(text, w.sources<Knows>(e));
                support::write_entities(text, w.targets<Married>(e));
                support::write_entities(text, w.targets<Feeds>(e));
                support::write_entities(text, w.sources<Feeds>(e));
                w.each_target<Knows>(e, [&](entity, const Knows& k) { support::write(text, k.number()); });
                w.each_target<Married>(e,
                                       [&](entity, const Married& m) { support::write(text, m.number()); });
                support::write(text, static_cast<long long>(w.query<>().of<PartOf>(e).count()));
                support::write(text, static_cast<long long>(w.query<const Name>().of<Likes>(e).count()));
                support::write(text, static_cast<long long>(w.query<>().of<Knows>(e).count()));
            });
            support::write_families(text, w.query<entity>(), [&](entity e) {
                std::string family;
                support::write(family, (w.has<Position>(e) ? 1 : 0) + (w.has<Name>(e) ? 2 : 0));
                for (const entity each : {w.target<PartOf>(e), w.target<Likes>(e), w.target<Needs>(e)})
                    support::write_entity(family, each);
                return family;
            });
        });
    }

private:
    void spawn(entity a, entity b, int n) {
        switch (roll(6)) {
        case 0: (void)w.spawn(Position::of(n), to<PartOf>(a)); break;
        case 1: (void)w.spawn(made<Name>(n), to<PartOf>(a), to<Likes>(b, Likes{n})); break;
        case 2: (void)w.spawn_batch(1 + roll(6), made<Name>(n), to<Likes>(a, Likes{n})); break;
        case 3: (void)w.spawn(to<Knows>(a, Knows{n}), to<Feeds>(b), to<Married>(a, Married{n})); break;
        case 4: (void)w.spawn_batch(1 + roll(4), to<Knows>(a, Knows{n}), to<PartOf>(b)); break;
        default:
            (void)w.spawn_batch<Position, Name>(1 + roll(6), [](Position&, Name&) { user_code(); });
            break;
        }
    }
    void relate_one(entity e, entity target, int n) {
        switch (roll(9)) {
        case 0: w.relate<PartOf>(e, target); break;
        case 1: w.relate<Likes>(e, target); break;
        case 2: w.relate<Likes>(e, target, Likes{n}); break;
        case 3:
            if (roll(3) == 0) w.relate<Needs>(e, target);
            break;
        case 4: w.unrelate<PartOf>(e); break;
        case 5: w.unrelate<Likes>(e); break;
        case 6: w.unrelate<Needs>(e); break;
        case 7: w.set(e, Position::of(n), made<Name>(n)); break;
        default: w.by_id().relate(e, pecs::id_of<Likes>(), target); break;
        }
    }
    void relate_edge(entity e, entity target, int n) {
        switch (roll(10)) {
        case 0: w.relate<Knows>(e, target); break;
        case 1: w.relate<Knows>(e, target, Knows{n}); break;
        case 2: w.relate<Married>(e, target); break;
        case 3: w.relate<Married>(e, target, Married{n}); break;
        case 4: w.relate<Feeds>(e, target); break;
        case 5: w.unrelate<Knows>(e); break;
        case 6: w.unrelate<Married>(e); break;
        case 7:
            if (!w.targets<Knows>(e).empty()) w.unrelate<Knows>(e, w.targets<Knows>(e)[0]);
            break;
        case 8: w.by_id().relate(e, pecs::id_of<Knows>(), target); break;
        default: w.by_id().unrelate(e, pecs::id_of<Feeds>()); break;
        }
    }
    void relate_list(entity target, int n) {
        const std::span<const entity> list = some(8);
        auto verbs = w.by_id();
        switch (roll(15)) {
        case 0: w.relate_batch<PartOf>(list, target); break;
        case 1: w.relate_batch<Likes>(list, target); break;
        case 2: w.relate_batch<Knows>(list, target); break;
        case 3: w.relate_batch<Married>(list, target); break;
        case 4: w.unrelate_batch<Likes>(list.first(1)); break;
        case 5: w.unrelate_batch<Knows>(list.first(1)); break;
        case 6: w.relate_batch<Feeds>(list.first(1), target); break;
        case 7: w.relate_batch<Likes>(list, target, Likes{n}); break;
        case 8: w.relate_batch<Knows>(list, target, Knows{n}); break;
        case 9: w.relate_batch<Married>(list, target, Married{n}); break;
        case 10: verbs.relate_batch(list, pecs::id_of<Likes>(), target); break;
        case 11: verbs.relate_batch(list, pecs::id_of<Knows>(), target); break;
        case 12: verbs.unrelate_batch(list.first(1), pecs::id_of<Likes>()); break;
        case 13: verbs.unrelate_batch(list.first(1), pecs::id_of<Knows>()); break;
        default: w.despawn_batch(list.first(1)); break;
        }
    }
    /// Whole families: to a target that has some already, or that has none, so that they keep their rows.
    void relate_matches(entity from, entity target, int n) {
        auto verbs = w.by_id();
        switch (roll(14)) {
        case 0: w.relate_batch<PartOf>(w.query<>().of<PartOf>(from), target); break;
        case 1: w.relate_batch<Likes>(w.query<>().of<Likes>(from), target); break;
        case 2: w.relate_batch<Likes>(w.query<const Position>(), target); break;
        case 3: w.unrelate_batch<Likes>(w.query<>().of<Likes>(from)); break;
        case 4: w.unrelate_batch<PartOf>(w.query<const Name>().of<PartOf>(pecs::any)); break;
        case 5: w.relate_batch<Knows>(w.query<const Name>(), target); break;
        case 6: w.unrelate_batch<Knows>(w.query<>().of<Knows>(target)); break;
        case 7: w.set_batch(w.query<>().of<Likes>(from), made<Name>(7)); break;
        case 8: w.relate_batch<Likes>(w.query<>().of<Likes>(from), target, Likes{n}); break;
        case 9: w.relate_batch<Likes>(w.query<const Position>(), target, Likes{n}); break;
        case 10: w.relate_batch<Knows>(w.query<const Name>(), target, Knows{n}); break;
        case 11:
            verbs.relate_batch(verbs.query().of(pecs::id_of<Knows>(), from), pecs::id_of<Likes>(), target);
            break;
        case 12: {
            const pecs::component_id knows = pecs::id_of<Knows>();
            verbs.unrelate_batch(verbs.query().of(knows, target), knows, target);
            break;
        }
        default: w.remove_batch<Name>(w.query<const Name>().of<PartOf>(from)); break;
        }
    }
    void others(entity e, int n) {
        switch (roll(9)) {
        case 0:
        case 1:
        case 2: w.despawn(e); break;
        case 3: w.despawn_batch(w.query<>().of<Likes>(e)); break;
        case 4: w.shrink(); break;
        case 5: w.compact(); break;
        case 6: (void)w.clone(e); break;
        case 7: visit(e); break;
        default: w.add(e, made<Name>(n)); break;
        }
    }
    /// Loops whose callbacks throw: the lock ends with them.
    void visit(entity e) {
        w.query<const Position>().families<PartOf>().each([](entity, auto&&...) { user_code(); });
        w.query<>().of<Likes>(e).each([](entity) { user_code(); });
        w.each_target<Knows>(e, [](entity) { user_code(); });
        w.each_edge<Married>([](entity, entity) { user_code(); });
        w.each_source<Likes>(e, [](entity) { user_code(); });
    }
};
} // namespace

int main() {
    using namespace boost::ut;

    "relations: what fails has changed nothing"_test = [] {
        const auto report = support::play_all<relation_stage>("relations", 600, 120);
        expect(report.bad == 0_ul) << report.first_bad;
        expect(report.memory > 2000_ul and report.user > 300_ul and report.refused > 100_ul);
    };
}
