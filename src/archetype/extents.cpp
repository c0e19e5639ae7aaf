// The lists of free runs: one per size class, two classes per doubling, the most recent run first.
//
//   pool  [ heads of the classes 0 .. 62 | head of the spare entries | entries ... ]
//
// Whoever takes a run away clears its tags and leaves its entry behind. Entries are dropped when a search meets them;
// when they are too many, the lists are made anew from the tags. That takes time in proportion to the arena, and is
// paid for by the releases since the last time, of which there were at least a fixed part of the arena's rows.
module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <utility>
#include <vector>

module pecs.archetype;

namespace pecs::detail {
namespace {

constexpr std::size_t classes = 63;
constexpr std::size_t spare = classes;
constexpr std::size_t heads = classes + 1;
constexpr std::uint32_t no_run = 0xFFFFFFFF;

// The sizes 1, 2, 3, 4..5, 6..7, 8..11, 12..15, ...
constexpr std::size_t class_of(std::uint32_t size) noexcept {
    if (size < 2) return 0;
    const auto doubling = static_cast<std::size_t>(std::bit_width(size)) - 1;
    return 2 * doubling - 1 + (size >> (doubling - 1) & 1U);
}
static_assert(class_of(3) == 2 && class_of(5) == 3 && class_of(6) == 4 &&
              class_of(0xFFFFFFFF) == classes - 1);

} // namespace

extent_allocator::extent_allocator(std::pmr::memory_resource* memory, std::uint32_t max_rows) noexcept
    : tags_{memory}, pool_{memory}, max_rows_{std::min(max_rows, row_limit)} {}

extent_allocator::extent_allocator(extent_allocator&& other) noexcept
    : tags_{std::move(other.tags_)},
      pool_{std::move(other.pool_)},
      open_{std::exchange(other.open_, 0)},
      max_rows_{other.max_rows_},
      end_{std::exchange(other.end_, 0)},
      extents_{std::exchange(other.extents_, 0)},
      free_rows_{std::exchange(other.free_rows_, 0)},
      runs_{std::exchange(other.runs_, 0)},
      listed_{std::exchange(other.listed_, 0)},
      unlisted_{std::exchange(other.unlisted_, false)} {}

// The vectors' own assignment would keep their memory resource, and might have to copy.
extent_allocator& extent_allocator::operator=(extent_allocator&& other) noexcept {
    if (this != &other) {
        std::destroy_at(this);
        std::construct_at(this, std::move(other));
    }
    return *this;
}

extent_allocator::~extent_allocator() = default;

extent extent_allocator::allocate(std::uint32_t rows) {
    if (rows == 0) return {};
    std::uint32_t first = find(rows);
    if (first == no_run && unlisted_) {
        list_all();
        first = find(rows);
    }
    if (first != no_run) {
        take_rows(first, rows);
    } else {
        if (rows > max_rows_ - end_) throw capacity_exceeded{"rows of one archetype", max_rows_};
        if (extents_ != 0) make_tags(end_ + rows);
        first = end_;
        end_ += rows;
    }
    ++extents_;
    return {first, rows};
}

bool extent_allocator::try_grow(extent& e, std::uint32_t rows) {
    if (rows <= e.capacity) return true;
    if (e.capacity == 0) return false;
    const std::uint32_t behind = e.first + e.capacity;
    const std::uint32_t more = rows - e.capacity;
    if (behind == end_) {
        if (more > max_rows_ - end_) return false;
        if (e.first != 0) make_tags(end_ + more);
        end_ += more;
    } else {
        if (size_from(behind) < more) return false;
        take_rows(behind, more);
    }
    e.capacity = rows;
    return true;
}

void extent_allocator::trim(extent& e, std::uint32_t rows) noexcept {
    if (rows >= e.capacity) return;
    if (rows == 0) --extents_;
    give_rows(e.first + rows, e.capacity - rows);
    e.capacity = rows;
}

void extent_allocator::release(extent e) noexcept { trim(e, 0); }

void extent_allocator::reset() noexcept {
    std::fill_n(tags_.begin(), std::min<std::size_t>(end_, tags_.size()), 0U);
    end_ = extents_ = free_rows_ = runs_ = 0;
    list_all();
}

void extent_allocator::shrink() {
    list_all();
    tags_.resize(extents_ > 1 || runs_ != 0 ? end_ : 0);
    tags_.shrink_to_fit();
    pool_.shrink_to_fit();
}

std::size_t extent_allocator::bytes() const noexcept {
    return tags_.capacity() * sizeof(std::uint32_t) + pool_.capacity() * sizeof(entry);
}

std::uint32_t extent_allocator::next_capacity(std::uint32_t rows) noexcept {
    if (rows <= 2) return rows;
    const std::uint32_t below = std::bit_floor(rows - 1); // below < rows <= 2 * below
    const std::uint32_t between = below + below / 2;
    if (rows <= between) return between;
    return below > row_limit / 2 ? std::max(rows, row_limit) : 2 * below;
}

// The size of the free run that starts at `row`, which is the row behind an extent; 0 if none does.
std::uint32_t extent_allocator::size_from(std::uint32_t row) const noexcept {
    return row < tags_.size() ? tags_[row] : 0;
}

// The size of the free run that ends before `row`, which is the first row of an extent; 0 if none does.
std::uint32_t extent_allocator::size_up_to(std::uint32_t row) const noexcept {
    if (row == 0 || row > tags_.size()) return 0;
    const std::uint32_t tag = tags_[row - 1];
    return tag <= 1 ? tag : ~tag;
}

bool extent_allocator::starts_run(std::uint32_t row, std::size_t size_class) const noexcept {
    if (row >= end_ || row >= tags_.size()) return false;
    const std::uint32_t tag = tags_[row];
    return tag != 0 && tag < end_ - row && class_of(tag) == size_class;
}

// Unlists a free run of at least `rows` rows and returns its first row, or `no_run`. The class of `rows` itself may hold
// runs that are too small, so only a few are tried there; of every class above, the first one fits.
std::uint32_t extent_allocator::find(std::uint32_t rows) noexcept {
    if (rows > free_rows_) return no_run;
    const std::size_t own = class_of(rows);
    for (std::uint64_t left = open_ >> own << own; left != 0; left &= left - 1) {
        const auto size_class = static_cast<std::size_t>(std::countr_zero(left));
        std::uint32_t* link = &pool_[size_class].next;
        for (int tries = 8; *link != 0 && tries != 0;) {
            entry& candidate = pool_[*link];
            const bool free = starts_run(candidate.row, size_class);
            if (free && tags_[candidate.row] < rows) {
                link = &candidate.next;
                --tries;
                continue;
            }
            const std::uint32_t unlinked = std::exchange(*link, candidate.next);
            candidate.next = std::exchange(pool_[spare].next, unlinked);
            --listed_;
            if (free) return candidate.row;
        }
        if (pool_[size_class].next == 0) open_ &= ~(std::uint64_t{1} << size_class);
    }
    return no_run;
}

// Makes the tags cover `rows` rows; grows by halves, while the vector's own growth would double.
void extent_allocator::make_tags(std::uint32_t rows) {
    if (rows <= tags_.size()) return;
    tags_.reserve(std::max<std::size_t>(rows, tags_.size() + tags_.size() / 2));
    tags_.resize(tags_.capacity());
}

void extent_allocator::add_run(std::uint32_t first, std::uint32_t size) noexcept {
    tags_[first + size - 1] = ~size;
    tags_[first] = size;
    free_rows_ += size;
    ++runs_;
    list_run(first, size);
    if (listed_ > runs_ + end_ / 4 + heads) list_all();
}

void extent_allocator::remove_run(std::uint32_t first, std::uint32_t size) noexcept {
    tags_[first] = tags_[first + size - 1] = 0;
    free_rows_ -= size;
    --runs_;
}

// Takes rows from the front of a free run.
void extent_allocator::take_rows(std::uint32_t first, std::uint32_t rows) noexcept {
    const std::uint32_t size = tags_[first];
    remove_run(first, size);
    if (size > rows) add_run(first + rows, size - rows);
}

void extent_allocator::give_rows(std::uint32_t first, std::uint32_t rows) noexcept {
    if (const std::uint32_t behind = size_from(first + rows); behind != 0) {
        remove_run(first + rows, behind);
        rows += behind;
    }
    if (const std::uint32_t before = size_up_to(first); before != 0) {
        first -= before;
        remove_run(first, before);
        rows += before;
    }
    if (first + rows == end_)
        end_ = first;
    else
        add_run(first, rows);
}

void extent_allocator::list_run(std::uint32_t first, std::uint32_t size) noexcept {
    const std::size_t size_class = class_of(size);
    try {
        if (pool_.empty()) pool_.resize(heads);
        std::uint32_t fresh = pool_[spare].next;
        if (fresh != 0) {
            pool_[spare].next = pool_[fresh].next;
        } else {
            fresh = static_cast<std::uint32_t>(pool_.size());
            pool_.emplace_back();
        }
        pool_[fresh] = {first, std::exchange(pool_[size_class].next, fresh)};
        open_ |= std::uint64_t{1} << size_class;
        ++listed_;
    } catch (...) {
        unlisted_ = true; // the tags know the run; a search that fails lists it
    }
}

// Makes the lists anew, the lowest rows first. Needs no memory unless a run was not listed before.
void extent_allocator::list_all() noexcept {
    pool_.clear();
    open_ = 0;
    listed_ = 0;
    unlisted_ = false;
    for (std::uint32_t row = runs_ == 0 ? 0 : end_; row != 0 && !unlisted_;) {
        const std::uint32_t size = size_up_to(row);
        row -= std::max(size, 1U);
        if (size != 0) list_run(row, size);
    }
}

bool extent_allocator::valid() const {
    std::uint32_t runs = 0;
    std::uint32_t free = 0;
    std::vector<bool> wanted(end_); // first rows of runs that must be in a list
    bool after_run = false;
    for (std::uint32_t row = 0; row < std::min<std::size_t>(end_, tags_.size());) {
        const std::uint32_t size = tags_[row];
        if (size == 0) {
            after_run = false;
            ++row;
            continue;
        }
        if (after_run || size >= end_ - row || size_up_to(row + size) != size) return false;
        if (size > 2 &&
            std::any_of(&tags_[row + 1], &tags_[row + size - 1], [](auto tag) { return tag != 0; }))
            return false;
        wanted[row] = after_run = true;
        row += size;
        free += size;
        ++runs;
    }
    if (runs != runs_ || free != free_rows_ || (extents_ == 0) != (end_ == 0) || end_ > max_rows_)
        return false;
    if (tags_.size() < end_ && (extents_ > 1 || runs != 0)) return false;
    for (std::size_t row = end_; row < tags_.size(); ++row)
        if (tags_[row] != 0) return false;

    if (pool_.empty()) return listed_ == 0 && open_ == 0 && (unlisted_ || runs == 0);
    std::size_t entries = 0;
    std::size_t spares = 0;
    for (std::size_t list = 0; list != heads; ++list) {
        if (list != spare && pool_[list].next != 0 && (open_ >> list & 1U) == 0) return false;
        for (std::uint32_t at = pool_[list].next; at != 0; at = pool_[at].next) {
            if (++entries > pool_.size() - heads) return false;
            if (list == spare) ++spares;
            if (list == spare || !starts_run(pool_[at].row, list)) continue;
            if (wanted[pool_[at].row]) --runs;
            wanted[pool_[at].row] = false;
        }
    }
    return entries == pool_.size() - heads && entries - spares == listed_ && (unlisted_ || runs == 0);
}

} // namespace pecs::detail
