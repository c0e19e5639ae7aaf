// A growable array of plain values on a memory resource: the storage's own `vector`. It exists because importers that
// include nothing must be able to instantiate the code that reads it, which they cannot for `std::vector`, and because
// growth has to be separable from use: what may throw (`reserve`) comes first, what follows cannot.
export module pecs.archetype:buffer;

import pecs.std;

export namespace pecs::detail {

inline constexpr std::size_t cache_line = 64;

template <class T> class buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit buffer(std::pmr::memory_resource* memory) noexcept : memory_{memory} {}
    buffer(buffer&& other) noexcept
        : memory_{other.memory_},
          data_{std::exchange(other.data_, nullptr)},
          size_{std::exchange(other.size_, 0)},
          capacity_{std::exchange(other.capacity_, 0)} {}
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    buffer& operator=(buffer&&) = delete;
    ~buffer() { release(); }

    [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    [[nodiscard]] T* data() noexcept { return data_; }
    [[nodiscard]] const T* data() const noexcept { return data_; }
    [[nodiscard]] T* begin() noexcept { return data_; }
    [[nodiscard]] T* end() noexcept { return data_ + size_; }
    [[nodiscard]] const T* begin() const noexcept { return data_; }
    [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
    [[nodiscard]] T& back() noexcept { return data_[size_ - 1]; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::pmr::memory_resource* resource() const noexcept { return memory_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return capacity_ * sizeof(T); }

    /// Makes room for `count` values in all, doubling; throws without a change if there is no memory.
    void reserve(std::size_t count) {
        if (count > capacity_) [[unlikely]]
            reallocate(count > capacity_ * 2 ? count : capacity_ * 2);
    }
    /// Appends where room was reserved.
    void append(T value) noexcept { data_[size_++] = value; }
    void push_back(T value) {
        reserve(size_ + 1);
        append(value);
    }
    /// Grows or shrinks to `count` values; new ones are copies of `fill`.
    void resize(std::size_t count, T fill) {
        reserve(count);
        for (std::size_t i = size_; i < count; ++i) data_[i] = fill;
        size_ = count;
    }
    /// Sets the size where room was reserved and the values are written by the caller.
    void set_size(std::size_t count) noexcept { size_ = count; }
    void pop_back() noexcept { --size_; }
    void clear() noexcept { size_ = 0; }
    /// Gives back what is not in use.
    void shrink() {
        if (size_ == 0)
            release();
        else if (size_ != capacity_)
            reallocate(size_);
    }

private:
    void reallocate(std::size_t count) {
        T* const fresh = static_cast<T*>(memory_->allocate(count * sizeof(T), cache_line));
        if (size_ != 0) std::memcpy(static_cast<void*>(fresh), data_, size_ * sizeof(T));
        const std::size_t size = size_;
        release();
        data_ = fresh;
        size_ = size;
        capacity_ = count;
    }
    void release() noexcept {
        if (data_ != nullptr) memory_->deallocate(data_, capacity_ * sizeof(T), cache_line);
        data_ = nullptr;
        size_ = capacity_ = 0;
    }

    std::pmr::memory_resource* memory_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

} // namespace pecs::detail
