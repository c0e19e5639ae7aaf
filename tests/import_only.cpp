import pecs;

// This file includes nothing: everything a user's file needs comes with the import, and no macro does.
#if defined(BOOST_VERSION) || defined(NULL) || defined(assert) || defined(INT_MAX) || \
    defined(ANKERL_NANOBENCH_H_INCLUDED)
#error "a macro leaked through import pecs"
#endif

struct Position {
    float x, y;
};
struct Frozen {};
struct Velocity {
    float dx = 0, dy = 0;
};

struct Health {
    int points = 100;
};

struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Orbits {
    static constexpr pecs::relation_rules rules{};
    float radius = 1;
};
struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
    int years = 1;
};
struct DependsOn {
    static constexpr pecs::relation_rules rules{
        .on_target_death = pecs::target_death::cascade, .acyclic = true, .many = true};
};

// The words that every layer speaks.
int core() {
    auto mask = pecs::component_mask::of<Position, Frozen>();
    mask.reset(pecs::id_of<Frozen>());
    if (mask.count() != 1) return 1;
    unsigned visited = 0;
    mask.each([&](pecs::component_id id) { visited += id == pecs::id_of<Position>() ? 1U : 100U; });
    if (visited != 1) return 2;
    if (pecs::type_of(pecs::id_of<Position>()).size != sizeof(Position)) return 3;
    try {
        (void)pecs::type_of(pecs::component_id{60000});
        return 4;
    } catch (const pecs::error& e) {
        if (e.what() == nullptr) return 5;
    }
    return pecs::null ? 6 : 0;
}

// The components of one entity.
int single() {
    pecs::world world;
    const pecs::entity e = world.spawn(Position{1, 2}, Frozen{});
    if (!world.alive(e) || world.size() != 1 || world.get<Position>(e).y != 2) return 11;
    world.add(e, Health{50});
    world.add<double>(e);
    if (!world.has<Health, Frozen, double>(e) || world.get<Health>(e).points != 50) return 12;
    world.remove<Frozen, double>(e);
    world.exchange<Position>(e, Frozen{});
    world.set(e, Health{60}, Position{3, 4});
    if (world.try_get<Health>(e)->points != 60 || world.try_get<double>(e) != nullptr) return 13;
    const auto positions = world.access<Position>();
    if (positions[e].x != 3) return 14;
    try {
        world.add(e, Health{});
        return 15;
    } catch (const pecs::duplicate_component& error) {
        if (error.which() != e || error.component() != pecs::id_of<Health>()) return 16;
    }
    world.despawn(e);
    return world.empty() ? 0 : 17;
}

// Many entities.
int batch() {
    pecs::world world;
    const auto plain = world.spawn_batch(10, Position{1, 2});
    if (plain.size() != 10) return 21;
    world.add_batch(plain, Health{1}, Frozen{});
    unsigned calls = 0;
    const auto fresh = world.spawn_batch<Health, Frozen>(5, [&](pecs::entity e, Health& health) {
        health.points = static_cast<int>(e.index());
        ++calls;
    });
    if (calls != 5 || world.get<Health>(fresh[4]).points != 14) return 22;
    world.set_batch(fresh, Health{7}, Position{});
    unsigned seen = 0;
    world.each_entity([&](pecs::entity e) { seen += world.has<Position, Health, Frozen>(e) ? 1 : 0; });
    if (seen != 15) return 23;
    pecs::entity list[2];
    unsigned listed = 0;
    world.each_entity([&](pecs::entity e) {
        if (listed != 2) list[listed++] = e;
    });
    world.exchange_batch<Frozen>(list, 1.5);
    world.remove_batch<double>(list);
    world.despawn_batch(list);
    if (world.size() != 13) return 24;
    world.clear();
    return world.spawn_batch<Position>(3).size() == 3 ? 0 : 25;
}

// Component types that are known only at run time.
int by_id() {
    pecs::world world;
    const pecs::component_id id =
        pecs::register_component({.name = "script.Number", .size = 4, .alignment = 4});
    const pecs::entity e = world.spawn();
    const int value = 42;
    world.by_id().add(e, id, &value);
    if (!world.by_id().has(e, id) || *static_cast<int*>(world.by_id().get(e, id)) != 42) return 31;
    world.by_id().remove(e, id);
    const pecs::component_id ids[] = {id, pecs::id_of<Health>()};
    return world.get<Health>(world.by_id().spawn(ids)).points == 100 ? 0 : 32;
}

// Queries, in every form.
int queries() {
    pecs::world world;
    (void)world.spawn_batch(10, Position{1, 2}, Health{3});
    const pecs::entity frozen = world.spawn(Position{5, 6}, Frozen{});
    float sum = 0;
    world.query<const Position>().each([&](const Position& p) { sum += p.x; });
    world.query<Position>().each(pecs::independent, [](pecs::entity, Position& p) { p.x += 1; });
    for (auto [p] : world.query<const Position, pecs::without<Frozen>>()) sum += p.x;
    for (auto [entities, positions] : world.query<const Position, pecs::with<Frozen>>().columns())
        for (const Position& p : positions) sum += p.x + static_cast<float>(entities.size());
    if (sum != 15 + 20 + 7) return 51;
    const auto query = world.query<pecs::entity, Position, pecs::optional<const Health>>();
    if (query.count() != 11 || query.empty() || !query.contains(frozen) || query.get(frozen).b.x != 6)
        return 52;
    if (!query.first() || world.query<const Position, Frozen>().single().a.y != 6) return 53;
    int last = -1;
    world.query<const Health>().each_sorted(
        [](pecs::entity e, const Health&) { return -static_cast<int>(e.index()); },
        [&](pecs::entity e, const Health&) { last = static_cast<int>(e.index()); });
    if (last != 0) return 54;
    unsigned found = 0;
    auto dynamic = world.by_id().query();
    dynamic.with(pecs::id_of<Position>()).any_of({pecs::id_of<Health>(), pecs::id_of<Frozen>()});
    dynamic.each(
        [&](const pecs::family_view& family) { found += family.values<const Position>().size() != 0; });
    if (found != 2 || dynamic.count() != 11) return 55;
    world.add_batch(world.query<Position>(), 2.5);
    world.set_batch(world.query<Health>(), Health{9});
    world.despawn_batch(world.query<Health>());
    return world.size() == 1 ? 0 : 56;
}

// Relations, in every form.
int relations() {
    pecs::world world;
    const pecs::entity sun = world.spawn();
    const pecs::entity star = world.spawn(Position{1, 2}, pecs::to<ChildOf>(sun));
    const pecs::entity planet = world.spawn(pecs::to<Orbits>(sun, Orbits{3}), pecs::to<ChildOf>(star));
    if (world.target<ChildOf>(planet) != star || !world.has<Orbits>(planet, sun)) return 61;
    world.relate<Orbits>(star, planet, Orbits{4});
    world.relate<Orbits>(star, sun);
    if (world.get<Orbits>(star).radius != 4 || world.source_count<Orbits>(sun) != 2) return 62;
    unsigned found = 0;
    world.query<const Orbits>().of<Orbits>(sun).each(
        [&](pecs::entity, const Orbits& o) { found += o.radius > 0; });
    for (auto [orbit] : world.query<Orbits>().of<Orbits>(sun).of<ChildOf>(pecs::any))
        found += orbit.radius > 0;
    for (auto [target, entities, orbits] : world.query<const Orbits>().families<Orbits>())
        found += target == sun && entities.size() == orbits.size();
    for (auto [target, parent, entities] : world.query<>().families<Orbits, ChildOf>())
        found += target == sun && world.has<ChildOf>(entities[0], parent);
    if (found != 2 + 2 + 2 + 2 || world.query<>().of<Orbits>(pecs::none).count() != 1) return 63;
    unsigned visited = 0;
    {
        const auto orbiting = world.query<const Orbits>().by<Orbits>();
        orbiting.each(sun, [&](const Orbits& o) { visited += o.radius > 0; });
        if (orbiting.count(planet) != 0) return 60;
    }
    world.query<const Orbits>().families<Orbits>().each([&](pecs::entity target, auto entities, auto orbits) {
        visited += target == sun && entities.size() == orbits.size();
    });
    world.query<const Orbits>().columns().each([&](auto, auto orbits) { visited += orbits.size() > 0; });
    if (visited != 2 + 2 + 2) return 59;
    world.each_source<Orbits>(sun, [&](pecs::entity e) { found += world.alive(e); });
    world.each_source(sun,
                      [&](pecs::entity, pecs::component_id id) { found += id == pecs::id_of<Orbits>(); });
    if (found != 8 + 2 + 2) return 64;
    auto dynamic = world.by_id().query();
    dynamic.of(pecs::id_of<ChildOf>(), star);
    dynamic.each(
        [&](const pecs::family_view& family) { found += family.target(pecs::id_of<Orbits>()) == sun; });
    if (found != 13 || world.by_id().target(planet, pecs::id_of<ChildOf>()) != star) return 65;
    try {
        world.relate<ChildOf>(sun, planet);
        return 66;
    } catch (const pecs::relation_cycle& error) {
        if (error.which() != sun) return 67;
    }
    const auto moons = world.spawn_batch(3, Position{}, pecs::to<ChildOf>(planet));
    world.relate_batch<Orbits>(moons, planet);
    world.relate_batch<Orbits>(world.query<>().of<Orbits>(planet), star);
    world.unrelate<Orbits>(planet);
    world.unrelate_batch<Orbits>(world.query<>().of<Orbits>(star));
    if (world.has<Orbits>(planet) || world.query<Orbits>().count() != 1) return 68;
    world.despawn(star);
    return world.size() == 1 && world.validate() ? 0 : 69;
}

/// Holds a handle that follows when entities are copied.
struct Aims {
    pecs::entity at;
    void map_entities(const pecs::entity_map& map) { at = map(at); }
};

// Trees: parents and children, the order of siblings, names and paths, copies.
int hierarchies() {
    pecs::world world;
    const pecs::entity solar = world.spawn(pecs::name{"solar"});
    const pecs::entity earth = world.spawn(pecs::name{"earth"}, pecs::to<pecs::child_of>(solar));
    const pecs::entity moon = world.spawn(pecs::name{"moon"}, Aims{solar}, pecs::to<pecs::child_of>(earth));
    const pecs::entity mars = world.spawn(Position{}, pecs::name{"mars"}, pecs::to<pecs::child_of>(solar));
    unsigned found = 0;
    for (const pecs::entity child : world.children(solar)) found += world.parent(child) == solar;
    for (const pecs::entity above : world.ancestors(moon)) found += above == earth || above == solar;
    for (const pecs::entity below : world.descendants(solar)) found += world.root_of(below) == solar;
    for (const pecs::entity root : world.roots()) found += world.depth(root) == 0;
    if (found != 2 + 2 + 3 + 1 || world.child_count(solar) != 2 || !world.is_ancestor(solar, moon)) return 71;
    world.place_first(mars);
    world.place_last(mars);
    world.place_before(mars, earth);
    world.place_after(earth, mars);
    const pecs::entity order[] = {earth, mars};
    world.place_all(order);
    if (world.ordered_children(solar)[0] != earth || world.ordered_children(solar).size() != 2) return 72;
    if (world.find("solar/earth/moon") != moon || world.find("moon", earth) != moon) return 73;
    if (world.find_child(solar, "mars") != mars || world.find(world.path_of(moon)) != moon) return 74;
    const pecs::name& name = world.get<pecs::name>(moon);
    if (name != "moon" || name == world.get<pecs::name>(mars) || name.view().size() != 4) return 75;
    if (world.can_relate(solar, moon) || !world.can_relate(moon, mars)) return 76;
    world.reparent(moon, mars);
    world.reparent(earth, pecs::null);
    const pecs::entity copy = world.clone_subtree(solar);
    if (world.get<Aims>(world.descendants(copy)[1]).at != copy) return 77;
    const pecs::entity_list many = world.clone_subtree(solar, earth, 3);
    for (const pecs::entity each : many) found += world.parent(each) == earth;
    if (found != 8 + 3 || world.parent(world.clone(moon)) != mars) return 78;
    world.despawn_batch(world.descendants(earth));
    return world.size() == 8 && world.validate() ? 0 : 79;
}

// Relations with many targets, in every form.
int many_targets() {
    pecs::world world;
    const pecs::entity ann = world.spawn();
    const pecs::entity bob =
        world.spawn(Position{1, 2}, pecs::to<Likes>(ann), pecs::to<Knows>(ann, Knows{5}));
    const pecs::entity cy = world.spawn(pecs::to<ChildOf>(bob), pecs::to<DependsOn>(bob));
    world.relate<Likes>(bob, cy);
    world.relate<Knows>(cy, ann, Knows{2});
    if (world.targets<Likes>(bob).size() != 2 || world.sources<Knows>(ann).size() != 2) return 91;
    if (!world.has<Likes>(bob) || !world.has<Knows>(ann, cy) || world.get<Knows>(ann, bob).years != 5)
        return 92;
    if (world.try_get<Knows>(bob, cy) != nullptr || world.target_count<Likes>(ann) != 0) return 93;
    int found = 0;
    for (const pecs::entity e : world.targets<Likes>(bob)) found += world.alive(e) ? 1 : 0;
    world.each_target<Knows>(ann, [&](pecs::entity, Knows& k) { found += k.years; });
    world.each_source<Knows>(ann, [&](pecs::entity, const Knows& k) { found += k.years; });
    world.each_source<Likes>(cy, [&](pecs::entity e) { found += e == bob ? 1 : 0; });
    world.each_edge<Likes>([&](pecs::entity source, pecs::entity) { found += source == bob ? 1 : 0; });
    world.each_edge<Knows>([&](pecs::entity, pecs::entity, Knows& k) { found += k.years; });
    world.each_source(bob, [&](pecs::entity e, pecs::component_id) { found += e == cy ? 1 : 0; });
    if (found != 2 + 7 + 7 + 1 + 2 + 7 + 2) return 94;
    for (auto [e, p] : world.query<pecs::entity, const Position>().of<Likes>(cy))
        found += e == bob && p.y == 2;
    for (auto [e] : world.query<pecs::entity>().of<Knows>(ann).of<ChildOf>(bob)) found += e == cy;
    world.query<>().of<ChildOf>(pecs::any).of<Likes>(pecs::none).each([&](pecs::entity e) {
        found += e == cy;
    });
    for (auto [entities] : world.query<>().of<Likes>(pecs::any).columns()) found += entities[0] == bob;
    const auto known = world.query<pecs::entity>().of<Knows>(ann);
    if (found != 28 + 4 || known.count() != 2 || !known.contains(cy) || known.first() != bob) return 95;
    if (known.get(cy).a != cy || world.query<Position>().of<Knows>(ann).single().a.x != 1) return 96;
    try {
        world.relate<DependsOn>(bob, cy);
        return 97;
    } catch (const pecs::relation_cycle& error) {
        if (error.which() != bob) return 98;
    }
    const pecs::entity both[] = {ann, bob};
    world.relate_batch<Likes>(both, cy);
    world.relate_batch<DependsOn>(world.query<>().of<Likes>(ann), ann);
    world.unrelate_batch<Likes>(both, cy);
    world.unrelate<Likes>(bob, ann);
    (void)world.spawn_batch(3, Position{}, pecs::to<Likes>(ann));
    world.unrelate_batch<Likes>(world.query<Position>().of<Likes>(ann));
    world.add_batch(world.query<>().of<Knows>(ann), Health{});
    auto verbs = world.by_id();
    verbs.relate(ann, pecs::id_of<Likes>(), bob);
    if (verbs.targets(ann, pecs::id_of<Likes>()).size() != 1) return 99;
    verbs.unrelate(ann, pecs::id_of<Likes>(), bob);
    if (world.stats().edges != 4 || !world.validate()) return 100;
    world.despawn(ann);
    return world.size() == 3 && world.stats().edges == 0 && world.validate() ? 0 : 101;
}

/// Can neither be copied nor moved.
struct Pinned {
    explicit Pinned(int n) : number{n} {}
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    int number;
};

// One value per type, and as a term.
int resources() {
    pecs::world world;
    world.emplace_resource<Pinned>(4);
    world.set_resource(Health{7});
    if (world.resource<Pinned>().number != 4 || world.resource<const Health>().points != 7) return 111;
    if (world.try_resource<Position>() != nullptr || !world.has_resource<Health>()) return 112;
    (void)world.spawn_batch(3, Position{1, 1});
    float sum = 0;
    for (auto [p, health] : world.query<const Position, pecs::res<Health>>())
        sum += p.x * static_cast<float>(health.points);
    world.query<pecs::optional<pecs::res<const Pinned>>, const Position>().each(
        [&](const Pinned* pinned, const Position&) { sum += static_cast<float>(pinned->number); });
    for (auto [entities, positions, health] : world.query<Position, pecs::res<Health>>().columns())
        sum += static_cast<float>(entities.size() + positions.size()) + static_cast<float>(health.points);
    if (sum != 21 + 12 + 13) return 113;
    world.remove_resource<Health>();
    try {
        world.query<pecs::res<Health>>().each([](Health&) {});
        return 114;
    } catch (const pecs::missing_resource&) {
    }
    const pecs::world& seen = world;
    return seen.try_resource<Pinned>() != nullptr && seen.resource<Pinned>().number == 4 ? 0 : 115;
}

// Templates, and copies with other values.
int prefabs() {
    pecs::world world;
    const pecs::entity tank = world.spawn(Position{1, 2}, Health{5});
    (void)world.spawn(Aims{tank}, pecs::to<pecs::child_of>(tank));
    world.make_prefab(tank);
    if (world.query<Position>().count() != 0 || world.query<pecs::optional<pecs::prefab>>().count() != 2)
        return 121;
    const pecs::entity copy = world.spawn_from(tank, Health{9}, Frozen{}, pecs::to<Orbits>(tank));
    if (world.get<Aims>(world.descendants(copy)[0]).at != copy || world.get<Health>(copy).points != 9)
        return 122;
    if (world.target<Orbits>(copy) != tank || !world.has<Frozen>(copy)) return 123;
    const pecs::entity_list many = world.spawn_from_batch(tank, 3, Health{1}, pecs::to<pecs::child_of>(copy));
    if (many.size() != 3 || world.parent(many[2]) != copy) return 124;
    return world.spawn_from<ChildOf>(tank) && world.validate() ? 0 : 125;
}

// Changes that are recorded first.
int recorded() {
    pecs::world world;
    const pecs::entity root = world.spawn(Position{1, 2});
    pecs::commands later = world.record();
    pecs::entity made;
    for (auto [e, p] : world.query<pecs::entity, const Position>()) {
        made = later.spawn(Position{p.x, 5}, pecs::to<ChildOf>(e), pecs::to<Knows>(e, Knows{4}));
        later.add(e, Health{});
        later.set(e, Position{7, 8});
        later.relate<Likes>(e, made);
    }
    later.exchange<Health>(root, Velocity{});
    later.relate<ChildOf>(made, root);
    if (!world.apply(later).empty() || world.size() != 2 || !world.has<Likes>(root, made)) return 131;
    if (world.get<Position>(made).y != 5 || world.get<Knows>(root, made).years != 4) return 132;
    if (!world.has<Velocity>(root) || world.has<Health>(root) || world.get<Position>(root).x != 7) return 133;
    pecs::commands two[] = {world.record(), static_cast<pecs::commands&&>(later)};
    two[0].unrelate<ChildOf>(made);
    two[0].unrelate<Likes>(root, made);
    two[0].unrelate<Knows>(root);
    two[0].add<Health>(made);
    two[1].remove<Position, Health>(made);
    two[1].relate<Knows>(root, root, Knows{1});
    two[1].remove<Health>(root);
    two[1].despawn(root);
    int failures = 0;
    for (const pecs::failed_command& failed : world.apply(two, pecs::on_failure::report))
        failures += failed.which == root && failed.reason == pecs::command_failure::missing_component;
    if (failures != 1 || world.size() != 1 || world.has<ChildOf>(made) || !two[0].empty()) return 134;
    two[0].despawn(root);
    try {
        world.apply(two[0], pecs::on_failure::throws);
        return 135;
    } catch (const pecs::dead_entity& error) {
        if (error.which() != root || two[0].size() != 1) return 136;
    }
    two[0].clear();
    return world.validate() ? 0 : 137;
}

// What has changed since a tick.
int changes() {
    pecs::world world;
    const pecs::entity parent = world.spawn(Health{1});
    const pecs::entity child = world.spawn(Health{2}, Position{1, 1}, pecs::to<ChildOf>(parent));
    world.track<Health, ChildOf>();
    const pecs::tick seen = world.now();
    if (!world.query<const Health>().changed<Health>(seen).empty()) return 141;
    world.get<Health>(child).points = 3;
    int sum = 0;
    for (auto [h] : world.query<const Health>().changed<Health>(seen)) sum += h.points;
    world.query<const Health>().of<ChildOf>(parent).changed<Health>(seen).each(
        [&](const Health& h) { sum += h.points; });
    if (sum != 6 || world.query<>().added<Health>(seen).count() != 0) return 142;
    for (auto [h] : world.query<pecs::tracked<Health>>())
        if (h->points == 1) h.write().points = 5;
    if (world.query<>().changed<Health>(seen).count() != 2) return 143;
    world.relate<ChildOf>(child, world.spawn());
    if (world.query<>().changed<ChildOf>(seen).first() != child) return 144;
    for (auto [entities, healths] : world.query<const Health>().changed<Health>(seen).columns())
        sum += static_cast<int>(entities.size() + healths.size());
    return sum == 10 && world.validate() ? 0 : 145;
}

// Observers of everything that can happen.
int observed() {
    pecs::world world;
    int count = 0;
    pecs::entity last;
    pecs::observer handles[] = {
        world.observe<Position>(pecs::on_add,
                                [&](pecs::entity e, Position& p) { last = e, p.x += 1, ++count; }),
        world.observe<Position, Health>(pecs::on_remove,
                                        [&](pecs::entity, Position&, const Health&) { ++count; }),
        world.observe<Position>(pecs::on_set, [&](pecs::entity) { ++count; }),
        world.observe(pecs::on_spawn, [&](pecs::entity) { ++count; }),
        world.observe<Velocity>(pecs::on_despawn, [&](pecs::entity, const Velocity&) { ++count; }),
        world.observe<ChildOf>(pecs::on_relate,
                               [&](pecs::entity, pecs::entity, pecs::entity now) { last = now; }),
        world.observe<Knows>(pecs::on_set, [&](pecs::entity, pecs::entity, Knows& k) { k.years += 1; })};
    const pecs::entity e = world.spawn(Position{1, 2}, Health{});
    if (count != 2 || last != e || world.get<Position>(e).x != 2) return 141;
    world.set(e, Position{5, 5});
    world.remove<Health>(e);
    if (count != 4) return 142;
    (void)world.spawn_batch(2, Velocity{});
    world.despawn_batch(world.query<Velocity>());
    if (count != 8) return 143;
    const pecs::entity child = world.spawn(pecs::to<ChildOf>(e));
    if (last != e) return 144;
    world.relate<Knows>(child, e, Knows{1});
    world.relate<Knows>(child, e, Knows{5});
    if (world.get<Knows>(child, e).years != 6) return 145;
    const pecs::component_id ids[] = {pecs::id_of<Health>()};
    pecs::observer more = world.by_id().observe(pecs::on_add, ids, [&](pecs::entity) { count = 0; });
    world.add<Health>(e);
    if (count != 0 || !more) return 146;
    more.stop();
    handles[0] = static_cast<pecs::observer&&>(more);
    world.add<Position>(child);
    return count == 0 && !handles[0] && world.validate() ? 0 : 147;
}

struct Burning {
    static constexpr auto storage = pecs::component_storage::sparse;
    float heat = 0;
};
struct Anchored {
    static constexpr auto storage = pecs::component_storage::sparse_stable;
    int value = 0;
};
struct Chosen {
    static constexpr auto storage = pecs::component_storage::sparse;
};

// Sparse components, and what is disabled.
int sparse() {
    pecs::world world;
    const pecs::entity e = world.spawn(Position{1, 2}, Burning{3}, Chosen{});
    const pecs::entity other = world.spawn(Position{3, 4});
    world.add(other, Anchored{5}, Health{6});
    world.set(other, Anchored{7}, Burning{1});
    world.exchange<Burning>(other, Chosen{});
    if (world.get<Anchored>(other).value != 7 || world.has<Burning>(other) || !world.has<Chosen>(other))
        return 141;
    float sum = 0;
    world.query<const Position, Burning>().each([&](const Position& p, Burning& b) { sum += p.x * b.heat; });
    for (auto [b, p] : world.query<Burning, const Position>()) sum += b.heat * p.y;
    for (auto [p, b] : world.query<const Position, pecs::optional<const Burning>>())
        sum += b == nullptr ? p.x : 0;
    if (sum != 12) return 142;
    (void)world.spawn_batch<Burning, Position>(3, [](Burning& b, Position&) { b.heat = 9; });
    world.add_batch(world.query<pecs::with<Burning>, pecs::without<Chosen>>(), Chosen{}, Anchored{});
    world.set_batch(world.query<Burning>(), Anchored{2}, Burning{1});
    if (world.query<Anchored, Chosen, pecs::any_of<Health, Burning>>().count() != 5) return 143;
    world.disable(e);
    world.disable<Chosen>(other);
    if (world.query<Chosen>().count() != 3 || world.query<Chosen, pecs::disabled_too>().count() != 5)
        return 144;
    if (world.enabled(e) || world.enabled<Chosen>(other) || !world.enabled(other)) return 145;
    pecs::commands later = world.record();
    const pecs::entity fresh = later.spawn(Burning{4}, Position{});
    later.enable(e);
    later.enable<Chosen>(other);
    later.remove<Anchored>(other);
    later.add(fresh, Anchored{1});
    world.apply(later);
    if (!world.has<Burning, Anchored>(fresh) || world.has<Anchored>(other) || !world.enabled(e)) return 146;
    const pecs::entity copy = world.spawn_from(fresh, Burning{8});
    if (world.get<Burning>(copy).heat != 8 || world.access<Anchored>()[copy].value != 1) return 147;
    world.disable_batch(world.query<const Anchored>());
    world.enable_batch<Chosen>(world.query<Chosen>());
    world.despawn_batch(world.query<Burning, pecs::disabled_too>());
    return world.validate() && world.size() == 1 ? 0 : 148;
}

// What there is, and worlds that move.
int memory() {
    pecs::world world;
    world.reserve<Position>(100);
    (void)world.spawn_batch(100, Position{});
    world.shrink();
    world.compact();
    pecs::world moved{static_cast<pecs::world&&>(world)};
    const pecs::world_stats stats = moved.stats();
    if (stats.entities != 100 || stats.bytes_reserved < stats.bytes_used) return 41;
    return moved.validate() ? 0 : 42;
}

int main() {
    int (*const parts[])() = {core,      single,      batch,        by_id,    queries,
                              relations, hierarchies, many_targets, recorded, resources,
                              prefabs,   sparse,      observed,     changes,  memory};
    for (auto* const part : parts)
        if (const int failure = part(); failure != 0) return failure;
    return 0;
}
