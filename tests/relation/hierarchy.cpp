// What queries know of hierarchies: values of targets and ancestors, order by depth, what is below an entity.
#include <boost/ut.hpp>

#include "../support/memory.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::entity;

struct Local {
    double value = 0;
};
struct Global {
    double value = 0;
};
struct Squad {
    int number = 0;
};
struct Base {
    int strength = 0;
};
struct UnderAttack {};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct MemberOf {
    static constexpr pecs::relation_rules rules{};
};
struct Defends {
    static constexpr pecs::relation_rules rules{};
};

void propagate(pecs::world& world) {
    world.query<Global, const Local, pecs::up<ChildOf, const Global>>().parents_first<ChildOf>().each(
        [](Global& global, const Local& local, const Global& parent) {
            global.value = parent.value + local.value;
        });
}

/// The entities of a query, as text that a failed test can print.
std::string text(const std::vector<entity>& list) {
    std::string all;
    for (const entity e : list) all += pecs::to_string(e) + ' ';
    return all;
}

template <class Query> std::vector<entity> listed(const Query& query) {
    std::vector<entity> list;
    for (auto [e] : query) list.push_back(e);
    return list;
}

/// A root with two children, and a chain below the first.
struct tree {
    pecs::world world;
    entity root = world.spawn(Global{1});
    entity a = world.spawn(Local{10}, Global{}, pecs::to<ChildOf>(root));
    entity b = world.spawn(Local{100}, Global{}, pecs::to<ChildOf>(a));
    entity c = world.spawn(Local{1000}, Global{}, pecs::to<ChildOf>(b));
    entity d = world.spawn(Local{5}, Global{}, pecs::to<ChildOf>(root));
};

/// Two squads with three and four members, of which the first defends a base under attack.
struct war {
    pecs::world world;
    entity attacked = world.spawn(Base{10}, UnderAttack{});
    entity quiet = world.spawn(Base{20});
    entity first = world.spawn(Squad{1}, pecs::to<Defends>(attacked));
    entity second = world.spawn(Squad{2}, pecs::to<Defends>(quiet));
    war() {
        world.spawn_batch(3, Local{1}, pecs::to<MemberOf>(first));
        world.spawn_batch(4, Local{1}, pecs::to<MemberOf>(second));
        world.spawn(Local{1}, pecs::to<MemberOf>(quiet)); // of no squad
        world.spawn(Local{1});
    }
};

} // namespace

int main() {
    using namespace boost::ut;

    "values flow from parents to children in one pass"_test = [] {
        tree t;
        propagate(t.world);
        expect(t.world.get<Global>(t.c).value == 1111.0_d and t.world.get<Global>(t.d).value == 6.0_d);
        t.world.relate<ChildOf>(t.a, t.d);
        propagate(t.world);
        expect(t.world.get<Global>(t.c).value == 1116.0_d) << "also after a change of parents";
    };

    "values flow through many families side by side"_test = [] {
        pecs::world world;
        const entity root = world.spawn(Global{1});
        std::vector<entity> leaves;
        for (int i = 0; i != 50; ++i) {
            const entity middle = world.spawn(Local{10.0 * i}, Global{}, pecs::to<ChildOf>(root));
            for (int k = 0; k != 3; ++k)
                leaves.push_back(world.spawn(Local{k + 0.5}, Global{}, pecs::to<ChildOf>(middle)));
        }
        propagate(world);
        for (std::size_t i = 0; i != leaves.size(); ++i) {
            const auto above = static_cast<double>(i / 3);
            const auto own = static_cast<double>(i % 3);
            expect(world.get<Global>(leaves[i]).value == 1 + 10 * above + own + 0.5) << i;
        }
    };

    "families come with the value above them, or without"_test = [] {
        tree t;
        std::size_t with_value = 0;
        std::size_t without_value = 0;
        t.world.query<const Global, pecs::optional<pecs::up<ChildOf, const Local>>>().columns().each(
            [&](std::span<const entity> some, std::span<const Global>, const Local* above) {
                for (const entity e : some) {
                    const entity parent = t.world.target<ChildOf>(e);
                    const bool expected = parent && t.world.has<Local>(parent);
                    expect((above != nullptr) == expected);
                    if (above != nullptr) expect(above->value == t.world.get<Local>(parent).value);
                }
                (above != nullptr ? with_value : without_value) += some.size();
            });
        expect(with_value != 0_ul and without_value != 0_ul);
    };

    "parents come before their children, or after them"_test = [] {
        tree t;
        t.world.relate<ChildOf>(t.a, t.d);
        expect(text(listed(t.world.query<entity>().parents_first<ChildOf>())) ==
               text({t.root, t.d, t.a, t.b, t.c}));
        expect(text(listed(t.world.query<entity>().children_first<ChildOf>())) ==
               text({t.c, t.b, t.a, t.d, t.root}));
        expect(listed(t.world.query<entity, pecs::with<Local>>().parents_first<ChildOf>()).size() == 4_ul);
        t.world.add(t.b, Squad{});
        expect(text(listed(t.world.query<entity, pecs::without<Squad>>().parents_first<ChildOf>())) ==
               text({t.root, t.d, t.a, t.c}));
        t.world.compact();
        t.world.shrink();
        expect(text(listed(t.world.query<entity>().parents_first<ChildOf>())) ==
               text({t.root, t.d, t.a, t.b, t.c}));
        t.world.despawn(t.a);
        expect(text(listed(t.world.query<entity>().parents_first<ChildOf>())) == text({t.root, t.d}));
        t.world.clear();
        expect(t.world.query<>().parents_first<ChildOf>().empty());
    };

    "the order follows a target that gets another target, though no family comes or goes"_test = [] {
        pecs::world world;
        const entity x = world.spawn(Global{});
        const entity y = world.spawn(Global{}, pecs::to<ChildOf>(x));
        const entity p = world.spawn(Global{}, pecs::to<ChildOf>(x));
        const entity q = world.spawn(Global{}, pecs::to<ChildOf>(y));
        const entity leaf = world.spawn(Global{}, pecs::to<ChildOf>(p));
        const auto query = world.query<entity>().parents_first<ChildOf>();
        expect(bool{listed(query).back() != p} and listed(query).size() == 5_ul);
        world.relate<ChildOf>(p, y); // both families were there before and are there after
        world.relate<ChildOf>(q, x);
        const std::vector<entity> order = listed(query);
        expect(bool{order.back() == leaf}) << "it is three levels deep now";
    };

    "the order is kept while other relations and other archetypes change"_test = [] {
        support::watched_memory memory;
        pecs::world world{&memory};
        const entity root = world.spawn(Global{});
        const entity child = world.spawn(Global{}, pecs::to<ChildOf>(root));
        const entity leaf = world.spawn(Global{}, pecs::to<ChildOf>(child));
        const auto allocated_by_pass = [&] {
            const std::size_t before = memory.allocations();
            world.query<const Global>().parents_first<ChildOf>().each([](const Global&) {});
            return memory.allocations() - before;
        };
        expect(allocated_by_pass() != 0_ul) << "made at the first use";
        const entity squad = world.spawn(Squad{}); // new archetypes
        world.spawn(Base{}, pecs::to<MemberOf>(squad));
        expect(world.query<const Global>().count() == 3_ul);
        (void)allocated_by_pass(); // the query looks at the new archetypes
        const entity other = world.spawn(Squad{});
        world.relate<MemberOf>(world.query<Base>().first(), other);
        world.relate_batch<MemberOf>(world.query<Base>(), squad);
        world.spawn(Global{});
        expect(allocated_by_pass() == 0_ul) << "not a change of ChildOf";
        world.relate<ChildOf>(leaf, root);
        expect(allocated_by_pass() != 0_ul);
    };

    "an observer that asks for the order while rows are about to move does not spoil it"_test = [] {
        pecs::world world;
        const entity root = world.spawn();
        const entity stays = world.spawn(Squad{}, pecs::to<ChildOf>(root));
        const entity goes = world.spawn(Squad{}, pecs::to<ChildOf>(root));
        std::size_t seen = 0;
        const auto observer = world.observe<Squad>(pecs::on_remove, [&](entity, const Squad&) {
            seen = listed(world.query<entity>().parents_first<ChildOf>()).size();
        });
        world.remove<Squad>(goes); // to a family that was made for it, and is empty when the observer looks
        expect(seen == 3_ul);
        expect(listed(world.query<entity>().parents_first<ChildOf>()).size() == 3_ul);
        const entity other = world.spawn(pecs::to<ChildOf>(goes));
        const entity low = world.spawn(pecs::to<ChildOf>(stays));
        world.add(other, Squad{});
        const std::vector<entity> movers{stays};
        world.remove_batch<Squad>(movers);
        world.relate_batch<ChildOf>(movers, other); // a target goes below another one
        const std::vector<entity> order = listed(world.query<entity>().parents_first<ChildOf>());
        expect(order.size() == 5_ul and bool{order.back() == low});
    };

    "a relation that nothing has"_test = [] {
        pecs::world world;
        const entity e = world.spawn(Local{});
        expect(world.query<>().under<ChildOf>(e).empty() and
               world.query<>().under<ChildOf>(entity{}).empty());
        expect(world.query<>().parents_first<ChildOf>().count() == 1_ul);
        expect(world.query<>().of<ChildOf>(pecs::having<Local>).empty());
        expect(world.query<pecs::up<ChildOf, const Local>>().empty());
    };

    "what is below an entity, and nothing else"_test = [] {
        tree t;
        expect(text(listed(t.world.query<entity>().under<ChildOf>(t.a))) == text({t.b, t.c}));
        expect(listed(t.world.query<entity>().under<ChildOf>(t.root)).size() == 4_ul);
        expect(t.world.query<Squad>().under<ChildOf>(t.root).empty());
        t.world.add(t.c, Squad{});
        expect(text(listed(t.world.query<entity, pecs::with<Squad>>().under<ChildOf>(t.root))) == text({t.c}))
            << "through entities that do not match";
        expect(t.world.query<>().under<ChildOf>(t.c).empty() and
               t.world.query<>().under<ChildOf>(entity{}).empty());
        expect(t.world.query<>().under<ChildOf>(t.a).contains(t.c));
        expect(not t.world.query<>().under<ChildOf>(t.a).contains(t.d));
        expect(not t.world.query<>().under<ChildOf>(t.a).contains(t.a));
    };

    "the nearest ancestor that has a value"_test = [] {
        tree t;
        int found = 0;
        const auto any = t.world.query<pecs::optional<pecs::up<ChildOf, const Squad>>>();
        any.each([&](const Squad* squad) { found += squad == nullptr ? 1 : 100; });
        expect(found == 5_i);
        expect(t.world.query<pecs::up<ChildOf, const Squad>>().empty()) << "nobody has one above";
        t.world.add(t.root, Squad{3});
        t.world.add(t.b, Squad{4});
        std::vector<int> numbers;
        t.world.query<pecs::up<ChildOf, const Squad>>().parents_first<ChildOf>().each(
            [&](const Squad& squad) { numbers.push_back(squad.number); });
        expect(bool{numbers == std::vector{3, 3, 3, 4}});
        expect(t.world.query<pecs::up<ChildOf, const Squad>>().contains(t.c));
        expect(t.world.query<pecs::up<ChildOf, const Squad>>().get(t.c).a.number == 4_i);
        for (auto [entities, squad] : t.world.query<pecs::up<ChildOf, const Squad>>().columns())
            expect(squad.number == (entities[0] == t.c ? 4 : 3));
    };

    "targets that match, to any depth"_test = [] {
        war w;
        const auto query = w.world.query<const Local>().of<MemberOf>(
            pecs::having<const Squad, pecs::at_target<Defends, pecs::with<UnderAttack>>,
                         pecs::at_target<Defends, const Base>>);
        int members = 0;
        query.each([&](const Local&, const Squad& squad, const Base& base) {
            expect(squad.number == 1_i and base.strength == 10_i);
            ++members;
        });
        expect(members == 3_i and query.count() == 3_ul and not query.empty());
        for (auto [squad, entities, locals, which, base] : query.families<MemberOf>()) {
            expect(bool{squad == w.first} and entities.size() == 3_ul and locals.size() == 3_ul);
            expect(which.number == 1_i and base.strength == 10_i);
        }
        w.world.remove<UnderAttack>(w.attacked);
        w.world.add(w.quiet, UnderAttack{});
        expect(query.count() == 4_ul) << "the squads are asked anew";
        w.world.despawn(w.quiet);
        expect(query.empty());
    };

    "every kind of term can be asked of a target"_test = [] {
        war w;
        const auto all = w.world.query<const Local>();
        expect(all.of<MemberOf>(pecs::having<pecs::with<Squad>>).count() == 7_ul);
        expect(all.of<MemberOf>(pecs::having<pecs::without<Squad>>).count() == 1_ul);
        expect(all.of<MemberOf>(pecs::having<pecs::any_of<Squad, Base>>).count() == 8_ul);
        expect(all.of<MemberOf>(pecs::having<UnderAttack>).count() == 0_ul) << "a tag";
        std::size_t squads = 0;
        all.of<MemberOf>(pecs::having<entity, pecs::optional<const Squad>>)
            .each([&](const Local&, entity target, const Squad* squad) {
                expect(w.world.has<Squad>(target) == (squad != nullptr));
                squads += squad != nullptr ? 1U : 0U;
            });
        expect(squads == 7_ul);
        w.world.query<const Local>().of<MemberOf>(pecs::having<Squad>).each([](const Local&, Squad& squad) {
            squad.number += 10; // of the target, which they share
        });
        expect(w.world.get<Squad>(w.first).number == 31_i and w.world.get<Squad>(w.second).number == 42_i);
        expect(all.of<MemberOf>(w.first).of<MemberOf>(pecs::having<const Squad>).count() == 3_ul)
            << "together with a target";
    };

    "batch verbs take what such queries find"_test = [] {
        war w;
        w.world.add_batch(w.world.query<>().of<MemberOf>(pecs::having<Squad>), Base{1});
        expect(w.world.query<Base, Local>().count() == 7_ul and w.world.validate());
        tree t;
        t.world.despawn_batch(t.world.query<>().under<ChildOf>(t.a));
        expect(t.world.size() == 3_ul and t.world.alive(t.a) and t.world.validate());
    };

    "a loop keeps the structure as it is"_test = [] {
        tree t;
        expect(throws<pecs::world_locked>([&] {
            for (auto [e] : t.world.query<entity>().under<ChildOf>(t.root)) t.world.despawn(e);
        }));
        expect(t.world.size() == 5_ul);
    };

    "a chain of a million"_test = [] {
        pecs::world world;
        const entity top = world.spawn(Global{});
        entity last = top;
        for (int i = 0; i != 1'000'000; ++i) last = world.spawn(Global{}, Local{1}, pecs::to<ChildOf>(last));
        propagate(world);
        expect(world.get<Global>(last).value == 1'000'000.0_d);
        expect(world.query<>().under<ChildOf>(top).count() == 1'000'000_ul);
        world.despawn(top);
        expect(world.empty() and world.validate());
    };
}
