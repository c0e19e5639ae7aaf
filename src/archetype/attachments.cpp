module;
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <mutex>

module pecs.archetype;

namespace pecs::detail {
namespace {

// One for all storages: it is held for moments, and almost never.
constinit std::mutex updates;
constinit std::atomic<std::uint32_t> numbers{0};

} // namespace

std::uint32_t next_attachment_number() { return numbers.fetch_add(1, std::memory_order_relaxed); }

void lock_updates() noexcept { updates.lock(); }
void unlock_updates() noexcept { updates.unlock(); }

attachment_table::~attachment_table() {
    for (auto& slot : pages_) {
        page* const p = slot.load(std::memory_order_relaxed);
        if (p == nullptr) continue;
        for (auto& entry : p->slots) {
            attachment* const found = entry.load(std::memory_order_relaxed);
            if (found != nullptr) found->destroy(found, memory_);
        }
        std::pmr::polymorphic_allocator<>{memory_}.delete_object(p);
    }
}

attachment* attachment_table::create(std::uint32_t number, factory make, const storage& owner) {
    if (number / page_size >= page_count) throw capacity_exceeded{"kinds of queries", page_size * page_count};
    const std::scoped_lock lock{updates};
    auto& slot = pages_[number / page_size];
    page* p = slot.load(std::memory_order_relaxed);
    if (p == nullptr) {
        p = std::pmr::polymorphic_allocator<>{memory_}.new_object<page>();
        slot.store(p, std::memory_order_release);
    }
    auto& entry = p->slots[number % page_size];
    attachment* found = entry.load(std::memory_order_relaxed);
    if (found == nullptr) {
        found = make(owner);
        entry.store(found, std::memory_order_release);
    }
    return found;
}

} // namespace pecs::detail
