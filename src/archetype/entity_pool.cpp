module;
#include <cstddef>
#include <cstdint>

module pecs.archetype;

namespace pecs::detail {

void entity_pool::reserve_new(std::size_t count) {
    if (count > max_entities_ - records_.size()) throw capacity_exceeded{"entities", max_entities_};
    records_.reserve(records_.size() + count);
}

void entity_pool::destroy_run(const entity* list, std::size_t count) noexcept {
    entity_record* const records = records_.data();
    std::uint32_t first = first_free_;
    std::uint32_t freed = 0;
    for (std::size_t i = 0; i != count; ++i) {
        entity_record& record = records[list[i].index()];
        record.archetype = 0;
        record.family = none;
        if (record.generation == last_generation_) [[unlikely]] {
            record.generation = 0;
            ++retired_;
            continue;
        }
        ++record.generation;
        record.row = first;
        first = list[i].index();
        ++freed;
    }
    first_free_ = first;
    free_ += freed;
    alive_ -= count;
}

void entity_pool::peek(entity* to, std::size_t count) const noexcept {
    std::uint32_t index = first_free_;
    std::size_t done = 0;
    for (; done != count && done != free_; ++done) {
        to[done] = entity{index, records_[index].generation};
        index = records_[index].row;
    }
    for (auto fresh = static_cast<std::uint32_t>(records_.size()); done != count; ++done)
        to[done] = entity{fresh++, 1};
}

void entity_pool::create_run(std::size_t count, std::uint32_t archetype, std::uint32_t first_row,
                             std::uint32_t family) noexcept {
    std::uint32_t row = first_row;
    for (; count != 0 && free_ != 0; --count) (void)create(archetype, row++, family);
    entity_record* to = records_.end();
    alive_ += count;
    records_.set_size(records_.size() + count);
    for (; count != 0; --count) *to++ = {archetype, row++, family, 1};
}

void entity_pool::destroy_all() noexcept {
    first_free_ = none;
    free_ = 0;
    alive_ = 0;
    for (std::size_t i = records_.size(); i-- != 0;) {
        entity_record& record = records_[i];
        const bool live = record.in_use();
        record.archetype = 0;
        record.family = none;
        if (record.generation == 0) [[unlikely]]
            continue; // retired before
        if (live && record.generation == last_generation_) [[unlikely]] {
            record.generation = 0;
            ++retired_;
            continue;
        }
        record.generation += live ? 1 : 0;
        record.row = first_free_;
        first_free_ = static_cast<std::uint32_t>(i);
        ++free_;
    }
}

bool entity_pool::valid() const noexcept {
    std::size_t live = 0;
    for (const entity_record& record : records_)
        if (record.in_use()) ++live;
    std::size_t listed = 0;
    for (std::uint32_t index = first_free_; index != none; index = records_[index].row) {
        if (index >= records_.size() || records_[index].in_use() || listed++ > records_.size()) return false;
    }
    return live == alive_ && listed == free_ && alive_ + free_ + retired_ == records_.size();
}

} // namespace pecs::detail
