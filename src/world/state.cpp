module;
#include <memory_resource>
#include <utility>

module pecs.world;

import pecs.archetype;

namespace pecs::detail {

world_state::world_state(std::pmr::memory_resource* memory)
    : storage_{std::pmr::polymorphic_allocator<>{memory}.new_object<storage>(memory)} {}

world_state::world_state(world_state&& other) noexcept : storage_{std::exchange(other.storage_, nullptr)} {}

world_state& world_state::operator=(world_state&& other) noexcept {
    if (this != &other) {
        const world_state old{std::move(*this)};
        storage_ = std::exchange(other.storage_, nullptr);
    }
    return *this;
}

world_state::~world_state() {
    if (storage_ != nullptr) std::pmr::polymorphic_allocator<>{storage_->memory()}.delete_object(storage_);
}

} // namespace pecs::detail
