// Everything that PECS throws. An error is thrown before anything changes, and its message names the entity, the
// component and the remedy. Catch `pecs::error` for all of them, or the one you can handle; each carries what it is
// about. (A failed allocation is `std::bad_alloc`, as everywhere; the world is then as it was, too.)
export module pecs.core:error;

import pecs.std;
import :entity;
import :component;

export namespace pecs {

/// The base of all errors of the library.
class error : public std::runtime_error {
public:
    explicit error(const std::string& message);
    error(const error&) noexcept = default;
    error& operator=(const error&) noexcept = default;
    ~error() override;
};

/// The program would need more component types than the build allows.
class component_limit : public error {
public:
    explicit component_limit(std::string_view name);
};

/// A run-time description of a component type makes no sense.
class invalid_component : public error {
public:
    invalid_component(std::string_view name, std::string_view reason);
};

/// A component id that no type has.
class unknown_component : public error {
public:
    explicit unknown_component(component_id id);
    [[nodiscard]] inline component_id which() const noexcept { return id_; }

private:
    component_id id_;
};

/// Values of the component type cannot do what was asked of them: be copied, or have a default.
class unsupported_component : public error {
public:
    unsupported_component(component_id id, std::string_view lacking);
    [[nodiscard]] inline component_id which() const noexcept { return id_; }

private:
    component_id id_;
};

/// The handle is null, stale, or of another world.
class dead_entity : public error {
public:
    explicit dead_entity(entity e);
    [[nodiscard]] inline entity which() const noexcept { return entity_; }

private:
    entity entity_;
};

/// A list of entities for a batch operation names one of them twice.
class repeated_entity : public error {
public:
    explicit repeated_entity(entity e);
    [[nodiscard]] inline entity which() const noexcept { return entity_; }

private:
    entity entity_;
};

/// The entity is alive, but a query that was asked about it does not match it.
class no_match : public error {
public:
    explicit no_match(entity e);
    [[nodiscard]] inline entity which() const noexcept { return entity_; }

private:
    entity entity_;
};

/// A query that was to find exactly one entity found none, or several.
class not_single : public error {
public:
    explicit not_single(std::size_t found);
    [[nodiscard]] inline std::size_t found() const noexcept { return found_; }

private:
    std::size_t found_;
};

/// More entities or rows would be needed than a number in the storage can count.
class capacity_exceeded : public error {
public:
    capacity_exceeded(std::string_view what, std::size_t limit);
};

/// Entities or components would have to move while somebody looks at them.
class world_locked : public error {
public:
    world_locked();
};

/// The world has no resource of the type that was asked for or was to be removed.
class missing_resource : public error {
public:
    explicit missing_resource(std::string_view type);
};

/// Commands were to be applied to another world than the one they were recorded for.
class foreign_commands : public error {
public:
    foreign_commands();
};

/// The base of errors about one component of one entity.
class component_error : public error {
public:
    [[nodiscard]] inline entity which() const noexcept { return entity_; }
    [[nodiscard]] inline component_id component() const noexcept { return component_; }

protected:
    component_error(const std::string& message, entity e, component_id id);

private:
    entity entity_;
    component_id component_;
};

/// The entity lacks the component that was asked for or was to be removed.
class missing_component : public component_error {
public:
    missing_component(entity e, component_id id);
    /// It lacks the target that was named, in a relation with many.
    missing_component(entity e, component_id relation, entity target);
};

/// The entity already has the component that was to be added.
class duplicate_component : public component_error {
public:
    duplicate_component(entity e, component_id id);
};

/// A dead entity, or the null entity, was to become the target of a relation.
class dead_target : public component_error {
public:
    dead_target(entity target, component_id relation);
};

/// The entity is the target of a relation that forbids its death.
class target_in_use : public component_error {
public:
    target_in_use(entity target, component_id relation, entity source);
    /// One of the entities that relate to it.
    [[nodiscard]] inline entity source() const noexcept { return source_; }

private:
    entity source_;
};

/// The relation is acyclic, and the new target leads back to the entity; the message shows the way.
class relation_cycle : public component_error {
public:
    relation_cycle(entity e, component_id relation, std::string_view loop);
};

/// Two entities were to be put in order that are not children of the same parent.
class not_siblings : public component_error {
public:
    not_siblings(entity child, component_id relation, entity other);
    [[nodiscard]] inline entity other() const noexcept { return other_; }

private:
    entity other_;
};

} // namespace pecs

export namespace pecs::detail {

// Out of line, so that the checks of a hot function stay one compare and one jump.
[[noreturn]] void throw_dead_entity(entity e);
[[noreturn]] void throw_world_locked();
[[noreturn]] void throw_no_match(entity e);
[[noreturn]] void throw_not_single(std::size_t found);
[[noreturn]] void throw_missing_component(entity e, component_id id);
[[noreturn]] void throw_missing_edge(entity e, component_id relation, entity target);
[[noreturn]] void throw_missing_resource(std::string_view type);
[[noreturn]] void throw_duplicate_component(entity e, component_id id);
[[noreturn]] void throw_dead_target(entity target, component_id relation);

} // namespace pecs::detail
