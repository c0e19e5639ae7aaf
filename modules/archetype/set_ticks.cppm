// The change ticks of one sparse component type: a pair for each entry of its set, by place. Entries are in no family, so
// there is no other pair that would have to be kept in step.
//
//   entities  |  8v1  10v1  1v3  |
//   ticks     |  9 4  7 7   8 2  |        none before the tracking of the type begins
//
// Tracking may begin while other threads loop over the set: whoever sees the clock sees the pairs.
export module pecs.archetype:set_ticks;

import pecs.std;
import pecs.core;
import :buffer;
import :ticks;

export namespace pecs::detail {

class set_ticks {
public:
    inline explicit set_ticks(std::pmr::memory_resource* memory) noexcept : pairs_{memory} {}
    set_ticks(const set_ticks&) = delete;
    set_ticks& operator=(const set_ticks&) = delete;
    ~set_ticks() = default;

    /// What gives the numbers; null if changes are not tracked.
    [[nodiscard]] inline const tick_clock* clock() const noexcept {
        return clock_.load(std::memory_order_acquire);
    }
    /// The pair of a place; only where changes are tracked.
    [[nodiscard]] inline tick_pair& of(std::uint32_t place) noexcept { return pairs_[place]; }

    /// Begins to track: all of `count` entries have come now. There is room for `room` then; throws without a change.
    void begin(const tick_clock& clock, std::size_t count, std::size_t room);

    // For the set alone, which changes only while nobody loops; where nothing is tracked they do nothing.

    /// Room for `count` entries in all; throws without a change.
    inline void reserve(std::size_t count) {
        if (clock() != nullptr) pairs_.reserve(count);
    }
    [[nodiscard]] inline std::size_t room() const noexcept {
        return clock() != nullptr ? pairs_.capacity() : ~std::size_t{0};
    }
    inline void append() noexcept {
        if (const tick_clock* const at = clock()) [[unlikely]]
            pairs_.append({at->now(), at->now()});
    }
    /// The last entry fills the hole of one that goes.
    inline void close_gap(std::uint32_t hole) noexcept {
        if (clock() == nullptr) [[likely]]
            return;
        pairs_[hole] = pairs_.back();
        pairs_.pop_back();
    }
    inline void clear() noexcept { pairs_.clear(); }
    inline void shrink() { pairs_.shrink(); }
    [[nodiscard]] inline std::size_t bytes() const noexcept { return pairs_.bytes(); }
    [[nodiscard]] bool valid(std::size_t count, std::size_t room) const noexcept;

private:
    buffer<tick_pair> pairs_;
    std::atomic<const tick_clock*> clock_{nullptr};
};

} // namespace pecs::detail
