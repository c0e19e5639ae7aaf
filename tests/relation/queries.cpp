// Queries over relations: by target, with any target, with none; family by family; and plain ones over related entities.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

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
using pecs::id_of;
using pecs::to;
using pecs::world;
using support::caught;
using support::Frozen;
using support::Huge;
using support::Name;
using support::Owned;
using support::Position;
using support::Velocity;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Likes {
    static constexpr pecs::relation_rules rules{};
};
struct Orbits {
    static constexpr pecs::relation_rules rules{};
    int value = 0;
    [[nodiscard]] int number() const { return value; }
};
/// Never given to any entity.
struct Unused {
    static constexpr pecs::relation_rules rules{};
};
struct Unasked {
    static constexpr pecs::relation_rules rules{};
};

std::string dump(const world& w) {
    return support::snapshot<Position, Velocity, Name, Frozen, Huge, Orbits>(w) +
           support::targets<ChildOf, Likes, Orbits>(w);
}

using entities = std::vector<entity>;

/// All entities that a query visits, in its order.
template <class Query> entities in_order(const Query& query) {
    entities found;
    query.each([&](entity e, auto&&...) { found.push_back(e); });
    return found;
}

/// Whether a query finds exactly these entities, in every way that it can be asked.
template <class Query> bool finds(const world& w, const Query& query, entities expected) {
    entities order = in_order(query);
    const entity first = order.empty() ? pecs::null : order.front();
    entities by_columns;
    for (const auto& run : query.columns()) by_columns.insert(by_columns.end(), run.a.begin(), run.a.end());
    std::size_t rows = 0;
    for (const auto& row : query) {
        (void)row;
        ++rows;
    }
    if (by_columns != order || rows != order.size()) return false;
    std::ranges::sort(order);
    std::ranges::sort(expected);
    if (order != expected || query.count() != expected.size() || query.empty() != expected.empty())
        return false;
    if (query.first() != first) return false;
    bool same = true;
    w.each_entity(
        [&](entity e) { same = same && query.contains(e) == std::ranges::binary_search(expected, e); });
    return same;
}

/// Entities with every mixture of relations and components, created in shuffled order, with gaps, and what they must
/// have.
struct mixture {
    world w;
    entities targets;
    entities all;

    explicit mixture(unsigned seed, std::size_t count = 400) {
        std::mt19937 random{seed};
        for (int i = 0; i != 12; ++i) targets.push_back(w.spawn());
        entities gone;
        for (std::size_t i = 0; i != count; ++i) {
            const int n = static_cast<int>(i);
            const auto roll = random();
            const entity e = w.spawn(Name::of(n));
            if ((roll & 1U) != 0) w.relate<Likes>(e, targets[random() % 12]);
            if ((roll & 2U) != 0) w.relate<Orbits>(e, targets[random() % 12], Orbits{n});
            if ((roll & 4U) != 0) w.relate<ChildOf>(e, targets[random() % 12]);
            if ((roll & 8U) != 0) w.add(e, Position::of(n));
            if ((roll & 16U) != 0) w.add(e, Frozen{});
            (random() % 4 == 0 ? gone : all).push_back(e);
        }
        for (const entity e : gone) w.despawn(e);
        w.despawn(targets.back()); // some lose a relation, some die
        targets.pop_back();
        std::erase_if(all, [&](entity e) { return !w.alive(e); });
    }
    template <class Predicate> [[nodiscard]] entities those(Predicate p) const {
        entities some;
        for (const entity e : all)
            if (p(e)) some.push_back(e);
        return some;
    }
};
} // namespace

int main() {
    using namespace boost::ut;

    "a target selects its sources in all archetypes"_test = [] {
        for (const unsigned seed : {1U, 2U, 3U}) {
            const mixture m{seed};
            expect(m.w.validate());
            for (const entity t : m.targets) {
                expect(finds(m.w, m.w.query<const Name>().of<Likes>(t),
                             m.those([&](entity e) { return m.w.has<Likes>(e, t); })));
                expect(finds(m.w, m.w.query<>().of<Orbits>(t),
                             m.those([&](entity e) { return m.w.has<Orbits>(e, t); })));
                expect(finds(m.w, m.w.query<const Orbits, pecs::with<Position>>().of<ChildOf>(t),
                             m.those([&](entity e) {
                                 return m.w.has<ChildOf>(e, t) && m.w.has<Orbits, Position>(e);
                             })));
                expect(finds(m.w,
                             m.w.query<pecs::optional<const Position>, pecs::without<Frozen>>().of<Likes>(t),
                             m.those([&](entity e) { return m.w.has<Likes>(e, t) && !m.w.has<Frozen>(e); })));
            }
        }
    };

    "a query by target looks up one target after another, as of does"_test = [] {
        const mixture m{5, 2'000};
        const auto agree = [&](const auto& query, const auto& by, const auto& of) {
            entities asked = m.targets;
            asked.insert(asked.end(), m.all.begin(), m.all.end());
            asked.push_back(pecs::null);
            asked.push_back({m.targets[0].index(), m.targets[0].generation() + 1});
            std::size_t found = 0;
            for (const entity t : asked) {
                entities some;
                by.each(t, [&](entity e, auto&&...) { some.push_back(e); });
                found += some.size();
                if (!std::ranges::equal(some, in_order(of(query, t))) || by.count(t) != some.size())
                    return false;
            }
            return found > 10;
        };
        const auto of_orbits = [](const auto& query, entity t) { return query.template of<Orbits>(t); };
        const auto all = m.w.query<const Name>(); // several archetypes, some with several relations
        expect(agree(all, all.by<Orbits>(), of_orbits));
        const auto one = m.w.query<const Name, const Orbits, pecs::exact>(); // one archetype, one relation
        expect(agree(one, one.by<Orbits>(), of_orbits));
        const auto none = m.w.query<pecs::optional<const Position>, pecs::with<pecs::world_stats>>();
        none.by<Orbits>().each(m.targets[0], [](auto&&...) { expect(false) << "nothing matches"; });
    };

    "a query by target knows the terms about targets, and gives the values"_test = [] {
        world w;
        const entity big = w.spawn(Position::of(1));
        const entity small = w.spawn();
        w.spawn_batch(3, Velocity::of(5), to<Likes>(big));
        w.spawn_batch(3, Velocity::of(6), to<Likes>(small));
        const auto fans = w.query<const Velocity, pecs::at_target<Likes, const Position>>().by<Likes>();
        int sum = 0;
        fans.each(big, [&](const Velocity& v, const Position& p) { sum += v.number() * 10 + p.number(); });
        expect(sum == 153_i and fans.count(small) == 0_ul and fans.count(big) == 3_ul);
    };

    "the structure is locked while a query by target lives"_test = [] {
        world w;
        const entity t = w.spawn();
        (void)w.spawn(to<Likes>(t));
        {
            const auto fans = w.query<>().by<Likes>();
            (void)caught<pecs::world_locked>([&] { (void)w.spawn(); });
            expect(fans.count(t) == 1_ul);
        }
        (void)w.spawn(to<Likes>(t));
        expect(w.query<>().by<Likes>().count(t) == 2_ul);
    };

    "a verb for the sources of nobody changes nobody"_test = [] {
        world w;
        const entity first = w.spawn(); // has the index of the null entity
        const entity source = w.spawn(to<Likes>(first));
        w.despawn_batch(w.query<>().of<Likes>(pecs::null));
        w.despawn_batch(w.query<>().of<Likes>(entity{first.index(), 99}));
        expect(w.alive(source) and w.query<>().of<Likes>(pecs::null).count() == 0_ul);
    };

    "loops over families with a callback are those of range-for"_test = [] {
        const mixture m{14, 600};
        const auto same = [&](const auto& range, auto... shape) {
            entities loop;
            for (const auto& row : range) {
                loop.push_back(row.a);
                loop.insert(loop.end(), row.b.begin(), row.b.end());
            }
            entities called;
            range.each([&](entity target, std::span<const entity> found, decltype(shape)...) {
                called.push_back(target);
                called.insert(called.end(), found.begin(), found.end());
            });
            return std::ranges::equal(loop, called) && loop.size() > 10;
        };
        expect(same(m.w.query<>().families<Likes>()));
        expect(same(m.w.query<const Name>().families<Orbits>(), std::span<const Name>{}));
        expect(same(m.w.query<const Name>().of<Likes>(m.targets[1]).families<Orbits>(),
                    std::span<const Name>{}));
        expect(same(m.w.query<pecs::at_target<Orbits, pecs::without<Position>>>().families<Orbits>()));
        std::size_t rows = 0;
        m.w.query<const Name>().columns().each(
            [&](std::span<const entity> found, std::span<const Name> names) {
                expect(found.size() == names.size());
                rows += found.size();
            });
        expect(rows == m.w.query<const Name>().count());
    };

    "any and none select by having the relation at all"_test = [] {
        const mixture m{4};
        expect(finds(m.w, m.w.query<const Name>().of<Likes>(pecs::any),
                     m.those([&](entity e) { return m.w.has<Likes>(e); })));
        expect(finds(m.w, m.w.query<const Name>().of<Likes>(pecs::none),
                     m.those([&](entity e) { return !m.w.has<Likes>(e); })));
        expect(finds(m.w, m.w.query<const Name>().of<Likes>(pecs::none).of<Orbits>(pecs::any),
                     m.those([&](entity e) { return !m.w.has<Likes>(e) && m.w.has<Orbits>(e); })));
        expect(finds(m.w, m.w.query<const Name>().of<Likes>(pecs::any).of<Likes>(pecs::none), {}));
    };

    "several relations select together, in whatever order they are named"_test = [] {
        for (const unsigned seed : {5U, 6U}) {
            const mixture m{seed, 1500};
            for (const entity a : m.targets)
                for (const entity b : {m.targets[0], m.targets[5], a}) {
                    const auto both =
                        m.those([&](entity e) { return m.w.has<Likes>(e, a) && m.w.has<Orbits>(e, b); });
                    expect(finds(m.w, m.w.query<const Name>().of<Likes>(a).of<Orbits>(b), both));
                    expect(finds(m.w, m.w.query<const Name>().of<Orbits>(b).of<Likes>(a), both));
                    expect(
                        finds(m.w, m.w.query<const Name, const Orbits>().of<Orbits>(b).of<Likes>(a), both));
                    const auto two = m.those([&](entity e) {
                        return m.w.has<ChildOf>(e, a) && m.w.has<Orbits>(e) && !m.w.has<Likes>(e);
                    });
                    expect(finds(
                        m.w,
                        m.w.query<const Name>().of<Orbits>(pecs::any).of<ChildOf>(a).of<Likes>(pecs::none),
                        two));
                    expect(finds(
                        m.w,
                        m.w.query<const Name>().of<Likes>(pecs::none).of<ChildOf>(a).of<Orbits>(pecs::any),
                        two));
                    const auto three = m.those([&](entity e) {
                        return m.w.has<ChildOf>(e, a) && m.w.has<Orbits>(e, b) && m.w.has<Likes>(e, a);
                    });
                    expect(finds(m.w, m.w.query<>().of<Likes>(a).of<ChildOf>(a).of<Orbits>(b), three));
                    expect(finds(m.w, m.w.query<>().of<Orbits>(b).of<Likes>(a).of<ChildOf>(a), three));
                }
        }
    };

    "two different targets of one relation match nothing"_test = [] {
        const mixture m{7};
        expect(finds(m.w, m.w.query<>().of<Likes>(m.targets[0]).of<Likes>(m.targets[1]), {}));
        expect(finds(m.w, m.w.query<>().of<Likes>(m.targets[0]).of<Likes>(m.targets[0]),
                     m.those([&](entity e) { return m.w.has<Likes>(e, m.targets[0]); })));
    };

    "targets that are dead, null or without sources match nothing"_test = [] {
        mixture m{8};
        const entity gone = m.targets[3];
        const auto before = m.w.query<const Name>().of<Likes>(gone);
        m.w.despawn(gone);
        const entity lonely = m.w.spawn();
        const entity fresh = m.w.spawn();
        for (const entity t : {gone, pecs::null, lonely, fresh, entity{4'000'000'000, 1}}) {
            expect(finds(m.w, m.w.query<const Name>().of<Likes>(t), {}));
            expect(finds(m.w, m.w.query<>().of<Orbits>(m.targets[0]).of<Likes>(t), {}));
            expect(finds(m.w, m.w.query<>().of<Likes>(t).of<Orbits>(m.targets[0]), {}));
        }
        expect(finds(m.w, before, {}));
    };

    "a relation that no entity ever had matches nothing, and its absence everything"_test = [] {
        const mixture m{9};
        expect(m.w.source_count<Unused>(m.targets[0]) == 0_ul);
        m.w.each_source<Unasked>(m.targets[0], [](entity) { expect(false); });
        expect(not m.w.target<Unasked>(m.all[0]) and not m.w.has<Unasked>(m.all[0], m.targets[0]));
        expect(finds(m.w, m.w.query<const Name>().of<Unused>(m.targets[0]), {}));
        expect(finds(m.w, m.w.query<const Name>().of<Unused>(pecs::any), {}));
        expect(finds(m.w, m.w.query<const Name>().of<Unused>(pecs::none), m.all));
        for (auto [target, found] : m.w.query<>().families<Unused>()) expect(!target and found.empty());
        world empty;
        expect(empty.query<>().of<Likes>(pecs::any).empty() and
               empty.query<>().of<Likes>(pecs::null).empty());
    };

    "the values come with their entities"_test = [] {
        mixture m{10};
        const entity t = m.targets[2];
        const auto query = m.w.query<const Orbits, Name, pecs::optional<Position>>().of<Orbits>(t);
        std::size_t visits = 0;
        query.each([&](entity e, const Orbits& orbit, Name& name, Position* position) {
            ++visits;
            expect(&m.w.get<Orbits>(e) == &orbit and &m.w.get<Name>(e) == &name);
            expect(m.w.try_get<Position>(e) == position and orbit.value == name.number());
        });
        expect(visits == query.count() and visits > 5_ul);
        query.each(pecs::independent, [](const Orbits&, Name& name, Position*) { name = Name::of(5); });
        std::size_t changed = 0;
        for (auto [orbit, name, position] : query) changed += name.number() == 5 ? 1 : 0;
        expect(changed == visits);
        for (auto [found, orbits, names, positions] : query.columns()) {
            expect(found.size() == orbits.size() and found.size() == names.size());
            expect(positions.empty() or positions.size() == found.size());
            for (std::size_t i = 0; i != found.size(); ++i)
                expect(&m.w.get<Orbits>(found[i]) == &orbits[i] and m.w.target<Orbits>(found[i]) == t);
            changed -= found.size();
        }
        expect(changed == 0_ul);
        std::size_t others = 0;
        m.w.query<const Name>().each([&](const Name& name) { others += name.number() == 5 ? 1 : 0; });
        expect(others - visits <= 1_ul) << "one more may have had that number";
    };

    "rows can be asked for and sorted"_test = [] {
        mixture m{11};
        const entity t = m.targets[1];
        const auto query = m.w.query<entity, const Orbits>().of<Orbits>(t);
        std::vector<int> keys;
        query.each_sorted([](entity, const Orbits& orbit) { return -orbit.value; },
                          [&](entity e, const Orbits& orbit) {
                              expect(m.w.has<Orbits>(e, t));
                              keys.push_back(orbit.value);
                          });
        expect(keys.size() == query.count() and std::ranges::is_sorted(keys, std::greater{}));
        for (const entity e : m.all) {
            if (m.w.has<Orbits>(e, t))
                expect(query.get(e).a == e and &query.get(e).b == &m.w.get<Orbits>(e));
            else
                expect(caught<pecs::no_match>([&] { (void)query.get(e); }).which() == e);
        }
        expect(throws<pecs::dead_entity>([&] { (void)query.get(pecs::null); }));
        const auto several = caught<pecs::not_single>([&] { (void)query.single(); });
        expect(several.found() == query.count());
        const entity lone = m.w.spawn(to<Orbits>(m.all[0], Orbits{77}), to<Likes>(m.all[0]));
        const auto single = m.w.query<entity, const Orbits>().of<Orbits>(m.all[0]).single();
        expect(single.a == lone and single.b.value == 77_i);
        expect(caught<pecs::not_single>([&] { (void)m.w.query<>().of<Orbits>(lone).single(); }).found() ==
               0_ul);
    };

    "families have all entities of a target and an archetype, once"_test = [] {
        const mixture m{12, 800};
        entities seen;
        std::set<std::pair<entity, std::set<pecs::component_id>>> groups;
        for (auto [target, found, names] :
             m.w.query<const Name>().of<Likes>(pecs::none).of<ChildOf>(pecs::none).families<Orbits>()) {
            expect(fatal(not found.empty() and found.size() == names.size()));
            for (std::size_t i = 0; i != found.size(); ++i) {
                expect(m.w.target<Orbits>(found[i]) == target and &m.w.get<Name>(found[i]) == &names[i]);
                seen.push_back(found[i]);
            }
            std::set<pecs::component_id> has;
            if (m.w.has<Position>(found[0])) has.insert(id_of<Position>());
            if (m.w.has<Frozen>(found[0])) has.insert(id_of<Frozen>());
            expect(groups.emplace(target, has).second) << "a target and an archetype come once";
        }
        auto expected = m.those(
            [&](entity e) { return m.w.has<Orbits>(e) && !m.w.has<Likes>(e) && !m.w.has<ChildOf>(e); });
        std::ranges::sort(seen);
        std::ranges::sort(expected);
        expect(std::ranges::equal(seen, expected) and seen.size() > 50_ul);
    };

    "families of several relations come with all their targets"_test = [] {
        const mixture m{13, 800};
        entities seen;
        for (auto [liked, orbited, found] : m.w.query<>().families<Likes, Orbits>())
            for (const entity e : found) {
                expect(m.w.target<Likes>(e) == liked and m.w.target<Orbits>(e) == orbited);
                seen.push_back(e);
            }
        const auto check = [&](auto expected) {
            std::ranges::sort(seen);
            std::ranges::sort(expected);
            expect(std::ranges::equal(seen, expected) and not seen.empty());
            seen.clear();
        };
        check(m.those([&](entity e) { return m.w.has<Likes, Orbits>(e); }));
        for (auto [orbited, liked, child, found] : m.w.query<>().families<Orbits, Likes, ChildOf>())
            for (const entity e : found) {
                expect(m.w.target<Likes>(e) == liked and m.w.target<Orbits>(e) == orbited);
                expect(m.w.target<ChildOf>(e) == child);
                seen.push_back(e);
            }
        check(m.those([&](entity e) { return m.w.has<Likes, Orbits, ChildOf>(e); }));
        // One of several relations, with and without a target given.
        for (auto [liked, found] : m.w.query<>().families<Likes>())
            for (const entity e : found) {
                expect(m.w.target<Likes>(e) == liked);
                seen.push_back(e);
            }
        check(m.those([&](entity e) { return m.w.has<Likes>(e); }));
        for (auto [orbited, found, orbits] :
             m.w.query<const Orbits>().of<Likes>(m.targets[0]).families<Orbits>())
            for (std::size_t i = 0; i != found.size(); ++i) {
                expect(m.w.target<Orbits>(found[i]) == orbited and &m.w.get<Orbits>(found[i]) == &orbits[i]);
                seen.push_back(found[i]);
            }
        check(m.those([&](entity e) { return m.w.has<Likes>(e, m.targets[0]) && m.w.has<Orbits>(e); }));
    };

    "plain queries visit every related row once, with gaps and without"_test = [] {
        for (const unsigned seed : {14U, 15U, 16U}) {
            mixture m{seed, 1000};
            const auto check = [&] {
                expect(m.w.validate());
                expect(finds(m.w, m.w.query<const Name>(), m.all));
                expect(finds(m.w, m.w.query<const Orbits>(),
                             m.those([&](entity e) { return m.w.has<Orbits>(e); })));
                int sum = 0;
                m.w.query<const Name>().each([&](const Name& name) { sum += name.number(); });
                for (const entity e : m.all) sum -= m.w.get<Name>(e).number();
                expect(sum == 0_i);
            };
            check();
            std::mt19937 random{seed};
            std::ranges::shuffle(m.all, random);
            for (int i = 0; i != 200; ++i) {
                m.w.despawn(m.all.back());
                m.all.pop_back();
            }
            check();
            for (std::size_t i = 0; i < m.all.size(); i += 2) {
                if (m.w.has<Likes>(m.all[i]))
                    m.w.relate<Likes>(m.all[i], m.targets[random() % m.targets.size()]);
                else
                    m.w.relate<Orbits>(m.all[i], m.targets[random() % m.targets.size()]);
            }
            check();
            m.w.compact();
            check();
            for (std::size_t i = 0; i != 300; ++i)
                m.all.push_back(m.w.spawn(Name::of(1), to<Likes>(m.targets[random() % m.targets.size()])));
            check();
            m.w.shrink();
            check();
        }
    };

    "a query goes on with targets and archetypes that come later"_test = [] {
        world w;
        const entity a = w.spawn();
        const auto of_a = w.query<const Name>().of<Likes>(a);
        const auto liking = w.query<const Name>().of<Likes>(pecs::any);
        expect(of_a.empty() and liking.empty());
        entities mine;
        for (int i = 0; i != 50; ++i) {
            const entity e = w.spawn(Name::of(i), to<Likes>(i % 2 == 0 ? a : w.spawn()));
            if (i % 3 == 0) w.add(e, Position::of(i));
            if (i % 5 == 0) w.relate<Orbits>(e, a);
            if (i % 7 == 0) w.add(e, Frozen{});
            if (i % 2 == 0) mine.push_back(e);
            expect(finds(w, of_a, mine) and liking.count() == static_cast<std::size_t>(i + 1)) << i;
        }
    };

    "exact counts the relations that were asked for"_test = [] {
        world w;
        const entity t = w.spawn();
        const entity only = w.spawn(Name::of(1), to<Likes>(t));
        (void)w.spawn(Name::of(2), to<Likes>(t), Frozen{});
        (void)w.spawn(Name::of(3), to<Likes>(t), to<Orbits>(t));
        expect(finds(w, w.query<const Name, pecs::exact>().of<Likes>(t), {only}));
        expect(finds(w, w.query<const Name, pecs::exact>().of<Likes>(pecs::any), {only}));
        expect(finds(w, w.query<const Name, pecs::exact>(), {}));
    };

    "queries by id know targets, too"_test = [] {
        mixture m{17, 600};
        for (const entity t : m.targets) {
            auto query = m.w.by_id().query();
            query.with(id_of<Name>()).of(id_of<Likes>(), t);
            auto both = m.w.by_id().query();
            both.of(id_of<Orbits>(), m.targets[0]).of(id_of<Likes>(), t);
            const auto check = [&](const pecs::dynamic_query& asked, entities expected) {
                entities seen;
                asked.each([&](const pecs::family_view& family) {
                    expect(family.size() == family.entities().size() and family.has(id_of<Likes>()));
                    expect(family.target(id_of<Likes>()) == t);
                    expect(family.target(id_of<Orbits>()) == m.w.target<Orbits>(family.entities()[0]));
                    expect(family.target(id_of<Unused>()) == pecs::null);
                    const auto names = family.values<const Name>();
                    for (std::size_t i = 0; i != family.size(); ++i) {
                        const entity e = family.entities()[i];
                        expect(&m.w.get<Name>(e) == &names[i]);
                        seen.push_back(e);
                    }
                });
                expect(asked.count() == expected.size() and asked.empty() == expected.empty());
                expect(asked.first() == (seen.empty() ? pecs::null : seen.front()));
                std::ranges::sort(seen);
                std::ranges::sort(expected);
                expect(std::ranges::equal(seen, expected));
                for (const entity e : m.all)
                    expect(asked.contains(e) == std::ranges::binary_search(expected, e));
            };
            check(query, m.those([&](entity e) { return m.w.has<Likes>(e, t); }));
            check(both, m.those([&](entity e) {
                return m.w.has<Likes>(e, t) && m.w.has<Orbits>(e, m.targets[0]);
            }));
            query.without(id_of<Frozen>());
            check(query, m.those([&](entity e) { return m.w.has<Likes>(e, t) && !m.w.has<Frozen>(e); }));
        }
        auto every = m.w.by_id().query();
        every.with(id_of<Name>());
        std::size_t found = 0;
        every.each([&](const pecs::family_view& family) {
            found += family.size();
            for (const entity e : family.entities()) {
                expect(family.target(id_of<Likes>()) == m.w.target<Likes>(e));
                expect(family.target(id_of<ChildOf>()) == m.w.target<ChildOf>(e));
            }
        });
        expect(found == m.all.size());
    };

    "a verb for a query by target is the verb for each of its entities"_test = [] {
        const auto same = [](auto batch, auto single, auto selected) {
            for (const unsigned seed : {18U, 19U, 20U}) {
                mixture many{seed};
                mixture one{seed};
                batch(many);
                for (const entity e : one.those([&](entity e) { return selected(one, e); })) single(one, e);
                expect(many.w.validate() and one.w.validate());
                expect(dump(many.w) == dump(one.w));
            }
        };
        const auto liking = [](const mixture& m, entity e) { return m.w.has<Likes>(e, m.targets[1]); };
        const auto both = [](const mixture& m, entity e) {
            return m.w.has<Likes>(e, m.targets[1]) && m.w.has<Orbits>(e);
        };
        same(
            [](mixture& m) {
                m.w.add_batch(m.w.query<>().of<Likes>(m.targets[1]), Velocity::of(1), Huge::of(2));
            },
            [](mixture& m, entity e) { m.w.add(e, Velocity::of(1), Huge::of(2)); }, liking);
        same([](mixture& m) { m.w.remove_batch<Name>(m.w.query<>().of<Likes>(m.targets[1])); },
             [](mixture& m, entity e) { m.w.remove<Name>(e); }, liking);
        same([](mixture& m) { m.w.remove_batch<Orbits, Name>(m.w.query<Orbits>().of<Likes>(m.targets[1])); },
             [](mixture& m, entity e) { m.w.remove<Orbits, Name>(e); }, both);
        same(
            [](mixture& m) {
                m.w.exchange_batch<Name>(m.w.query<>().of<Likes>(m.targets[1]), Velocity::of(3));
            },
            [](mixture& m, entity e) { m.w.exchange<Name>(e, Velocity::of(3)); }, liking);
        same(
            [](mixture& m) {
                m.w.exchange_batch<Likes>(m.w.query<>().of<Likes>(m.targets[1]), Velocity::of(3));
            },
            [](mixture& m, entity e) { m.w.exchange<Likes>(e, Velocity::of(3)); }, liking);
        same(
            [](mixture& m) {
                m.w.set_batch(m.w.query<>().of<Likes>(m.targets[1]), Name::of(7), Position::of(8));
            },
            [](mixture& m, entity e) { m.w.set(e, Name::of(7), Position::of(8)); }, liking);
        same([](mixture& m) { m.w.despawn_batch(m.w.query<>().of<Likes>(m.targets[1])); },
             [](mixture& m, entity e) { m.w.despawn(e); }, liking);
        same(
            [](mixture& m) {
                m.w.despawn_batch(m.w.query<>().of<Orbits>(pecs::any).of<Likes>(m.targets[1]));
            },
            [](mixture& m, entity e) { m.w.despawn(e); }, both);
        same([](mixture& m) { m.w.unrelate_batch<Likes>(m.w.query<>().of<Likes>(m.targets[1])); },
             [](mixture& m, entity e) { m.w.unrelate<Likes>(e); }, liking);
        same(
            [](mixture& m) {
                m.w.relate_batch<ChildOf>(m.w.query<>().of<Likes>(m.targets[1]), m.targets[2]);
            },
            [](mixture& m, entity e) { m.w.relate<ChildOf>(e, m.targets[2]); }, liking);
        same([](mixture& m) { m.w.add_batch(m.w.query<>().of<Likes>(m.targets[1]), Velocity::of(1)); },
             [](mixture& m, entity e) {
                 m.w.by_id().set(e, id_of<Velocity>(), std::array{Velocity::of(1)}.data());
             },
             liking);
    };

    "a verb that fails for one entity of a query changes none"_test = [] {
        mixture m{21};
        const std::string before = dump(m.w);
        const auto refused = [&](auto f) {
            const auto error = caught<pecs::component_error>(f);
            expect(dump(m.w) == before and m.w.validate()) << error.what();
        };
        refused([&] { m.w.add_batch(m.w.query<>().of<Likes>(m.targets[1]), Velocity::of(1), Frozen{}); });
        refused([&] { m.w.remove_batch<Position>(m.w.query<>().of<Likes>(m.targets[1])); });
        refused([&] { m.w.unrelate_batch<Orbits>(m.w.query<>().of<Likes>(m.targets[1])); });
        refused([&] { m.w.exchange_batch<Frozen>(m.w.query<>().of<Likes>(m.targets[1]), Velocity::of(1)); });
    };

    "the same operations give the same order"_test = [] {
        const auto story = [](mixture& m) {
            m.w.relate_batch<Likes>(m.w.query<Position>(), m.targets[4]);
            m.w.despawn(m.targets[6]);
            m.w.compact();
            m.w.relate<Likes>(m.all[0], m.targets[2]);
        };
        mixture a{22, 2000};
        mixture b{22, 2000};
        story(a);
        story(b);
        const auto same = [&](auto query) {
            expect(std::ranges::equal(in_order(query(a)), in_order(query(b))));
        };
        same([](mixture& m) { return m.w.query<const Name>(); });
        same([](mixture& m) { return m.w.query<const Name>().of<Likes>(m.targets[4]); });
        same([](mixture& m) { return m.w.query<>().of<Orbits>(m.targets[3]).of<ChildOf>(pecs::any); });
        entities first;
        entities second;
        for (auto [t, found] : a.w.query<>().families<Orbits>())
            first.insert(first.end(), found.begin(), found.end());
        for (auto [t, found] : b.w.query<>().families<Orbits>())
            second.insert(second.end(), found.begin(), found.end());
        expect(std::ranges::equal(first, second));
        first.clear();
        second.clear();
        a.w.each_source(a.targets[0], [&](entity e, pecs::component_id) { first.push_back(e); });
        b.w.each_source(b.targets[0], [&](entity e, pecs::component_id) { second.push_back(e); });
        expect(std::ranges::equal(first, second) and not first.empty());
    };
}
