// How the drafts of entities that live are carried out: one move to where they end up, then the values that commands brought
// along; and how the dead end.
module;
#include <algorithm>
#include <cstddef>
#include <cstdint>

module pecs.world;

import pecs.archetype;
import pecs.relation;

namespace pecs::detail {

/// Fills the links with what the commands of a draft say last.
void draft_work::collect_links(const draft& of) {
    m_.links.clear();
    for (const command* c = of.last; c != nullptr; c = c->previous)
        for (std::uint32_t i = 0; i != c->count; ++i) {
            const command_value& value = c->values[i];
            if (!value.target || !mask(of.at).test(value.id)) continue;
            const auto same = [&](const link& known) { return known.relation == value.id; };
            if (std::ranges::none_of(m_.links, same)) m_.links.push_back({value.id, value.target});
        }
}

/// Moves the values of the commands of a draft to their row; where several give a value, the last one counts. The
/// entity had the components of `had` before, and those that remain hold values.
void draft_work::put_values(draft& of, std::uint32_t row, const component_mask* had) noexcept {
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
void draft_work::reserve_beside(const draft& of, std::size_t count) {
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
void draft_work::put_beside(draft& of) noexcept {
    if (of.beside) put_sets(of);
    if (of.toggled || (all_.beside().disabled_count() != 0 && all_.beside().any(of.which))) toggle_all(of);
}
void draft_work::put_sets(draft& of) noexcept {
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
                if (value.gone && all_.tracking()) all_.mark_added(of.which, value.id); // if it came again
                continue;
            }
            done.set(value.id);
            std::byte* const old = beside.find(of.which, value.id);
            if (value.gone) {
                if (old != nullptr) beside.erase(value.id, of.which);
            } else if (old != nullptr) {
                if (data == nullptr) continue;
                if (all_.tracking()) all_.mark_written(of.which, value.id);
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
void draft_work::toggle_all(const draft& of) noexcept {
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

/// One command, about columns alone, in a world where nothing else is to be told or noted.
void draft_work::move_plain(draft& of) {
    command& only = *of.last;
    const component_mask& had = mask(of.from);
    const placement place = all_.move_to(of.which, of.at, {});
    for (std::uint32_t i = 0; i != only.count; ++i) put_value(only.values[i], of.at, place.row, &had);
    only.done = true;
    of.last = nullptr;
}

void draft_work::move(draft& of) {
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

placement draft_work::move_row(const draft& of) {
    return all_.move_to(of.which, of.at, {m_.links.data(), m_.links.size()});
}
[[gnu::noinline]] placement draft_work::move_watched(const draft& of, const component_mask& had) {
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
void draft_work::compare_sets(const draft& of, component_mask& came, component_mask& gone) {
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
[[gnu::noinline]] void draft_work::tell_values(const draft& of) {
    all_.watch()->note_set(of.which, given_);
    all_.settle();
}
/// The components that an entity had before, and of which it gets a value.
component_mask draft_work::given_to(const draft& of, const component_mask& had) const {
    component_mask given;
    for (const command* c = of.last; c != nullptr; c = c->previous)
        for (std::uint32_t i = 0; i != c->count; ++i) {
            const command_value& value = c->values[i];
            if (value.data != nullptr && !value.skipped && had.test(value.id) && mask(of.at).test(value.id))
                given.set(value.id);
        }
    return given;
}

/// Notes what the commands of a draft write, and what they remove and add again: the move did not see it.
void draft_work::note_changes(const draft& of, const component_mask& had) const {
    const component_mask stayed = had & mask(of.at);
    for (const command* c = of.last; c != nullptr; c = c->previous) {
        for (std::uint32_t i = 0; i != c->count; ++i) {
            const command_value& value = c->values[i];
            if (value.data != nullptr && !value.skipped && stayed.test(value.id))
                all_.mark_written(of.which, value.id);
        }
        (bundle_of(c->bundle).removed & stayed).each([&](component_id id) { all_.mark_added(of.which, id); });
    }
}

void draft_work::end(draft& of) {
    if (of.state == draft_state::dying)
        all_.despawn(of.which);
    else
        all_.handles().give_back(of.which);
    for (command* c = of.last; c != nullptr; c = c->previous) drop(*c);
}

void draft_work::drop(command& of) noexcept {
    for (std::uint32_t i = 0; i != of.count; ++i)
        if (of.values[i].data != nullptr) destroy_run(*of.values[i].type, of.values[i].data, 1);
    of.done = true;
}

void draft_work::flush() {
    if (spawn_count_ != 0) bear();
    const bool watched = all_.watch() != nullptr;
    const bool noted = watched || all_.tracking() || all_.beside().disabled_count() != 0;
    if (unborn_ + deaths_ != m_.drafts.size())
        for (draft& each : m_.drafts) {
            if (each.state != draft_state::living || each.last == nullptr) continue;
            if (noted || each.linked || each.beside || each.toggled || each.last->previous != nullptr)
                move(each);
            else
                move_plain(each);
        }
    if (deaths_ != 0)
        for (draft& each : m_.drafts) {
            if (!each.ends()) continue;
            if (watched || each.state != draft_state::dying || each.last->previous != nullptr) {
                end(each);
            } else { // nothing but its end was recorded, and it is known to be alive
                all_.end(each.which);
                each.last->done = true;
            }
        }
    clear_drafts();
}

} // namespace pecs::detail
