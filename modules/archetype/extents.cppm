// Hands out the rows of an archetype's arena: an allocator over row numbers, which owns no rows itself. Each family has
// one extent; most are tiny, some are huge, and they come, grow and go in any order. Free rows are told by tags:
//
//   row     0   1   2   3   4   5   6   7   8   9  10 | end() == 11
//          [ extent   ]  free           [ext]free[ext ]
//   tag     0   0   0   4   0   0  ~4   0   1   0   0
//
// The first row of a free run holds the size of the run, its last row the complement of the size, a run of one row
// holds 1, and every other row holds 0. Two free runs are never neighbours, and none reaches the end of the arena.
// (So a run's last row can never pass for a first one: a run of the complement's size would reach beyond the end.)
//
// Both neighbours of a released extent are thus known at once. A fitting run is found in a list per size class; the
// lists are cleaned lazily: an entry counts only if the tag of its row names a run of its class. All operations take
// constant time, averaged over many. An arena that has had one extent only needs no tags, and no memory at all.
export module pecs.archetype:extents;

import pecs.std;

export namespace pecs::detail {

/// The rows [first, first + capacity) of an arena; one without rows is no extent.
struct extent {
    std::uint32_t first = 0;
    std::uint32_t capacity = 0;
};

/// Divides the rows [0, end()) of an arena into extents. It does not know whose they are: what is given to `try_grow`,
/// `trim` and `release` must come from the same allocator and be given back once.
class extent_allocator {
public:
    static constexpr std::uint32_t row_limit = 0xFFFFFFFE;

    explicit extent_allocator(std::pmr::memory_resource* memory, std::uint32_t max_rows = row_limit) noexcept;
    extent_allocator(extent_allocator&& other) noexcept;
    extent_allocator& operator=(extent_allocator&& other) noexcept; // takes over the memory resource, too
    extent_allocator(const extent_allocator&) = delete;
    extent_allocator& operator=(const extent_allocator&) = delete;
    ~extent_allocator();

    /// An extent of exactly `rows` rows: from a free run that fits well, else at the end. Throws `capacity_exceeded`
    /// beyond the limit and `std::bad_alloc`; nothing has changed then.
    [[nodiscard]] extent allocate(std::uint32_t rows);

    /// Makes `e` have `rows` rows without moving it, if it is at the end or enough free rows follow it. Otherwise, or
    /// if it is no extent, it stays as it is and the answer is false. Throws `std::bad_alloc`.
    [[nodiscard]] bool try_grow(extent& e, std::uint32_t rows);

    /// Gives back all but the first `rows` rows; with 0, the whole extent.
    void trim(extent& e, std::uint32_t rows) noexcept;

    /// Gives an extent back; the end moves down over free rows.
    void release(extent e) noexcept;

    /// Takes all extents back and keeps the memory.
    void reset() noexcept;

    /// Gives back memory that it does not need; walks the arena.
    void shrink();

    [[nodiscard]] std::uint32_t end() const noexcept;

    /// The limit that it was made with.
    [[nodiscard]] std::uint32_t max_rows() const noexcept;

    /// The rows below the end that are in no extent.
    [[nodiscard]] std::uint32_t free_rows() const noexcept;

    /// Whether `e` is the last extent of the arena. It can then grow row by row, without slack and without moving.
    [[nodiscard]] bool at_end(extent e) const noexcept;

    /// The memory it holds.
    [[nodiscard]] std::size_t bytes() const noexcept;

    /// The smallest capacity of at least `rows` out of 1, 2, 3, 4, 6, 8, 12, 16, 24, ...: extents that grow by these
    /// steps are moved rarely and waste less than a third of their rows.
    [[nodiscard]] static std::uint32_t next_capacity(std::uint32_t rows) noexcept;

    /// Walks everything and tells whether tags, lists and counts agree.
    [[nodiscard]] bool valid() const;

private:
    // An entry of a list of free runs. The lists share one pool, which begins with their heads; 0 ends a list.
    struct entry {
        std::uint32_t row = 0;
        std::uint32_t next = 0;
    };

    [[nodiscard]] std::uint32_t size_from(std::uint32_t row) const noexcept;
    [[nodiscard]] std::uint32_t size_up_to(std::uint32_t row) const noexcept;
    [[nodiscard]] bool starts_run(std::uint32_t row, std::size_t size_class) const noexcept;
    [[nodiscard]] std::uint32_t find(std::uint32_t rows) noexcept;
    void make_tags(std::uint32_t rows);
    void add_run(std::uint32_t first, std::uint32_t size) noexcept;
    void remove_run(std::uint32_t first, std::uint32_t size) noexcept;
    void take_rows(std::uint32_t first, std::uint32_t rows) noexcept;
    void give_rows(std::uint32_t first, std::uint32_t rows) noexcept;
    void list_run(std::uint32_t first, std::uint32_t size) noexcept;
    void list_all() noexcept;

    std::pmr::vector<std::uint32_t> tags_; // cover the arena as soon as it has two extents; 0 beyond its end
    std::pmr::vector<entry> pool_;
    std::uint64_t open_ = 0; // the size classes whose list may have entries
    std::uint32_t max_rows_;
    std::uint32_t end_ = 0;
    std::uint32_t extents_ = 0;
    std::uint32_t free_rows_ = 0;
    std::uint32_t runs_ = 0;
    std::uint32_t listed_ = 0; // entries in the lists, stale ones included
    bool unlisted_ = false;    // a run could not be listed for want of memory
};

inline std::uint32_t extent_allocator::end() const noexcept { return end_; }
inline std::uint32_t extent_allocator::max_rows() const noexcept { return max_rows_; }
inline std::uint32_t extent_allocator::free_rows() const noexcept { return free_rows_; }
inline bool extent_allocator::at_end(extent e) const noexcept {
    return e.capacity != 0 && e.first + e.capacity == end_;
}

} // namespace pecs::detail
