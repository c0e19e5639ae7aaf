// The memory of a query: which archetypes match. It is brought up to date when the query is used, by looking only at
// archetypes made since; after archetypes were collected it starts again, from the rarest component it requires. The
// order is that of the archetypes' creation, however often and whenever the query was used.
//
// Several threads may use a query at once while nothing changes in the world: whoever comes first after a change does
// the update, under a lock.
export module pecs.query:cache;

import pecs.std;
import pecs.archetype;
import :filter;

export namespace pecs::detail {

class query_cache : public attachment {
public:
    inline explicit query_cache(std::pmr::memory_resource* memory) noexcept
        : wanted{memory}, matches_{memory} {}

    filter wanted; ///< set once, before the first use

    /// The archetypes that match, up to date.
    [[nodiscard]] inline std::span<const archetype* const> matches(const storage& all) {
        if (version_.load(std::memory_order_acquire) != all.version()) [[unlikely]]
            update(all);
        return {matches_.data(), matches_.size()};
    }

    /// Starts again at the next use; for a query whose terms change.
    inline void forget() noexcept {
        version_.store(never, std::memory_order_relaxed);
        collections_ = never;
    }

private:
    void update(const storage& all);

    static constexpr std::uint64_t never = ~std::uint64_t{0};
    std::atomic<std::uint64_t> version_{never}; ///< of the storage, when this was last brought up to date
    std::uint64_t collections_ = never;
    std::size_t examined_ = 0; ///< how many of the storage's created archetypes were looked at
    buffer<const archetype*> matches_;
};

/// Makes a cache that lives with the storage; the caller sets what is wanted.
[[nodiscard]] query_cache* make_cache(const storage& all);

} // namespace pecs::detail
