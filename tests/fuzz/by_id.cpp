// The verbs by component id: they must do what the typed ones do.
#include "operations.hpp"

import pecs;

namespace fuzz {
namespace {

using pecs::component_id;

constexpr component_id unknown{60000};

component_id part_id(std::size_t which) { return id_in(parts{}, which); }
component_id edge_id(std::size_t which) { return id_in(edges{}, which); }

template <class T> T made(int n) {
    if constexpr (std::is_same_v<T, pecs::prefab>)
        return {};
    else
        return T::of(n);
}

void id_relate_link(stage& on, entity e, entity target, std::size_t r, unsigned how) {
    arena& all = on.here();
    auto verbs = all.world().by_id();
    const component_id id = part_id(first_link + r);
    const std::string name = std::string{part_names[first_link + r]} + " " + text(e);
    if (how < 160) {
        if (on.attempt("relate by id " + name + " to " + text(target), all.now.relate({e}, r, target),
                       [&] { verbs.relate(e, id, target); }))
            all.now.things.at(e).relate(r, target, {});
    } else if (how < 208) {
        if (on.attempt("unrelate by id " + name, all.now.change(e, 0, 1U << (first_link + r)),
                       [&] { verbs.unrelate(e, id); }))
            all.now.things.at(e).drop(first_link + r);
    } else {
        const problems wrong = !all.now.alive(e)                                     ? dead_entity
                               : target && all.now.things.at(e).targets[r] == target ? fine
                                                                                     : missing_component;
        if (on.attempt("unrelate by id " + name + " from " + text(target), wrong,
                       [&] { verbs.unrelate(e, id, target); }))
            all.now.things.at(e).drop(first_link + r);
    }
}

void id_relate_edge(stage& on, entity e, entity target, std::size_t r, unsigned how) {
    arena& all = on.here();
    auto verbs = all.world().by_id();
    const component_id id = edge_id(r);
    const std::string name = std::string{edge_names[r]} + " " + text(e);
    if (how < 160) {
        if (on.attempt("relate by id " + name + " to " + text(target), all.now.add_edges({e}, r, target),
                       [&] { verbs.relate(e, id, target); }))
            all.now.link_edge(r, e, target, 0, false);
    } else if (how < 192) {
        if (on.attempt("unrelate by id " + name, all.now.cut_edges({e}, r, {}),
                       [&] { verbs.unrelate(e, id); }))
            all.now.cut_all_edges(r, e);
    } else {
        const auto first = all.now.edge_sets[r].lower_bound({e, {}}); // there mostly
        const entity from = how < 240 && first != all.now.edge_sets[r].end() ? first->first.second : target;
        const problems wrong = from               ? all.now.cut_edges({e}, r, from)
                               : all.now.alive(e) ? missing_component
                                                  : dead_entity;
        if (on.attempt("unrelate by id " + name + " from " + text(from), wrong,
                       [&] { verbs.unrelate(e, id, from); }))
            all.now.cut_edge(r, e, from);
    }
}

void id_relate_some(stage& on, entity target, std::size_t r, unsigned how) {
    arena& all = on.here();
    auto verbs = all.world().by_id();
    const entities some = on.pick_some(8);
    const bool one = r < links::size;
    const component_id id = one ? part_id(first_link + r) : edge_id(r - links::size);
    const std::string tail = std::string{"_batch by id "} +
                             (one ? part_names[first_link + r] : edge_names[r - links::size]) + " " +
                             text(some);
    if (how % 4 != 0) {
        if (on.attempt("relate" + tail + " to " + text(target),
                       one ? all.now.relate(some, r, target)
                           : all.now.add_edges(some, r - links::size, target),
                       [&] { verbs.relate_batch(some, id, target); }))
            for (const entity e : some) {
                if (one)
                    all.now.things.at(e).relate(r, target, {});
                else
                    all.now.link_edge(r - links::size, e, target, 0, false);
            }
    } else if (on.attempt("unrelate" + tail,
                          one ? all.now.change_all(some, 0, 1U << (first_link + r))
                              : all.now.cut_edges(some, r - links::size, {}),
                          [&] { verbs.unrelate_batch(some, id); })) {
        for (const entity e : some) {
            if (one)
                all.now.things.at(e).drop(first_link + r);
            else
                all.now.cut_all_edges(r - links::size, e);
        }
    }
}

template <class T> void id_change_some(stage& on, unsigned how, int n) {
    arena& all = on.here();
    auto verbs = all.world().by_id();
    const entities some = on.pick_some(8);
    const component_id id = pecs::id_of<T>();
    const problems no_target = part<T> >= first_link ? unsupported : fine; // it needs one
    const auto has = [&](entity e) { return all.now.alive(e) && all.now.things.at(e).template holds<T>(); };
    const std::string tail = std::string{"_batch by id "} + part_names[part<T>] + " " + text(some);
    const T value = made<T>(n);
    switch (how % 4) {
    case 0:
        if (on.attempt("add" + tail, all.now.change_all(some, mask<T>, 0) | no_target,
                       [&] { verbs.add_batch(some, id); }))
            for (const entity e : some) all.now.add(e, mask<T>, 0);
        return;
    case 1: {
        const problems wrong =
            all.now.with_list(some) | (std::ranges::all_of(some, has) ? problems{fine} : no_target);
        if (on.attempt("set" + tail + " n=" + std::to_string(n), wrong,
                       [&] { verbs.set_batch(some, id, &value); }))
            for (const entity e : some)
                if (!has(e) || !std::is_empty_v<T>) all.now.add(e, mask<T>, n);
        return;
    }
    case 2:
        if (on.attempt("remove" + tail, all.now.change_all(some, 0, mask<T>),
                       [&] { verbs.remove_batch(some, id); }))
            for (const entity e : some) all.now.things.at(e).drop(part<T>);
        return;
    default:
        if (on.attempt("disable" + tail, all.now.change_all(some, 0, mask<T>),
                       [&] { verbs.disable_batch(some, id); }))
            for (const entity e : some) all.now.things.at(e).off_parts |= mask<T>;
    }
}

template <class T> void compare_part(pecs::by_id_verbs& verbs, entity e, const thing& t) {
    const component_id id = pecs::id_of<T>();
    const std::string name = std::string{"by id: "} + part_names[part<T>] + " of " + text(e);
    require(verbs.has(e, id) == t.holds<T>(), name + ": has");
    require(verbs.enabled(e, id) == t.shows<T>(), name + ": enabled");
    const void* const value = verbs.try_get(e, id);
    require((value != nullptr) == (t.holds<T>() && !std::is_empty_v<T>), name + ": try_get");
    if constexpr (!std::is_empty_v<T>)
        require(value == nullptr || static_cast<const T*>(value)->number() == t.numbers[part<T>],
                name + ": another value");
}

template <class R> void compare_edges(pecs::by_id_verbs& verbs, const model& now, entity e) {
    const component_id id = pecs::id_of<R>();
    const std::string name = std::string{"by id: "} + edge_names[edge<R>] + " of " + text(e);
    const auto& expected = now.edge_sets[edge<R>];
    std::set<entity> targets;
    std::set<entity> sources;
    for (const auto& [ends, data] : expected) {
        if (ends.first == e) targets.insert(ends.second);
        if (ends.second == e) sources.insert(ends.first);
    }
    const auto same = [](std::span<const entity> some, const std::set<entity>& wanted) {
        return some.size() == wanted.size() && std::set<entity>{some.begin(), some.end()} == wanted;
    };
    require(same(verbs.targets(e, id), targets), name + ": targets");
    require(same(verbs.sources(e, id), sources), name + ": sources");
    require(verbs.has(e, id) == !targets.empty() && !verbs.target(e, id), name + ": has");
    for (const entity target : targets) {
        require(verbs.has(e, id, target), name + ": has with a target");
        const void* const value = verbs.try_get(e, id, target);
        require((value != nullptr) != std::is_empty_v<R>, name + ": try_get");
        if constexpr (!std::is_empty_v<R>)
            require(static_cast<const R*>(value)->number() == expected.at({e, target}),
                    name + ": another value");
    }
}

} // namespace

void id_spawn(stage& on) {
    if (!on.room(1)) return despawn(on);
    const unsigned chosen = on.in.byte();
    const unsigned which = (chosen & (mask<pecs::prefab> - 1)) | (chosen >= 240 ? mask<pecs::prefab> : 0);
    std::vector<component_id> ids;
    for (std::size_t i = 0; i != first_link; ++i)
        if ((which >> i & 1U) != 0) ids.push_back(part_id(i));
    if (chosen % 5 == 0 && !ids.empty()) ids.push_back(ids[0]); // counts once
    arena& all = on.here();
    std::vector<pecs::relation_link> given;
    std::array<entity, links::size> targets{};
    std::vector<std::pair<std::size_t, entity>> edges_given;
    problems wrong = fine;
    std::string words = "spawn by id " + text_of_parts(which);
    for (std::size_t i = on.in.below(4); i != 0; --i) {
        const std::size_t r = on.in.below(links::size + edges::size);
        const entity target = on.pick();
        if (r < links::size &&
            std::ranges::any_of(
                given,
                [&](const pecs::relation_link& each) { return each.relation == part_id(first_link + r); }))
            continue;
        wrong |= all.now.target(target);
        if (r < links::size) {
            given.push_back({part_id(first_link + r), target});
            targets[r] = target;
            words += std::string{" "} + part_names[first_link + r] + " to " + text(target);
        } else {
            given.push_back({edge_id(r - links::size), target});
            edges_given.emplace_back(r - links::size, target);
            words += std::string{" "} + edge_names[r - links::size] + " to " + text(target);
        }
    }
    entity fresh;
    if (!on.attempt(words, wrong, [&] { fresh = all.world().by_id().spawn(ids, given); })) return;
    on.say("    made " + text(fresh));
    require(!all.now.alive(fresh), "the new handle is in use");
    thing& t = all.now.things[fresh];
    t.give_all(which, 0);
    for (std::size_t r = 0; r != links::size; ++r)
        if (targets[r]) t.relate(r, targets[r], {});
    for (const auto& [r, target] : edges_given) all.now.link_edge(r, fresh, target, 0, false);
}

void id_change(stage& on) {
    const entity e = on.pick();
    const std::size_t which = on.in.below(parts::size);
    const unsigned how = on.in.byte();
    const int n = on.number();
    arena& all = on.here();
    auto verbs = all.world().by_id();
    with_type(parts{}, which, [&]<class T>() {
        if (how >= 224) return id_change_some<T>(on, how, n);
        constexpr bool is_link = part<T> >= first_link;
        constexpr bool is_empty = std::is_empty_v<T>;
        const component_id id = pecs::id_of<T>();
        const std::string tail = std::string{" by id "} + part_names[part<T>] + " " + text(e);
        const problems no_target = is_link ? unsupported : fine; // it needs one
        const bool there = all.now.alive(e) && all.now.things.at(e).holds<T>();
        switch (how % 7) {
        case 0:
            if (on.attempt("add" + tail, all.now.change(e, mask<T>, 0) | no_target,
                           [&] { verbs.add(e, id); }))
                all.now.add(e, mask<T>, 0);
            return;
        case 1: {
            const T value = made<T>(n);
            if (on.attempt("add" + tail + " n=" + std::to_string(n),
                           all.now.change(e, mask<T>, 0) | no_target, [&] { verbs.add(e, id, &value); }))
                all.now.add(e, mask<T>, n);
            return;
        }
        case 2: {
            const T value = made<T>(n);
            if (on.attempt("set" + tail + " n=" + std::to_string(n),
                           all.now.with(e) | (there ? fine : no_target), [&] { verbs.set(e, id, &value); }) &&
                (!there || !is_empty)) // a tag that is there does not change
                all.now.add(e, mask<T>, n);
            return;
        }
        case 3:
            if (on.attempt("remove" + tail, all.now.change(e, 0, mask<T>), [&] { verbs.remove(e, id); }))
                all.now.things.at(e).drop(part<T>);
            return;
        case 4: {
            const void* value = nullptr;
            const problems wrong = all.now.change(e, 0, mask<T>);
            if (!on.attempt("get" + tail, wrong == fine && is_empty ? problems{unsupported} : wrong,
                            [&] { value = verbs.get(e, id); }))
                return;
            if constexpr (!is_empty)
                require(static_cast<const T*>(value)->number() == all.now.things.at(e).numbers[part<T>],
                        "get by id: another value");
            return;
        }
        default: {
            const bool off = how % 2 == 0;
            if (!on.attempt((off ? "disable" : "enable") + tail, all.now.change(e, 0, mask<T>),
                            [&] { off ? verbs.disable(e, id) : verbs.enable(e, id); }))
                return;
            unsigned& parts_off = all.now.things.at(e).off_parts;
            parts_off = off ? parts_off | mask<T> : parts_off & ~mask<T>;
        }
        }
    });
}

void id_write(stage& on) {
    const entity e = on.pick();
    const int n = on.number();
    arena& all = on.here();
    const auto go = [&]<class T>(auto assign) {
        if (!on.attempt(std::string{"write by id "} + part_names[part<T>] + " " + text(e) +
                            " n=" + std::to_string(n),
                        all.now.change(e, 0, mask<T>),
                        [&] { assign(*static_cast<T*>(all.world().by_id().get(e, pecs::id_of<T>()))); }))
            return;
        all.now.things.at(e).write(part<T>, n);
        if (all.told) all.told->wrote(e, part<T>, n);
    };
    switch (on.in.below(4)) {
    case 0: return go.operator()<Position>([&](Position& v) { v = Position::of(n); });
    case 1: return go.operator()<Name>([&](Name& v) { v = Name::of(n); });
    case 2: return go.operator()<Stable>([&](Stable& v) { v = Stable::of(n); });
    default: return go.operator()<Owner>([&](Owner& v) { v.since = n; });
    }
}

void id_relate(stage& on) {
    const entity e = on.pick();
    const entity target = on.pick();
    const unsigned how = on.in.byte();
    const std::size_t r = how % (links::size + edges::size);
    if (how >= 240) return id_relate_some(on, target, r, how);
    r < links::size ? id_relate_link(on, e, target, r, how)
                    : id_relate_edge(on, e, target, r - links::size, how);
}

// What can be asked by id, and what must be refused.
void id_ask(stage& on) {
    const entity e = on.pick();
    const entity other = on.pick();
    arena& all = on.here();
    auto verbs = all.world().by_id();
    on.say("ask by id about " + text(e));
    static const thing nothing{};
    const thing& t = all.now.alive(e) ? all.now.things.at(e) : nothing;
    each_type(parts{}, [&]<class T>() { compare_part<T>(verbs, e, t); });
    each_type(links{}, [&]<class R>() {
        const component_id id = pecs::id_of<R>();
        const entity target = t.targets[link<R>];
        require(verbs.target(e, id) == target, "by id: the target of " + text(e));
        require(verbs.has(e, id, other) == (other && target == other), "by id: has with a target");
        require(verbs.targets(e, id).empty() && verbs.sources(e, id).empty(), "by id: targets, of one");
    });
    each_type(edges{}, [&]<class R>() { compare_edges<R>(verbs, all.now, e); });
    require(!verbs.has(e, unknown) && !verbs.enabled(e, unknown) && verbs.try_get(e, unknown) == nullptr,
            "by id: an unknown component is there");
    const problems dead = all.now.with(e);
    const component_id position = pecs::id_of<Position>();
    on.attempt("add by id what is unknown", unknown_component | dead, [&] { verbs.add(e, unknown); });
    on.attempt("remove by id what is unknown", unknown_component | dead, [&] { verbs.remove(e, unknown); });
    on.attempt("relate by id with no relation", unsupported | dead, [&] { verbs.relate(e, position, e); });
    on.attempt("remove by id with many targets", unsupported | dead, [&] { verbs.remove(e, edge_id(0)); });
    on.attempt("get by id Likes " + text(e) + " " + text(other),
               dead != fine                              ? dead
               : all.now.has_edge(edge<Likes>, e, other) ? problems{fine}
                                                         : problems{missing_component},
               [&] { (void)verbs.get(e, pecs::id_of<Likes>(), other); });
}

} // namespace fuzz
