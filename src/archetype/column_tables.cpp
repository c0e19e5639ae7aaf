module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

module pecs.archetype;

namespace pecs::detail {

column_tables::~column_tables() {
    for (std::byte** const table : tables_)
        if (table != empty_) release(table, capacity_);
    release(empty_, capacity_);
}

std::byte** column_tables::allocate(std::uint32_t capacity) const {
    auto** const table =
        static_cast<std::byte**>(memory_->allocate(capacity * sizeof(std::byte*), cache_line));
    std::fill_n(table, capacity, nullptr);
    return table;
}

void column_tables::release(std::byte** table, std::uint32_t capacity) const noexcept {
    if (table != nullptr)
        memory_->deallocate(static_cast<void*>(table), capacity * sizeof(std::byte*), cache_line);
}

// All new tables first: what follows cannot fail.
void column_tables::resize(std::uint32_t capacity) {
    std::array<std::byte**, count> next{};
    std::byte** next_empty = nullptr;
    try {
        next_empty = allocate(capacity);
        for (std::size_t i = 0; i != count; ++i)
            next[i] = tables_[i] == empty_ ? next_empty : allocate(capacity);
    } catch (...) {
        for (std::byte** const table : next)
            if (table != next_empty) release(table, capacity);
        release(next_empty, capacity);
        throw;
    }
    for (std::size_t i = 0; i != count; ++i) {
        if (next[i] == next_empty) continue;
        std::copy_n(tables_[i], std::min(capacity, capacity_), next[i]);
        release(tables_[i], capacity_);
    }
    release(empty_, capacity_);
    tables_ = next;
    empty_ = next_empty;
    capacity_ = capacity;
}

void column_tables::reserve(std::uint32_t archetypes, const component_mask& used) {
    if (archetypes > capacity_) resize(archetypes < 8 ? 8 : archetypes * 2);
    used.each([this](component_id id) {
        if (tables_[id.index()] == empty_) tables_[id.index()] = allocate(capacity_);
    });
}

void column_tables::shrink(std::uint32_t archetypes, const component_mask& used) {
    for (std::size_t i = 0; i != max_components; ++i) {
        if (tables_[i] == empty_ || used.test(component_id{static_cast<std::uint16_t>(i)})) continue;
        release(tables_[i], capacity_);
        tables_[i] = empty_;
    }
    if (archetypes < capacity_) resize(archetypes);
}

std::size_t column_tables::bytes() const noexcept {
    const auto own = std::count_if(tables_.begin(), tables_.end(), [this](auto* t) { return t != empty_; });
    return (static_cast<std::size_t>(own) + 1) * capacity_ * sizeof(std::byte*);
}

} // namespace pecs::detail
