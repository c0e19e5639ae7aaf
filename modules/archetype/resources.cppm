// Values of which a world has one per type. A type has a small number, the same in all worlds, by which a table finds its
// value: two loads and no hash.
//
// Each value is a block of memory of its own and keeps its address until it is removed or another takes its place. The
// blocks are a list in order of creation, so that they can end in reverse.
export module pecs.archetype:resources;

import pecs.std;
import pecs.core;
import :buffer;
import :entity_pool;

export namespace pecs::detail {

/// What all resources have in common: their place in the list, and how they end.
struct resource_block {
    resource_block* older = nullptr;
    resource_block* newer = nullptr;
    std::byte* value = nullptr;
    std::size_t bytes = 0; ///< of the block
    /// Ends the value and gives the block back.
    void (*destroy)(resource_block* self, std::pmr::memory_resource* memory) noexcept = nullptr;
};

class resource_table {
public:
    inline explicit resource_table(std::pmr::memory_resource* memory) noexcept : slots_{memory} {}
    resource_table(const resource_table&) = delete;
    resource_table& operator=(const resource_table&) = delete;
    ~resource_table();

    /// Where the pointer to the value of a number is; null if there is no value. Valid until the next change.
    [[nodiscard]] inline std::byte* const* find(std::uint32_t number) const noexcept {
        if (number >= slots_.size() || slots_[number].value == nullptr) return nullptr;
        return &slots_[number].value;
    }
    /// Makes room for a number; may throw.
    inline void reserve(std::uint32_t number) {
        if (number >= slots_.size()) slots_.resize(std::size_t{number} + 1, slot{});
    }
    /// Takes a block over, for a number that there is room for, and ends the one that was there.
    void put(std::uint32_t number, resource_block* block) noexcept;
    /// Ends the value of a number; false if there is none.
    bool remove(std::uint32_t number) noexcept;

    [[nodiscard]] inline std::size_t size() const noexcept { return size_; }
    /// What the values take.
    [[nodiscard]] inline std::size_t block_bytes() const noexcept { return block_bytes_; }
    [[nodiscard]] inline std::size_t bytes() const noexcept { return block_bytes_ + slots_.bytes(); }

private:
    struct slot {
        std::byte* value = nullptr;
        resource_block* block = nullptr;
    };

    void take_out(resource_block* block) noexcept;

    buffer<slot> slots_; ///< by number
    resource_block* newest_ = nullptr;
    std::size_t size_ = 0;
    std::size_t block_bytes_ = 0;
};

/// Says in words why `T` is no resource; does nothing for one that is.
template <class T> consteval void require_resource() {
    static_assert(std::is_object_v<T> && !std::is_array_v<T>,
                  "pecs: a resource must be a plain object type, not a reference, function, array or void; "
                  "for an array use std::array or a struct");
    static_assert(std::same_as<T, std::remove_cv_t<T>>,
                  "pecs: a resource type is named without const or volatile, but for reading");
    static_assert(std::is_nothrow_destructible_v<T>,
                  "pecs: a resource must be destructible without throwing: its destructor must be public and "
                  "noexcept");
}

/// A new number for a type of resource; the same for all storages.
[[nodiscard]] std::uint32_t next_resource_number() noexcept;

/// The number of `T`, or `none` before its first use.
template <class T> inline constinit std::atomic<std::uint32_t> resource_slot{none};

/// The number of `T`, which is given on first use.
template <class T> [[nodiscard]] inline std::uint32_t resource_number() noexcept {
    std::uint32_t number = resource_slot<T>.load(std::memory_order_acquire);
    if (number == none) [[unlikely]] {
        const std::uint32_t fresh = next_resource_number();
        number = resource_slot<T>.compare_exchange_strong(number, fresh) ? fresh : number;
    }
    return number;
}

/// Where the pointer to the resource `T`, which may be const, is; null if there is none.
template <class T> [[nodiscard]] inline std::byte* const* find_resource(const resource_table& all) noexcept {
    using type = std::remove_const_t<T>;
    require_resource<type>();
    return all.find(resource_slot<type>.load(std::memory_order_relaxed));
}
/// The same, or `missing_resource`.
template <class T> [[nodiscard]] inline std::byte* const* checked_resource(const resource_table& all) {
    std::byte* const* const found = find_resource<T>(all);
    if (found == nullptr) [[unlikely]]
        throw_missing_resource(name_of<std::remove_const_t<T>>());
    return found;
}

/// A block with its value.
template <class T> struct resource_of : resource_block {
    cell<T> content;

    template <class... Args>
    explicit resource_of(Args&&... args)
        : resource_block{.value = reinterpret_cast<std::byte*>(__builtin_addressof(content.value)),
                         .bytes = sizeof(resource_of),
                         .destroy = &end},
          content(static_cast<Args&&>(args)...) {}
    static void end(resource_block* self, std::pmr::memory_resource* memory) noexcept {
        auto* const block = static_cast<resource_of*>(self);
        block->~resource_of();
        memory->deallocate(block, sizeof(resource_of), alignof(resource_of));
    }
    static void* operator new(std::size_t /*size*/, void* where) noexcept { return where; }
    static void operator delete(void* /*block*/, void* /*where*/) noexcept {}
};

/// Makes a value and puts it where the one before it was, which ends then. If the constructor throws, that one stays.
template <class T, class... Args>
inline T& emplace_resource_in(resource_table& all, std::pmr::memory_resource* memory, Args&&... args) {
    require_resource<T>();
    using block = resource_of<T>;
    const std::uint32_t number = resource_number<T>();
    all.reserve(number);
    void* const raw = memory->allocate(sizeof(block), alignof(block));
    block* made = nullptr;
    try {
        made = new (raw) block(static_cast<Args&&>(args)...);
    } catch (...) {
        memory->deallocate(raw, sizeof(block), alignof(block));
        throw;
    }
    all.put(number, made);
    return made->content.value;
}

} // namespace pecs::detail
