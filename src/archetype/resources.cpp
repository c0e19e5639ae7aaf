module;
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

module pecs.archetype;

namespace pecs::detail {
namespace {

constinit std::atomic<std::uint32_t> numbers{0};

} // namespace

std::uint32_t next_resource_number() noexcept { return numbers.fetch_add(1, std::memory_order_relaxed); }

resource_table::~resource_table() {
    while (newest_ != nullptr) {
        resource_block* const block = newest_;
        take_out(block);
        block->destroy(block, slots_.resource());
    }
}

void resource_table::take_out(resource_block* block) noexcept {
    if (block->older != nullptr) block->older->newer = block->newer;
    (block->newer != nullptr ? block->newer->older : newest_) = block->older;
    --size_;
    block_bytes_ -= block->bytes;
}

// In both, the value ends last: its destructor may look at the world.
void resource_table::put(std::uint32_t number, resource_block* block) noexcept {
    resource_block* const old = slots_[number].block;
    if (old != nullptr) take_out(old);
    block->older = newest_;
    if (newest_ != nullptr) newest_->newer = block;
    newest_ = block;
    ++size_;
    block_bytes_ += block->bytes;
    slots_[number] = {block->value, block};
    if (old != nullptr) old->destroy(old, slots_.resource());
}

bool resource_table::remove(std::uint32_t number) noexcept {
    if (number >= slots_.size() || slots_[number].block == nullptr) return false;
    resource_block* const old = slots_[number].block;
    take_out(old);
    slots_[number] = {};
    old->destroy(old, slots_.resource());
    return true;
}

} // namespace pecs::detail
