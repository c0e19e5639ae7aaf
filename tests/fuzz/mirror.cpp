#include "mirror.hpp"

import pecs;

namespace fuzz {
namespace {

using some_entities = std::span<const entity>;

/// How many notices lead from one model to the other.
std::size_t notices_between(const model& before, const model& now) {
    static const thing nothing{};
    std::size_t count = 0;
    const auto compare = [&](const thing& a, const thing& b) {
        for (std::size_t i = 0; i != parts::size; ++i) count += (a.has ^ b.has) >> i & 1U;
        for (std::size_t r = 0; r != links::size; ++r) count += a.targets[r] != b.targets[r] ? 1 : 0;
    };
    for (const auto& [e, t] : before.things) {
        const auto at = now.things.find(e);
        if (at == now.things.end()) ++count;
        compare(t, at == now.things.end() ? nothing : at->second);
    }
    for (const auto& [e, t] : now.things)
        if (!before.things.contains(e)) {
            ++count;
            compare(nothing, t);
        }
    for (std::size_t r = 0; r != edges::size; ++r) {
        for (const auto& [ends, data] : before.edge_sets[r]) count += now.edge_sets[r].contains(ends) ? 0 : 1;
        for (const auto& [ends, data] : now.edge_sets[r]) count += before.edge_sets[r].contains(ends) ? 0 : 1;
    }
    return count;
}

} // namespace

mirror::mirror(pecs::world& world, const model& now) {
    for (const auto& [e, t] : now.things) {
        alive_.insert(e);
        for (std::size_t i = 0; i != parts::size; ++i)
            if ((t.has >> i & 1U) != 0) held_[i][e] = t.numbers[i];
        if (t.holds<Position>() && t.holds<Heat>()) both_.insert(e);
        for (std::size_t r = 0; r != links::size; ++r)
            if (t.targets[r]) targets_[r][e] = t.targets[r];
    }
    for (std::size_t r = 0; r != edges::size; ++r)
        for (const auto& [ends, data] : now.edge_sets[r]) edges_[r].insert(ends);

    observers_.push_back(
        world.observe(pecs::on_spawn, [this](entity e) { check(alive_.insert(e).second, "on_spawn", e); }));
    observers_.push_back(
        world.observe(pecs::on_despawn, [this](entity e) { check(alive_.erase(e) != 0, "on_despawn", e); }));
    each_type(parts{}, [&]<class T>() { observe_part<T>(world); });
    observe_both(world);
    each_type(links{}, [&]<class R>() { observe_link<R>(world); });
    each_type(edges{}, [&]<class R>() { observe_edge<R>(world); });
}

// Some observers take entities one by one, some in spans, and some are made by id.
template <class T> void mirror::observe_part(pecs::world& world) {
    auto& held = held_[part<T>];
    constexpr bool in_spans = std::is_same_v<T, Position> || std::is_same_v<T, Follows>;
    const auto came = [this, &held](entity e, int number) {
        check(held.emplace(e, number).second, "on_add", e);
    };
    const auto given = [this, &held](entity e, int number) {
        check(held.contains(e), "on_set", e);
        --notices_;
        held[e] = number;
    };
    const auto goes = [this, &held](entity e) { check(held.erase(e) != 0, "on_remove", e); };
    const pecs::component_id id = pecs::id_of<T>();
    if constexpr (std::is_same_v<T, Frozen> || std::is_same_v<T, Mark>) {
        observers_.push_back(world.by_id().observe(pecs::on_add, {&id, 1}, [came](entity e) { came(e, 0); }));
    } else if constexpr (std::is_empty_v<T>) {
        observers_.push_back(world.observe<T>(pecs::on_add, [came](some_entities all) {
            for (const entity e : all) came(e, 0);
        }));
    } else if constexpr (in_spans) {
        observers_.push_back(world.observe<T>(pecs::on_add, [came](some_entities all, std::span<T> values) {
            for (std::size_t i = 0; i != all.size(); ++i) came(all[i], values[i].number());
        }));
        observers_.push_back(world.observe<T>(pecs::on_set, [given](some_entities all, std::span<T> values) {
            for (std::size_t i = 0; i != all.size(); ++i) given(all[i], values[i].number());
        }));
    } else {
        observers_.push_back(world.observe<T>(pecs::on_add, [came](entity e, T& v) { came(e, v.number()); }));
        observers_.push_back(
            world.observe<T>(pecs::on_set, [given](entity e, const T& v) { given(e, v.number()); }));
    }
    if constexpr (std::is_same_v<T, Name> || std::is_same_v<T, Mark> || std::is_same_v<T, Child>)
        observers_.push_back(world.observe<T>(pecs::on_remove, [goes](some_entities all) {
            for (const entity e : all) goes(e);
        }));
    else if constexpr (std::is_same_v<T, Heat> || std::is_same_v<T, Guard>)
        observers_.push_back(world.by_id().observe(pecs::on_remove, {&id, 1}, goes));
    else
        observers_.push_back(world.observe<T>(pecs::on_remove, goes));
}

void mirror::observe_both(pecs::world& world) {
    const auto goes = [this](entity e) {
        check(both_.erase(e) != 0, "on_remove of two", e);
        --notices_;
    };
    const auto came = [this](entity e) {
        check(both_.insert(e).second, "on_add of two", e);
        --notices_;
    };
    observers_.push_back(world.observe<Position, Heat>(
        pecs::on_add, [came](entity e, const Position&, const Heat&) { came(e); }));
    observers_.push_back(world.observe<Position, Heat>(pecs::on_remove, goes));
}

template <class R> void mirror::observe_link(pecs::world& world) {
    auto& targets = targets_[link<R>];
    const auto told = [this, &targets](entity e, entity old, entity now) {
        const auto at = targets.find(e);
        check(old != now && (at == targets.end() ? entity{} : at->second) == old, "on_relate", e);
        if (now)
            targets[e] = now;
        else
            targets.erase(e);
    };
    const pecs::component_id id = pecs::id_of<R>();
    if constexpr (std::is_same_v<R, Child> || std::is_same_v<R, Owner>)
        observers_.push_back(
            world.observe<R>(pecs::on_relate, [told](some_entities all, entity old, entity now) {
                for (const entity e : all) told(e, old, now);
            }));
    else if constexpr (std::is_same_v<R, Guard>)
        observers_.push_back(world.by_id().observe(pecs::on_relate, {&id, 1}, told));
    else
        observers_.push_back(world.observe<R>(pecs::on_relate, told));
}

template <class R> void mirror::observe_edge(pecs::world& world) {
    auto& all = edges_[edge<R>];
    observers_.push_back(world.observe<R>(pecs::on_relate, [this, &all](entity e, entity old, entity now) {
        const bool right = old ? !now && all.erase({e, old}) != 0 : now && all.insert({e, now}).second;
        check(right, "on_relate of an edge", e);
    }));
    if constexpr (!std::is_empty_v<R>)
        observers_.push_back(world.observe<R>(pecs::on_set, [this, &all](entity e, entity target, R&) {
            check(all.contains({e, target}), "on_set of an edge", e);
            --notices_;
        }));
}

std::string mirror::difference(const model& now, const model* before) {
    const std::size_t told = std::exchange(notices_, 0);
    if (!wrong_.empty()) return "observers were told what does not fit: " + wrong_;
    std::size_t entities_known = 0;
    for (const auto& [e, t] : now.things) {
        if (!alive_.contains(e)) return "observers were not told of the birth of " + pecs::to_string(e);
        ++entities_known;
        for (std::size_t i = 0; i != parts::size; ++i) {
            const auto at = held_[i].find(e);
            if ((at != held_[i].end()) != ((t.has >> i & 1U) != 0))
                return "observers know otherwise whether there is " + std::string{part_names[i]} + " of " +
                       pecs::to_string(e);
            if (at != held_[i].end() && i != part<Child> && at->second != t.numbers[i] &&
                (mask<Position, Name, Heat, Stable, Owner, Follows> >> i & 1U) != 0)
                return "observers know another value of " + std::string{part_names[i]} + " of " +
                       pecs::to_string(e);
        }
        if (both_.contains(e) != (t.holds<Position>() && t.holds<Heat>()))
            return "observers of two components know otherwise whether " + pecs::to_string(e) + " has both";
        for (std::size_t r = 0; r != links::size; ++r) {
            const auto at = targets_[r].find(e);
            if ((at == targets_[r].end() ? entity{} : at->second) != t.targets[r])
                return "observers know another target of " + pecs::to_string(e);
        }
    }
    if (alive_.size() != entities_known) return "observers were not told of a death";
    for (std::size_t r = 0; r != edges::size; ++r) {
        if (edges_[r].size() != now.edge_sets[r].size())
            return "observers know other edges of " + std::string{edge_names[r]};
        for (const auto& [ends, data] : now.edge_sets[r])
            if (!edges_[r].contains(ends))
                return "observers know other edges of " + std::string{edge_names[r]};
    }
    if (std::ranges::any_of(both_, [&](entity e) { return !now.alive(e); }))
        return "observers of two components were not told of a death";
    for (const auto& held : held_)
        if (std::ranges::any_of(held, [&](const auto& each) { return !now.alive(each.first); }))
            return "observers were not told what went with a death";
    if (before != nullptr && told != notices_between(*before, now))
        return "observers were told " + std::to_string(told) + " times, not " +
               std::to_string(notices_between(*before, now));
    return "";
}

} // namespace fuzz
