#include "operations.hpp"

import pecs;

namespace fuzz {
namespace {

/// All of a copy is new; its place counts only under a copy of the parent.
void renew(thing& t, entity parent) {
    t.touched = t.fresh = t.has;
    t.rank.parent = parent == t.rank.parent ? entity{} : parent;
}

/// Copies in the model; `made` has the copies of `originals`, in their order. Targets among the originals lead to copies.
void copy(model& now, const entities& originals, const entities& made) {
    std::map<entity, entity> copies;
    for (std::size_t i = 0; i != originals.size(); ++i) copies[originals[i]] = made[i];
    const auto mapped = [&](entity e) { return copies.contains(e) ? copies[e] : e; };
    for (std::size_t i = 0; i != originals.size(); ++i) {
        thing t = now.things.at(originals[i]);
        for (entity& target : t.targets) target = mapped(target);
        renew(t, mapped(t.rank.parent));
        now.things[made[i]] = t;
    }
    for (std::size_t r = 0; r != edges::size; ++r) {
        const auto old = now.edge_sets[r];
        for (const auto& [ends, data] : old)
            if (copies.contains(ends.first))
                now.link_edge(r, copies[ends.first], mapped(ends.second), data, false);
    }
}

/// What decides in which archetype an entity is, but for the tag of prefabs.
unsigned kind_of(const pecs::world& world, entity e) {
    unsigned found = 0;
    each_type(list<Position, Name, Frozen, Child, Owner, Guard, Follows>{}, [&]<class T>() {
        if (world.has<T>(e)) found |= mask<T>;
    });
    if (world.has<pecs::name>(e)) found |= 1U << parts::size;
    if (world.has<pecs::sibling_rank<Child>>(e)) found |= 2U << parts::size;
    return found;
}

/// Finds which copy belongs to which original, level by level: those of one archetype come in the order of their
/// originals.
entities match_copies(stage& on, const entities& originals, entity root) {
    const pecs::world& world = on.here().world();
    std::map<entity, entity> copies{{originals[0], root}};
    for (const entity original : originals) {
        std::map<unsigned, entities> from;
        std::map<unsigned, entities> to;
        for (const entity e : world.children<Child>(original))
            if (on.here().now.alive(e))
                from[kind_of(world, e)].push_back(e); // a copy may be put below an original
        for (const entity e : world.children<Child>(copies[original])) to[kind_of(world, e)].push_back(e);
        for (const auto& [kind, some] : from) {
            if (to[kind].size() != some.size()) throw mismatch{"a copy has another number of children"};
            for (std::size_t i = 0; i != some.size(); ++i) copies[some[i]] = to[kind][i];
        }
    }
    entities made;
    for (const entity e : originals) made.push_back(copies.at(e));
    return made;
}

/// Whether some below the root are prefabs and others are not: then nobody can tell the copies apart.
bool mixed(const model& now, const entities& originals) {
    for (std::size_t i = 2; i < originals.size(); ++i)
        if (now.things.at(originals[i]).holds<pecs::prefab>() !=
            now.things.at(originals[1]).holds<pecs::prefab>())
            return true;
    return false;
}

} // namespace

void clone(stage& on) {
    if (!on.room(1)) return despawn(on);
    const entity e = on.pick();
    arena& all = on.here();
    entity made;
    if (!on.attempt("clone " + text(e), all.now.with(e), [&] { made = all.world().clone(e); })) return;
    on.say("    made " + text(made));
    // A single copy keeps all targets, also if it is its own.
    thing t = all.now.things.at(e);
    renew(t, t.rank.parent);
    all.now.things[made] = t;
    for (std::size_t r = 0; r != edges::size; ++r) {
        const auto old = all.now.edge_sets[r];
        for (const auto& [ends, data] : old)
            if (ends.first == e) all.now.link_edge(r, made, ends.second, data, false);
    }
}

void clone_subtree(stage& on) {
    const entity root = on.pick();
    const unsigned how = on.in.byte();
    arena& all = on.here();
    const std::size_t count = how % 3;
    const entities originals = all.now.alive(root) ? all.now.tree(link<Child>, root) : entities{};
    if (!on.room(count * originals.size())) return despawn(on);
    const bool same_parent = how < 128;
    const entity parent = same_parent ? all.world().target<Child>(root) : on.pick();
    problems wrong = all.now.with(root);
    if (parent) wrong |= all.now.target(parent);
    entities roots;
    if (!on.attempt("clone_subtree " + text(root) + " under " + text(parent) + ", " + std::to_string(count) +
                        " times",
                    wrong, [&] {
                        if (count == 1 && same_parent) {
                            roots.push_back(all.world().clone_subtree<Child>(root));
                        } else if (count == 1) {
                            roots.push_back(all.world().clone_subtree<Child>(root, parent));
                        } else {
                            for (const entity e : all.world().clone_subtree<Child>(root, parent, count))
                                roots.push_back(e);
                        }
                    }))
        return;
    on.say("    made " + text(roots));
    if (roots.size() != count) throw mismatch{"another number of copies"};
    std::vector<entities> made;
    for (const entity each : roots) made.push_back(match_copies(on, originals, each));
    for (std::size_t k = 0; k != count; ++k) {
        copy(all.now, originals, made[k]);
        thing& t = all.now.things.at(roots[k]);
        if (parent)
            t.relate(link<Child>, parent, {});
        else
            t.drop(part<Child>);
    }
}

void make_prefab(stage& on) {
    const entity root = on.pick();
    arena& all = on.here();
    if (on.attempt("make_prefab " + text(root), all.now.with(root),
                   [&] { all.world().make_prefab<Child>(root); }))
        for (const entity e : all.now.tree(link<Child>, root)) all.now.add(e, mask<pecs::prefab>, 0);
}

void spawn_from(stage& on) {
    const entity root = on.pick();
    const unsigned how = on.in.byte();
    const entity other = on.pick();
    const int n = on.number();
    arena& all = on.here();
    const entities originals = all.now.alive(root) ? all.now.tree(link<Child>, root) : entities{};
    const std::size_t kind = how % 5;
    const std::size_t count = kind == 4 ? 2 : 1;
    if (!on.room(count * originals.size())) return despawn(on);
    if (mixed(all.now, originals)) return make_prefab(on);
    problems wrong = all.now.with(root);
    if (kind >= 2) wrong |= all.now.target(other);
    entities roots;
    static constexpr std::array names{"", " Position Heat", " to<Child>(x) Name",
                                      " to<Owner>(x, n) to<Likes>(x, n)", " to<Child>(x), twice"};
    if (!on.attempt(
            "spawn_from " + text(root) + names[kind] + " x=" + text(other) + " n=" + std::to_string(n), wrong,
            [&] {
                pecs::world& w = all.world();
                switch (kind) {
                case 0: roots.push_back(w.spawn_from<Child>(root)); break;
                case 1: roots.push_back(w.spawn_from<Child>(root, Position::of(n), Heat::of(n))); break;
                case 2:
                    roots.push_back(w.spawn_from<Child>(root, pecs::to<Child>(other), Name::of(n)));
                    break;
                case 3:
                    roots.push_back(w.spawn_from<Child>(root, pecs::to<Owner>(other, Owner::of(n)),
                                                        pecs::to<Likes>(other, Likes::of(n))));
                    break;
                default:
                    for (const entity e : w.spawn_from_batch<Child>(root, count, pecs::to<Child>(other)))
                        roots.push_back(e);
                }
            }))
        return;
    on.say("    made " + text(roots));
    std::vector<entities> made;
    for (const entity each : roots) made.push_back(match_copies(on, originals, each));
    for (std::size_t k = 0; k != roots.size(); ++k) {
        if (kind == 3)
            all.now.link_edge(edge<Likes>, roots[k], other, n, true); // an edge that is given comes first
        copy(all.now, originals, made[k]);
        for (const entity e : made[k]) all.now.things.at(e).drop(part<pecs::prefab>);
        thing& t = all.now.things.at(roots[k]);
        t.drop(part<Child>);
        const auto anew = [&](std::size_t which) {
            t.drop(which);
            t.give(which, n);
        };
        if (kind == 1) anew(part<Position>), anew(part<Heat>);
        if (kind == 2) anew(part<Name>);
        if (kind == 2 || kind == 4) t.relate(link<Child>, other, {});
        if (kind == 3) anew(part<Owner>), t.targets[link<Owner>] = other;
    }
}

} // namespace fuzz
