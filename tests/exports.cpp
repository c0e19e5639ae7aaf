// Every name that `import pecs;` gives is used here once, by its full name, so that none can get lost.
#include <boost/ut.hpp>

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

import pecs;

namespace {
struct Value {
    int value;
};
struct Mark {};
struct Spark {
    static constexpr auto storage = pecs::component_storage::sparse;
    int value;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
};
} // namespace

int main() {
    using namespace boost::ut;

    "pecs.core"_test = [] {
        static_assert(std::is_same_v<decltype(pecs::library_version), const pecs::version_number>);
        static_assert(std::is_same_v<decltype(pecs::null), const pecs::entity>);
        static_assert(pecs::component<Value> and pecs::tag<Mark>);
        static_assert(pecs::max_components >= 64);
        expect(pecs::parse_entity(pecs::to_string(pecs::entity{1, 1})).has_value());
        expect(std::hash<pecs::entity>{}(pecs::entity{1, 1}) !=
               std::hash<pecs::entity>{}(pecs::entity{2, 1}));

        const pecs::component_id id = pecs::id_of<Value>();
        const pecs::component_type& type = pecs::type_of(id);
        expect(pecs::find_component(type.name).has_value());
        expect(pecs::component_mask::of<Value>().test(id));
        expect(pecs::register_component({.name = "exports"}).index() == pecs::component_count() - 1);

        using all_errors =
            std::tuple<pecs::component_limit, pecs::invalid_component, pecs::unknown_component,
                       pecs::unsupported_component, pecs::dead_entity, pecs::repeated_entity,
                       pecs::capacity_exceeded, pecs::world_locked, pecs::missing_component,
                       pecs::duplicate_component, pecs::no_match, pecs::not_single, pecs::dead_target,
                       pecs::target_in_use, pecs::relation_cycle, pecs::not_siblings, pecs::missing_resource>;
        []<class... E>(std::type_identity<std::tuple<E...>>) {
            static_assert((std::is_base_of_v<pecs::error, E> and ...));
        }(std::type_identity<all_errors>{});
        static_assert(std::is_base_of_v<pecs::component_error, pecs::missing_component>);
    };

    "pecs.relation"_test = [] {
        static_assert(pecs::relation<ChildOf> and not pecs::relation<Value>);
        static_assert(pecs::hierarchy.on_target_death == pecs::target_death::cascade);
        pecs::world world;
        const pecs::entity parent = world.spawn(Value{5});
        const pecs::relation_to<ChildOf> target = pecs::to<ChildOf>(parent);
        const pecs::entity child = world.spawn(Value{1}, target);
        static_assert(std::is_same_v<decltype(pecs::any), const pecs::any_target>);
        static_assert(std::is_same_v<decltype(pecs::none), const pecs::no_target>);
        static_assert(std::is_same_v<decltype(pecs::having<Value>), const pecs::having_terms<Value>>);
        const pecs::relation_link links[] = {{pecs::id_of<ChildOf>(), parent}};
        expect(bool{world.by_id().target(world.by_id().spawn({}, links), links[0].relation) == parent});
        world.relate<Knows>(child, parent);
        expect(world.targets<Knows>(parent).size() == 1_ul and world.stats().edges == 1_ul);
        expect(
            world.query<pecs::at_target<ChildOf, Value>, pecs::up<ChildOf, const Value>>().contains(child));
    };

    "hierarchies"_test = [] {
        static_assert(pecs::relation<pecs::child_of> and pecs::child_of::rules.acyclic);
        static_assert(pecs::component<pecs::name> and pecs::component<pecs::sibling_rank<ChildOf>>);
        static_assert(std::is_same_v<pecs::sibling_rank<>, pecs::sibling_rank<pecs::child_of>>);
        pecs::world world;
        const pecs::entity root = world.spawn(pecs::name{"root"});
        const pecs::entity_list copies = world.clone_subtree(root, 2);
        expect(copies.size() == 2_ul);
        const pecs::entity_map same{[](const void*, pecs::entity e) noexcept { return e; }, nullptr};
        expect(bool{same(root) == root});
    };

    "pecs.query"_test = [] {
        pecs::world world;
        (void)world.spawn(Value{1}, Mark{});
        const pecs::query<Value, pecs::with<Mark>, pecs::without<double>, pecs::any_of<Value, int>,
                          pecs::optional<const char>, pecs::exact>
            found = world.query<Value, pecs::with<Mark>, pecs::without<double>, pecs::any_of<Value, int>,
                                pecs::optional<const char>, pecs::exact>();
        static_assert(std::is_same_v<decltype(found)::row_type, pecs::row<Value&, const char*>>);
        expect(found.count() == 1_ul);
        static_assert(std::is_same_v<decltype(pecs::independent), const pecs::independent_t>);

        const pecs::dynamic_query every = world.by_id().query();
        every.each([](const pecs::family_view& family) { expect(family.size() == 1_ul); });
    };

    "resources and prefabs"_test = [] {
        pecs::world world;
        world.set_resource(Value{3});
        const pecs::entity original = world.spawn(Value{1}, pecs::prefab{});
        const pecs::entity copy = world.spawn_from(original, Mark{});
        expect(world.query<Value, pecs::res<const Value>>().contains(copy) and
               not world.query<Value, pecs::optional<pecs::res<Value>>>().contains(original));
    };

    "change ticks"_test = [] {
        expect(pecs::type_of(pecs::id_of<Value>()).tracking == pecs::change_tracking::families);
        pecs::world world;
        const pecs::tick seen = world.now();
        const pecs::entity e = world.spawn(Value{1});
        world.query<pecs::tracked<Value>>().each([](pecs::tracked_ref<Value> v) { v.write().value = 2; });
        expect(world.query<const Value>().changed<Value>(seen).contains(e));
        expect(world.query<const Value>().added<Value>(seen).contains(e));
    };

    "observers"_test = [] {
        pecs::world world;
        const pecs::change_kind on_add = pecs::on_add;
        const pecs::observer seen = world.observe<Value>(on_add, [](pecs::entity) {});
        const pecs::observer more[] = {world.observe<Value>(pecs::on_remove, [](pecs::entity) {}),
                                       world.observe<Value>(pecs::on_set, [](pecs::entity) {}),
                                       world.observe(pecs::on_spawn, [](pecs::entity) {}),
                                       world.observe(pecs::on_despawn, [](pecs::entity) {}),
                                       world.observe<ChildOf>(pecs::on_relate, [](auto, auto, auto) {})};
        expect(bool{seen} and bool{more[4]});
    };

    "sparse components and what is disabled"_test = [] {
        expect(pecs::type_of(pecs::id_of<Spark>()).storage == pecs::component_storage::sparse);
        pecs::world world;
        const pecs::entity e = world.spawn(Spark{1});
        world.disable<Spark>(e);
        expect(world.query<Spark>().empty() and world.query<Spark, pecs::disabled_too>().contains(e));
    };

    "pecs.world"_test = [] {
        pecs::world world;
        const pecs::entity e = world.spawn(Value{1});
        pecs::accessor<Value> values = world.access<Value>();
        const pecs::accessor<const Value> constants = std::as_const(world).access<Value>();
        expect(&values[e] == &constants[e]);
        const pecs::by_id_verbs verbs = world.by_id();
        expect(verbs.has(e, pecs::id_of<Value>()));
        const pecs::world_stats stats = world.stats();
        const pecs::archetype_stats& one = stats.archetypes.back();
        expect(one.entities == 1_ul);

        pecs::commands later = world.record();
        later.remove<Mark>(e);
        for (const pecs::failed_command& failed : world.apply(later, pecs::on_failure::report))
            expect(failed.kind == pecs::command_kind::remove and
                   failed.reason == pecs::command_failure::missing_component);
        expect(throws<pecs::foreign_commands>([&] { pecs::world{}.apply(later); }));
    };
}
