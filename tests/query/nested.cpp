// Queries about targets find the same entities whether they start from the families or from the targets, and every way
// to ask gives them in the same order. PECS_SEED repeats a run.
#include <boost/ut.hpp>

#include "../support/seed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;

struct Value {
    int value = 0;
};
struct Factor {
    int value = 0;
};
struct Alarm {};
struct Other {};
struct MemberOf {
    static constexpr pecs::relation_rules rules{};
};
struct Defends {
    static constexpr pecs::relation_rules rules{};
};

using found = std::vector<std::pair<entity, int>>;

/// A query's entities, each with the factor of its target; false if two ways to ask do not agree.
template <class Query> bool ask(const Query& query, found& by_each) {
    query.each([&](entity e, const Value&, const Factor& factor) { by_each.emplace_back(e, factor.value); });
    found by_rows;
    for (auto [e, value, factor] : query) by_rows.emplace_back(e, factor.value);
    found by_families;
    for (auto [target, entities, values, factor] : query.template families<MemberOf>())
        for (const entity e : entities) by_families.emplace_back(e, factor.value);
    const bool all_inside =
        std::ranges::all_of(by_each, [&](const auto& each) { return query.contains(each.first); });
    return by_each == by_rows && by_each == by_families && query.count() == by_each.size() && all_inside &&
           query.first() == (by_each.empty() ? pecs::null : by_each[0].first);
}

void one_world(std::uint64_t seed) {
    using boost::ut::expect;
    std::mt19937_64 random{seed};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    world w;
    std::vector<entity> bases;
    std::vector<entity> squads;
    std::vector<entity> members;
    const std::size_t idle =
        below(2) == 0 ? 0 : 400; // targets that nothing relates to: more than there are families
    for (int i = 0; i != 6; ++i) bases.push_back(w.spawn(Factor{1000 + i}));
    for (std::size_t i = 0; i != 40 + idle; ++i) squads.push_back(w.spawn(Factor{static_cast<int>(i)}));
    for (const entity squad : squads) {
        if (below(2) == 0) w.add<Alarm>(squad);
        if (below(4) == 0) w.add<Other>(squad);
        if (below(3) != 0) w.relate<Defends>(squad, bases[below(bases.size())]);
    }
    for (const entity base : bases)
        if (below(2) == 0) w.add<Alarm>(base);
    const bool several = below(2) == 0; // archetypes, some of which have two relations
    for (int i = 0; i != 200; ++i) {
        const entity e = w.spawn(Value{i}, pecs::to<MemberOf>(squads[below(40)]));
        if (several && below(3) == 0) w.relate<Defends>(e, bases[below(bases.size())]);
        if (several && below(3) == 0) w.add<Other>(e);
        members.push_back(e);
    }
    const auto expected = [&](auto fits) {
        found all;
        for (const entity e : members) {
            const entity squad = w.target<MemberOf>(e);
            if (fits(e, squad)) all.emplace_back(e, w.get<Factor>(squad).value);
        }
        std::ranges::sort(all);
        return all;
    };
    const auto base_in_alarm = [&](entity squad) {
        const entity base = w.target<Defends>(squad);
        return base && w.has<Alarm>(base);
    };
    const auto check = [&](const auto& query, auto fits, const char* what) {
        found all;
        expect(ask(query, all)) << what << "seed" << seed;
        std::ranges::sort(all);
        expect(all == expected(fits)) << what << "seed" << seed;
    };
    const auto all = w.query<entity, const Value>();
    check(
        all.of<MemberOf>(pecs::having<const Factor, pecs::with<Alarm>>),
        [&](entity, entity squad) { return w.has<Alarm>(squad); }, "with");
    check(
        all.of<MemberOf>(pecs::having<const Factor, pecs::with<Alarm>, pecs::without<Other>>),
        [&](entity, entity squad) { return w.has<Alarm>(squad) && !w.has<Other>(squad); }, "without");
    check(
        all.of<MemberOf>(pecs::having<const Factor, pecs::at_target<Defends, pecs::with<Alarm>>>),
        [&](entity, entity squad) { return base_in_alarm(squad); }, "nested");
    check(
        w.query<entity, const Value, pecs::at_target<Defends, pecs::with<Alarm>>>().of<MemberOf>(
            pecs::having<const Factor, pecs::with<Alarm>>),
        [&](entity e, entity squad) { return w.has<Alarm>(squad) && base_in_alarm(e); }, "two relations");
}
} // namespace

int main() {
    using namespace boost::ut;

    "from families or from targets, the same entities are found"_test = [] {
        for (const std::uint64_t seed : support::seeds(100, 1)) one_world(seed);
    };

    "a target may be a prefab"_test = [] {
        world w;
        const entity part = w.spawn(Factor{7});
        w.make_prefab(part);
        const entity e = w.spawn(Value{1}, pecs::to<MemberOf>(part));
        const auto query = w.query<const Value>().of<MemberOf>(pecs::having<const Factor>);
        expect(query.count() == 1_ul and query.first() == e);
    };

    "the same query in two worlds, one inside of the other"_test = [] {
        world a;
        world b;
        for (int i = 0; i != 3; ++i) {
            a.spawn(Value{1}, pecs::to<MemberOf>(a.spawn(Factor{i}, Alarm{})));
            b.spawn(Value{10}, pecs::to<MemberOf>(b.spawn(Factor{i}, Alarm{})));
        }
        const auto sum = [](world& of, auto&& inside) {
            int total = 0;
            of.query<const Value>()
                .of<MemberOf>(pecs::having<pecs::with<Alarm>>)
                .each([&](const Value& value) { total += value.value + inside(); });
            return total;
        };
        expect(sum(a, [&] { return sum(b, [] { return 0; }); }) == 3 + 3 * 30);
        expect(sum(b, [&] { return sum(a, [&] { return sum(b, [] { return 0; }); }); }) ==
               30 + 3 * (3 + 3 * 30));
    };
}
