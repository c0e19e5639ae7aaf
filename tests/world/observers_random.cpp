// Random verbs on a world and on a naive model of it. The model predicts every notification: who is told what, about
// whom, with which values, in which order. Order among entities is exact, but for verbs about a query, for `clear`, and for
// recorded deaths that take others along, whose order is that of the storage: there the notices of one observer are
// compared as a set.
#include <boost/ut.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "observed/commands.hpp" // imports, so it comes last

import pecs;

namespace {

using namespace observed;

class tester : public recording {
public:
    explicit tester(std::uint64_t seed) : recording{seed} {}

    void run(std::size_t steps) {
        for (step_ = 0; step_ != steps && good_; ++step_) {
            expected_.clear();
            told_.clear();
            unordered_ = false;
            act();
            compare();
            good_ = good_ && world_.size() == alive_.size() && (step_ % 16 != 0 || world_.validate());
            if (!good_)
                std::printf("step %zu, verb %zu: %zu entities in the model, %zu in the world\n", step_, verb_,
                            alive_.size(), world_.size());
        }
    }

private:
    template <class Verb> void die(const std::vector<entity>& named, Verb verb) {
        const fate what = fate_of(named, in_world());
        if (what.forbidden) {
            try {
                verb();
                good_ = false;
            } catch (const pecs::target_in_use&) {
            }
            return;
        }
        expect_deaths(what, in_world());
        verb();
    }

    // --- verbs

    void act() {
        verb_ = below(36);
        switch (alive_.size() > 40 ? 3 : verb_) {
        case 0:
        case 1: spawn(); break;
        case 2: spawn_many(); break;
        case 3: despawn(); break;
        case 4: despawn_list(); break;
        case 5: despawn_query(); break;
        case 6: add(); break;
        case 7: remove(); break;
        case 8: exchange(); break;
        case 9: set(); break;
        case 10: add_list(); break;
        case 11: set_list(); break;
        case 12: exchange_list(); break;
        case 13: batch_by_query(); break;
        case 14: relate(); break;
        case 15: relate_data(); break;
        case 16: unrelate(); break;
        case 17: relate_list(); break;
        case 18: relate_query(); break;
        case 19: have_child(); break;
        case 20: need(); break;
        case 21: add_edge(); break;
        case 22: cut_edge(); break;
        case 23: edges_of_list(); break;
        case 24: by_id(); break;
        case 25: clone(); break;
        case 28: be_near(); break;
        case 29:
            if (chance(10)) clear();
            break;
        case 30: change_observers(); break;
        case 31: remove_list(); break;
        default: apply(); break;
        }
    }

    void spawn() {
        const state s = new_state();
        const entity other = chance(30) ? any() : pecs::null;
        const entity made = with_values(s, [&](auto... given) {
            return other ? world_.spawn(given..., pecs::to<Friend>(other)) : world_.spawn(given...);
        });
        expect_births({&made, 1}, s, other ? std::optional{other} : std::nullopt);
    }
    void spawn_many() {
        const state s = new_state();
        const entity other = chance(30) ? any() : pecs::null;
        const std::span<const entity> made = with_values(s, [&](auto... given) {
            const std::size_t count = below(4);
            return other ? world_.spawn_batch(count, given..., pecs::to<Friend>(other))
                         : world_.spawn_batch(count, given...);
        });
        expect_births(std::vector<entity>{made.begin(), made.end()}, s,
                      other ? std::optional{other} : std::nullopt);
    }
    void despawn() {
        if (const entity e = any()) die({e}, [&] { world_.despawn(e); });
    }
    void despawn_list() {
        std::vector<entity> list = some();
        if (list.size() > 3) list.resize(3);
        die(list, [&] { world_.despawn_batch(list); });
    }
    void despawn_query() {
        if (chance(70)) return;
        unordered_ = true;
        std::vector<entity> list;
        for (const auto& [e, s] : alive_)
            if ((s.has & (a | t)) == (a | t)) list.push_back(e);
        die(list, [&] { world_.despawn_batch(world_.query<A, T>()); });
    }
    void add() {
        const entity e = any();
        if (!e) return;
        const int value = number();
        const unsigned has = alive_[e].has;
        if ((has & (a | b)) == 0 && chance(50)) {
            expect_changes({change(e, [&](state& s) { s.has |= a | b, s.a_value = s.b_value = value; })});
            world_.add(e, B{value, "b"}, A{value});
        } else if ((has & a) == 0) {
            expect_changes({change(e, [&](state& s) { s.has |= a, s.a_value = value; })});
            world_.add(e, A{value});
        } else if ((has & t) == 0) {
            expect_changes({change(e, [&](state& s) { s.has |= t; })});
            world_.add<T>(e);
        }
    }
    void remove() {
        const entity e = any();
        if (!e) return;
        const unsigned has = alive_[e].has;
        if ((has & (a | t)) == (a | t) && chance(50)) {
            expect_changes({change(e, [&](state& s) { s.has &= ~(a | t); })});
            world_.remove<T, A>(e);
        } else if ((has & b) != 0) {
            expect_changes({change(e, [&](state& s) { s.has &= ~b; })});
            world_.remove<B>(e);
        } else if ((has & t) != 0) {
            expect_changes({change(e, [&](state& s) { s.has &= ~t; })});
            world_.remove<T>(e);
        }
    }
    void exchange() {
        const entity e = any();
        if (!e || (alive_[e].has & (a | b)) != a) return;
        const int value = number();
        expect_changes({change(e, [&](state& s) { s.has = (s.has & ~a) | b, s.b_value = value; })});
        world_.exchange<A>(e, B{value, "b"});
    }
    void set() {
        const entity e = any();
        if (!e) return;
        const int value = number();
        const unsigned had = alive_[e].has;
        if (chance(50)) {
            expect_changes({change(e, [&](state& s) { s.has |= a, s.a_value = value; }, had & a)});
            world_.set(e, A{value});
        } else {
            expect_changes({change(
                e, [&](state& s) { s.has |= a | b | t, s.a_value = s.b_value = value; }, had & (a | b))});
            world_.set(e, B{value, "b"}, T{}, A{value});
        }
    }
    void expect_list(const std::vector<entity>& list, const std::function<void(state&)>& how,
                     unsigned given = 0) {
        std::vector<transition> all;
        for (const entity e : list) all.push_back(change(e, how, alive_[e].has & given));
        expect_changes(all);
    }
    void add_list() {
        const std::vector<entity> list = fitting(0, a | t);
        const int value = number();
        expect_list(list, [&](state& s) { s.has |= a | t, s.a_value = value; });
        world_.add_batch(std::span<const entity>{list}, T{}, A{value});
    }
    void remove_list() {
        const std::vector<entity> list = fitting(a, 0);
        expect_list(list, [](state& s) { s.has &= ~a; });
        world_.remove_batch<A>(std::span<const entity>{list});
    }
    void exchange_list() {
        const std::vector<entity> list = fitting(b, t);
        expect_list(list, [](state& s) { s.has = (s.has & ~b) | t; });
        world_.exchange_batch<B>(std::span<const entity>{list}, T{});
    }
    void set_list() {
        const std::vector<entity> list = some();
        const int value = number();
        expect_list(list, [&](state& s) { s.has |= a | b, s.a_value = s.b_value = value; }, a | b);
        world_.set_batch(std::span<const entity>{list}, A{value}, B{value, "b"});
    }
    std::vector<entity> all_with(unsigned with, unsigned without) {
        std::vector<entity> list;
        for (const auto& [e, s] : alive_)
            if ((s.has & with) == with && (s.has & without) == 0) list.push_back(e);
        return list;
    }
    void batch_by_query() {
        unordered_ = true;
        const int value = number();
        switch (below(4)) {
        case 0:
            expect_list(all_with(a, t), [](state& s) { s.has |= t; });
            world_.add_batch(world_.query<A, pecs::without<T>>(), T{});
            break;
        case 1:
            expect_list(all_with(t, 0), [](state& s) { s.has &= ~t; });
            world_.remove_batch<T>(world_.query<T>());
            break;
        case 2:
            expect_list(all_with(a, b), [&](state& s) { s.has = (s.has & ~a) | b, s.b_value = value; });
            world_.exchange_batch<A>(world_.query<A, pecs::without<B>>(), B{value, "b"});
            break;
        default:
            expect_list(all_with(t, 0), [&](state& s) { s.has |= a, s.a_value = value; }, a);
            world_.set_batch(world_.query<T>(), A{value});
        }
    }
    void relate() {
        const entity e = any();
        if (!e) return;
        const entity to = any();
        marked_.insert(to);
        expect_changes({change(e, [&](state& s) {
            if ((s.has & likes) == 0) s.likes_value = 0;
            s.relate(likes, to);
        })});
        world_.relate<Likes>(e, to);
    }
    void relate_data() {
        const entity e = any();
        if (!e) return;
        const entity to = any();
        const int value = number();
        marked_.insert(to);
        expect_changes({change(
            e,
            [&](state& s) {
                s.likes_value = value;
                s.relate(likes, to);
            },
            alive_[e].has & likes)});
        world_.relate<Likes>(e, to, Likes{value});
    }
    void unrelate() {
        const entity e = any();
        if (!e) return;
        if ((alive_[e].has & likes) != 0) {
            expect_changes({change(e, [](state& s) { s.relate(likes, pecs::null); })});
            world_.unrelate<Likes>(e);
        } else if ((alive_[e].has & needs) != 0) {
            expect_changes({change(e, [](state& s) { s.relate(needs, pecs::null); })});
            world_.unrelate<Needs>(e);
        } else if ((alive_[e].has & child) != 0) {
            expect_changes({change(e, [](state& s) { s.relate(child, pecs::null); })});
            world_.reparent<Child>(e, pecs::null);
        }
    }
    void relate_list() {
        const std::vector<entity> list = some();
        const entity to = any();
        if (!to) return;
        marked_.insert(to);
        expect_list(list, [&](state& s) {
            if ((s.has & likes) == 0) s.likes_value = 0;
            s.relate(likes, to);
        });
        world_.relate_batch<Likes>(std::span<const entity>{list}, to);
    }
    void relate_query() {
        unordered_ = true;
        const entity to = any();
        if (!to) return;
        marked_.insert(to);
        expect_list(all_with(a, 0), [&](state& s) { s.relate(near, to); });
        world_.relate_batch<Near>(world_.query<A>(), to);
    }
    void be_near() {
        const std::vector<entity> list = fitting(near, 0);
        expect_list(list, [&](state& s) { s.relate(near, pecs::null); });
        world_.unrelate_batch<Near>(std::span<const entity>{list});
    }
    void have_child() {
        const entity e = any();
        const entity to = any();
        if (!e || !world_.can_relate<Child>(e, to)) return;
        marked_.insert(to);
        expect_changes({change(e, [&](state& s) { s.relate(child, to); })});
        world_.relate<Child>(e, to);
    }
    void need() {
        const entity e = any();
        const entity to = any();
        if (!e || chance(60)) return;
        marked_.insert(to);
        expect_changes({change(e, [&](state& s) { s.relate(needs, to); })});
        world_.relate<Needs>(e, to);
    }
    void add_edge() {
        const entity e = any();
        if (!e) return;
        const entity to = any();
        switch (below(4)) {
        case 0: {
            const int value = number();
            const bool there = world_.has<Knows>(e, to);
            expect_edge(knows, e, to, there);
            if (there) expect_value(e, to, value);
            world_.relate<Knows>(e, to, Knows{value});
            break;
        }
        case 1:
            expect_edge(knows, e, to, world_.has<Knows>(e, to));
            world_.relate<Knows>(e, to);
            break;
        case 2:
            expect_edge(friends, e, to, world_.has<Friend>(e, to));
            world_.by_id().relate(e, pecs::id_of<Friend>(), to);
            break;
        default:
            if (chance(70)) return;
            expect_edge(owned, e, to, world_.has<Owned>(e, to));
            world_.relate<Owned>(e, to);
        }
    }
    template <class R> void cut(edge_kind relation, entity e) {
        const std::vector<entity> all = targets_of<R>(e);
        if (all.empty()) return;
        std::vector<edge_event> edges;
        if (chance(50)) {
            for (const entity to : all) both_ways(edges, relation, e, to, pecs::null);
            predict({}, edges, true);
            world_.unrelate<R>(e);
        } else {
            const entity to = all[below(all.size())];
            both_ways(edges, relation, e, to, pecs::null);
            predict({}, edges, true);
            if (chance(50))
                world_.unrelate<R>(e, to);
            else
                world_.by_id().unrelate(e, pecs::id_of<R>(), to);
        }
    }
    void cut_edge() {
        const entity e = any();
        if (!e) return;
        cut<Knows>(knows, e);
        if (expected_.empty()) cut<Friend>(friends, e);
    }
    void edges_of_list() {
        std::vector<entity> list = some();
        const entity to = any();
        if (!to) return;
        std::vector<edge_event> edges;
        if (chance(50)) {
            std::set<std::pair<entity, entity>> made;
            for (const entity e : list) {
                if (!world_.has<Friend>(e, to)) both_ways(edges, friends, e, pecs::null, to);
                marked_.insert(e);
            }
            marked_.insert(to);
            predict({}, edges, false);
            world_.relate_batch<Friend>(std::span<const entity>{list}, to);
        } else {
            std::erase_if(list, [&](entity e) { return world_.targets<Friend>(e).empty(); });
            std::set<entity> before;
            for (const entity e : list) {
                for (const entity other : targets_of<Friend>(e))
                    if (!before.contains(other)) both_ways(edges, friends, e, other, pecs::null);
                before.insert(e);
            }
            predict({}, edges, true);
            world_.unrelate_batch<Friend>(std::span<const entity>{list});
        }
    }
    void by_id() {
        const entity e = any();
        if (!e) return;
        const A value{number()};
        const unsigned had = alive_[e].has;
        switch (below(4)) {
        case 0:
            expect_changes({change(e, [&](state& s) { s.has |= a, s.a_value = value.value; }, had & a)});
            world_.by_id().set(e, pecs::id_of<A>(), &value);
            break;
        case 1:
            if ((had & a) == 0) return;
            expect_changes({change(e, [](state& s) { s.has &= ~a; })});
            world_.by_id().remove(e, pecs::id_of<A>());
            break;
        case 2:
            if ((had & t) != 0) return;
            expect_changes({change(e, [](state& s) { s.has |= t; })});
            world_.by_id().add(e, pecs::id_of<T>());
            break;
        default: {
            const entity to = any();
            marked_.insert(to);
            expect_changes({change(e, [&](state& s) {
                if ((s.has & likes) == 0) s.likes_value = 0;
                s.relate(likes, to);
            })});
            world_.by_id().relate(e, pecs::id_of<Likes>(), to);
        }
        }
    }
    void clone() {
        const entity e = any();
        if (!e) return;
        const state s = alive_[e];
        const std::array<std::vector<entity>, 3> targets{targets_of<Knows>(e), targets_of<Owned>(e),
                                                         targets_of<Friend>(e)};
        const entity made = world_.clone(e);
        std::vector<edge_event> edges;
        for (const edge_kind relation : {knows, owned, friends})
            for (const entity to : targets[relation]) {
                both_ways(edges, relation, made, pecs::null, to);
                marked_.insert(made);
            }
        predict({{made, std::nullopt, s}}, edges, false);
        alive_[made] = s;
    }
    void clear() {
        unordered_ = true;
        std::vector<entity> list;
        for (const auto& [e, s] : alive_) list.push_back(e);
        fate all;
        all.dying = list;
        expect_deaths(all, in_world());
        world_.clear();
    }
    void change_observers() {
        if (!observers_.empty() && chance(60))
            observers_.erase(observers_.begin() + static_cast<std::ptrdiff_t>(below(observers_.size())));
        if (chance(60)) subscribe(below(specs.size()));
    }

    std::size_t step_ = 0;
    std::size_t verb_ = 0;
};

} // namespace

int main(int argc, char** argv) {
    using namespace boost::ut;

    "a model predicts every notification"_test = [&] {
        const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
        const std::uint64_t last = argc > 1 ? first : 60;
        std::size_t notices = 0;
        for (std::uint64_t seed = first; seed <= last; ++seed) {
            tester one{seed};
            one.run(600);
            notices += one.notices();
            expect(one.good()) << "seed" << seed;
            if (!one.good()) break;
        }
        expect(notices > 20000_u || argc > 1);
    };
}
