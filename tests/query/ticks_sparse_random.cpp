// Random operations on sparse components, packed, stable and tags, and on a column whose rows are tracked, against a model
// that notes for each entity and type when it was last written and when it was added. Queries for changes give exactly
// what the model says. The seed of a failed run is printed; PECS_SEED=<seed> repeats.
#include <boost/ut.hpp>

#include "../support/seed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::tick;

struct Heat {
    static constexpr auto storage = pecs::component_storage::sparse;
    int value = 0;
};
struct Root {
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    int value = 0;
};
struct Mark {
    static constexpr auto storage = pecs::component_storage::sparse;
};
struct Exact {
    static constexpr auto tracking = pecs::change_tracking::rows;
    int value = 0;
};
struct Other { // it makes entities move
    int value = 0;
};
struct MemberOf {
    static constexpr pecs::relation_rules rules{};
};

constexpr std::size_t type_count = 4;
enum type : std::size_t { heat, root, mark, column };

template <class F> decltype(auto) with_type(std::size_t number, F&& f) {
    switch (number) {
    case heat: return f.template operator()<Heat>();
    case root: return f.template operator()<Root>();
    case mark: return f.template operator()<Mark>();
    default: return f.template operator()<Exact>();
    }
}
template <class F> decltype(auto) with_value(std::size_t number, F&& f) {
    switch (number) {
    case 0: return f.template operator()<Heat>(heat);
    case 1: return f.template operator()<Root>(root);
    default: return f.template operator()<Exact>(column);
    }
}

struct moments {
    std::uint64_t changed = 0;
    std::uint64_t added = 0;
};
struct thing {
    std::array<std::optional<moments>, type_count> has;
    entity target;
};

class trial {
public:
    explicit trial(std::uint64_t seed) : random_{seed} {
        if (below(2) == 0) track();
    }

    void step() {
        if (below(3) == 0) {
            seen_.push_back(w_.now());
            current_ = seen_.back().value() + 1;
        }
        switch (below(14)) {
        case 0:
        case 1: spawn(); break;
        case 2: spawn_batch(); break;
        case 3: despawn(); break;
        case 4: toggle(); break;
        case 5: set(); break;
        case 6: get(); break;
        case 7: loop(); break;
        case 8: loop_about_targets(); break;
        case 9: loop_over_changes(); break;
        case 10: change_many(); break;
        case 11: commands(); break;
        case 12: copy(); break;
        default: tidy(); break;
        }
    }
    void compare() {
        using namespace boost::ut;
        expect(w_.validate() >> fatal);
        expect(w_.size() == model_.size() >> fatal);
        if (not tracked_ and below(30) != 0) return;
        if (not tracked_) track();
        const tick since = below(5) == 0 ? tick{} : seen_[below(seen_.size())];
        const entity target = some();
        for (std::size_t i = 0; i != type_count; ++i)
            with_type(i, [&]<class T>() {
                const auto all = w_.query<>();
                const auto later = [&](const thing& t, bool added) {
                    return t.has[i] and (added ? t.has[i]->added : t.has[i]->changed) > since.value();
                };
                const auto changed = [&](const thing& t) { return later(t, false); };
                check(all.template changed<T>(since), changed);
                check(all.template added<T>(since), [&](const thing& t) { return later(t, true); });
                check(all.template parents_first<pecs::child_of>().template changed<T>(since), changed);
                check(w_.query<const Exact>().template changed<T>(since),
                      [&](const thing& t) { return t.has[column] and changed(t); });
                check(w_.query<pecs::without<Mark>>().template changed<T>(since).template added<Heat>(since),
                      [&](const thing& t) {
                          return not t.has[mark] and changed(t) and t.has[heat] and
                                 t.has[heat]->added > since.value();
                      });
                check(all.template of<MemberOf>(target).template changed<T>(since),
                      [&](const thing& t) { return target and t.target == target and changed(t); });
            });
    }

private:
    [[nodiscard]] std::size_t below(std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random_);
    }
    [[nodiscard]] entity some() {
        if (model_.empty()) return pecs::null;
        auto at = model_.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(below(model_.size())));
        return at->first;
    }
    [[nodiscard]] std::vector<entity> some_list() {
        std::set<entity> list;
        for (std::size_t i = below(6); not model_.empty() and i != 0; --i) list.insert(some());
        return {list.begin(), list.end()};
    }

    // --- the model

    void add(entity e, std::initializer_list<std::size_t> types) {
        for (const std::size_t i : types) model_[e].has[i] = moments{current_, current_};
    }
    void write(entity e, std::size_t which) {
        if (auto& known = model_.at(e).has[which]) known->changed = current_;
    }
    /// A value was given: it is written, or added.
    void give(entity e, std::size_t which) {
        if (model_.at(e).has[which])
            write(e, which);
        else
            add(e, {which});
    }
    template <class Fits> void write_all(std::size_t which, Fits fits) {
        for (auto& [e, t] : model_)
            if (fits(t)) write(e, which);
    }
    /// All that is there counts as new.
    void track() {
        tracked_ = true;
        w_.track<Heat, Root, Mark, Exact>();
        for (auto& [e, t] : model_)
            for (auto& known : t.has)
                if (known) known = moments{current_, current_};
    }
    template <class Query, class Fits> void check(const Query& query, Fits fits) {
        using namespace boost::ut;
        std::set<entity> found;
        std::size_t visited = 0;
        query.each_entity([&](entity e) {
            found.insert(e);
            ++visited;
        });
        if (visited != found.size() or query.count() != visited) expect((false >> fatal)) << "twice";
        for (const auto& [e, t] : model_) {
            if (w_.target<MemberOf>(e) != t.target) expect((false >> fatal)) << "target";
            if (found.contains(e) != fits(t)) expect((false >> fatal)) << (fits(t) ? "missed" : "too many");
            if (query.contains(e) != fits(t)) expect((false >> fatal)) << "contains";
        }
    }

    // --- operations

    void spawn() {
        switch (below(5)) {
        case 0: add(w_.spawn(Heat{}, Exact{}), {heat, column}); break;
        case 1: add(w_.spawn(Root{}, Mark{}), {root, mark}); break;
        case 2: add(w_.spawn(Heat{}, Root{}, Mark{}, Exact{}), {heat, root, mark, column}); break;
        case 3: model_[w_.spawn(Other{})] = {}; break;
        default:
            if (const entity target = some()) {
                const entity e = w_.spawn(Heat{}, Root{}, pecs::to<MemberOf>(target));
                add(e, {heat, root});
                model_[e].target = target;
            }
        }
    }
    void spawn_batch() {
        for (const entity e : w_.spawn_batch(1 + below(6), Heat{}, Exact{})) add(e, {heat, column});
        for (const entity e : w_.spawn_batch<Root, Mark>(1 + below(3), [](Root& r) { r.value = 1; }))
            add(e, {root, mark});
    }
    void despawn() {
        std::vector<entity> list = some_list();
        if (model_.size() > 150)
            for (auto& [e, t] : model_)
                if (below(2) == 0 and std::ranges::find(list, e) == list.end()) list.push_back(e);
        w_.despawn_batch(list);
        for (const entity e : list) model_.erase(e);
        for (auto& [e, t] : model_)
            if (t.target and not w_.alive(t.target)) t.target = pecs::null;
    }
    void toggle() {
        const entity e = some();
        if (not e) return;
        w_.has<Other>(e) ? w_.remove<Other>(e) : w_.add(e, Other{});
        const std::size_t which = below(type_count);
        with_type(which, [&]<class T>() {
            if (w_.has<T>(e)) {
                w_.remove<T>(e);
                model_[e].has[which].reset();
            } else {
                below(2) == 0 ? w_.add(e, T{}) : w_.by_id().add(e, pecs::id_of<T>());
                add(e, {which});
            }
        });
        const entity target = some();
        w_.relate<MemberOf>(e, target);
        model_[e].target = target;
    }
    void set() {
        const std::vector<entity> list = some_list();
        for (const entity e : list)
            for (const std::size_t i : {heat, root}) give(e, i);
        if (below(2) == 0)
            w_.set_batch(list, Heat{1}, Root{1});
        else
            for (const entity e : list) w_.set(e, Root{2}, Heat{2});
        with_value(below(3), [&]<class T>(std::size_t which) {
            const T value{3};
            const entity e = some();
            if (not e) return;
            give(e, which);
            w_.by_id().set(e, pecs::id_of<T>(), &value);
        });
    }
    void get() {
        const entity e = some();
        if (not e) return;
        with_value(below(3), [&]<class T>(std::size_t which) {
            T* value = nullptr;
            switch (below(4)) {
            case 0: value = w_.try_get<T>(e); break;
            case 1: value = w_.access<T>().try_get(e); break;
            case 2: value = static_cast<T*>(w_.by_id().try_get(e, pecs::id_of<T>())); break;
            default: value = w_.has<T>(e) ? &w_.get<T>(e) : nullptr;
            }
            boost::ut::expect((value != nullptr) == model_[e].has[which].has_value());
            write(e, which);
        });
    }
    void loop() {
        const auto all = [](const thing&) { return true; };
        switch (below(6)) {
        case 0:
            w_.query<Heat>().each([](Heat& h) { ++h.value; });
            write_all(heat, all);
            break;
        case 1:
            for (auto [h, r, x] : w_.query<Heat, Root, Exact>()) h.value += r.value + x.value;
            for (const std::size_t i : {heat, root, column})
                write_all(i, [](const thing& t) { return t.has[heat] and t.has[root] and t.has[column]; });
            break;
        case 2:
            w_.query<pecs::optional<Root>, const Heat, pecs::without<Mark>>().each([](Root*, const Heat&) {});
            write_all(root, [](const thing& t) { return t.has[heat] and not t.has[mark]; });
            break;
        case 3:
            w_.query<Root, pecs::with<Mark>>().parents_first<pecs::child_of>().each([](Root&) {});
            write_all(root, [](const thing& t) { return t.has[mark].has_value(); });
            break;
        case 4:
            w_.query<entity, pecs::tracked<Heat>, pecs::tracked<Exact>>().each([&](entity e, auto h, auto x) {
                if (below(3) == 0) {
                    ++h.write().value;
                    write(e, heat);
                } else if (below(3) == 0) {
                    ++x.write().value;
                    write(e, column);
                }
            });
            break;
        default: w_.query<const Heat, pecs::optional<const Root>, Other>().each([](auto&&...) {});
        }
    }
    void loop_about_targets() {
        const entity target = some();
        const auto member = [&](const thing& t) { return target and t.target == target; };
        switch (below(4)) {
        case 0:
            w_.query<Heat>().of<MemberOf>(target).each([](Heat&) {});
            write_all(heat, member);
            break;
        case 1: {
            const auto members = w_.query<Root>().by<MemberOf>();
            members.each(target, [](Root&) {});
            write_all(root, member);
            break;
        }
        case 2:
            w_.query<>().of<MemberOf>(pecs::having<Heat>).each([](Heat& h) { ++h.value; });
            for (const auto& [e, t] : model_)
                if (t.target) write(t.target, heat);
            break;
        default:
            if (target and w_.has<Root>(target)) {
                ++w_.query<Root>().get(target).a.value;
                write(target, root);
            }
        }
    }
    void loop_over_changes() {
        if (not tracked_) return;
        const tick since = seen_[below(seen_.size())];
        const auto fits = [&](const thing& t) {
            return t.has[heat] and t.has[heat]->changed > since.value() and t.has[root];
        };
        std::set<entity> chosen;
        for (const auto& [e, t] : model_)
            if (fits(t)) chosen.insert(e);
        w_.query<Heat, Root>().changed<Heat>(since).each([](Heat&, Root&) {});
        for (const entity e : chosen) {
            write(e, heat);
            write(e, root);
        }
    }
    void change_many() {
        switch (below(4)) {
        case 0:
            w_.add_batch(w_.query<Heat, pecs::without<Mark>>(), Mark{});
            for (auto& [e, t] : model_)
                if (t.has[heat] and not t.has[mark]) add(e, {mark});
            break;
        case 1:
            w_.remove_batch<Mark>(w_.query<pecs::with<Root, Mark>>());
            for (auto& [e, t] : model_)
                if (t.has[root]) t.has[mark].reset();
            break;
        case 2:
            w_.exchange_batch<Root>(w_.query<Root, pecs::without<Exact>>(), Exact{});
            for (auto& [e, t] : model_)
                if (t.has[root] and not t.has[column]) {
                    t.has[root].reset();
                    add(e, {column});
                }
            break;
        default: w_.add_batch(w_.query<pecs::without<Other>, const Heat>(), Other{});
        }
    }
    void commands() {
        pecs::commands later = w_.record();
        for (const entity e : some_list()) {
            switch (below(5)) {
            case 0:
                later.set(e, Heat{5}, Root{5});
                give(e, heat);
                give(e, root);
                break;
            case 1:
                if (not model_[e].has[heat]) break;
                later.remove<Heat>(e);
                if (below(2) == 0) {
                    model_[e].has[heat].reset();
                } else {
                    later.set(e, Heat{6});
                    later.set(e, Heat{7});
                    add(e, {heat});
                }
                break;
            case 2:
                if (not model_[e].has[mark]) break;
                later.remove<Mark>(e);
                later.add(e, Mark{});
                add(e, {mark});
                break;
            case 3: add(later.spawn(Heat{}, Exact{}), {heat, column}); break;
            default:
                later.set(e, Other{}, Mark{});
                if (not model_[e].has[mark]) add(e, {mark});
            }
        }
        boost::ut::expect(w_.apply(later, pecs::on_failure::report).empty());
    }
    void copy() {
        const entity e = some();
        if (not e or model_.size() > 150) return;
        const bool given = below(2) == 0;
        const entity made = given ? w_.spawn_from(e, Heat{3}) : w_.clone(e);
        const thing original = model_[e];
        model_[made].target = given and original.target == e ? made : original.target; // as in a copied tree
        for (std::size_t i = 0; i != type_count; ++i)
            if (original.has[i] or (given and i == heat)) add(made, {i});
    }
    void tidy() {
        if (below(2) == 0) w_.shrink();
        pecs::world moved{std::move(w_)};
        w_ = std::move(moved);
        if (below(20) != 0) return;
        w_.clear();
        model_.clear();
    }

    std::mt19937_64 random_;
    pecs::world w_;
    std::uint64_t current_ = 1; ///< the tick of what happens now
    std::vector<tick> seen_{tick{}};
    bool tracked_ = false; ///< the model and the world look at the same changes
    std::map<entity, thing> model_;
};
} // namespace

int main() {
    using namespace boost::ut;
    for (const std::uint64_t seed : support::seeds(40))
        test("changes of sparse components are found, seed " + std::to_string(seed)) = [&] {
            trial one{seed};
            for (int i = 0; i != 400; ++i) {
                one.step();
                one.compare();
            }
        };
}
