// Memory that watches its user: what is held, how often it was asked for, whether it is given back as it was
// taken; and failure on demand. Takes nothing from operator new, so that a test can watch that as well.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory_resource>
#include <new>
#include <utility>

namespace support {

/// Makes things of one kind fail in the whole test program: lets so many succeed, then fails one, or all from
/// there on.
template <int Kind> class fault_channel {
public:
    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

    static void arm(std::size_t successes, bool lasting) {
        left_ = successes;
        lasting_ = lasting;
        happened_ = false;
    }
    static void disarm() { left_ = never; }
    /// Lets everything succeed for a while; `resume` takes what this returns.
    [[nodiscard]] static std::size_t pause() { return std::exchange(left_, never); }
    static void resume(std::size_t left) { left_ = left; }
    [[nodiscard]] static bool happened() { return happened_; }

    /// Called by everything that may fail; true if it must.
    [[nodiscard]] static bool due() {
        if (left_ == never) return false;
        if (left_ != 0) {
            --left_;
            return false;
        }
        happened_ = true;
        if (!lasting_) left_ = never;
        return true;
    }

private:
    static inline std::size_t left_ = never;
    static inline bool lasting_ = false;
    static inline bool happened_ = false;
};
/// Allocations.
using faults = fault_channel<0>;
/// What the user of the library wrote: constructors and callbacks, where they call `user_code`.
using user_faults = fault_channel<1>;

/// What user code throws when it is told to; no error of the library.
struct injected {};
inline void user_code() {
    if (user_faults::due()) throw injected{};
}

/// Nothing fails as long as it lives.
class no_faults {
public:
    no_faults() = default;
    no_faults(const no_faults&) = delete;
    no_faults& operator=(const no_faults&) = delete;
    ~no_faults() {
        faults::resume(memory_);
        user_faults::resume(user_);
    }

private:
    std::size_t memory_ = faults::pause();
    std::size_t user_ = user_faults::pause();
};

class watched_memory : public std::pmr::memory_resource {
public:
    explicit watched_memory(std::size_t limit = faults::never) : limit_{limit} {}

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t blocks() const { return blocks_; }
    [[nodiscard]] std::size_t allocations() const { return allocations_; }
    /// How many blocks were given back with another size or alignment than they were taken with.
    [[nodiscard]] std::size_t mismatches() const { return mismatches_; }
    /// True if everything was given back as it was taken.
    [[nodiscard]] bool clean() const { return bytes_ == 0 && blocks_ == 0 && mismatches_ == 0; }

private:
    // Lies right before the bytes that the user gets.
    struct header {
        std::size_t bytes;
        std::size_t alignment;
    };
    static std::size_t front(std::size_t alignment) { return std::max(alignment, sizeof(header)); }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (faults::due() || bytes > limit_ - bytes_) throw std::bad_alloc{};
        const std::size_t whole = std::max(alignment, alignof(header));
        const std::size_t size = (front(alignment) + bytes + whole - 1) / whole * whole;
        auto* const block = static_cast<std::byte*>(std::aligned_alloc(whole, size));
        if (block == nullptr) throw std::bad_alloc{};
        std::byte* const user = block + front(alignment);
        *reinterpret_cast<header*>(user - sizeof(header)) = {bytes, alignment};
        bytes_ += bytes;
        ++blocks_;
        ++allocations_;
        return user;
    }
    void do_deallocate(void* user, std::size_t bytes, std::size_t alignment) override {
        auto* const first = static_cast<std::byte*>(user);
        const header taken = *reinterpret_cast<const header*>(first - sizeof(header));
        if (taken.bytes != bytes || taken.alignment != alignment) ++mismatches_;
        bytes_ -= taken.bytes;
        --blocks_;
        std::free(first - front(taken.alignment));
    }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::size_t limit_;
    std::size_t bytes_ = 0;
    std::size_t blocks_ = 0;
    std::size_t allocations_ = 0;
    std::size_t mismatches_ = 0;
};

} // namespace support
