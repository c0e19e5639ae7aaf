module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>

module pecs.archetype;

namespace pecs::detail {

entity_pool::~entity_pool() {
    for (handle_source* source : sources_)
        if (source != nullptr) std::pmr::polymorphic_allocator<>{records_.resource()}.delete_object(source);
}

std::size_t entity_pool::bytes() const noexcept {
    std::size_t total = records_.bytes() + sources_.bytes();
    for (const handle_source* source : sources_)
        if (source != nullptr) total += sizeof(handle_source) + source->stock.bytes();
    return total;
}

void entity_pool::reserve_new(std::size_t count) {
    if (!sources_.empty()) settle();
    if (count > max_entities_ - records_.size()) throw capacity_exceeded{"entities", max_entities_};
    records_.reserve(records_.size() + count);
    promise_from_ = static_cast<std::uint32_t>(records_.size() + count);
}

// --- handles that are given out before their entities live

entity entity_pool::promise(handle_source& source) const {
    const std::uint64_t block =
        std::uint64_t{source.promised / promise_block} * sources_.size() + source.number;
    const std::uint64_t index = promise_from_ + block * promise_block + source.promised % promise_block;
    if (index >= max_entities_) throw capacity_exceeded{"entities", max_entities_};
    ++source.promised;
    return {static_cast<std::uint32_t>(index), 1};
}

void entity_pool::settle() {
    std::size_t end = records_.size();
    bool owed = false;
    for (const handle_source* source : sources_) {
        if (source == nullptr) continue;
        owed = owed || source->orphaned || !source->dropped.empty();
        if (source->promised == 0) continue;
        const std::size_t last = source->promised - 1;
        const std::size_t block = last / promise_block * sources_.size() + source->number;
        const std::size_t beyond = promise_from_ + block * promise_block + last % promise_block + 1;
        end = std::max(end, beyond);
    }
    if (end != records_.size()) make_promised(end);
    if (owed) take_back();
}

void entity_pool::make_promised(std::size_t end) {
    const auto promised = [this](std::size_t index) {
        if (index < promise_from_) return false;
        const std::size_t block = (index - promise_from_) / promise_block;
        const std::size_t position = (index - promise_from_) % promise_block;
        const handle_source* const source = sources_[block % sources_.size()];
        return source != nullptr && block / sources_.size() * promise_block + position < source->promised;
    };
    const std::size_t first = records_.size();
    records_.reserve(end);
    records_.set_size(end);
    for (std::size_t i = end; i-- != first;) { // downwards, so that the smallest free index is used first
        if (promised(i)) {
            records_[i] = {0, given, none, 1};
            ++given_;
        } else {
            records_[i] = {0, first_free_, none, 1};
            first_free_ = static_cast<std::uint32_t>(i);
            ++free_;
        }
    }
    promise_from_ = static_cast<std::uint32_t>(end);
    for (handle_source* source : sources_)
        if (source != nullptr) source->promised = 0;
}

void entity_pool::take_back() noexcept {
    for (handle_source*& source : sources_) {
        if (source == nullptr) continue;
        for (const entity e : source->dropped) give_back(e);
        source->dropped.clear();
        if (!source->orphaned) continue;
        for (std::size_t i = source->stock.size(); i-- != source->next;) give_back(source->stock[i]);
        std::pmr::polymorphic_allocator<>{records_.resource()}.delete_object(source);
        source = nullptr;
    }
    while (!sources_.empty() && sources_.back() == nullptr) sources_.pop_back();
}

handle_source& entity_pool::attach(std::pmr::memory_resource* own) {
    settle(); // with one more source, the blocks that may be promised are others
    std::uint32_t number = 0;
    while (number != sources_.size() && sources_[number] != nullptr) ++number;
    sources_.reserve(number + 1U);
    auto* const made = std::pmr::polymorphic_allocator<>{records_.resource()}.new_object<handle_source>(
        records_.resource(), own);
    made->number = number;
    if (number == sources_.size())
        sources_.append(made);
    else
        sources_[number] = made;
    return *made;
}

void entity_pool::restock(handle_source& source, std::size_t count) {
    const std::size_t left = source.stock.size() - source.next;
    const std::size_t missing = count > left ? count - left : 0;
    reserve(missing);
    source.stock.reserve(left + missing);
    for (std::size_t i = 0; i != left; ++i) source.stock[i] = source.stock[source.next + i];
    source.stock.set_size(left);
    source.next = 0;
    given_ += missing;
    std::size_t rest = missing;
    for (; rest != 0 && free_ != 0; --rest, --free_) {
        entity_record& record = records_[first_free_];
        source.stock.append({first_free_, record.generation});
        first_free_ = std::exchange(record.row, given);
    }
    for (; rest != 0; --rest) {
        source.stock.append({static_cast<std::uint32_t>(records_.size()), 1});
        records_.append({0, given, none, 1});
    }
}

void entity_pool::give_back(entity e) noexcept {
    ++alive_;
    --given_;
    destroy(e);
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
        if (!live && record.row == given) continue;
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
    return live == alive_ && listed == free_ && alive_ + free_ + retired_ + given_ == records_.size();
}

} // namespace pecs::detail
