// Drafts, and the spawns that have none, found by their entities.
module;
#include <algorithm>
#include <cstdint>
#include <memory_resource>

module pecs.world;

import pecs.archetype;
import pecs.relation;

namespace pecs::detail {

apply_memory::apply_memory(std::pmr::memory_resource* memory)
    : drafts{memory},
      spawns{memory},
      places{memory},
      links{memory},
      targets{memory},
      runs{memory},
      sources{memory},
      born{memory},
      failures{memory} {}

apply_memory& recording::scratch() {
    if (scratch_ == nullptr)
        scratch_ = std::pmr::polymorphic_allocator<>{memory()}.new_object<apply_memory>(memory());
    return *scratch_;
}

void recording::release_scratch() noexcept {
    if (scratch_ != nullptr) std::pmr::polymorphic_allocator<>{memory()}.delete_object(scratch_);
}

draft_book::draft_book(storage& all, apply_memory& memory) : all_{all}, m_{memory} {
    clear_drafts();
    if (m_.places.size() < all.entities().index_count()) m_.places.resize(all.entities().index_count(), 0);
}

void draft_book::clear_drafts() noexcept {
    m_.drafts.clear();
    m_.spawns.clear();
    spawn_count_ = 0;
    unborn_ = deaths_ = 0;
}

spawn_run& draft_book::run_of(std::uint32_t number) noexcept {
    return *(std::ranges::upper_bound(m_.spawns, number, {}, &spawn_run::number) - 1);
}

command* draft_book::spawn_of(entity e, std::uint32_t number) noexcept {
    const spawn_run& run = run_of(number);
    command& found = run.first[number - run.number];
    return found.which == e ? &found : nullptr;
}

draft& draft_book::draft_spawn(command& of) {
    spawn_run& run = run_of(m_.places[of.which.index()] ^ spawn_mark);
    draft& made = make(of.which, run.archetype, draft_state::unborn);
    chain(made, of);
    ++unborn_;
    of.drafted = true;
    ++run.drafted;
    return made;
}

bool draft_book::alive(entity e) noexcept {
    if (const draft* const known = find(e)) return !known->ends();
    return find_spawn(e) != nullptr || all_.entities().alive(e);
}

bool draft_book::unborn(entity e) noexcept {
    const draft* const known = find(e);
    return known != nullptr ? known->state == draft_state::unborn : find_spawn(e) != nullptr;
}

entity draft_book::target(entity e, component_id relation) noexcept {
    const draft* const known = find(e);
    if (known == nullptr) return find_spawn(e) != nullptr ? null : all_.target(e, relation);
    if (known->ends() || !mask(known->at).test(relation)) return null;
    for (const command* c = known->last; c != nullptr; c = c->previous)
        for (std::uint32_t i = 0; i != c->count; ++i)
            if (c->values[i].id == relation && c->values[i].target) return c->values[i].target;
    return all_.target(e, relation);
}

} // namespace pecs::detail
