// How recorded commands are carried out.
//
// Commands are read in their order. Nothing moves at first: each entity that is touched gets a draft, which says in which
// archetype it will be and which commands lead there. At the end, or when a command needs to see the world as it really
// is, the drafts are carried out: new entities first, as they may be targets, then one move per entity, then the dead.
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

enum class draft_state : std::uint8_t {
    living,
    dying,  ///< alive in the world
    unborn, ///< not yet alive in the world
    never,  ///< was to be born, and died before
};

/// What will become of one entity.
struct draft {
    entity which;
    std::uint32_t from; ///< the archetype in which it is; of no meaning for an unborn one
    std::uint32_t at;   ///< the archetype in which it will be
    command* last;      ///< of the commands that lead there
    draft_state state;
    bool linked;          ///< it gets targets
    bool beside = false;  ///< it gets or loses sparse components
    bool toggled = false; ///< it, or a component of it, is disabled or enabled

    [[nodiscard]] bool ends() const noexcept {
        return state == draft_state::dying || state == draft_state::never;
    }
};

/// Memory of `apply` that is kept for the next time.
struct apply_memory {
    explicit apply_memory(std::pmr::memory_resource* memory)
        : drafts{memory},
          places{memory},
          links{memory},
          targets{memory},
          runs{memory},
          births{memory},
          born{memory},
          failures{memory} {}

    buffer<draft> drafts;
    buffer<std::uint32_t> places; ///< by entity index: where its draft is, if it is there
    buffer<link> links;
    buffer<entity> targets;
    buffer<new_rows> runs;
    buffer<entity> births; ///< the handles of new entities, run by run
    buffer<draft*> born;   ///< their drafts
    buffer<failed_command> failures;
};

apply_memory& recording::scratch() {
    if (scratch_ == nullptr)
        scratch_ = std::pmr::polymorphic_allocator<>{memory()}.new_object<apply_memory>(memory());
    return *scratch_;
}

void recording::release_scratch() noexcept {
    if (scratch_ != nullptr) std::pmr::polymorphic_allocator<>{memory()}.delete_object(scratch_);
}

namespace {

class applier {
public:
    applier(storage& all, apply_memory& memory, on_failure policy) : all_{all}, m_{memory}, policy_{policy} {
        m_.drafts.clear();
        m_.failures.clear();
        if (m_.places.size() < all.entities().index_count())
            m_.places.resize(all.entities().index_count(), 0);
    }

    void read(recording& recorded) {
        buffer<command>& list = recorded.commands();
        for (command& each : list) {
            if (each.done) continue;
            each.values = recorded.values().data() + each.first;
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

    /// Carries out all drafts.
    void flush() {
        if (m_.drafts.empty()) return;
        if (births_ != 0) bear();
        if (births_ + deaths_ != m_.drafts.size())
            for (draft& each : m_.drafts)
                if (each.state == draft_state::living) move(each);
        if (deaths_ != 0)
            for (draft& each : m_.drafts)
                if (each.ends()) end(each);
        m_.drafts.clear();
        births_ = deaths_ = 0;
    }

private:
    // --- drafts

    [[nodiscard]] draft* find(entity e) noexcept {
        if (e.index() >= m_.places.size()) return nullptr;
        const std::uint32_t place = m_.places[e.index()];
        return place < m_.drafts.size() && m_.drafts[place].which == e ? &m_.drafts[place] : nullptr;
    }
    draft& make(entity e, std::uint32_t archetype, draft_state state) {
        m_.drafts.push_back({e, archetype, archetype, nullptr, state, false, false, false});
        m_.places[e.index()] = static_cast<std::uint32_t>(m_.drafts.size() - 1);
        return m_.drafts.back();
    }
    /// The draft of an entity that will be alive; null if it will not.
    [[nodiscard]] draft* living(entity e) {
        draft* const known = find(e);
        if (known != nullptr) return known->ends() ? nullptr : known;
        if (!all_.entities().alive(e)) return nullptr;
        return &make(e, all_.entities()[e].archetype, draft_state::living);
    }
    [[nodiscard]] bool alive(entity e) noexcept {
        const draft* const known = find(e);
        return known != nullptr ? !known->ends() : all_.entities().alive(e);
    }
    static void chain(draft& to, command& next) noexcept {
        next.previous = to.last;
        to.last = &next;
        to.beside = to.beside || next.beside;
    }
    [[nodiscard]] const component_mask& mask(std::uint32_t archetype) const noexcept {
        return all_.archetype_at(archetype)->mask();
    }
    /// The target that an entity will have.
    [[nodiscard]] entity target(entity e, component_id relation) noexcept {
        const draft* const known = find(e);
        if (known == nullptr) return all_.target(e, relation);
        if (known->ends() || !mask(known->at).test(relation)) return null;
        for (const command* c = known->last; c != nullptr; c = c->previous)
            for (std::uint32_t i = 0; i != c->count; ++i)
                if (c->values[i].id == relation && c->values[i].target) return c->values[i].target;
        return all_.target(e, relation);
    }

    // --- failures

    void fail(command& of, command_failure reason, component_id component = component_id{0},
              entity other = null) {
        const failed_command failed{of.kind, reason, component, of.which, other};
        if (policy_ == on_failure::throws) failed.raise();
        if (policy_ == on_failure::report) m_.failures.push_back(failed);
        drop(of);
        if (of.step == command_step::spawn) all_.handles().give_back(of.which);
    }
    /// Follows a bundle; false if it does not fit, which is a failure then.
    bool follow(command& each, draft& on) {
        const buffer<std::uint32_t>& known = all_.archetype_at(on.at)->edges;
        if (each.bundle < known.size() && known[each.bundle] != none) [[likely]] {
            on.at = known[each.bundle];
            return true;
        }
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
        draft& made = make(each.which, storage::root, draft_state::unborn);
        try {
            (void)follow(each, made);
            mark_targets(each, made);
        } catch (...) {
            m_.drafts.pop_back();
            throw;
        }
        chain(made, each);
        ++births_;
    }
    void mark_targets(const command& each, draft& on) {
        for (std::uint32_t i = 0; each.linked && i != each.count; ++i) {
            if (!each.values[i].target) continue;
            all_.mark_target(each.values[i].target); // its end needs the real world from now on
            on.linked = true;
        }
    }

    void despawn(command& each) {
        draft* known = find(each.which);
        if (known != nullptr ? known->ends() : !all_.entities().alive(each.which)) {
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
        if (known == nullptr) known = &make(each.which, storage::root, draft_state::living);
        const bool unborn = known->state == draft_state::unborn;
        known->state = unborn ? draft_state::never : draft_state::dying;
        births_ -= unborn ? 1 : 0;
        ++deaths_;
        chain(*known, each);
    }

    void change(command& each) {
        draft* const on = living(each.which);
        if (on == nullptr)
            fail(each, command_failure::dead_entity);
        else if ((!each.beside || fits_sets(each, *on)) && follow(each, *on))
            chain(*on, each);
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
        const draft* const a = find(e);
        const draft* const b = find(other);
        if (policy_ == on_failure::throws || (a != nullptr && a->state == draft_state::unborn) ||
            (b != nullptr && b->state == draft_state::unborn))
            flush();
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

    // --- carrying out

    /// Fills the links with what the commands of a draft say last.
    void collect_links(const draft& of) {
        m_.links.clear();
        for (const command* c = of.last; c != nullptr; c = c->previous)
            for (std::uint32_t i = 0; i != c->count; ++i) {
                const command_value& value = c->values[i];
                if (!value.target || !mask(of.at).test(value.id)) continue;
                const auto same = [&](const link& known) { return known.relation == value.id; };
                if (std::ranges::none_of(m_.links, same)) m_.links.push_back({value.id, value.target});
            }
    }

    void put_value(const command_value& value, std::uint32_t archetype, std::uint32_t row,
                   const component_mask* had) const noexcept {
        const component_type& type = *value.type;
        std::byte* const cell = all_.column_data(value.id, archetype) + row * type.size;
        if (had != nullptr && type.destroy != nullptr && had->test(value.id)) type.destroy(cell, 1);
        relocate_value(type, cell, value.data);
    }

    /// Moves the values of the commands of a draft to their row; where several give a value, the last one counts. The
    /// entity had the components of `had` before, and those that remain hold values.
    void put_values(draft& of, std::uint32_t row, const component_mask* had) noexcept {
        if (of.last->previous == nullptr) { // nearly always: each value has its place
            command& only = *of.last;
            for (std::uint32_t i = 0; i != only.count; ++i) {
                const command_value& value = only.values[i];
                if (value.data == nullptr) continue;
                if (value.skipped)
                    destroy_run(*value.type, value.data, 1);
                else
                    put_value(value, of.at, row, had);
            }
            only.done = true;
            return;
        }
        const component_mask& has = mask(of.at);
        component_mask filled;
        for (command* c = of.last; c != nullptr; c = c->previous) {
            for (std::uint32_t i = 0; i != c->count; ++i) {
                const command_value& value = c->values[i];
                if (value.data == nullptr) continue;
                if (value.skipped || !has.test(value.id) || filled.test(value.id)) {
                    destroy_run(*value.type, value.data, 1);
                } else {
                    put_value(value, of.at, row, had);
                    filled.set(value.id);
                }
            }
            c->done = true;
        }
    }

    /// Room for what a draft needs beside the archetypes, as one of `count`.
    void reserve_beside(const draft& of, std::size_t count) {
        if (!of.beside && !of.toggled) return;
        for (const command* c = of.last; c != nullptr; c = c->previous)
            for (std::uint32_t i = 0; i != c->count; ++i) {
                const command_value& value = c->values[i];
                if (!value.beside || (c->step != command_step::toggle && value.gone)) continue;
                if (c->step != command_step::toggle)
                    (void)all_.beside().reserve(value.id, of.which, count);
                else if (value.id.index() == no_component)
                    all_.beside().reserve_disabled(of.which);
                else
                    all_.beside().reserve_disabled(of.which, value.id);
            }
    }
    /// Carries out what the commands of a draft say about sparse components, and about what is disabled; where several
    /// are about the same, the last one counts.
    void put_beside(draft& of) noexcept {
        if (of.beside) put_sets(of);
        if (of.toggled || (all_.beside().disabled_count() != 0 && all_.beside().any(of.which)))
            toggle_all(of);
    }
    void put_sets(draft& of) noexcept {
        component_mask done;
        extras& beside = all_.beside();
        for (command* c = of.last; c != nullptr; c = c->previous)
            for (std::uint32_t i = 0; c->beside && i != c->count; ++i) {
                command_value& value = c->values[i];
                if (!value.beside) continue;
                std::byte* const data = value.data;
                value.data = nullptr; // it has found its place
                if (done.test(value.id)) {
                    if (data != nullptr) destroy_run(*value.type, data, 1);
                    continue;
                }
                done.set(value.id);
                std::byte* const old = beside.find(of.which, value.id);
                if (value.gone) {
                    if (old != nullptr) beside.erase(value.id, of.which);
                } else if (old != nullptr) {
                    if (data == nullptr) continue;
                    destroy_run(*value.type, old, 1);
                    relocate_value(*value.type, old, data);
                } else {
                    sparse_set& set = *beside.set(value.id);
                    if (data != nullptr) relocate_value(*value.type, set.next_cell(), data);
                    beside.insert(set, of.which);
                }
            }
    }
    /// What was removed is enabled if it comes again.
    void toggle_all(const draft& of) noexcept {
        component_mask done;
        bool entity_done = false;
        extras& beside = all_.beside();
        const auto removed = [&](component_id id) {
            if (!done.test(id)) beside.enable(of.which, id);
            done.set(id);
        };
        for (const command* c = of.last; c != nullptr; c = c->previous) {
            if (c->step == command_step::change) {
                bundle_of(c->bundle).removed.each(removed);
                for (std::uint32_t i = 0; i != c->count; ++i)
                    if (c->values[i].gone) removed(c->values[i].id);
            }
            if (c->step != command_step::toggle) continue;
            const command_value& value = c->values[0];
            if (value.id.index() == no_component) {
                if (entity_done) continue;
                entity_done = true;
                value.gone ? beside.disable(of.which) : beside.enable(of.which);
            } else if (!done.test(value.id)) {
                done.set(value.id);
                value.gone ? beside.disable(of.which, value.id) : beside.enable(of.which, value.id);
            }
        }
    }

    void move(draft& of) {
        if (of.last == nullptr) return;
        const component_mask& had = mask(of.from);
        m_.links.clear();
        if (of.linked) collect_links(of);
        reserve_beside(of, 1);
        const placement place = all_.watch() != nullptr ? move_watched(of, had) : move_row(of);
        if (all_.tracking()) [[unlikely]]
            note_changes(of, had);
        put_beside(of);
        put_values(of, place.row, &had);
        of.last = nullptr;
        if (all_.watch() != nullptr) [[unlikely]]
            tell_values(of);
    }

    placement move_row(const draft& of) {
        return all_.move_to(of.which, of.at, {m_.links.data(), m_.links.size()});
    }
    [[gnu::noinline]] placement move_watched(const draft& of, const component_mask& had) {
        all_.watch()->reserve(1);
        given_ = given_to(of, had);
        if (!of.beside) return move_row(of);
        component_mask came;
        component_mask gone;
        compare_sets(of, came, gone);
        const beside_change change{*all_.watch(), came, gone};
        return move_row(of);
    }
    /// Finds the sparse components that an entity will get, lose, and be given another value of, as `put_sets` will do it.
    void compare_sets(const draft& of, component_mask& came, component_mask& gone) {
        component_mask done;
        for (const command* c = of.last; c != nullptr; c = c->previous)
            for (std::uint32_t i = 0; c->beside && i != c->count; ++i) {
                const command_value& value = c->values[i];
                if (!value.beside || done.test(value.id)) continue;
                done.set(value.id);
                const bool there = all_.beside().contains(of.which, value.id);
                if (value.gone && there)
                    gone.set(value.id);
                else if (!value.gone && !there)
                    came.set(value.id);
                else if (!value.gone && value.data != nullptr)
                    given_.set(value.id);
            }
    }
    [[gnu::noinline]] void tell_values(const draft& of) {
        all_.watch()->note_set(of.which, given_);
        all_.settle();
    }
    /// The components that an entity had before, and of which it gets a value.
    [[nodiscard]] component_mask given_to(const draft& of, const component_mask& had) const {
        component_mask given;
        for (const command* c = of.last; c != nullptr; c = c->previous)
            for (std::uint32_t i = 0; i != c->count; ++i) {
                const command_value& value = c->values[i];
                if (value.data != nullptr && !value.skipped && had.test(value.id) &&
                    mask(of.at).test(value.id))
                    given.set(value.id);
            }
        return given;
    }

    /// Notes what the commands of a draft write, and what they remove and add again: the move did not see it.
    void note_changes(const draft& of, const component_mask& had) const {
        const component_mask stayed = had & mask(of.at);
        for (const command* c = of.last; c != nullptr; c = c->previous) {
            for (std::uint32_t i = 0; i != c->count; ++i) {
                const command_value& value = c->values[i];
                if (value.data != nullptr && !value.skipped && stayed.test(value.id))
                    all_.mark_written(of.which, value.id);
            }
            (bundle_of(c->bundle).removed & stayed).each([&](component_id id) {
                all_.mark_added(of.which, id);
            });
        }
    }

    void end(draft& of) {
        if (of.state == draft_state::dying)
            all_.despawn(of.which);
        else
            all_.handles().give_back(of.which);
        for (command* c = of.last; c != nullptr; c = c->previous) drop(*c);
    }
    /// Ends the values of a command that is not carried out.
    static void drop(command& of) noexcept {
        for (std::uint32_t i = 0; i != of.count; ++i)
            if (of.values[i].data != nullptr) destroy_run(*of.values[i].type, of.values[i].data, 1);
        of.done = true;
    }

    /// New entities: room for all of them first, so that what follows cannot fail; neighbours of one family are one run.
    void bear() {
        m_.runs.clear();
        m_.births.clear();
        m_.born.clear();
        m_.targets.clear();
        std::uint32_t archetype = none;
        std::uint32_t count = 0;
        const auto reserve = [&] {
            if (count != 0) {
                m_.runs.reserve(m_.runs.size() + 1);
                m_.runs.append(all_.reserve_rows(archetype, m_.targets.data(), count));
            }
            count = 0;
        };
        try {
            m_.births.reserve(births_);
            m_.born.reserve(births_);
            for (draft& each : m_.drafts) {
                if (each.state != draft_state::unborn) continue;
                m_.births.append(each.which);
                m_.born.append(&each);
                reserve_beside(each, births_);
                const relation_index* const related = all_.archetype_at(each.at)->relations();
                if (each.at != archetype || (related != nullptr && !same_targets(each, *related))) {
                    reserve();
                    archetype = each.at;
                    m_.targets.clear();
                    if (related != nullptr)
                        for (const component_id id : related->ids)
                            m_.targets.push_back(target(each.which, id));
                }
                ++count;
            }
            reserve();
        } catch (...) {
            all_.cancel_rows({m_.runs.data(), m_.runs.size()});
            throw;
        }
        all_.locate_rows({m_.runs.data(), m_.runs.size()});
        std::size_t next = 0;
        for (draft* each : m_.born) put_beside(*each);
        for (const new_rows& run : m_.runs) {
            fill(run, m_.born.data() + next);
            all_.commit_given(run, m_.births.data() + next);
            next += run.count;
        }
        if (all_.watch() != nullptr) [[unlikely]]
            all_.watch()->spawned({m_.runs.data(), m_.runs.size()});
    }
    /// Moves the values of new entities to their rows: column by column, where all were recorded in the same way.
    void fill(const new_rows& run, draft* const* born) noexcept {
        const command& first = *born[0]->last;
        bool alike = true;
        for (std::uint32_t i = 0; i != run.count; ++i) {
            command& each = *born[i]->last;
            alike = alike && each.previous == nullptr && each.bundle == first.bundle &&
                    each.count == first.count && !each.beside;
            each.done = true; // nothing can fail from here on
        }
        if (!alike) {
            for (std::uint32_t i = 0; i != run.count; ++i) put_values(*born[i], run.first + i, nullptr);
            return;
        }
        for (std::uint32_t v = 0; v != first.count; ++v) {
            const component_id id = first.values[v].id;
            const component_type& type = *first.values[v].type;
            std::byte* cell = all_.column_data(id, run.archetype) + run.first * type.size;
            for (std::uint32_t i = 0; i != run.count; ++i, cell += type.size) {
                const command_value& value = born[i]->last->values[v];
                if (value.data == nullptr) continue;
                if (value.id == id) [[likely]]
                    relocate_value(type, cell, value.data);
                else // the same types in another order
                    put_value(value, run.archetype, run.first + i, nullptr);
            }
        }
    }
    [[nodiscard]] bool same_targets(const draft& of, const relation_index& related) noexcept {
        std::size_t i = 0;
        for (const component_id id : related.ids)
            if (m_.targets[i++] != target(of.which, id)) return false;
        return true;
    }

    storage& all_;
    apply_memory& m_;
    on_failure policy_;
    component_mask given_;   ///< to one entity, while somebody observes
    std::size_t births_ = 0; ///< drafts of entities to be born
    std::size_t deaths_ = 0; ///< drafts of entities that end
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
