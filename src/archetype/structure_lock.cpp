module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

module pecs.archetype;

namespace pecs::detail {
namespace {

/// The storages that loops over others hide, outermost first.
struct hidden_storages {
    std::array<const storage*, 64> list;
    std::size_t size;
};
constinit thread_local hidden_storages hidden{};

} // namespace

constinit thread_local const storage* structure_lock::innermost = nullptr;

void structure_lock::check(const storage& changing) {
    const std::span outer{hidden.list.data(), hidden.size};
    if (innermost == &changing || std::ranges::find(outer, &changing) != outer.end()) throw_world_locked();
}

void structure_lock::hide(const storage& outer) {
    if (hidden.size == hidden.list.size())
        throw capacity_exceeded{"loops inside of loops over other worlds", hidden.list.size()};
    hidden.list[hidden.size++] = &outer;
}

void structure_lock::unhide() noexcept { --hidden.size; }

} // namespace pecs::detail
