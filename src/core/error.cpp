module;
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

module pecs.core;

namespace pecs {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string{name} + "'"; }

std::string quoted(component_id id) {
    if (id.index() >= component_count()) return "#" + std::to_string(id.index());
    return quoted(type_of(id).name);
}

} // namespace

error::error(const std::string& message) : std::runtime_error{"pecs: " + message} {}
error::~error() = default;

component_limit::component_limit(std::string_view name)
    : error{"no room for component type " + quoted(name) + ": the limit is " +
            std::to_string(max_components) + "; build with a larger PECS_MAX_COMPONENTS"} {}

invalid_component::invalid_component(std::string_view name, std::string_view reason)
    : error{"cannot register component type " + quoted(name) + ": " + std::string{reason}} {}

unknown_component::unknown_component(component_id id)
    : error{"no component type has the id " + std::to_string(id.index()) +
            ": use an id from id_of, find_component or " + "register_component"},
      id_{id} {}

unsupported_component::unsupported_component(component_id id, std::string_view lacking)
    : error{"component type " + quoted(id) + " " + std::string{lacking}}, id_{id} {}

dead_entity::dead_entity(entity e)
    : error{e ? "entity " + to_string(e) +
                    " is not alive in this world: test with alive() before using a kept handle"
              : std::string{"the null entity was used: spawn an entity first, or test the handle before "
                            "using it"}},
      entity_{e} {}

repeated_entity::repeated_entity(entity e)
    : error{"entity " + to_string(e) + " is listed twice: a batch takes each entity once"}, entity_{e} {}

no_match::no_match(entity e)
    : error{"entity " + to_string(e) + " does not match the query: ask with contains() first"}, entity_{e} {}

not_single::not_single(std::size_t found)
    : error{"the query was to find exactly one entity and found " + std::to_string(found) +
            ": narrow it, or loop over it"},
      found_{found} {}

capacity_exceeded::capacity_exceeded(std::string_view what, std::size_t limit)
    : error{"no room for more " + std::string{what} + ": the limit is " + std::to_string(limit) +
            "; despawn some, or split the world"} {}

world_locked::world_locked()
    : error{"the world cannot change its structure while a callback or a query looks at it: spawn, despawn, "
            "add and "
            "remove after the loop, from a list kept in it, or record() commands"} {}

foreign_commands::foreign_commands()
    : error{"the commands were recorded for another world: apply them to the world whose record() made the "
            "recorder"} {}

missing_resource::missing_resource(std::string_view type)
    : error{"the world has no resource " + quoted(type) +
            ": give it one with emplace_resource() or set_resource(), or ask with has_resource() or "
            "try_resource()"} {}

component_error::component_error(const std::string& message, entity e, component_id id)
    : error{message}, entity_{e}, component_{id} {}

missing_component::missing_component(entity e, component_id id)
    : component_error{"entity " + to_string(e) + " has no component " + quoted(id) +
                          ": add it first, or ask with has() or try_get()",
                      e, id} {}

missing_component::missing_component(entity e, component_id relation, entity target)
    : component_error{"entity " + to_string(e) + " has no " + quoted(relation) + " to entity " +
                          to_string(target) + ": relate them first, or ask with has() or try_get()",
                      e, relation} {}

duplicate_component::duplicate_component(entity e, component_id id)
    : component_error{"entity " + to_string(e) + " already has the component " + quoted(id) +
                          ": use set() to replace its value",
                      e, id} {}

dead_target::dead_target(entity target, component_id relation)
    : component_error{(target ? "entity " + to_string(target) + " is not alive and" : "the null entity") +
                          " cannot be the target of the relation " + quoted(relation) +
                          (target ? ": test with alive() before using a kept handle"
                                  : ": to end a relation use unrelate()"),
                      target, relation} {}

target_in_use::target_in_use(entity target, component_id relation, entity source)
    : component_error{"entity " + to_string(target) + " cannot be despawned: entity " + to_string(source) +
                          " relates to it with " + quoted(relation) +
                          ", whose rules forbid it; unrelate or despawn the sources first",
                      target, relation},
      source_{source} {}

relation_cycle::relation_cycle(entity e, component_id relation, std::string_view loop)
    : component_error{"the relation " + quoted(relation) + " of entity " + to_string(e) +
                          " would close a cycle, which its rules forbid: " + std::string{loop} +
                          "; unrelate one of them first",
                      e, relation} {}

not_siblings::not_siblings(entity child, component_id relation, entity other)
    : component_error{"entity " + to_string(other) + " is no sibling of entity " + to_string(child) +
                          ": both need the same parent in the relation " + quoted(relation) +
                          "; use reparent() first",
                      child, relation},
      other_{other} {}

namespace detail {

void throw_dead_entity(entity e) { throw dead_entity{e}; }
void throw_no_match(entity e) { throw no_match{e}; }
void throw_not_single(std::size_t found) { throw not_single{found}; }
void throw_world_locked() { throw world_locked{}; }
void throw_missing_component(entity e, component_id id) { throw missing_component{e, id}; }
void throw_missing_edge(entity e, component_id relation, entity target) {
    throw missing_component{e, relation, target};
}
void throw_missing_resource(std::string_view type) { throw missing_resource{type}; }
void throw_duplicate_component(entity e, component_id id) { throw duplicate_component{e, id}; }
void throw_dead_target(entity target, component_id relation) { throw dead_target{target, relation}; }

} // namespace detail
} // namespace pecs
