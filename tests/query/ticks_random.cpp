// Random operations of every kind, against a model that knows, for each entity and component, when it was last written and
// when it was added. Queries for changes never miss one; where rows are tracked they are exact, elsewhere they give no more
// than families to which a change belongs. The seed of a failed run is printed; PECS_SEED=<seed> repeats.
#include <boost/ut.hpp>

#include "../support/seed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::tick;
constexpr auto by_rows = pecs::change_tracking::rows;

struct Loose {
    int value = 0;
};
struct Exact {
    static constexpr pecs::change_tracking tracking = by_rows;
    int value = 0;
};
struct Mark {
    static constexpr pecs::change_tracking tracking = by_rows;
};
struct Sign {};
struct MemberOf { // detach, with data
    static constexpr pecs::relation_rules rules{};
    int since = 1;
};
struct ChildOf { // acyclic, cascade
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
    static constexpr pecs::change_tracking tracking = by_rows;
};
struct Other { // never asked for: it makes entities move
    int value = 0;
};

constexpr std::size_t tracked_types = 6;
enum type : std::size_t { loose, exact, mark, sign, member_of, child_of };
constexpr std::array rows{false, true, true, false, false, true};

template <class F> decltype(auto) with_type(std::size_t number, F&& f) {
    switch (number) {
    case loose: return f.template operator()<Loose>();
    case exact: return f.template operator()<Exact>();
    case mark: return f.template operator()<Mark>();
    case sign: return f.template operator()<Sign>();
    case member_of: return f.template operator()<MemberOf>();
    default: return f.template operator()<ChildOf>();
    }
}

struct moments {
    std::uint64_t changed = 0;
    std::uint64_t added = 0;
    /// Takes over what is newer; true if something is.
    bool join(const moments& other) {
        const moments before = *this;
        changed = std::max(changed, other.changed);
        added = std::max(added, other.added);
        return before.changed != changed or before.added != added;
    }
};
/// What makes a family: which components, and which targets.
using family_key = std::tuple<std::array<bool, tracked_types + 1>, entity, entity>;
using all_moments = std::array<moments, tracked_types>;
struct thing {
    family_key place;
    all_moments truth{};
};

class trial {
public:
    explicit trial(std::uint64_t seed) : random_{seed} {
        if (below(2) == 0) w_.track<Loose, Exact, Mark, Sign, MemberOf, ChildOf>();
    }

    void step() {
        if (below(3) == 0) {
            seen_.push_back(w_.now());
            current_ = seen_.back().value() + 1;
        }
        written_.clear();
        again_.clear();
        switch (below(21)) {
        case 0:
        case 1: spawn(); break;
        case 2: spawn_batch(); break;
        case 3: despawn(); break;
        case 4: add(); break;
        case 5: remove(); break;
        case 6: set(); break;
        case 7: get(); break;
        case 8: loop(); break;
        case 9: loop_of_target(); break;
        case 10: loop_over_changes(); break;
        case 11: loop_noting_rows(); break;
        case 12:
        case 13: relate(); break;
        case 14: unrelate(); break;
        case 15: relate_many(); break;
        case 16: change_many(); break;
        case 17: commands(); break;
        case 18: copy(); break;
        case 19: by_id(); break;
        default: tidy(); break;
        }
        follow();
    }
    void compare() {
        using namespace boost::ut;
        expect(w_.validate() >> fatal);
        if (not tracked_) {
            tracked_ = true; // from here on; all that is there counts as new
            for (std::size_t i = 0; i != tracked_types; ++i)
                with_type(i, [&]<class T>() { (void)w_.query<>().template changed<T>(tick{}); });
        }
        const tick since =
            below(5) == 0 ? tick{} : seen_[seen_.size() - 1 - below(std::min<std::size_t>(8, seen_.size()))];
        for (std::size_t i = 0; i != tracked_types; ++i)
            with_type(i, [&]<class T>() {
                const auto query = w_.query<>();
                compare(query.template changed<T>(since), i, since, false);
                compare(query.template added<T>(since), i, since, true);
                if (not living_.empty()) {
                    const entity target = some();
                    compare_narrowed(query.template of<MemberOf>(target).template changed<T>(since),
                                     query.template changed<T>(since), target);
                }
            });
    }
    [[nodiscard]] std::size_t size() const { return living_.size(); }

private:
    [[nodiscard]] std::size_t below(std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random_);
    }
    [[nodiscard]] entity some() { return living_.empty() ? pecs::null : living_[below(living_.size())]; }
    [[nodiscard]] std::vector<entity> some_list() {
        std::set<entity> list;
        for (std::size_t i = below(6); not living_.empty() and i != 0; --i) list.insert(some());
        return {list.begin(), list.end()};
    }
    [[nodiscard]] family_key place_of(entity e) const {
        return {{w_.has<Loose>(e), w_.has<Exact>(e), w_.has<Mark>(e), w_.has<Sign>(e), w_.has<MemberOf>(e),
                 w_.has<ChildOf>(e), w_.has<Other>(e)},
                w_.target<MemberOf>(e),
                w_.target<ChildOf>(e)};
    }
    void note(entity e, std::size_t component) { written_.emplace_back(e, component); }
    /// Notes a write to all of the entities that have a component and fit.
    template <class Fits> void note_all(std::size_t component, Fits fits) {
        for (const entity e : living_)
            if (has(e, component) and fits(e)) note(e, component);
    }
    [[nodiscard]] bool has(entity e, std::size_t component) const {
        return std::get<0>(things_.at(e).place)[component];
    }

    /// Between two verbs of one operation.
    void next() {
        follow();
        written_.clear();
        again_.clear();
    }

    // --- operations

    void spawn() {
        entity e;
        switch (below(5)) {
        case 0: e = w_.spawn(Loose{}, Exact{}); break;
        case 1: e = w_.spawn(Exact{}, Mark{}); break;
        case 2: e = w_.spawn(Loose{}, Sign{}, Other{}); break;
        case 3:
            e = living_.empty() ? w_.spawn() : w_.spawn(Loose{}, Exact{}, pecs::to<ChildOf>(some()));
            break;
        default:
            e = living_.empty() ? w_.spawn()
                                : w_.spawn(Loose{}, Exact{}, Mark{}, pecs::to<MemberOf>(some()),
                                           pecs::to<ChildOf>(some()));
        }
        boost::ut::expect(w_.alive(e));
    }
    void spawn_batch() {
        if (living_.empty())
            (void)w_.spawn_batch(3, Loose{}, Exact{});
        else
            (void)w_.spawn_batch(1 + below(9), Loose{}, Exact{}, pecs::to<ChildOf>(some()));
    }
    void despawn() {
        if (living_.size() > 10) w_.despawn(some());
        next();
        if (living_.size() > 150) w_.despawn_batch(w_.query<>().of<ChildOf>(pecs::any));
    }
    template <class T> void toggle(entity e) {
        if (w_.has<T>(e))
            w_.remove<T>(e);
        else
            w_.add<T>(e);
    }
    void add() {
        const entity e = some();
        if (not e) return;
        if (below(2) == 0) toggle<Other>(e);
        next();
        if (below(2) == 0 and not w_.has<Mark>(e)) w_.add<Mark>(e);
        next();
        if (below(2) == 0 and not w_.has<Loose>(e)) w_.add(e, Loose{});
    }
    void remove() {
        const entity e = some();
        if (not e) return;
        switch (below(4)) {
        case 0:
            if (w_.has<Loose>(e)) w_.remove<Loose>(e);
            break;
        case 1:
            if (w_.has<Exact>(e)) w_.remove<Exact>(e);
            break;
        case 2:
            if (w_.has<Mark>(e)) w_.remove<Mark>(e);
            break;
        default: toggle<Sign>(e);
        }
    }
    void set() {
        const std::vector<entity> list = some_list();
        for (const entity e : list) {
            note(e, loose);
            note(e, exact);
        }
        if (below(2) == 0)
            w_.set_batch(list, Loose{1}, Exact{1});
        else
            for (const entity e : list) w_.set(e, Exact{2}, Loose{2});
    }
    void get() {
        const entity e = some();
        if (not e) return;
        if (Exact* const value = below(2) == 0 ? w_.try_get<Exact>(e) : w_.access<Exact>().try_get(e)) {
            ++value->value;
            note(e, exact);
        }
        if (w_.has<Loose>(e) and below(2) == 0) {
            ++w_.get<Loose>(e).value;
            note(e, loose);
        }
        if (w_.has<MemberOf>(e) and below(2) == 0) {
            ++w_.get<MemberOf>(e).since;
            note(e, member_of);
        }
        (void)std::as_const(w_).try_get<Loose>(e);
    }
    void loop() {
        const auto all = [](entity) { return true; };
        switch (below(7)) {
        case 0:
            w_.query<Loose>().each([](Loose& l) { ++l.value; });
            note_all(loose, all);
            break;
        case 1:
            for (auto [l, x] : w_.query<Loose, Exact>()) l.value += x.value;
            note_all(loose, [&](entity e) { return has(e, exact); });
            note_all(exact, [&](entity e) { return has(e, loose); });
            break;
        case 2:
            for (auto [es, xs] : w_.query<Exact, pecs::without<Other>>().columns()) xs[0].value += 1;
            note_all(exact, [&](entity e) { return not std::get<0>(things_.at(e).place)[tracked_types]; });
            break;
        case 3:
            w_.query<pecs::optional<Exact>, const Loose>().each([](Exact*, const Loose&) {});
            note_all(exact, [&](entity e) { return has(e, loose); });
            break;
        case 4:
            w_.query<MemberOf, Exact>().parents_first<ChildOf>().each([](MemberOf&, Exact&) {});
            note_all(member_of, [&](entity e) { return has(e, exact); });
            note_all(exact, [&](entity e) { return has(e, member_of); });
            break;
        case 5: // writes the targets
            w_.query<>().of<MemberOf>(pecs::having<Exact>).each([](Exact& x) { ++x.value; });
            for (const entity e : living_) {
                const entity target = std::get<1>(things_.at(e).place);
                if (target and has(target, exact)) note(target, exact);
            }
            break;
        default: w_.query<const Loose, pecs::optional<const Exact>, Other>().each([](auto&&...) {});
        }
    }
    void loop_of_target() {
        const entity target = some();
        const auto child = [&](entity e) { return target and std::get<2>(things_.at(e).place) == target; };
        const auto member = [&](entity e) { return target and std::get<1>(things_.at(e).place) == target; };
        switch (below(4)) {
        case 0:
            w_.query<Loose, Exact>().of<ChildOf>(target).each([](Loose&, Exact&) {});
            note_all(loose, [&](entity e) { return has(e, exact) and child(e); });
            note_all(exact, [&](entity e) { return has(e, loose) and child(e); });
            break;
        case 1: {
            const auto members = w_.query<Exact>().by<MemberOf>();
            members.each(target, [](Exact&) {});
            note_all(exact, member);
            break;
        }
        case 2:
            w_.query<Loose>().families<ChildOf>().each([](entity, auto, auto) {});
            note_all(loose, [&](entity e) { return has(e, child_of); });
            break;
        default:
            w_.query<Exact>().under<ChildOf>(target).each([](Exact&) {});
            note_all(exact, [&](entity e) {
                for (entity at = std::get<2>(things_.at(e).place); at; at = std::get<2>(things_.at(at).place))
                    if (at == target) return true;
                return false;
            });
        }
    }
    /// Only where rows are tracked is it known beforehand which entities have changed.
    void loop_over_changes() {
        if (not tracked_) return;
        const tick since = seen_[below(seen_.size())];
        w_.query<Loose, Exact>().changed<Exact>(since).each([](Loose&, Exact&) {});
        const auto changed = [&](entity e) { return things_.at(e).truth[exact].changed > since.value(); };
        note_all(loose, [&](entity e) { return has(e, exact) and changed(e); });
        note_all(exact, [&](entity e) { return has(e, loose) and changed(e); });
    }
    void loop_noting_rows() {
        w_.query<entity, pecs::tracked<Exact>>().each([&](entity e, pecs::tracked_ref<Exact> x) {
            if (below(5) != 0) return;
            ++x.write().value;
            note(e, exact);
        });
        for (auto [e, l] : w_.query<entity, pecs::tracked<Loose>>())
            if (below(20) == 0) {
                ++l.write().value;
                note(e, loose);
            }
    }
    void relate() {
        const entity e = some();
        const entity target = some();
        if (not e) return;
        if (w_.can_relate<ChildOf>(e, target)) w_.relate<ChildOf>(e, target);
        next();
        if (below(3) == 0) w_.relate<MemberOf>(e, some());
        next();
        if (below(3) == 0) {
            w_.relate<MemberOf>(e, some(), MemberOf{3});
            note(e, member_of);
        }
    }
    void unrelate() {
        const entity e = some();
        if (not e) return;
        if (w_.has<ChildOf>(e) and below(2) == 0) w_.unrelate<ChildOf>(e);
        next();
        if (w_.has<MemberOf>(e) and below(2) == 0) w_.unrelate<MemberOf>(e);
    }
    void relate_many() {
        const entity target = some();
        if (not target) return;
        if (below(3) == 0) {
            w_.relate_batch<MemberOf>(some_list(), target);
        } else if (below(2) == 0) {
            w_.relate_batch<MemberOf>(w_.query<Exact>().of<MemberOf>(some()), target);
        } else {
            const entity from = some();
            const auto children = w_.query<>().of<ChildOf>(from);
            bool fits = true;
            children.each_entity([&](entity e) { fits = fits and w_.can_relate<ChildOf>(e, target); });
            if (fits) w_.relate_batch<ChildOf>(children, target);
        }
    }
    void change_many() {
        switch (below(5)) {
        case 0: w_.add_batch(w_.query<Exact, pecs::without<Other>>(), Other{}); break;
        case 1: w_.remove_batch<Other>(w_.query<Loose, pecs::with<Other>>()); break;
        case 2: w_.remove_batch<MemberOf>(w_.query<Loose>().of<MemberOf>(some())); break;
        case 3:
            if (tracked_ and below(4) == 0)
                w_.add_batch(w_.query<pecs::without<Sign>>().changed<Exact>(seen_.back()), Sign{});
            break;
        default: w_.add_batch(w_.query<Loose, pecs::without<Mark>>().of<ChildOf>(some()), Mark{});
        }
    }
    void commands() {
        pecs::commands later = w_.record();
        for (const entity e : some_list()) {
            switch (below(5)) {
            case 0:
                later.set(e, Exact{5});
                note(e, exact);
                if (below(2) == 0) later.set(e, Other{});
                break;
            case 1:
                if (not has(e, exact)) break;
                later.remove<Exact>(e);
                later.set(e, Exact{6}, Loose{6});
                note(e, loose);
                again_.emplace_back(e, exact);
                break;
            case 2: later.relate<MemberOf>(e, some()); break;
            case 3:
                if (not has(e, member_of)) break;
                later.unrelate<MemberOf>(e);
                later.relate<MemberOf>(e, some());
                again_.emplace_back(e, member_of);
                break;
            default: (void)later.spawn(Exact{}, Loose{}, pecs::to<MemberOf>(e));
            }
        }
        boost::ut::expect(w_.apply(later, pecs::on_failure::report).empty());
    }
    void copy() {
        const entity e = some();
        if (not e or living_.size() > 120) return;
        if (below(2) == 0)
            (void)w_.clone(e);
        else
            (void)w_.spawn_from<ChildOf>(e, Exact{3});
    }
    void by_id() {
        const entity e = some();
        if (not e) return;
        const pecs::component_id id = pecs::id_of<Exact>();
        const Exact value{9};
        w_.by_id().set(e, id, &value);
        note(e, exact);
        next();
        if (w_.by_id().has(e, pecs::id_of<Loose>())) w_.by_id().remove(e, pecs::id_of<Loose>());
        next();
        w_.by_id().query().with(id).each([&](const pecs::family_view& family) {
            (void)family.values<const Loose>();
            if (below(4) != 0) return;
            for (Exact& one : family.values<Exact>()) one.value = 1;
            for (const entity one : family.entities()) note(one, exact);
        });
    }
    void tidy() {
        if (below(2) == 0)
            w_.compact();
        else
            w_.shrink();
    }

    // --- the model

    /// Finds out what has become of all entities, and what that means for their ticks.
    void follow() {
        std::map<entity, thing> before = std::exchange(things_, {});
        std::vector<std::pair<family_key, family_key>> moves;
        living_.clear();
        w_.query<>().each_entity([&](entity e) { living_.push_back(e); });
        const moments new_born{current_, current_};
        for (const auto& [e, component] : written_) // before the entity moved, perhaps
            if (const auto known = before.find(e); known != before.end())
                if (std::get<0>(known->second.place)[component])
                    families_[known->second.place][component].changed = current_;
        for (const entity e : living_) {
            thing& now = things_[e];
            now.place = place_of(e);
            const auto known = before.find(e);
            const bool born = known == before.end();
            all_moments& family = families_[now.place];
            for (std::size_t i = 0; i != tracked_types; ++i) {
                if (not std::get<0>(now.place)[i]) continue;
                moments& truth = now.truth[i];
                if (born or not std::get<0>(known->second.place)[i]) {
                    truth = new_born;
                    family[i].join(new_born);
                    continue;
                }
                truth = known->second.truth[i];
                const bool retargeted =
                    (i == member_of and std::get<1>(now.place) != std::get<1>(known->second.place)) or
                    (i == child_of and std::get<2>(now.place) != std::get<2>(known->second.place));
                if (not retargeted) continue;
                truth.changed = current_;
                family[i].changed = current_;
            }
            if (not born and known->second.place != now.place)
                moves.emplace_back(known->second.place, now.place);
        }
        for (const auto& [e, component] : written_)
            if (things_.contains(e) and has(e, component)) {
                things_[e].truth[component].changed = current_;
                families_[things_[e].place][component].changed = current_;
            }
        for (const auto& [e, component] : again_) {
            things_[e].truth[component] = new_born;
            families_[things_[e].place][component] = new_born;
        }
        carry(moves);
        std::set<family_key> used;
        for (const auto& [e, one] : things_) used.insert(one.place);
        std::erase_if(families_, [&](const auto& entry) { return not used.contains(entry.first); });
        if (not tracked_)
            for (auto& [e, one] : things_) one.truth.fill({current_, current_});
        if (not tracked_)
            for (auto& [key, family] : families_) family.fill({current_, current_});
    }
    /// What is known of a family goes with those who leave it, and with those who leave the next one.
    void carry(const std::vector<std::pair<family_key, family_key>>& moves) {
        for (bool more = true; more;) {
            more = false;
            for (const auto& [from, to] : moves)
                for (std::size_t i = 0; i != tracked_types; ++i)
                    if (std::get<0>(from)[i] and std::get<0>(to)[i])
                        more = families_[to][i].join(families_[from][i]) or more;
        }
    }

    template <class Query> void compare(const Query& query, std::size_t component, tick since, bool added) {
        using namespace boost::ut;
        std::set<entity> found;
        query.each_entity([&](entity e) { found.insert(e); });
        expect(query.count() == found.size() >> fatal);
        const auto later = [&](const moments& m) { return (added ? m.added : m.changed) > since.value(); };
        for (const entity e : living_) {
            const bool given = found.contains(e);
            if (query.contains(e) != given) expect((false >> fatal)) << "contains" << component;
            if (not has(e, component)) {
                if (given) expect((false >> fatal)) << "lacks it" << component;
                continue;
            }
            const bool right = later(things_.at(e).truth[component]);
            const bool may = rows[component] ? right : later(families_.at(things_.at(e).place)[component]);
            if (right and not given) expect((false >> fatal)) << "missed" << component << added;
            if (given and not may) expect((false >> fatal)) << "not changed" << component << added;
        }
    }
    template <class Narrow, class Wide>
    void compare_narrowed(const Narrow& narrow, const Wide& wide, entity target) {
        using namespace boost::ut;
        std::set<entity> expected;
        wide.each_entity([&](entity e) {
            if (w_.target<MemberOf>(e) == target) expected.insert(e);
        });
        std::set<entity> found;
        narrow.each_entity([&](entity e) { found.insert(e); });
        const bool same = found == expected;
        if (not same) expect((false >> fatal)) << "of a target";
    }

    std::mt19937_64 random_;
    pecs::world w_;
    std::uint64_t current_ = 1; ///< the tick of what happens now
    std::vector<tick> seen_{tick{}};
    bool tracked_ = false; ///< the model and the world look at the same changes
    std::vector<entity> living_;
    std::map<entity, thing> things_;
    std::map<family_key, all_moments> families_; ///< the latest that a family may say
    std::vector<std::pair<entity, std::size_t>> written_;
    std::vector<std::pair<entity, std::size_t>> again_; ///< removed and added in one go
};
} // namespace

int main() {
    using namespace boost::ut;
    for (const std::uint64_t seed : support::seeds(40))
        test("changes are found, seed " + std::to_string(seed)) = [&] {
            trial one{seed};
            for (int i = 0; i != 400; ++i) {
                one.step();
                one.compare();
            }
            expect(one.size() < 1000_u);
        };
}
