// What becomes of the sources when a target dies: they lose it, die with it, or forbid it; all of it or nothing.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/errors.hpp"
#include "../support/memory.hpp"
#include "../support/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::target_death;
using pecs::to;
using pecs::world;
using support::caught;
using support::faults;
using support::Frozen;
using support::mentions;
using support::Name;
using support::Position;
using support::Tracked;
using support::Velocity;
using support::watched_memory;

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
/// Dies with its target, and may go in circles.
struct Bound {
    static constexpr pecs::relation_rules rules{.on_target_death = target_death::cascade};
};
struct Likes {
    static constexpr pecs::relation_rules rules{};
};
struct Owes {
    static constexpr pecs::relation_rules rules{.on_target_death = target_death::detach};
    Tracked amount;
    [[nodiscard]] int number() const { return amount.number(); }
};
struct Needs {
    static constexpr pecs::relation_rules rules{.on_target_death = target_death::forbid};
};
struct Guards {
    static constexpr pecs::relation_rules rules{.on_target_death = target_death::forbid};
    int number_ = 0;
    [[nodiscard]] int number() const { return number_; }
};

Owes owes(int n) { return Owes{Tracked{n}}; }

std::string dump(const world& w) {
    return support::snapshot<Position, Velocity, Name, Frozen, Tracked, Owes, Guards>(w) +
           support::targets<ChildOf, Bound, Likes, Owes, Needs, Guards>(w);
}

/// The error of type `E` that `f` must throw; the world must be as it was.
template <class E, class F> E refused(const world& w, F f) {
    using namespace boost::ut;
    const std::string before = dump(w);
    const auto alive = Tracked::log.alive();
    const E error = caught<E>(f);
    expect(dump(w) == before) << error.what();
    expect(w.validate()) << error.what();
    expect(Tracked::log.alive() == alive) << error.what();
    return error;
}

template <class List> bool all_dead(const world& w, const List& list) {
    return std::ranges::none_of(list, [&](entity e) { return w.alive(e); });
}
template <class List> bool all_alive(const world& w, const List& list) {
    return std::ranges::all_of(list, [&](entity e) { return w.alive(e); });
}
} // namespace

int main() {
    using namespace boost::ut;

    "sources that detach lose the relation and its data, and nothing else"_test = [] {
        Tracked::forget();
        world w;
        const entity bank = w.spawn();
        const entity other = w.spawn();
        const entity a = w.spawn(Name::of(1), Position::of(1), to<Owes>(bank, owes(10)));
        const entity b = w.spawn(Name::of(2), to<Owes>(bank, owes(20)), to<Likes>(other));
        const entity c = w.spawn(Name::of(3), to<Owes>(other, owes(30)));
        w.despawn(bank);
        expect(not w.alive(bank) and all_alive(w, std::array{a, b, c, other}) and w.validate());
        expect(not w.has<Owes>(a) and not w.has<Owes>(b) and w.target<Likes>(b) == other);
        expect(w.target<Owes>(c) == other and w.get<Owes>(c).number() == 30_i);
        expect(w.get<Name>(a).number() == 1_i and w.get<Position>(a).number() == 1_i);
        expect(Tracked::log.alive() == 1_ul and Tracked::log.wrong == 0_ul);
        w.relate<Owes>(a, other);
        expect(w.target<Owes>(a) == other and w.validate());
    };

    "sources that cascade die, and theirs, and theirs"_test = [] {
        world w;
        const entity root = w.spawn();
        std::vector<entity> tree;
        for (std::size_t i = 0; i != 200; ++i)
            tree.push_back(w.spawn(Name::of(static_cast<int>(i)), to<ChildOf>(i == 0 ? root : tree[i / 3])));
        const entity apart = w.spawn(Name::of(1));
        const entity other = w.spawn(to<ChildOf>(apart));
        w.despawn(tree[1]);
        expect(w.validate() and w.alive(root) and w.alive(tree[0]) and not w.alive(tree[3]));
        w.despawn(root);
        expect(w.validate() and all_dead(w, tree) and w.size() == 2_ul and w.alive(other));
    };

    "a target that is needed cannot die"_test = [] {
        world w;
        const entity base = w.spawn(Name::of(1));
        const entity user = w.spawn(Name::of(2), to<Needs>(base));
        const auto check = [&](auto f) {
            const auto error = refused<pecs::target_in_use>(w, f);
            expect(error.which() == base and error.component() == pecs::id_of<Needs>());
            expect(error.source() == user and mentions(error, "Needs")) << error.what();
            expect(mentions(error, pecs::to_string(base)) and mentions(error, pecs::to_string(user)));
        };
        check([&] { w.despawn(base); });
        check([&] { w.despawn_batch(std::array{base}); });
        check([&] { w.despawn_batch(w.query<Name>().of<Needs>(pecs::none)); });
        w.unrelate<Needs>(user);
        w.despawn(base);
        expect(not w.alive(base) and w.alive(user) and w.validate());
    };

    "a source that dies in the same call does not forbid it"_test = [] {
        const auto fresh = [](world& w) {
            const entity base = w.spawn(Name::of(1));
            return std::array{base, w.spawn(Name::of(2), to<Needs>(base)), w.spawn(Position::of(3))};
        };
        world w;
        auto list = fresh(w);
        w.despawn_batch(list);
        expect(w.empty() and w.validate());
        list = fresh(w);
        w.despawn_batch(std::array{list[1], list[0]});
        expect(w.size() == 1_ul and w.validate());
        w.clear();
        list = fresh(w);
        w.despawn_batch(w.query<Name>());
        expect(w.size() == 1_ul and w.alive(list[2]) and w.validate());
        w.clear();
        list = fresh(w);
        const entity second = w.spawn(Name::of(4), to<Needs>(list[0]));
        const auto error =
            refused<pecs::target_in_use>(w, [&] { w.despawn_batch(std::array{list[0], list[1], list[2]}); });
        expect(error.source() == second);
        w.relate<ChildOf>(second, list[2]); // dies with the third, so it does not object
        w.despawn_batch(list);
        expect(w.empty() and w.validate());
    };

    "one objection deep in a cascade saves all"_test = [] {
        Tracked::forget();
        world w;
        std::vector<entity> line{w.spawn(Tracked::of(0))};
        for (std::size_t i = 0; i != 50; ++i)
            line.push_back(w.spawn(Tracked::of(static_cast<int>(i)), to<ChildOf>(line[i])));
        const entity fan = w.spawn(to<Likes>(line[10]), to<Owes>(line[20], owes(1)));
        const entity guard = w.spawn(to<Guards>(line[50], Guards{7}));
        const auto error = refused<pecs::target_in_use>(w, [&] { w.despawn(line[0]); });
        expect(error.which() == line[50] and error.source() == guard);
        expect(error.component() == pecs::id_of<Guards>());
        expect(w.get<Guards>(guard).number() == 7_i);
        w.despawn(guard);
        w.despawn(line[0]);
        expect(all_dead(w, line) and w.size() == 1_ul and w.validate());
        expect(not w.has<Likes>(fan) and not w.has<Owes>(fan) and Tracked::log.alive() == 0_ul);
    };

    "a chain of a million dies without a deep stack"_test = [] {
        world w;
        const entity root = w.spawn();
        entity last = root;
        for (int i = 0; i != 1'000'000; ++i) last = w.spawn(to<ChildOf>(last));
        expect(w.size() == 1'000'001_ul);
        w.despawn(root);
        expect(w.empty() and not w.alive(last) and w.validate());
    };

    "an entity that is reached over several ways dies once"_test = [] {
        Tracked::forget();
        world w;
        const entity top = w.spawn(Tracked::of(0));
        const entity left = w.spawn(Tracked::of(1), to<ChildOf>(top));
        const entity right = w.spawn(Tracked::of(2), to<Bound>(top));
        const entity low = w.spawn(Tracked::of(3), to<ChildOf>(left), to<Bound>(right));
        const entity lowest = w.spawn(Tracked::of(4), to<ChildOf>(low), to<Bound>(top), to<Likes>(left));
        const entity fan = w.spawn(Tracked::of(5), to<Likes>(low), to<Owes>(lowest, owes(1)));
        w.despawn(top);
        expect(all_dead(w, std::array{top, left, right, low, lowest}) and w.validate());
        expect(w.alive(fan) and not w.has<Likes>(fan) and not w.has<Owes>(fan));
        expect(w.get<Tracked>(fan).number() == 5_i);
        expect(Tracked::log.alive() == 1_ul and Tracked::log.wrong == 0_ul);
    };

    "circles die as wholes"_test = [] {
        world w;
        std::vector<entity> ring;
        for (int i = 0; i != 10; ++i) ring.push_back(w.spawn(Name::of(i)));
        for (std::size_t i = 0; i != 10; ++i) w.relate<Bound>(ring[i], ring[(i + 1) % 10]);
        const entity fan = w.spawn(Name::of(20), to<Likes>(ring[4]));
        const entity second = w.spawn(Name::of(21), to<Likes>(ring[0]));
        expect(w.validate());
        w.despawn(ring[4]);
        expect(w.validate() and all_dead(w, ring) and w.size() == 2_ul);
        expect(not w.has<Likes>(fan) and not w.has<Likes>(second));
        expect(w.get<Name>(fan).number() == 20_i and w.get<Name>(second).number() == 21_i);
    };

    "an entity that is its own target dies like any other"_test = [] {
        world w;
        const entity bound = w.spawn(Name::of(1));
        w.relate<Bound>(bound, bound);
        const entity fan = w.spawn(Name::of(2), to<Likes>(bound));
        const entity vain = w.spawn(Name::of(3));
        w.relate<Likes>(vain, vain);
        w.relate<Owes>(vain, vain, owes(5));
        const entity needed = w.spawn(Name::of(4));
        w.relate<Needs>(needed, needed);
        w.despawn(bound);
        expect(not w.alive(bound) and w.alive(fan) and not w.has<Likes>(fan) and w.validate());
        w.despawn(vain);
        expect(not w.alive(vain) and w.validate());
        w.despawn(needed); // it dies in the same call as itself
        expect(not w.alive(needed) and w.size() == 1_ul and w.validate());
    };

    "an entity may be named and also die by the rules"_test = [] {
        Tracked::forget();
        world w;
        const entity root = w.spawn(Tracked::of(0));
        const entity child = w.spawn(Tracked::of(1), to<ChildOf>(root));
        const entity grandchild = w.spawn(Tracked::of(2), to<ChildOf>(child));
        const entity fan = w.spawn(Tracked::of(3), to<Likes>(child));
        const entity debtor = w.spawn(to<Owes>(grandchild, owes(4)), Name::of(1));
        for (int order = 0; order != 2; ++order) {
            std::vector<entity> list{child, root, grandchild};
            if (order == 1) {
                std::ranges::reverse(list);
                const entity again = w.spawn(Tracked::of(0));
                const entity below = w.spawn(Tracked::of(1), to<ChildOf>(again));
                w.relate<Likes>(fan, below);
                list = {below, again};
            }
            w.despawn_batch(list);
            expect(all_dead(w, list) and w.size() == 2_ul and w.validate());
            expect(not w.has<Likes>(fan) and not w.has<Owes>(debtor));
            expect(w.get<Tracked>(fan).number() == 3_i and w.get<Name>(debtor).number() == 1_i);
            expect(Tracked::log.alive() == 1_ul and Tracked::log.wrong == 0_ul);
        }
    };

    "sources may be named together with the target that they would lose"_test = [] {
        for (int named = 0; named != 8; ++named) {
            world w;
            const entity target = w.spawn();
            const std::array<entity, 3> sources{w.spawn(Name::of(0), to<Likes>(target)),
                                                w.spawn(Name::of(1), to<Likes>(target)),
                                                w.spawn(Name::of(2), to<Likes>(target))};
            std::vector<entity> list;
            for (std::size_t i = 0; i != 3; ++i)
                if ((named >> i & 1) != 0) list.push_back(sources[i]);
            const std::size_t dying = list.size();
            list.insert(list.begin() + static_cast<std::ptrdiff_t>(dying / 2), target);
            w.despawn_batch(list);
            expect(all_dead(w, list) and w.size() == 3 - dying and w.validate()) << named;
            expect(w.query<>().of<Likes>(pecs::any).empty()) << named;
            for (std::size_t i = 0; i != 3; ++i)
                if ((named >> i & 1) == 0)
                    expect(w.get<Name>(sources[i]).number() == static_cast<int>(i)) << named;
        }
    };

    "the rules hold for batches by query"_test = [] {
        world w;
        std::vector<entity> parents;
        std::vector<entity> children;
        std::vector<entity> fans;
        for (int i = 0; i != 60; ++i) {
            parents.push_back(w.spawn(Position::of(i)));
            if (i % 2 == 0) w.add(parents.back(), Frozen{});
        }
        for (std::size_t i = 0; i != 60; ++i) {
            const int n = static_cast<int>(i);
            children.push_back(w.spawn(Name::of(n), to<ChildOf>(parents[i])));
            fans.push_back(w.spawn(Name::of(n), to<Likes>(children[i]), to<Owes>(parents[59 - i], owes(n))));
        }
        w.despawn_batch(w.query<Position, pecs::with<Frozen>>());
        expect(w.validate() and w.size() == 120_ul);
        for (std::size_t i = 0; i != 60; ++i) {
            const bool died = i % 2 == 0;
            expect(w.alive(parents[i]) != died and w.alive(children[i]) != died) << i;
            expect(w.has<Likes>(fans[i]) != died and w.has<Owes>(fans[i]) != ((59 - i) % 2 == 0)) << i;
            expect(w.get<Name>(fans[i]).number() == static_cast<int>(i)) << i;
        }
    };

    "entities may lose a target into an archetype that is just being emptied"_test = [] {
        world w;
        const entity first = w.spawn(Name::of(1));
        const entity second = w.spawn(Name::of(2));
        const entity a = w.spawn(Name::of(3), to<Likes>(first));
        const entity b = w.spawn(Name::of(4), to<Likes>(second));
        w.despawn_batch(w.query<Name>().of<Likes>(pecs::none));
        expect(w.size() == 2_ul and w.validate());
        expect(w.get<Name>(a).number() == 3_i and w.get<Name>(b).number() == 4_i);
        expect(not w.has<Likes>(a) and w.query<Name>().of<Likes>(pecs::none).count() == 2_ul);
        // The same between families: those that stay behind have another relation.
        const entity hub = w.spawn();
        w.relate<Owes>(a, hub, owes(3));
        const entity c = w.spawn(Name::of(5), to<Owes>(hub, owes(5)), to<Likes>(a));
        w.despawn_batch(w.query<>().of<Owes>(hub).of<Likes>(pecs::none));
        expect(not w.alive(a) and w.target<Owes>(c) == hub and not w.has<Likes>(c) and w.validate());
        expect(w.get<Owes>(c).number() == 5_i and w.get<Name>(c).number() == 5_i);
    };

    "the rules of all relations of an entity hold at once"_test = [] {
        world w;
        const entity a = w.spawn();
        const entity b = w.spawn();
        const entity c = w.spawn();
        const auto source = [&] {
            return w.spawn(Name::of(1), to<ChildOf>(a), to<Likes>(b), to<Owes>(b, owes(1)), to<Needs>(c));
        };
        const entity first = source();
        w.despawn(b);
        expect(w.target<ChildOf>(first) == a and w.target<Needs>(first) == c and w.validate());
        expect(not w.has<Likes>(first) and not w.has<Owes>(first));
        expect(refused<pecs::target_in_use>(w, [&] { w.despawn(c); }).source() == first);
        const std::array both{c, a};
        w.despawn_batch(both);
        expect(w.empty() and w.validate());
    };

    "a dead or repeated entity in the list saves all"_test = [] {
        world w;
        const entity root = w.spawn();
        const entity child = w.spawn(to<ChildOf>(root));
        (void)w.spawn(to<Likes>(child));
        const entity gone = w.spawn();
        w.despawn(gone);
        (void)refused<pecs::dead_entity>(w, [&] { w.despawn_batch(std::array{root, gone}); });
        (void)refused<pecs::repeated_entity>(w, [&] { w.despawn_batch(std::array{root, child, root}); });
        (void)refused<pecs::dead_entity>(w, [&] { w.despawn(gone); });
        const entity stale{root.index(), root.generation() + 1};
        (void)refused<pecs::dead_entity>(w, [&] { w.despawn(stale); });
    };

    "clear ends everything, whatever relations say"_test = [] {
        Tracked::forget();
        world w;
        for (int round = 0; round != 3; ++round) {
            const entity base = w.spawn(Tracked::of(1));
            const entity user = w.spawn(to<Needs>(base), to<Owes>(base, owes(2)));
            w.relate<Bound>(base, user);
            (void)w.spawn(Name::of(1), to<Guards>(user));
            w.clear();
            expect(w.empty() and w.validate() and Tracked::log.alive() == 0_ul) << round;
            const entity heir = w.spawn();
            w.despawn(heir); // nothing of the old relations is left
            expect(w.empty() and w.validate()) << round;
        }
        expect(Tracked::log.wrong == 0_ul);
    };

    "a failed allocation while targets die changes nothing"_test = [] {
        // Few targets, many, several relations, a cascade, names and families together.
        const auto build = [](world& w, std::vector<entity>& targets) {
            for (std::size_t i = 0; i != 40; ++i) {
                const int n = static_cast<int>(i);
                const entity target = w.spawn(Position::of(n));
                targets.push_back(target);
                (void)w.spawn(Name::of(n), to<Likes>(target));
                (void)w.spawn(Name::of(n), to<Likes>(target), Velocity::of(n));
                const entity child = w.spawn(Tracked::of(n), to<ChildOf>(target));
                (void)w.spawn(to<Likes>(child), to<Owes>(targets[i / 2], owes(n)), Tracked::of(n));
                (void)w.spawn(to<Likes>(target), to<Owes>(targets.front(), owes(n)), to<Bound>(child));
                (void)w.spawn(to<Likes>(target), to<Owes>(child, owes(n)), to<Needs>(targets[0]));
            }
            // Where the sources go does not exist yet: no archetype, no family, no rows.
            w.compact();
        };
        const auto kill = [](world& w, const std::vector<entity>& targets, int form) {
            if (form == 0) w.despawn(targets[7]);
            if (form == 1) w.despawn_batch(std::span{targets}.subspan(1, 30));
            if (form == 2) w.despawn_batch(w.query<>().of<ChildOf>(pecs::any));
        };
        for (const int form : {0, 1, 2}) {
            std::string expected;
            {
                world w;
                std::vector<entity> targets;
                build(w, targets);
                kill(w, targets, form);
                expected = dump(w);
            }
            std::size_t runs = 0;
            for (bool failed = true; failed; ++runs) {
                Tracked::forget();
                watched_memory memory;
                {
                    world w{&memory};
                    std::vector<entity> targets;
                    build(w, targets);
                    const std::string before = dump(w);
                    const auto alive = Tracked::log.alive();
                    faults::arm(runs, runs % 2 == 0);
                    try {
                        kill(w, targets, form);
                        faults::disarm();
                    } catch (const std::bad_alloc&) {
                        faults::disarm();
                        expect(w.validate()) << "run" << runs << "of form" << form;
                        expect(dump(w) == before) << "run" << runs << "of form" << form;
                        expect(Tracked::log.alive() == alive) << "run" << runs << "of form" << form;
                        kill(w, targets, form);
                    }
                    failed = faults::happened();
                    expect(dump(w) == expected and w.validate()) << "run" << runs << "of form" << form;
                }
                expect(memory.clean()) << "run" << runs << "of form" << form;
                expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul) << runs << form;
            }
            expect(runs > 5_ul) << runs << "form" << form;
        }
    };
}
