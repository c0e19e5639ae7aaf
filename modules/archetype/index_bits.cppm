// A set of entity indices, one bit each: for what is true of few entities and asked of many.
export module pecs.archetype:index_bits;

import pecs.std;
import :buffer;

export namespace pecs::detail {

class index_bits {
public:
    inline explicit index_bits(std::pmr::memory_resource* memory) noexcept : words_{memory} {}

    [[nodiscard]] inline bool test(std::uint32_t index) const noexcept {
        return index / 64 < words_.size() && (words_[index / 64] >> index % 64 & 1U) != 0;
    }
    /// Makes sure that the bit can be set; throws without a visible change.
    inline void reserve(std::uint32_t index) {
        if (index / 64 >= words_.size()) [[unlikely]]
            words_.resize(index / 64 + std::size_t{1}, 0);
    }
    /// Sets a bit that there is room for; true if it was not set.
    inline bool set(std::uint32_t index) noexcept {
        std::uint64_t& word = words_[index / 64];
        const std::uint64_t before = std::exchange(word, word | std::uint64_t{1} << index % 64);
        count_ += word != before ? 1 : 0;
        return word != before;
    }
    /// True if the bit was set.
    inline bool reset(std::uint32_t index) noexcept {
        if (!test(index)) return false;
        words_[index / 64] &= ~(std::uint64_t{1} << index % 64);
        --count_;
        return true;
    }
    inline void clear() noexcept {
        for (std::uint64_t& word : words_) word = 0;
        count_ = 0;
    }
    /// Gives back memory behind the last bit that is set.
    inline void shrink() {
        while (!words_.empty() && words_.back() == 0) words_.pop_back();
        words_.shrink();
    }
    /// How many are set.
    [[nodiscard]] inline std::size_t count() const noexcept { return count_; }
    [[nodiscard]] inline std::size_t word_count() const noexcept { return words_.size(); }
    [[nodiscard]] inline std::uint64_t word(std::size_t i) const noexcept { return words_[i]; }
    [[nodiscard]] inline std::size_t bytes() const noexcept { return words_.bytes(); }

private:
    buffer<std::uint64_t> words_;
    std::size_t count_ = 0;
};

} // namespace pecs::detail
