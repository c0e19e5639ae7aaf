// State that layers above keep with a storage, one object per kind, found by a small number: the caches of queries live
// here. Finding one is two loads; making one is guarded by a lock, so that several threads may ask for the first time
// at once. Objects keep their address until the storage ends.
export module pecs.archetype:attachments;

import pecs.std;
import :entity_pool;

export namespace pecs::detail {

class storage;

/// The common part of everything that is attached.
struct attachment {
    /// Ends the object and gives its memory back.
    void (*destroy)(attachment* self, std::pmr::memory_resource* memory) noexcept = nullptr;
};

class attachment_table {
public:
    using factory = attachment* (*)(const storage&);

    inline explicit attachment_table(std::pmr::memory_resource* memory) noexcept : memory_{memory} {}
    attachment_table(const attachment_table&) = delete;
    attachment_table& operator=(const attachment_table&) = delete;
    ~attachment_table();

    /// The attachment of a number, made with `make` on first use.
    [[nodiscard]] inline attachment* get(std::uint32_t number, factory make, const storage& owner) {
        if (number / page_size < page_count) [[likely]] {
            const page* const p = pages_[number / page_size].load(std::memory_order_acquire);
            if (p != nullptr) [[likely]] {
                attachment* const found = p->slots[number % page_size].load(std::memory_order_acquire);
                if (found != nullptr) [[likely]]
                    return found;
            }
        }
        return create(number, make, owner);
    }

private:
    static constexpr std::size_t page_size = 64;
    static constexpr std::size_t page_count = 256;
    struct page {
        std::array<std::atomic<attachment*>, page_size> slots{};
    };

    attachment* create(std::uint32_t number, factory make, const storage& owner);

    std::pmr::memory_resource* memory_;
    std::array<std::atomic<page*>, page_count> pages_{};
};

/// A new number for a kind of attachment; the same for all storages.
[[nodiscard]] std::uint32_t next_attachment_number();

/// The number in a slot, which is given on first use.
[[nodiscard]] inline std::uint32_t attachment_number(std::atomic<std::uint32_t>& slot) {
    std::uint32_t id = slot.load(std::memory_order_acquire);
    if (id == none) [[unlikely]] {
        const std::uint32_t fresh = next_attachment_number();
        id = slot.compare_exchange_strong(id, fresh) ? fresh : id;
    }
    return id;
}

/// Serialises the rare moments in which readers bring shared state up to date.
void lock_updates() noexcept;
void unlock_updates() noexcept;

struct update_lock {
    inline update_lock() noexcept { lock_updates(); }
    update_lock(const update_lock&) = delete;
    update_lock& operator=(const update_lock&) = delete;
    inline ~update_lock() { unlock_updates(); }
};

} // namespace pecs::detail
