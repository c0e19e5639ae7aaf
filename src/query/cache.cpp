module;
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>

module pecs.query;

import pecs.archetype;

namespace pecs::detail {
namespace {

/// The shortest list of archetypes that contains all matches.
std::span<const std::uint32_t> candidates(const filter& wanted, const storage& all) noexcept {
    std::span<const std::uint32_t> shortest = all.created();
    wanted.required.each([&](component_id id) {
        const auto users = all.created_with(id);
        if (users.size() < shortest.size()) shortest = users;
    });
    return shortest;
}

} // namespace

void query_cache::update(const storage& all) {
    const update_lock lock;
    if (version_.load(std::memory_order_relaxed) == all.version()) return; // another thread was faster
    std::span<const std::uint32_t> fresh;
    if (collections_ == all.collections()) {
        fresh = all.created().subspan(examined_);
    } else {
        fresh = candidates(wanted, all);
        matches_.clear();
        collections_ = never; // until this is done: the next line may run out of memory
    }
    matches_.reserve(matches_.size() + fresh.size());
    for (const std::uint32_t id : fresh) {
        const archetype* const place = all.archetype_at(id);
        if (wanted.matches(place->mask())) matches_.append(place);
    }
    tested_ += fresh.size();
    lone_ = nullptr;
    if (matches_.size() == 1 && matches_[0]->relations() != nullptr && matches_[0]->relations()->count() == 1)
        lone_ = matches_[0];
    examined_ = all.created().size();
    collections_ = all.collections();
    version_.store(all.version(), std::memory_order_release);
}

query_cache* make_cache(const storage& all) {
    auto* const made = std::pmr::polymorphic_allocator<>{all.memory()}.new_object<query_cache>(all.memory());
    made->destroy = [](attachment* self, std::pmr::memory_resource* memory) noexcept {
        std::pmr::polymorphic_allocator<>{memory}.delete_object(static_cast<query_cache*>(self));
    };
    return made;
}

query_cache* make_cache(const storage& all, void (*describe)(filter&)) {
    query_cache* const made = make_cache(all);
    try {
        describe(made->wanted);
    } catch (...) {
        made->destroy(made, all.memory());
        throw;
    }
    return made;
}

void renew(query_note& note, const storage& all, std::atomic<std::uint32_t>& number,
           attachment_table::factory make) {
    auto* const cache =
        static_cast<query_cache*>(all.attachments().get(attachment_number(number), make, all));
    const archetype_span matches = cache->matches(all);
    note = {all.version(), matches, cache};
}

} // namespace pecs::detail
