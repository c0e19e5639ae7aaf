// How recorded commands are carried out.
//
// Commands are read in their order, and become drafts. At the end, or when a command needs to see the world as it really
// is, the drafts are carried out.
// Three kinds of commands need the real world: the end of an entity that is a target, as rules may reach anywhere; edges
// of an entity that is not there yet; and, if a failure is to throw, any edge.
module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>

module pecs.world;

import pecs.archetype;
import pecs.relation;

namespace pecs::detail {

namespace {

class applier : public draft_work {
public:
    applier(storage& all, apply_memory& memory, on_failure policy)
        : draft_work{all, memory},
          policy_{policy},
          direct_{policy != on_failure::throws && all.watch() == nullptr && !all.tracking()} {
        m_.failures.clear();
    }

    void read(recording& recorded) {
        buffer<command>& list = recorded.commands();
        command_value* const values = recorded.values().data();
        for (command& each : list) {
            if (each.done) continue;
            each.values = values + each.first;
            switch (each.step) {
            case command_step::spawn: spawn(each); break;
            case command_step::despawn: despawn(each); break;
            case command_step::change: change(each); break;
            case command_step::relate: relate(each); break;
            case command_step::add_edge: add_edge(each); break;
            case command_step::cut_edge:
            case command_step::cut_edges: cut_edges(each); break;
            case command_step::toggle: toggle(each); break;
            }
        }
    }

private:
    // --- failures

    [[gnu::noinline]] void fail(command& of, command_failure reason, component_id component = component_id{0},
                                entity other = null) {
        const failed_command failed{of.kind, reason, component, of.which, other};
        if (policy_ == on_failure::throws) failed.raise();
        if (policy_ == on_failure::report) m_.failures.push_back(failed);
        drop(of);
        if (of.step == command_step::spawn) all_.handles().give_back(of.which);
    }
    /// Follows a bundle; false if it does not fit, which is a failure then.
    [[nodiscard]] inline bool follow(command& each, draft& on) {
        const buffer<std::uint32_t>& known = all_.archetype_at(on.at)->edges;
        if (each.bundle >= known.size() || known[each.bundle] == none) [[unlikely]]
            return follow_first(each, on);
        on.at = known[each.bundle];
        return true;
    }
    [[nodiscard, gnu::noinline]] bool follow_first(command& each, draft& on) {
        const bundle change = bundle_of(each.bundle);
        if (change.strict) {
            const component_mask there = mask(on.at) & change.added;
            const component_mask missing = change.removed - mask(on.at);
            if (!there.empty() || !missing.empty()) {
                const bool twice = !there.empty();
                fail(each, twice ? command_failure::duplicate_component : command_failure::missing_component,
                     first_of(twice ? there : missing));
                return false;
            }
        }
        on.at = all_.follow(on.at, each.bundle, each.which);
        return true;
    }
    [[nodiscard]] static component_id first_of(const component_mask& some) {
        component_id found{no_component};
        some.each([&](component_id id) {
            if (found.index() == no_component) found = id;
        });
        return found;
    }

    // --- reading commands

    void spawn(command& each) {
        for (std::uint32_t i = 0; each.linked && i != each.count; ++i) {
            const command_value& value = each.values[i];
            if (!value.type->relation) continue;
            if (!alive(value.target)) {
                fail(each, command_failure::dead_target, value.id, value.target);
                return;
            }
        }
        each.drafted = false;
        if (!joins_spawns(each)) {
            const std::uint32_t archetype = all_.follow(storage::root, each.bundle, each.which);
            m_.spawns.push_back({&each, 0, archetype, spawn_count_, 0});
        }
        m_.places[each.which.index()] = spawn_count_++ | spawn_mark;
        ++m_.spawns.back().count;
        if (each.linked || each.beside) mark_targets(each, draft_spawn(each));
    }
    /// Whether a command lies behind the last run of spawns and does the same.
    [[nodiscard]] inline bool joins_spawns(const command& each) const noexcept {
        if (m_.spawns.empty()) return false;
        const spawn_run& last = m_.spawns.back();
        return last.first + last.count == &each && last.first->bundle == each.bundle &&
               last.first->count == each.count;
    }
    void mark_targets(const command& each, draft& on) {
        for (std::uint32_t i = 0; each.linked && i != each.count; ++i) {
            if (!each.values[i].target) continue;
            all_.mark_target(each.values[i].target); // its end needs the real world from now on
            on.linked = true;
        }
    }

    void despawn(command& each) {
        draft* const on = living(each.which);
        if (on == nullptr) {
            fail(each, command_failure::dead_entity);
            return;
        }
        if (all_.is_target(each.which)) {
            flush();
            try {
                despawn_with_rules(all_, {&each.which, 1}, {});
                each.done = true;
            } catch (const target_in_use& e) {
                fail(each, command_failure::target_in_use, e.component(), e.source());
            }
            return;
        }
        const bool unborn_yet = on->state == draft_state::unborn;
        on->state = unborn_yet ? draft_state::never : draft_state::dying;
        unborn_ -= unborn_yet ? 1 : 0;
        ++deaths_;
        chain(*on, each);
    }

    void change(command& each) {
        if (direct_ && each.kind == command_kind::set && assign(each)) return;
        draft* const on = living(each.which);
        if (on == nullptr)
            fail(each, command_failure::dead_entity);
        else if ((!each.beside || fits_sets(each, *on)) && follow(each, *on))
            chain(*on, each);
    }

    /// Gives other values to an entity that has all of them, and that no command before has touched: it stays where it
    /// is, so it needs no draft.
    bool assign(command& each) noexcept {
        if (each.beside || find(each.which) != nullptr || find_spawn(each.which) != nullptr) return false;
        if (!all_.entities().alive(each.which)) return false;
        const entity_record& where = all_.entities()[each.which];
        const archetype& place = *all_.archetype_at(where.archetype);
        if (each.bundle >= place.edges.size() || place.edges[each.bundle] != where.archetype) return false;
        for (std::uint32_t i = 0; i != each.count; ++i)
            put_value(each.values[i], where.archetype, where.row, &place.mask());
        each.done = true;
        return true;
    }

    /// Whether an entity will have a sparse component.
    [[nodiscard]] bool in_set_of(const draft& of, component_id id) const noexcept {
        for (const command* c = of.last; c != nullptr; c = c->previous)
            for (std::uint32_t i = 0; c->beside && i != c->count; ++i)
                if (c->values[i].beside && c->values[i].id == id) return !c->values[i].gone;
        return all_.beside().contains(of.which, id);
    }
    /// Whether the sparse components that a command adds are not there, and those that it removes are.
    bool fits_sets(command& each, const draft& on) {
        for (std::uint32_t i = 0; each.kind != command_kind::set && i != each.count; ++i) {
            const command_value& value = each.values[i];
            if (!value.beside || in_set_of(on, value.id) == value.gone) continue;
            fail(each, value.gone ? command_failure::missing_component : command_failure::duplicate_component,
                 value.id);
            return false;
        }
        return true;
    }

    void toggle(command& each) {
        const component_id id = each.values[0].id;
        draft* const on = living(each.which);
        if (on == nullptr) {
            fail(each, command_failure::dead_entity);
            return;
        }
        if (id.index() != no_component && !mask(on->at).test(id) && !in_set_of(*on, id)) {
            fail(each, command_failure::missing_component, id);
            return;
        }
        chain(*on, each);
        on->toggled = true;
    }

    void relate(command& each) {
        command_value& value = each.values[0];
        draft* const on = living(each.which);
        if (on == nullptr) {
            fail(each, command_failure::dead_entity);
            return;
        }
        if (!alive(value.target)) {
            fail(each, command_failure::dead_target, value.id, value.target);
            return;
        }
        if (value.type->rules.acyclic)
            for (entity at = value.target; at; at = target(at, value.id))
                if (at == each.which) {
                    fail(each, command_failure::relation_cycle, value.id, value.target);
                    return;
                }
        value.skipped = value.fallback && mask(on->at).test(value.id);
        mark_targets(each, *on);
        if (follow(each, *on)) chain(*on, each);
    }

    /// Edges are beside the archetypes, so they need no draft; but both ends must be there.
    void see_world(entity e, entity other) {
        if (policy_ == on_failure::throws || unborn(e) || unborn(other)) flush();
    }

    void add_edge(command& each) {
        const command_value& value = each.values[0];
        if (!alive(each.which)) {
            fail(each, command_failure::dead_entity);
            return;
        }
        if (!alive(value.target)) {
            fail(each, command_failure::dead_target, value.id, value.target);
            return;
        }
        see_world(each.which, value.target);
        try {
            check_acyclic_edges(all_, {&each.which, 1}, value.id, value.target);
        } catch (const relation_cycle&) {
            fail(each, command_failure::relation_cycle, value.id, value.target);
            return;
        }
        const edge_index::placed place = all_.add_edge(value.id, each.which, value.target);
        if (value.data != nullptr) {
            const bool keeps = !place.fresh && value.fallback;
            if (!place.fresh) destroy_run(*value.type, keeps ? value.data : place.data, 1);
            if (!keeps) relocate_value(*value.type, place.data, value.data);
            each.done = true;
            if (keeps) return;
        }
        each.done = true;
        if (all_.watch() != nullptr && (place.fresh || value.data != nullptr))
            all_.tell_edge({value.id, each.which, value.target}, place.fresh);
    }

    void cut_edges(command& each) {
        const command_value& value = each.values[0];
        if (!alive(each.which)) {
            fail(each, command_failure::dead_entity);
            return;
        }
        see_world(each.which, value.target);
        edge_index* const edges = all_.edges(value.id);
        const bool one = each.step == command_step::cut_edge;
        const bool there = edges != nullptr && (one ? edges->find(each.which, value.target) != nullptr
                                                    : !edges->targets(each.which).empty());
        if (!there) {
            fail(each, command_failure::missing_component, value.id, value.target);
            return;
        }
        all_.cut_edges(value.id, {&each.which, 1}, one ? value.target : null);
        each.done = true;
    }

    on_failure policy_;
    bool direct_; ///< nobody is told of values, and none is to be undone: they may be given at once
};

/// Marks the recorders of a list, so that one that comes twice is applied once.
class listed_recordings {
public:
    explicit listed_recordings(std::span<recording* const> list) noexcept : list_{list} {
        for (recording* each : list_) each->applied_now = true;
    }
    listed_recordings(const listed_recordings&) = delete;
    listed_recordings& operator=(const listed_recordings&) = delete;
    ~listed_recordings() {
        for (recording* each : list_) each->listed = each->applied_now = false;
    }

private:
    std::span<recording* const> list_;
};

} // namespace

std::span<const failed_command> apply_recorded(storage& all, std::span<recording* const> list,
                                               on_failure policy) {
    all.handles().settle();
    apply_memory& memory = list[0]->scratch();
    observer_deferral later{all.watch()};
    const listed_recordings guard{list};
    try {
        applier work{all, memory, policy};
        for (recording* each : list) {
            if (each->listed) continue;
            each->listed = true;
            work.read(*each);
        }
        work.flush();
    } catch (...) {
        for (recording* each : list) each->forget_done();
        throw;
    }
    for (recording* each : list) each->finish();
    later.end();
    return {memory.failures.data(), memory.failures.size()};
}

} // namespace pecs::detail
