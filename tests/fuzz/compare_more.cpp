// Comparisons of what is not asked after every step: trees, paths, places, sources, accessors, ticks, resources, queries
// by id.
#include "stage.hpp"
#include "trees.hpp"

import pecs;

namespace fuzz {
namespace {

void compare_tree(arena& all) {
    const pecs::world& w = all.world();
    const model& now = all.now;
    entities roots;
    for (const auto& [e, t] : now.things) {
        const std::string name = "the tree at " + text(e) + ": ";
        const entity parent = t.targets[link<Child>];
        const entities children = now.children(link<Child>, e);
        if (!parent && !children.empty()) roots.push_back(e);
        require(w.parent<Child>(e) == parent, name + "parent");
        require(w.child_count<Child>(e) == children.size(), name + "child_count");
        entities found;
        for (const entity child : w.children<Child>(e)) found.push_back(child);
        std::ranges::sort(found);
        require(found == children, name + "children");
        entities above;
        for (entity at = parent; at; at = now.things.at(at).targets[link<Child>]) above.push_back(at);
        entities climbed;
        for (const entity at : w.ancestors<Child>(e)) climbed.push_back(at);
        require(climbed == above, name + "ancestors");
        require(w.depth<Child>(e) == above.size(), name + "depth");
        require(w.root_of<Child>(e) == (above.empty() ? e : above.back()), name + "root_of");
        for (const entity at : above)
            require(w.is_ancestor<Child>(at, e) && !w.is_ancestor<Child>(e, at), name + "is_ancestor");
        entities below = now.tree(link<Child>, e);
        below.erase(below.begin());
        std::ranges::sort(below);
        const auto listed = w.descendants<Child>(e);
        std::set<entity> seen{e};
        for (const entity at : listed)
            require(seen.contains(now.things.at(at).targets[link<Child>]) && seen.insert(at).second,
                    name + "descendants are not level by level");
        entities sorted{listed.begin(), listed.end()};
        std::ranges::sort(sorted);
        require(sorted == below, name + "descendants");
    }
    const auto tops = w.roots<Child>();
    entities found{tops.begin(), tops.end()};
    std::ranges::sort(found);
    std::ranges::sort(roots);
    require(found == roots, "roots");
}

void compare_all_places(arena& all) {
    for (const auto& [e, t] : all.now.things) {
        compare_places(all, e);
        const auto* const rank = std::as_const(all.world()).try_get<pecs::sibling_rank<Child>>(e);
        require((rank != nullptr) == t.rank.there, "the place of " + text(e));
        require(rank == nullptr || rank->parent == t.rank.parent,
                "the place of " + text(e) + " counts elsewhere");
    }
}

void compare_paths(arena& all) {
    for (const auto& [e, t] : all.now.things) {
        const pecs::name* const name = std::as_const(all.world()).try_get<pecs::name>(e);
        require((name != nullptr) == t.label.has_value(), "the name of " + text(e));
        require(name == nullptr || name->view() == labels[static_cast<std::size_t>(*t.label)],
                "another name of " + text(e));
        const std::string path = path_of(all.now, e);
        require(all.world().path_of<Child>(e) == path, "the path of " + text(e) + ", " + path);
        std::vector<std::string> way;
        for (entity at = e; at; at = all.now.things.at(at).targets[link<Child>])
            way.insert(way.begin(), part_of_path(all.now, at));
        require(leads(all, way, {}, all.world().find<Child>(path)), "find " + path);
    }
}

template <class R> void compare_edge_visits(arena& all, entity e) {
    const std::string name = std::string{edge_names[edge<R>]} + " of " + text(e) + ": ";
    const auto& expected = all.now.edge_sets[edge<R>];
    std::set<entity> targets;
    std::set<entity> sources;
    const auto check = [&](entity from, entity to, const R& data) {
        const auto at = expected.find({from, to});
        bool right = at != expected.end();
        if constexpr (!std::is_empty_v<R>) right = right && data.number() == at->second;
        return right;
    };
    if constexpr (std::is_empty_v<R>) {
        all.world().each_target<R>(e, [&](entity to) { targets.insert(to); });
        all.world().each_source<R>(e, [&](entity from) { sources.insert(from); });
    } else {
        all.world().each_target<R>(e, [&](entity to, R& data) {
            require(targets.insert(to).second && check(e, to, data), name + "each_target");
        });
        std::as_const(all.world()).each_source<R>(e, [&](entity from, const R& data) {
            require(sources.insert(from).second && check(from, e, data), name + "each_source");
        });
    }
    std::set<entity> targets_wanted;
    std::set<entity> sources_wanted;
    for (const auto& [ends, data] : expected) {
        if (ends.first == e) targets_wanted.insert(ends.second);
        if (ends.second == e) sources_wanted.insert(ends.first);
    }
    require(targets == targets_wanted && all.world().target_count<R>(e) == targets.size(),
            name + "each_target visits others");
    require(sources == sources_wanted, name + "each_source visits others");
}

void compare_sources(arena& all) {
    for (const auto& [e, t] : all.now.things) {
        std::multiset<std::pair<pecs::component_id, entity>> expected;
        each_type(links{}, [&]<class R>() {
            std::multiset<entity> found;
            all.world().each_source<R>(e, [&](entity source) { found.insert(source); });
            const entities wanted = all.now.children(link<R>, e);
            require(found == std::multiset<entity>{wanted.begin(), wanted.end()},
                    "each_source of " + text(e));
            for (const entity source : wanted) expected.emplace(pecs::id_of<R>(), source);
        });
        each_type(edges{}, [&]<class R>() {
            compare_edge_visits<R>(all, e);
            for (const auto& [ends, data] : all.now.edge_sets[edge<R>])
                if (ends.second == e) expected.emplace(pecs::id_of<R>(), ends.first);
        });
        std::multiset<std::pair<pecs::component_id, entity>> found;
        all.world().each_source(e, [&](entity source, pecs::component_id id) { found.emplace(id, source); });
        require(found == expected, "each_source of " + text(e) + " in all relations");
    }
}

void compare_access(arena& all) {
    const pecs::world& w = all.world();
    const auto check = [&]<class T>() {
        const auto values = w.access<T>();
        for (const auto& [e, t] : all.now.things) {
            const T* const there = values.try_get(e);
            require((there != nullptr) == t.holds<T>(), "access: whether there is one of " + text(e));
            require(there == nullptr || values[e].number() == t.numbers[part<T>],
                    "access: another value of " + text(e));
        }
        if (!all.now.gone.empty() && !w.alive(all.now.gone.back()))
            require(values.try_get(all.now.gone.back()) == nullptr, "access: a value of a dead entity");
    };
    each_type(list<Position, Name, Heat, Stable, Owner, Follows>{}, check);
}

void compare_sorted(arena& all) {
    int last = -1;
    std::size_t count = 0;
    all.world().query<const Position>().each_sorted(
        [](const Position& p) { return p.number(); },
        [&](entity e, const Position& p) {
            require(p.number() == all.now.things.at(e).numbers[part<Position>], "each_sorted: another value");
            require(p.number() >= last, "each_sorted: not sorted");
            last = p.number();
            ++count;
        });
    require(count == all.world().query<const Position>().count(), "each_sorted: another number");
    const bool single = stage::outcome([&] { (void)all.world().query<const Position>().single(); }) == fine;
    require(single == (count == 1), "single");
    entity before;
    all.world().query<const Heat>().each_sorted(
        [](entity e, const Heat&) { return e; },
        [&](entity e, const Heat& heat) {
            require(!before || before < e, "each_sorted: not sorted");
            require(heat.number() == all.now.things.at(e).numbers[part<Heat>], "each_sorted: another value");
            before = e;
        });
}

template <class T> void compare_resource(arena& all, std::size_t which) {
    const pecs::world& w = all.world();
    const std::optional<int>& now = all.now.resources[which];
    const T* const there = w.try_resource<T>();
    require((there != nullptr) == now.has_value() && w.has_resource<T>() == now.has_value(),
            "whether there is a resource");
    if (!there) return;
    require(there->number() == *now && &w.resource<T>() == there, "another value of a resource");
    require(there == all.kept_at[which], "a resource has moved");
}

void compare_resources(arena& all) {
    compare_resource<Clock>(all, 0);
    compare_resource<Seat>(all, 1);
    std::size_t visited = 0;
    all.world().query<const Position, pecs::optional<pecs::res<const Clock>>>().each(
        [&](const Position&, const Clock* clock) {
            ++visited;
            require((clock != nullptr) == all.now.resources[0].has_value(), "a resource in a query");
        });
    const problems wrong = stage::outcome([&] {
        std::size_t again = 0;
        all.world().query<const Position, pecs::res<const Seat>>().each(
            [&](const Position&, const Seat& seat) {
                again += seat.number() == all.now.resources[1] ? 1 : 0;
            });
        require(again == visited, "a resource in a query has another value");
    });
    require(wrong == (all.now.resources[1] ? fine : missing_resource), "a resource in a query is missing");
}

// No change may be missed; more may be found, as whole families count.
void compare_ticks(arena& all) {
    if (!all.seen) return;
    each_type(tracked_parts{}, [&]<class T>() {
        const auto check = [&](const auto& query, bool added) {
            const std::string name = std::string{added ? "added<" : "changed<"} + part_names[part<T>] + ">: ";
            std::set<entity> found;
            query.each([&](entity e) { require(found.insert(e).second, name + text(e) + " comes twice"); });
            require(query.count() == found.size() && query.empty() == found.empty(), name + "count");
            for (const auto& [e, t] : all.now.things) {
                const bool there = t.visible() && t.shows<T>();
                const bool noted = ((added ? t.fresh : t.touched) & mask<T>) != 0;
                require(there || !found.contains(e), name + text(e) + " is found and should not be");
                require(!there || !noted || found.contains(e), name + text(e) + " is missed");
                require(query.contains(e) == found.contains(e), name + "contains " + text(e));
            }
        };
        check(all.world().query<>().template changed<T>(*all.seen), false);
        check(all.world().query<>().template added<T>(*all.seen), true);
        check(all.world().query<>().template parents_first<Child>().template changed<T>(*all.seen), false);
    });
}

} // namespace

bool dynamic::fits(const model& now, entity e, const thing& t) const {
    if ((t.has & with) != with || (t.has & without) != 0) return false;
    if (any && (t.has & *any) == 0) return false;
    if (!disabled_too && (t.off || (t.off_parts & with) != 0)) return false;
    if (t.holds<pecs::prefab>() && (named() & mask<pecs::prefab>) == 0) return false;
    if (exact && ((t.has & ~named()) != 0 || !t.plain())) return false;
    const auto has_edges = [&](std::size_t r) {
        return std::ranges::any_of(now.edge_sets[r], [&](const auto& each) { return each.first.first == e; });
    };
    if (edges_none && has_edges(*edges_none)) return false;
    for (const auto& [r, target] : edges_of)
        if (target ? !now.has_edge(r, e, target) : !has_edges(r)) return false;
    return std::ranges::all_of(
        of, [&](const auto& each) { return each.second && t.targets[each.first] == each.second; });
}

void compare_asked(arena& all) {
    for (const dynamic& asked : all.asked) {
        std::set<entity> found;
        asked.query.each([&](const pecs::family_view& some) {
            const std::span<const entity> list = some.entities();
            require(list.size() == some.size() && !list.empty(), "a query by id: an empty family");
            const std::span<const Position> positions = some.values<const Position>();
            for (std::size_t i = 0; i != list.size(); ++i) {
                const entity e = list[i];
                require(found.insert(e).second, "a query by id finds " + text(e) + " twice");
                require(all.now.alive(e), "a query by id finds the dead " + text(e));
                const thing& t = all.now.things.at(e);
                constexpr unsigned sparse = mask<Heat, Stable, Mark>;
                for (std::size_t which = 0; which != parts::size; ++which)
                    if (((asked.named() | ~sparse) >> which & 1U) != 0)
                        require(some.has(id_in(parts{}, which)) == ((t.has >> which & 1U) != 0),
                                std::string{"a query by id: "} + part_names[which] + " of " + text(e));
                for (std::size_t r = 0; r != links::size; ++r)
                    require(some.target(id_in(links{}, r)) == t.targets[r],
                            "a query by id: the target of " + text(e));
                require(positions.empty() != t.holds<Position>() &&
                            (positions.empty() || positions[i].number() == t.numbers[part<Position>]),
                        "a query by id: Position of " + text(e));
            }
        });
        std::size_t expected = 0;
        for (const auto& [e, t] : all.now.things) {
            const bool wanted = asked.fits(all.now, e, t);
            expected += wanted ? 1 : 0;
            require(found.contains(e) == wanted,
                    std::string{"a query by id "} + (wanted ? "does not find " : "finds ") + text(e));
            require(asked.query.contains(e) == wanted, "a query by id contains " + text(e));
        }
        require(found.size() == expected && asked.query.count() == expected &&
                    asked.query.empty() == (expected == 0),
                "a query by id counts otherwise");
        const entity first = asked.query.first();
        require(expected == 0 ? !first : found.contains(first), "a query by id has another first entity");
    }
}

void compare_more(arena& all, std::size_t number) {
    switch (number) {
    case 0: return compare_tree(all);
    case 1: return compare_all_places(all);
    case 2: return compare_paths(all);
    case 3: return compare_sources(all);
    case 4: return compare_access(all);
    case 5: return compare_sorted(all);
    case 6: return compare_resources(all);
    case 7: return compare_ticks(all);
    default: return compare_asked(all);
    }
}

} // namespace fuzz
