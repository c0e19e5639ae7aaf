module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

module pecs.archetype;

namespace pecs::detail {

void set_ticks::begin(const tick_clock& clock, std::size_t count, std::size_t room) {
    pairs_.reserve(room);
    pairs_.resize(count, {clock.now(), clock.now()});
    clock_.store(&clock, std::memory_order_release);
}

bool set_ticks::valid(std::size_t count, std::size_t room) const noexcept {
    const tick_clock* const at = clock();
    if (at == nullptr) return pairs_.capacity() == 0;
    return pairs_.size() == count && pairs_.capacity() >= room &&
           std::ranges::all_of(pairs_, [at](const tick_pair& one) {
               return one.added != 0 && one.added <= one.changed && one.changed <= at->now();
           });
}

} // namespace pecs::detail
