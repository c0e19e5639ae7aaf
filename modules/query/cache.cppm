// The memory of a query: which archetypes match. It is brought up to date when the query is used, by looking only at
// archetypes made since; after archetypes were collected it starts again, from the rarest component it requires. The
// order is that of the archetypes' creation, however often and whenever the query was used.
//
// Several threads may use a query at once while nothing changes in the world: whoever comes first after a change does
// the update, under a lock. Each thread also keeps a note of what it saw last, per type of query. Versions of storages are
// unique, so one comparison tells whether the note is of this storage and up to date.
export module pecs.query:cache;

import pecs.std;
import pecs.archetype;
import :filter;

export namespace pecs::detail {

/// The archetypes that match a query.
struct archetype_span {
    const archetype* const* list;
    std::size_t count;
    const archetype* lone; ///< the only one, if there is one, and it has one relation

    [[nodiscard]] inline const archetype* const* data() const noexcept { return list; }
    [[nodiscard]] inline std::size_t size() const noexcept { return count; }
    [[nodiscard]] inline const archetype* operator[](std::size_t i) const noexcept { return list[i]; }
};

class query_cache : public attachment {
public:
    inline explicit query_cache(std::pmr::memory_resource* memory) noexcept
        : wanted{memory}, matches_{memory} {}

    filter wanted; ///< set once, before the first use

    /// The archetypes that match, up to date.
    [[nodiscard]] inline archetype_span matches(const storage& all) {
        if (version_.load(std::memory_order_acquire) != all.version()) [[unlikely]]
            update(all);
        return {matches_.data(), matches_.size(), lone_};
    }

    /// How many archetypes were ever tested; for tests.
    [[nodiscard]] inline std::uint64_t tested() const noexcept { return tested_; }

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
    std::uint64_t tested_ = 0;
    std::size_t examined_ = 0; ///< how many of the storage's created archetypes were looked at
    buffer<const archetype*> matches_;
    const archetype* lone_ = nullptr; ///< see `archetype_span`
};

/// Makes a cache that lives with the storage; the caller sets what is wanted.
[[nodiscard]] query_cache* make_cache(const storage& all);
/// The same for terms that can tell what they want.
[[nodiscard]] query_cache* make_cache(const storage& all, void (*describe)(filter&));

/// What a thread last saw of one type of query.
struct query_note {
    std::uint64_t version = 0; ///< of the storage; no storage has version 0
    archetype_span matches{};
    query_cache* cache = nullptr;
};

/// Brings a note up to date. `number` and `make` are of the attachment that the query's cache is.
void renew(query_note& note, const storage& all, std::atomic<std::uint32_t>& number,
           attachment_table::factory make);

} // namespace pecs::detail
