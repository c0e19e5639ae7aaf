// Trees of entities: other parents, places among siblings, names.
#include "trees.hpp"
#include "operations.hpp"

import pecs;

namespace fuzz {
namespace {

/// Gives the children of a parent places in an order. Whoever has a place there and is away lies anywhere among them now.
void number(model& now, entity parent, const entities& order) {
    for (auto& [e, t] : now.things)
        if (t.rank.parent == parent) t.rank.vague = true;
    int key = 0;
    for (const entity e : order) now.things.at(e).rank = {true, parent, ++key, false};
}

entities ordered(arena& all, entity parent) {
    const auto list = all.world().ordered_children<Child>(parent);
    return {list.begin(), list.end()};
}

/// An entity with a parent mostly, if there is one.
entity pick_child(stage& on) {
    const entity e = on.pick();
    const model& now = on.here().now;
    if (!now.alive(e)) return e;
    for (auto at = now.things.find(e); at != now.things.end(); ++at)
        if (at->second.holds<Child>()) return at->first;
    return e;
}

entity some_sibling(stage& on, entity e) {
    const unsigned chosen = on.in.byte();
    arena& all = on.here();
    if (chosen >= 224 || !all.now.alive(e)) return on.pick();
    const entities family = all.now.children(link<Child>, all.now.things.at(e).targets[link<Child>]);
    return family.empty() ? on.pick() : family[chosen % family.size()];
}

void place_one(stage& on, std::size_t how) {
    const entity e = pick_child(on);
    arena& all = on.here();
    const bool beside = how >= 2;
    const entity next = beside ? some_sibling(on, e) : entity{};
    problems wrong = all.now.with(e);
    const entity parent = wrong == fine ? all.now.things.at(e).targets[link<Child>] : entity{};
    if (wrong == fine && !parent) wrong |= missing_component;
    if (beside) {
        if (!all.now.alive(next))
            wrong |= dead_entity;
        else if (wrong == fine && all.now.things.at(next).targets[link<Child>] != parent)
            wrong |= not_siblings;
    }
    entities order = parent ? ordered(all, parent) : entities{};
    static constexpr std::array names{"place_first ", "place_last ", "place_before ", "place_after "};
    if (!on.attempt(names[how] + text(e) + (beside ? " " + text(next) : ""), wrong, [&] {
            pecs::world& w = all.world();
            switch (how) {
            case 0: return w.place_first<Child>(e);
            case 1: return w.place_last<Child>(e);
            case 2: return w.place_before<Child>(e, next);
            default: return w.place_after<Child>(e, next);
            }
        }))
        return;
    if (next == e) return; // it is there already
    std::erase(order, e);
    auto at = how == 0 ? order.begin() : how == 1 ? order.end() : std::ranges::find(order, next);
    if (how == 3) ++at;
    order.insert(at, e);
    number(all.now, parent, order);
    require(ordered(all, parent) == order, "children are not in the order that they were put in");
}

void place_many(stage& on) {
    const unsigned how = on.in.byte();
    arena& all = on.here();
    entities list;
    if (how >= 224) {
        list = on.pick_some(5);
    } else {
        const entity e = pick_child(on);
        if (all.now.alive(e)) list = all.now.children(link<Child>, all.now.things.at(e).targets[link<Child>]);
        if (how % 2 == 0) std::ranges::reverse(list);
        if (!list.empty())
            std::ranges::rotate(list, list.begin() + static_cast<std::ptrdiff_t>(how % list.size()));
        if (list.size() > 2) list.resize(list.size() - how % 3);
    }
    problems wrong = all.now.with_list(list);
    entity parent;
    if (wrong == fine && !list.empty()) {
        parent = all.now.things.at(list[0]).targets[link<Child>];
        if (!parent) wrong |= missing_component;
        for (const entity e : list)
            if (all.now.things.at(e).targets[link<Child>] != parent) wrong |= not_siblings;
    }
    entities order = list;
    if (parent)
        for (const entity e : ordered(all, parent))
            if (std::ranges::find(list, e) == list.end()) order.push_back(e);
    if (!on.attempt("place_all " + text(list), wrong, [&] { all.world().place_all<Child>(list); }) ||
        list.empty())
        return;
    number(all.now, parent, order);
    require(ordered(all, parent) == order, "children are not in the order of the list");
}

} // namespace

std::string part_of_path(const model& now, entity e) {
    const std::optional<int> label = now.things.at(e).label;
    const std::string name = label ? labels[static_cast<std::size_t>(*label)] : "";
    return name.empty() ? text(e) : name;
}

std::string path_of(const model& now, entity e) {
    std::string path;
    for (entity at = e; at; at = now.things.at(at).targets[link<Child>]) {
        std::string part;
        for (const char c : part_of_path(now, at)) {
            if (c == '/' || c == '\\') part += '\\';
            part += c;
        }
        path = path.empty() ? part : part + "/" + path;
    }
    return path;
}

bool leads(arena& all, const std::vector<std::string>& way, entity under, entity found) {
    const auto is_called = [&](entity e, const std::string& name) {
        const std::optional<int> label = all.now.things.at(e).label;
        return label && !name.empty() && labels[static_cast<std::size_t>(*label)] == name;
    };
    const auto is_handle = [&](entity e, const std::string& name) {
        return text(e) == name && part_of_path(all.now, e) == name;
    };
    const auto step = [&](const entities& some, const std::string& name) {
        auto at = std::ranges::find_if(some, [&](entity e) { return is_called(e, name); });
        if (at == some.end()) at = std::ranges::find_if(some, [&](entity e) { return is_handle(e, name); });
        return at == some.end() ? entity{} : *at;
    };
    const auto go = [&](entity at, std::size_t next) {
        for (; at && next != way.size(); ++next) {
            entities children;
            for (const entity e : all.world().children<Child>(at)) children.push_back(e);
            at = step(children, way[next]);
        }
        return at;
    };
    if (under) return found == go(under, 0);
    entities tops;
    for (const auto& [e, t] : all.now.things)
        if (!t.holds<Child>()) tops.push_back(e);
    std::set<entity> ends;
    for (const entity e : tops)
        if (is_called(e, way[0])) ends.insert(go(e, 1));
    if (ends.empty()) ends.insert(go(step(tops, way[0]), 1));
    return ends.contains(found);
}

void compare_places(arena& all, entity parent) {
    const std::string name = "the order of the children of " + text(parent);
    const entities order = ordered(all, parent);
    entities found = order;
    std::ranges::sort(found);
    require(found == all.now.children(link<Child>, parent), name + ": others");
    entities without;
    int key = 0;
    for (const entity e : order) {
        const place& rank = all.now.things.at(e).rank;
        if (rank.parent != parent || !rank.there) {
            without.push_back(e);
            continue;
        }
        require(without.empty(), name + ": one without a place comes before " + text(e));
        if (rank.vague) continue;
        require(rank.key > key, name + ": " + text(e) + " comes too late");
        key = rank.key;
    }
    entities stored;
    for (const entity e : all.world().children<Child>(parent)) {
        const place& rank = all.now.things.at(e).rank;
        if (rank.parent != parent || !rank.there) stored.push_back(e);
    }
    require(stored == without, name + ": those without a place");
}

void reparent(stage& on) {
    const entity e = on.pick();
    const entity to = on.pick();
    arena& all = on.here();
    const entity old = all.now.alive(e) ? all.now.things.at(e).targets[link<Child>] : entity{};
    const bool same = old == to;
    if (!on.attempt("reparent " + text(e) + " to " + text(to),
                    same || !to ? all.now.with(e) : all.now.relate({e}, link<Child>, to),
                    [&] { all.world().reparent<Child>(e, to); }) ||
        same)
        return;
    thing& t = all.now.things.at(e);
    if (to)
        t.relate(link<Child>, to, {});
    else
        t.drop(part<Child>);
    t.rank.parent = {};
}

void place_children(stage& on) {
    const std::size_t how = on.in.below(6);
    how < 4 ? place_one(on, how) : place_many(on);
}

void name_it(stage& on) {
    const entity e = on.pick();
    const unsigned how = on.in.byte();
    arena& all = on.here();
    const std::size_t label = how % labels.size();
    const bool named = all.now.alive(e) && all.now.things.at(e).label;
    if (how >= 208) {
        if (on.attempt("remove<name> " + text(e), all.now.with(e) | (named ? fine : missing_component),
                       [&] { all.world().remove<pecs::name>(e); }))
            all.now.things.at(e).label.reset();
    } else {
        if (on.attempt("set<name> " + text(e) + " '" + labels[label] + "'", all.now.with(e),
                       [&] { all.world().set(e, pecs::name{labels[label]}); }))
            all.now.things.at(e).label = static_cast<int>(label);
    }
}

// Paths that may lead nowhere.
void find_path(stage& on) {
    arena& all = on.here();
    const entity under = on.in.coin() ? on.pick() : entity{};
    std::vector<std::string> way;
    std::string path;
    for (std::size_t i = 1 + on.in.below(3); i != 0; --i) {
        const std::size_t chosen = on.in.below(labels.size() + 2);
        if (chosen < labels.size()) {
            way.emplace_back(labels[chosen]);
        } else {
            way.push_back(text(on.pick()));
        }
        if (way.size() != 1) path += '/';
        for (const char c : way.back()) {
            if (c == '/' || c == '\\') path += '\\';
            path += c;
        }
    }
    on.say("find '" + path + "' under " + text(under));
    const entity found = under ? all.world().find<Child>(path, under) : all.world().find<Child>(path);
    require(under && !all.now.alive(under) ? !found : leads(all, way, under, found),
            "the path leads to " + text(found));
    if (way.size() == 1 && under) {
        const entity child = all.world().find_child<Child>(under, way[0]);
        entity first;
        for (const entity e : all.world().children<Child>(under))
            if (!first && !way[0].empty() && all.now.things.at(e).label &&
                labels[static_cast<std::size_t>(*all.now.things.at(e).label)] == way[0])
                first = e;
        require(child == first, "find_child finds " + text(child));
    }
}

} // namespace fuzz
