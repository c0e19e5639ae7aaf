// Random verbs on sparse and other components, and on what is disabled, against a naive model. After each step the world must
// be valid, and from time to time all queries are compared. The seed of a failed run is printed; PECS_SEED=<seed> repeats it.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/seed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
using support::Position;
using support::Tracked;

struct Heat { // packed
    static constexpr auto storage = pecs::component_storage::sparse;
    Tracked value;
};
struct Fixed { // never moves
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    Tracked value;
};
struct Marked {
    static constexpr auto storage = pecs::component_storage::sparse;
};
struct Weight {
    int value = 0;
};
struct Loud {};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};

/// What the model knows of one entity.
struct thing {
    std::optional<int> heat, fixed, weight;
    bool marked = false, loud = false;
    entity parent;
    bool off = false;
    std::set<std::string> off_parts;
    const void* address = nullptr; // of `fixed`
};

std::size_t visited = 0; // to see that there was something to compare

class game {
public:
    explicit game(std::uint64_t seed) : random_{seed} {}

    bool step() {
        switch (below(22)) {
        case 0: spawn(); break;
        case 1: spawn_many(); break;
        case 2: despawn(); break;
        case 3:
        case 4: toggle<Heat>(some()); break;
        case 5:
        case 6: toggle<Fixed>(some()); break;
        case 7: toggle<Marked>(some()); break;
        case 8: toggle<Weight>(some()); break;
        case 9: toggle<Loud>(some()); break;
        case 10: set_several(); break;
        case 11: exchange(); break;
        case 12: disable(); break;
        case 13: disable_part(); break;
        case 14: batch_by_list(); break;
        case 15: batch_by_query(); break;
        case 16: recorded(); break;
        case 17: copy(); break;
        case 18: relate(); break;
        case 19: misuse(); break;
        case 20:
            if (below(20) == 0) w_.shrink();
            break;
        case 21:
            if (below(200) == 0) {
                w_.clear();
                things_.clear();
            }
            break;
        default: break;
        }
        return w_.validate();
    }

    [[nodiscard]] bool same() {
        if (w_.size() != things_.size()) return false;
        for (auto& [e, t] : things_) {
            if (!w_.alive(e) || w_.enabled(e) == t.off) return false;
            if (!same_part<Heat>(e, t) || !same_part<Fixed>(e, t) || !same_part<Weight>(e, t) ||
                !same_part<Marked>(e, t) || !same_part<Loud>(e, t))
                return false;
            if (w_.target<ChildOf>(e) != t.parent) return false;
            const void* const now = w_.try_get<Fixed>(e);
            if (t.address != nullptr && now != t.address) return false;
            t.address = now;
        }
        const auto shows = [](const thing& t, std::initializer_list<const char*> parts) {
            return !t.off &&
                   std::ranges::none_of(parts, [&](const char* p) { return t.off_parts.contains(p); });
        };
        return found(w_.query<const Heat>(), [&](const thing& t) { return t.heat && shows(t, {"Heat"}); }) &&
               found(w_.query<const Heat, const Weight>(),
                     [&](const thing& t) { return t.heat && t.weight && shows(t, {"Heat", "Weight"}); }) &&
               found(w_.query<Fixed, const Heat>(),
                     [&](const thing& t) { return t.heat && t.fixed && shows(t, {"Heat", "Fixed"}); }) &&
               found(w_.query<const Weight, pecs::without<Heat, Marked>>(),
                     [&](const thing& t) {
                         return t.weight && !t.heat && !t.marked && shows(t, {"Weight"});
                     }) &&
               found(w_.query<pecs::with<Marked>, pecs::optional<const Fixed>>(),
                     [&](const thing& t) { return t.marked && shows(t, {"Marked"}); }) &&
               found(w_.query<pecs::any_of<Heat, Loud>>(),
                     [&](const thing& t) { return (t.heat || t.loud) && shows(t, {}); }) &&
               found(w_.query<const Weight, pecs::exact>(),
                     [&](const thing& t) {
                         return t.weight && !t.heat && !t.fixed && !t.marked && !t.loud && !t.parent &&
                                shows(t, {"Weight"});
                     }) &&
               found(w_.query<const Heat, pecs::exact>(),
                     [&](const thing& t) {
                         return t.heat && !t.weight && !t.fixed && !t.marked && !t.loud && !t.parent &&
                                shows(t, {"Heat"});
                     }) &&
               found(w_.query<const Heat, pecs::disabled_too>(),
                     [&](const thing& t) { return t.heat.has_value(); }) &&
               found(w_.query<const Weight, pecs::disabled_too>(),
                     [&](const thing& t) { return t.weight.has_value(); }) &&
               found(w_.query<pecs::with<Loud>>(),
                     [&](const thing& t) { return t.loud && shows(t, {"Loud"}); }) &&
               found(w_.query<>(), [&](const thing& t) { return shows(t, {}); }) &&
               found(w_.query<const Heat>().of<ChildOf>(pecs::any),
                     [&](const thing& t) { return t.heat && t.parent && shows(t, {"Heat", "ChildOf"}); }) &&
               found(w_.query<const Heat>().parents_first<ChildOf>(),
                     [&](const thing& t) { return t.heat && shows(t, {"Heat"}); }) &&
               found(w_.query<pecs::at_target<ChildOf, const Heat>>(),
                     [&](const thing& t) {
                         return t.parent && things_.at(t.parent).heat && shows(t, {"ChildOf"});
                     }) &&
               found(w_.query<const Weight, pecs::at_target<ChildOf, pecs::without<Marked>>>(),
                     [&](const thing& t) {
                         return t.parent && t.weight && !things_.at(t.parent).marked &&
                                shows(t, {"ChildOf", "Weight"});
                     }) &&
               found(w_.query<pecs::up<ChildOf, const Heat>>(),
                     [&](const thing& t) {
                         bool above = false;
                         for (entity at = t.parent; at; at = things_.at(at).parent)
                             above = above || things_.at(at).heat;
                         return above && shows(t, {"ChildOf"});
                     }) &&
               by_target() && values() && at_run_time();
    }

private:
    int below(int n) { return std::uniform_int_distribution<int>{0, n - 1}(random_); }
    entity some() {
        if (things_.empty()) spawn();
        auto it = things_.begin();
        std::advance(it, below(static_cast<int>(things_.size())));
        return it->first;
    }
    std::vector<entity> several() {
        std::set<entity> list;
        for (int i = below(8); i != 0; --i) list.insert(some());
        return {list.begin(), list.end()};
    }

    template <class T> static std::string name() {
        if constexpr (std::is_same_v<T, Heat>) return "Heat";
        if constexpr (std::is_same_v<T, Fixed>) return "Fixed";
        if constexpr (std::is_same_v<T, Weight>) return "Weight";
        if constexpr (std::is_same_v<T, Marked>) return "Marked";
        if constexpr (std::is_same_v<T, Loud>) return "Loud";
        return "ChildOf";
    }
    template <class T> static bool has(const thing& t) {
        if constexpr (std::is_same_v<T, Heat>) return t.heat.has_value();
        if constexpr (std::is_same_v<T, Fixed>) return t.fixed.has_value();
        if constexpr (std::is_same_v<T, Weight>) return t.weight.has_value();
        if constexpr (std::is_same_v<T, Marked>) return t.marked;
        if constexpr (std::is_same_v<T, Loud>) return t.loud;
    }
    template <class T> static T make(int n) {
        if constexpr (std::is_same_v<T, Heat> || std::is_same_v<T, Fixed>) return T{Tracked::of(n)};
        if constexpr (std::is_same_v<T, Weight>) return T{n};
        if constexpr (std::is_empty_v<T>) return T{};
    }
    template <class T> static int number(const T& value) {
        if constexpr (std::is_same_v<T, Weight>)
            return value.value;
        else
            return value.value.number();
    }
    template <class T> static void put(thing& t, int n) {
        if constexpr (std::is_same_v<T, Heat>) t.heat = n;
        if constexpr (std::is_same_v<T, Fixed>) t.fixed = n;
        if constexpr (std::is_same_v<T, Weight>) t.weight = n;
        if constexpr (std::is_same_v<T, Marked>) t.marked = true;
        if constexpr (std::is_same_v<T, Loud>) t.loud = true;
    }
    template <class T> static void drop(thing& t) {
        if constexpr (std::is_same_v<T, Heat>) t.heat.reset();
        if constexpr (std::is_same_v<T, Fixed>) t.fixed.reset(), t.address = nullptr;
        if constexpr (std::is_same_v<T, Weight>) t.weight.reset();
        if constexpr (std::is_same_v<T, Marked>) t.marked = false;
        if constexpr (std::is_same_v<T, Loud>) t.loud = false;
        t.off_parts.erase(name<T>());
    }
    template <class T> [[nodiscard]] bool same_part(entity e, const thing& t) {
        if (w_.has<T>(e) != has<T>(t)) return false;
        if (has<T>(t) && w_.enabled<T>(e) == t.off_parts.contains(name<T>())) return false;
        if constexpr (!std::is_empty_v<T>) {
            if (!has<T>(t)) return w_.try_get<T>(e) == nullptr;
            const int n = number(w_.get<T>(e));
            if constexpr (std::is_same_v<T, Heat>) return n == *t.heat && number(w_.access<T>()[e]) == n;
            if constexpr (std::is_same_v<T, Fixed>) return n == *t.fixed;
            if constexpr (std::is_same_v<T, Weight>) return n == *t.weight;
        }
        return true;
    }

    void spawn() {
        const int n = below(1000);
        entity e;
        thing t;
        switch (below(4)) {
        case 0: e = w_.spawn(make<Weight>(n)), put<Weight>(t, n); break;
        case 1: e = w_.spawn(make<Heat>(n), make<Weight>(n)), put<Weight>(t, n), put<Heat>(t, n); break;
        case 2:
            e = w_.spawn(make<Fixed>(n), Marked{}, Loud{}), put<Fixed>(t, n), put<Marked>(t, 0),
            put<Loud>(t, 0);
            break;
        default: {
            e = w_.spawn(make<Heat>(n));
            put<Heat>(t, n);
            if (!things_.empty()) {
                const entity parent = things_.begin()->first;
                w_.relate<ChildOf>(e, parent);
                t.parent = parent;
            }
        }
        }
        things_[e] = t;
    }
    void spawn_many() {
        const int n = below(1000);
        const auto count = static_cast<std::size_t>(below(6));
        thing t;
        put<Heat>(t, n), put<Fixed>(t, n), put<Weight>(t, n), put<Marked>(t, 0);
        std::vector<entity> made;
        if (below(2) == 0) {
            for (const entity e :
                 w_.spawn_batch(count, make<Heat>(n), make<Weight>(n), Marked{}, make<Fixed>(n)))
                made.push_back(e);
        } else {
            for (const entity e : w_.spawn_batch<Weight, Heat, Fixed, Marked>(
                     count,
                     [&](entity, Weight& w, Heat& h, Fixed& f) { w.value = n + number(h) + number(f); }))
                made.push_back(e);
            put<Heat>(t, 0), put<Fixed>(t, 0);
        }
        for (const entity e : made) things_[e] = t;
    }
    void erase(entity e) {
        std::vector<entity> below_it;
        for (const auto& [child, t] : things_)
            if (t.parent == e) below_it.push_back(child);
        things_.erase(e);
        for (const entity child : below_it) erase(child);
    }
    void despawn() {
        const entity e = some();
        w_.despawn(e);
        erase(e);
    }
    template <class T> void toggle(entity e) {
        thing& t = things_.at(e);
        const int n = below(1000);
        const pecs::component_id id = pecs::id_of<T>();
        T value = make<T>(n);
        if (has<T>(t)) {
            below(3) == 0 ? w_.by_id().remove(e, id) : w_.remove<T>(e);
            drop<T>(t);
        } else {
            below(3) == 0 ? w_.by_id().add(e, id, &value) : w_.add(e, value);
            put<T>(t, n);
        }
    }
    void set_several() {
        const entity e = some();
        const int n = below(1000);
        w_.set(e, make<Heat>(n), make<Weight>(n), make<Fixed>(n));
        thing& t = things_.at(e);
        put<Heat>(t, n), put<Weight>(t, n), put<Fixed>(t, n);
    }
    void exchange() {
        const entity e = some();
        thing& t = things_.at(e);
        const int n = below(1000);
        if (t.heat && !t.weight && !t.marked) {
            w_.exchange<Heat>(e, make<Weight>(n), Marked{});
            drop<Heat>(t), put<Weight>(t, n), put<Marked>(t, 0);
        } else if (t.weight && !t.heat && t.marked) {
            w_.exchange<Weight, Marked>(e, make<Heat>(n));
            drop<Weight>(t), drop<Marked>(t), put<Heat>(t, n);
        }
    }
    void disable() {
        const auto list = several();
        const bool off = below(2) == 0;
        off ? w_.disable_batch(list) : w_.enable_batch(list);
        for (const entity e : list) things_.at(e).off = off;
        const entity one = some();
        off ? w_.enable(one) : w_.disable(one);
        things_.at(one).off = !off;
    }
    template <class T> void part(entity e) {
        thing& t = things_.at(e);
        if (!has<T>(t)) return;
        if (t.off_parts.erase(name<T>()) != 0) {
            w_.enable<T>(e);
        } else {
            below(2) == 0 ? w_.disable<T>(e) : w_.by_id().disable(e, pecs::id_of<T>());
            t.off_parts.insert(name<T>());
        }
    }
    void disable_part() {
        const entity e = some();
        switch (below(5)) {
        case 0: part<Heat>(e); break;
        case 1: part<Fixed>(e); break;
        case 2: part<Weight>(e); break;
        case 3: part<Marked>(e); break;
        default: part<Loud>(e); break;
        }
    }
    void batch_by_list() {
        std::vector<entity> list = several();
        const int n = below(1000);
        std::erase_if(list, [&](entity e) { return things_.at(e).heat || things_.at(e).loud; });
        if (below(2) == 0) {
            w_.add_batch(list, make<Heat>(n), Loud{});
            for (const entity e : list) put<Heat>(things_.at(e), n), put<Loud>(things_.at(e), 0);
        } else {
            w_.set_batch(list, make<Heat>(n), make<Fixed>(n), make<Weight>(n));
            for (const entity e : list)
                put<Heat>(things_.at(e), n), put<Fixed>(things_.at(e), n), put<Weight>(things_.at(e), n);
        }
    }
    void batch_by_query() {
        const auto shown = [](const thing& t, const char* part) {
            return !t.off && !t.off_parts.contains(part);
        };
        const int n = below(1000);
        switch (below(30)) {
        case 0: {
            w_.remove_batch<Heat>(w_.query<pecs::with<Heat, Loud>>());
            for (auto& [e, t] : things_)
                if (t.heat && t.loud && shown(t, "Heat") && shown(t, "Loud")) drop<Heat>(t);
            break;
        }
        case 1: {
            w_.add_batch(w_.query<const Weight, pecs::without<Loud, Heat>>(), Loud{}, make<Heat>(n));
            for (auto& [e, t] : things_)
                if (t.weight && !t.loud && !t.heat && shown(t, "Weight")) put<Loud>(t, 0), put<Heat>(t, n);
            break;
        }
        case 2: {
            w_.remove_batch<Loud>(w_.query<pecs::with<Loud>>());
            for (auto& [e, t] : things_)
                if (t.loud && shown(t, "Loud")) drop<Loud>(t);
            break;
        }
        case 3: {
            w_.despawn_batch(w_.query<pecs::with<Marked, Fixed>>());
            std::vector<entity> dying;
            for (auto& [e, t] : things_)
                if (t.marked && t.fixed && shown(t, "Marked") && shown(t, "Fixed")) dying.push_back(e);
            for (const entity e : dying) erase(e);
            break;
        }
        case 4: {
            w_.enable_batch(w_.query<pecs::disabled_too>());
            for (auto& [e, t] : things_) t.off = false;
            break;
        }
        case 5: {
            w_.disable_batch<Heat>(w_.query<const Heat, pecs::with<Marked>>());
            for (auto& [e, t] : things_)
                if (t.heat && t.marked && shown(t, "Heat") && shown(t, "Marked")) t.off_parts.insert("Heat");
            break;
        }
        default: break;
        }
    }
    void recorded() {
        pecs::commands later = w_.record();
        const int n = below(1000);
        for (int i = below(5); i != 0; --i) {
            const entity e = some();
            thing& t = things_.at(e);
            switch (below(6)) {
            case 0:
                later.set(e, make<Heat>(n), make<Weight>(n));
                put<Heat>(t, n), put<Weight>(t, n);
                break;
            case 1:
                if (t.heat && t.weight) {
                    later.remove<Heat, Weight>(e);
                    drop<Heat>(t), drop<Weight>(t);
                } else if (!t.heat && !t.fixed) {
                    later.add(e, make<Heat>(n), make<Fixed>(n));
                    put<Heat>(t, n), put<Fixed>(t, n);
                } else {
                    later.add(e, make<Heat>(n), make<Fixed>(n)); // fails
                }
                break;
            case 2:
                if (t.heat) {
                    later.disable<Heat>(e);
                    t.off_parts.insert("Heat");
                }
                break;
            case 3:
                t.off ? later.enable(e) : later.disable(e);
                t.off = !t.off;
                break;
            case 4:
                if (t.weight) {
                    later.disable<Weight>(e);
                    later.remove<Weight>(e);
                    later.add(e, make<Weight>(n + 1));
                    drop<Weight>(t), put<Weight>(t, n + 1);
                }
                break;
            default:
                if (t.marked) {
                    later.exchange<Marked>(e, make<Weight>(n)); // fails if it has one
                    if (!t.weight) drop<Marked>(t), put<Weight>(t, n);
                }
            }
        }
        std::vector<std::pair<entity, thing>> made;
        for (int i = below(4); i != 0; --i) {
            thing t;
            entity e;
            if (below(2) == 0) {
                e = later.spawn(make<Heat>(n), make<Weight>(n), Marked{});
                put<Heat>(t, n), put<Weight>(t, n), put<Marked>(t, 0);
            } else {
                e = later.spawn(make<Weight>(n), Marked{}, make<Heat>(n));
                put<Heat>(t, n), put<Weight>(t, n), put<Marked>(t, 0);
            }
            if (below(3) == 0) {
                later.disable(e);
                later.disable<Marked>(e);
                t.off = true;
                t.off_parts.insert("Marked");
            }
            if (below(3) == 0) {
                later.despawn(e);
                continue;
            }
            made.emplace_back(e, t);
        }
        w_.apply(later);
        for (auto& [e, t] : made) things_[e] = t;
    }
    void copy() {
        const entity e = some();
        if (below(2) == 0) {
            const entity made = w_.clone(e);
            thing t = things_.at(e);
            t.address = nullptr;
            things_[made] = t;
        } else if (std::ranges::none_of(things_, [&](const auto& each) { return each.second.parent == e; })) {
            const entity made = w_.spawn_from<ChildOf>(e, make<Heat>(7), make<Weight>(8));
            thing t = things_.at(e);
            t.address = nullptr;
            t.parent = pecs::null;
            drop<Heat>(t), drop<Weight>(t), put<Heat>(t, 7), put<Weight>(t, 8);
            t.off_parts.erase("ChildOf");
            things_[made] = t;
        }
    }
    void relate() {
        const entity e = some();
        const entity parent = some();
        for (entity at = parent; at; at = things_.at(at).parent)
            if (at == e) return;
        w_.relate<ChildOf>(e, parent);
        things_.at(e).parent = parent;
    }
    void misuse() {
        const entity e = some();
        const thing& t = things_.at(e);
        const auto refuses = [](auto call) {
            try {
                call();
            } catch (const pecs::error&) {
                return;
            }
            std::abort();
        };
        if (t.heat) refuses([&] { w_.add(e, make<Heat>(1), Position{}); });
        if (!t.heat) refuses([&] { w_.remove<Heat>(e); });
        if (!t.fixed && t.weight) refuses([&] { w_.remove<Weight, Fixed>(e); });
        if (!t.heat) refuses([&] { w_.disable<Heat>(e); });
    }

    template <class Query, class Wanted> [[nodiscard]] bool found(const Query& query, Wanted wanted) {
        std::set<entity> expected;
        for (const auto& [e, t] : things_)
            if (wanted(t)) expected.insert(e);
        std::set<entity> got;
        bool once = true;
        query.each([&](entity e, auto&&...) { once = got.insert(e).second && once; });
        std::size_t rows = 0;
        for (auto&& row : query) (void)row, ++rows;
        std::size_t in_order = 0;
        query.each_sorted([](entity e, auto&&...) { return e.index(); },
                          [&](entity, auto&&...) { ++in_order; });
        visited += got.size();
        if (!once || got != expected || rows != got.size() || in_order != rows || query.count() != rows)
            return false;
        if (got.contains(query.first()) != !got.empty()) return false;
        for (const auto& [e, t] : things_)
            if (query.contains(e) != got.contains(e)) return false;
        return true;
    }
    [[nodiscard]] bool by_target() {
        const auto index = w_.query<const Heat>().by<ChildOf>();
        for (const auto& [parent, unused] : things_) {
            std::set<entity> expected;
            for (const auto& [e, t] : things_)
                if (t.parent == parent && t.heat && !t.off && !t.off_parts.contains("Heat"))
                    expected.insert(e);
            std::set<entity> a;
            std::set<entity> b;
            index.each(parent, [&](entity e, const Heat&) { a.insert(e); });
            w_.query<const Heat>().of<ChildOf>(parent).each([&](entity e, const Heat&) { b.insert(e); });
            if (a != expected || b != expected || index.count(parent) != a.size()) return false;
        }
        return true;
    }
    [[nodiscard]] bool values() {
        bool right = true;
        const auto look = [&](entity e, const Weight& w, const Heat* h, const Fixed* f) {
            const thing& t = things_.at(e);
            const bool heat = t.heat && !t.off_parts.contains("Heat");
            const bool fixed = t.fixed && !t.off_parts.contains("Fixed");
            right = right && w.value == *t.weight && (h != nullptr) == heat && (f != nullptr) == fixed;
            right = right && (!heat || number(*h) == *t.heat) && (!fixed || number(*f) == *t.fixed);
        };
        w_.query<const Weight, pecs::optional<const Heat>, pecs::optional<const Fixed>>().each(look);
        w_.query<pecs::with<Marked>, pecs::optional<const Weight>>().each([&](entity e, const Weight* w) {
            const thing& t = things_.at(e);
            right = right && (w != nullptr) == (t.weight && !t.off_parts.contains("Weight"));
        });
        for (auto [list, weights] : w_.query<pecs::with<Heat>, pecs::optional<const Weight>>().columns())
            for (std::size_t i = 0; i != list.size(); ++i) {
                const thing& t = things_.at(list[i]);
                const bool weight = t.weight && !t.off_parts.contains("Weight");
                right = right && weights.empty() != weight && (!weight || weights[i].value == *t.weight);
            }
        w_.query<const Fixed, const Heat, const Weight>().each(
            [&](entity e, const Fixed& f, const Heat& h, const Weight& w) {
                const thing& t = things_.at(e);
                right = right && number(f) == *t.fixed && number(h) == *t.heat && w.value == *t.weight;
            });
        return right;
    }
    [[nodiscard]] bool at_run_time() {
        auto query = w_.by_id().query();
        query.with(pecs::id_of<Weight>())
            .without(pecs::id_of<Marked>())
            .any_of({pecs::id_of<Heat>(), pecs::id_of<Loud>()});
        std::set<entity> got;
        bool right = true;
        query.each([&](const pecs::family_view& view) {
            for (const entity e : view.entities()) {
                got.insert(e);
                right = right && view.has(pecs::id_of<Heat>()) == things_.at(e).heat.has_value();
            }
        });
        std::set<entity> expected;
        for (const auto& [e, t] : things_)
            if (t.weight && !t.marked && (t.heat || t.loud) && !t.off && !t.off_parts.contains("Weight"))
                expected.insert(e);
        for (const auto& [e, t] : things_) right = right && query.contains(e) == expected.contains(e);
        return right && got == expected && query.count() == got.size();
    }

    std::mt19937_64 random_;
    world w_;
    std::map<entity, thing> things_;
};

bool play(std::uint64_t seed, int steps) {
    game g{seed};
    for (int i = 0; i != steps; ++i) {
        if (!g.step()) return false;
        if (i % 10 == 0 && !g.same()) return false;
    }
    return g.same();
}

} // namespace

int main() {
    using namespace boost::ut;

    "random verbs on sparse and disabled things do what a naive model does"_test = [] {
        for (const std::uint64_t seed : support::seeds(30, 1)) expect(play(seed, 700)) << "seed" << seed;
        expect(Tracked::log.alive() == 0_u and Tracked::log.wrong == 0_u);
        expect(visited > 10000_u) << visited;
    };
}
