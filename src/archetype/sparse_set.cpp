module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>

module pecs.archetype;

namespace pecs::detail {

sparse_set::sparse_set(component_id id, std::pmr::memory_resource* memory)
    : size_{type_of(id).size},
      entities_{memory},
      pages_{memory},
      stable_{type_of(id).storage == component_storage::sparse_stable && type_of(id).size != 0},
      type_{&type_of(id)},
      id_{id},
      slots_{memory},
      free_{memory},
      blocks_{memory},
      ticks_{memory},
      memory_{memory} {
    if (size_ == 0) values_ = &tag_column;
}

sparse_set::~sparse_set() {
    clear();
    for (const page& each : pages_)
        if (each.places != nullptr)
            memory_->deallocate(each.places, page_size * sizeof(std::uint32_t), cache_line);
    if (spare_ != nullptr) memory_->deallocate(spare_, page_size * sizeof(std::uint32_t), cache_line);
    if (value_room_ != 0) memory_->deallocate(values_, value_room_ * size_, alignment());
    for (std::byte* const block : blocks_)
        if (block != nullptr) memory_->deallocate(block, block_size * size_, alignment());
}

std::size_t sparse_set::alignment() const noexcept { return std::max(type_->alignment, cache_line); }

void sparse_set::make_page(std::uint32_t number) {
    if (number >= pages_.size()) pages_.resize(number + std::size_t{1}, page{nullptr, 0});
    std::uint32_t* fresh = std::exchange(spare_, nullptr);
    if (fresh == nullptr)
        fresh = static_cast<std::uint32_t*>(memory_->allocate(page_size * sizeof(std::uint32_t), cache_line));
    std::fill_n(fresh, page_size, none);
    pages_[number] = {fresh, 0};
}

void sparse_set::release_page(page& empty) noexcept {
    if (spare_ != nullptr) memory_->deallocate(spare_, page_size * sizeof(std::uint32_t), cache_line);
    spare_ = std::exchange(empty.places, nullptr);
}

void sparse_set::grow(std::size_t count) {
    if (count >= none) throw capacity_exceeded{"values of a sparse component", none - 1};
    entities_.reserve(count);
    ticks_.reserve(entities_.capacity());
    std::size_t room = std::min(entities_.capacity(), ticks_.room());
    if (stable_) {
        slots_.reserve(entities_.capacity());
        while (slots_.size() + free_.size() < count) add_block();
        room = std::min(room, slots_.size() + free_.size());
    } else if (size_ != 0) {
        grow_values(entities_.capacity());
        room = std::min(room, value_room_);
    }
    room_ = room;
}

void sparse_set::grow_values(std::size_t count) {
    if (count <= value_room_) return;
    auto* const fresh = static_cast<std::byte*>(memory_->allocate(count * size_, alignment()));
    if (!entities_.empty()) relocate_run(*type_, fresh, values_, entities_.size());
    if (value_room_ != 0) memory_->deallocate(values_, value_room_ * size_, alignment());
    values_ = fresh;
    value_room_ = count;
}

void sparse_set::add_block() {
    std::size_t number = 0; // of a block that was given back, if there is one
    while (number != blocks_.size() && blocks_[number] != nullptr) ++number;
    if (number == blocks_.size()) blocks_.reserve(number + 1);
    free_.reserve((blocks_.size() + 1) * block_size); // all slots may become free
    auto* const block = static_cast<std::byte*>(memory_->allocate(block_size * size_, alignment()));
    if (number == blocks_.size())
        blocks_.append(block);
    else
        blocks_[number] = block;
    for (std::uint32_t i = block_size; i-- != 0;)
        free_.append(static_cast<std::uint32_t>(number) * block_size + i);
}

void sparse_set::clear() noexcept {
    if (type_->destroy != nullptr) {
        if (!stable_ && !entities_.empty()) destroy_run(*type_, values_, entities_.size());
        for (std::size_t i = 0; stable_ && i != entities_.size(); ++i)
            destroy_run(*type_, slot(slots_[i]), 1);
    }
    for (const std::uint32_t used : slots_) free_.append(used);
    slots_.clear();
    for (const entity e : entities_) {
        page& each = pages_[e.index() / page_size];
        each.places[e.index() % page_size] = none;
        each.used = 0;
    }
    entities_.clear();
    ticks_.clear();
}

void sparse_set::shrink() {
    for (page& each : pages_)
        if (each.places != nullptr && each.used == 0) release_page(each);
    if (spare_ != nullptr) {
        memory_->deallocate(spare_, page_size * sizeof(std::uint32_t), cache_line);
        spare_ = nullptr;
    }
    while (!pages_.empty() && pages_.back().places == nullptr) pages_.pop_back();
    pages_.shrink();
    room_ = entities_.size();
    entities_.shrink();
    ticks_.shrink();
    if (stable_) {
        std::ranges::sort(free_);
        std::size_t kept = 0; // slots of blocks without a value go with their block
        for (std::size_t i = 0; i != free_.size();) {
            const std::size_t block = free_[i] / block_size;
            std::size_t end = i;
            while (end != free_.size() && free_[end] / block_size == block) ++end;
            if (end - i == block_size)
                memory_->deallocate(std::exchange(blocks_[block], nullptr), block_size * size_, alignment());
            else
                for (std::size_t k = i; k != end; ++k) free_[kept++] = free_[k];
            i = end;
        }
        free_.set_size(kept);
        std::ranges::reverse(free_);
        while (!blocks_.empty() && blocks_.back() == nullptr) blocks_.pop_back();
        blocks_.shrink();
        slots_.shrink();
        if (blocks_.empty()) free_.shrink(); // else it keeps room for all slots
    } else if (entities_.empty() && value_room_ != 0) {
        memory_->deallocate(values_, value_room_ * size_, alignment());
        values_ = nullptr;
        value_room_ = 0;
    } else if (size_ != 0 && value_room_ > entities_.size()) {
        auto* const fresh = static_cast<std::byte*>(memory_->allocate(entities_.size() * size_, alignment()));
        relocate_run(*type_, fresh, values_, entities_.size());
        memory_->deallocate(values_, value_room_ * size_, alignment());
        values_ = fresh;
        value_room_ = entities_.size();
    }
}

std::size_t sparse_set::bytes() const noexcept {
    std::size_t total = sizeof(sparse_set) + entities_.bytes() + pages_.bytes() + slots_.bytes() +
                        free_.bytes() + blocks_.bytes() + ticks_.bytes() + value_room_ * size_;
    for (const page& each : pages_)
        if (each.places != nullptr) total += page_size * sizeof(std::uint32_t);
    if (spare_ != nullptr) total += page_size * sizeof(std::uint32_t);
    for (const std::byte* const block : blocks_)
        if (block != nullptr) total += block_size * size_;
    return total;
}

bool sparse_set::valid() const noexcept {
    for (std::uint32_t i = 0; i != entities_.size(); ++i)
        if (place(entities_[i]) != i) return false;
    std::size_t counted = 0;
    for (const page& each : pages_) {
        if (each.places == nullptr) {
            if (each.used != 0) return false;
            continue;
        }
        const auto used = page_size - std::count(each.places, each.places + page_size, none);
        if (used != each.used) return false;
        counted += each.used;
    }
    if (counted != entities_.size() || room_ > entities_.capacity() || entities_.size() > room_) return false;
    if (!ticks_.valid(entities_.size(), room_)) return false;
    if (!stable_) return slots_.empty() && (size_ == 0 || room_ <= value_room_);
    std::size_t slots = 0;
    for (const std::byte* const block : blocks_) slots += block != nullptr ? block_size : 0;
    return slots_.size() == entities_.size() && slots_.size() + free_.size() == slots &&
           free_.capacity() >= slots;
}

} // namespace pecs::detail
