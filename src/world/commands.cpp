module;
#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>

module pecs.world;

import pecs.archetype;

namespace pecs {
namespace detail {
namespace {

constexpr std::size_t chunk_size = std::size_t{16} * 1024;

} // namespace

recording::recording(storage& all, std::pmr::memory_resource* memory)
    : all_{all},
      source_{all.handles().attach(memory)},
      commands_{memory},
      values_{memory},
      chunks_{memory},
      applied_{memory} {}

recording::~recording() {
    clear();
    for (const chunk& each : chunks_) memory()->deallocate(each.data, each.size, each.alignment);
    release_scratch();
    source_.orphaned = true;
}

// A chunk is as aligned as its first value asks for, and a value that is too large gets one of its own. Chunks stay, to
// be used again in the same order.
std::byte* recording::room_in_next(std::size_t size, std::size_t alignment) {
    for (std::size_t next = base_ == nullptr ? 0 : chunk_ + 1; next < chunks_.size(); ++next) {
        if (chunks_[next].size < size || chunks_[next].alignment < alignment) continue;
        open(next);
        used_ = size;
        return base_;
    }
    chunks_.reserve(chunks_.size() + 1);
    const std::size_t bytes = size > chunk_size ? size : chunk_size;
    const std::size_t aligned = alignment > cache_line ? alignment : cache_line;
    chunks_.append({static_cast<std::byte*>(memory()->allocate(bytes, aligned)), bytes, aligned});
    open(chunks_.size() - 1);
    used_ = size;
    return base_;
}

void recording::open(std::size_t index) noexcept {
    chunk_ = index;
    base_ = chunks_[index].data;
    used_ = 0;
    end_ = chunks_[index].size;
}

void recording::end_values(const command& of) noexcept {
    for (std::size_t i = of.first; i != of.first + of.count; ++i) {
        const command_value& value = values_[i];
        if (value.data != nullptr) destroy_run(*value.type, value.data, 1);
    }
}

void recording::clear() noexcept {
    for (const command& each : commands_) {
        if (each.step == command_step::spawn) source_.dropped.append(each.which);
        end_values(each);
    }
    values_.clear();
    commands_.clear();
    spawns_ = 0;
    if (!chunks_.empty()) open(0);
}

void recording::forget_done() noexcept {
    std::size_t kept = 0;
    spawns_ = 0;
    for (std::size_t i = 0; i != commands_.size(); ++i) {
        const command each = commands_[i];
        if (each.done) continue;
        if (each.step == command_step::spawn) ++spawns_;
        commands_[kept++] = each;
    }
    commands_.set_size(kept);
    if (kept == 0) clear();
}

void recording::finish() noexcept {
    const std::size_t spawned = spawns_;
    commands_.clear();
    values_.clear();
    clear();
    if (spawned == 0) return;
    most_spawned_ = std::max(most_spawned_, spawned);
    try {
        all_.handles().restock(source_, most_spawned_);
    } catch (const std::exception&) {
        most_spawned_ = 0; // handles will be promised, which costs no memory now
    }
}

} // namespace detail

void failed_command::raise() const {
    switch (reason) {
    case command_failure::dead_entity: throw dead_entity{which};
    case command_failure::dead_target: throw dead_target{other, component};
    case command_failure::duplicate_component: throw duplicate_component{which, component};
    case command_failure::missing_component:
        if (other) throw missing_component{which, component, other};
        throw missing_component{which, component};
    case command_failure::relation_cycle:
        throw relation_cycle{which, component,
                             to_string(which) + " -> " + to_string(other) +
                                 (which == other ? "" : " -> ... -> " + to_string(which))};
    case command_failure::target_in_use: throw target_in_use{which, component, other};
    }
    throw dead_entity{which};
}

std::string failed_command::message() const {
    try {
        raise();
    } catch (const error& e) {
        return e.what();
    }
}

commands::commands(detail::storage& all, std::pmr::memory_resource* memory) {
    all.check_unlocked();
    data_ = std::pmr::polymorphic_allocator<>{memory}.new_object<detail::recording>(all, memory);
}

commands::~commands() {
    if (data_ != nullptr) std::pmr::polymorphic_allocator<>{data_->memory()}.delete_object(data_);
}

commands& commands::operator=(commands&& other) noexcept {
    if (this != &other) {
        const commands old{std::move(*this)};
        data_ = std::exchange(other.data_, nullptr);
    }
    return *this;
}

commands world::record() { return record(std::pmr::get_default_resource()); }
commands world::record(std::pmr::memory_resource* memory) { return commands{*storage_, memory}; }

std::span<const failed_command> world::apply(commands& recorded, on_failure policy) {
    return apply({&recorded, 1}, policy);
}

std::span<const failed_command> world::apply(std::span<commands> list, on_failure policy) {
    storage_->check_unlocked();
    if (list.empty()) return {};
    detail::buffer<detail::recording*>& all = list[0].data_->applied();
    all.clear();
    all.reserve(list.size());
    for (const commands& each : list) {
        if (&each.data_->world() != storage_) throw foreign_commands{};
        all.append(each.data_);
    }
    return detail::apply_recorded(*storage_, {all.data(), all.size()}, policy);
}

} // namespace pecs
