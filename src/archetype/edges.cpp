module;
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <utility>

module pecs.archetype;

namespace pecs::detail {
namespace {

constexpr std::uint32_t first_rows = 16; ///< of an arena

/// Whether the rows of a list are in the hash table. (Lists have no use of their own for the field: nothing is pending.)
bool hashed(const family& list) noexcept { return list.pending != 0; }

/// The place of an entity among others, or `none`.
std::uint32_t place_of(entity wanted, const entity* others, std::uint32_t count) noexcept {
    for (std::uint32_t i = 0; i != count; ++i)
        if (others[i] == wanted) return i;
    return none;
}

template <class T> T* allocate_column(std::pmr::memory_resource* memory, std::uint32_t rows) {
    return static_cast<T*>(memory->allocate(rows * sizeof(T), cache_line));
}
template <class T>
void release_column(std::pmr::memory_resource* memory, T* data, std::uint32_t rows) noexcept {
    if (data != nullptr) memory->deallocate(data, rows * sizeof(T), cache_line);
}

} // namespace

// --- the lists of one direction

edge_lists::edge_lists(const component_type* data, bool symmetric, std::pmr::memory_resource* memory,
                       std::uint32_t max_edges) noexcept
    : symmetric_{symmetric},
      size_{data != nullptr ? data->size : 0},
      type_{data},
      table_{memory},
      extents_{memory, max_edges},
      memory_{memory} {}

edge_lists::~edge_lists() {
    destroy_values();
    release(current());
}

std::size_t edge_lists::value_alignment() const noexcept { return std::max(type_->alignment, cache_line); }

edge_lists::columns edge_lists::allocate(std::uint32_t rows) const {
    columns made{.capacity = rows};
    if (rows == 0) return made;
    try {
        made.others = allocate_column<entity>(memory_, rows);
        made.mirrors = allocate_column<std::uint32_t>(memory_, rows);
        if (size_ != 0)
            made.values = static_cast<std::byte*>(memory_->allocate(rows * size_, value_alignment()));
    } catch (...) {
        release(made);
        throw;
    }
    return made;
}

void edge_lists::release(const columns& gone) const noexcept {
    release_column(memory_, gone.others, gone.capacity);
    release_column(memory_, gone.mirrors, gone.capacity);
    if (gone.values != nullptr) memory_->deallocate(gone.values, gone.capacity * size_, value_alignment());
}

void edge_lists::adopt(const columns& fresh) noexcept {
    release(current());
    others_ = fresh.others;
    mirrors_ = fresh.mirrors;
    values_ = fresh.values;
    capacity_ = fresh.capacity;
}

// Copies `count` rows of a list to rows that do not overlap them; data moves.
void edge_lists::move_rows(entity owner, std::uint32_t count, const columns& from, std::uint32_t first,
                           const columns& to, std::uint32_t to_first) const noexcept {
    if (count == 0) return;
    std::copy_n(from.others + first, count, to.others + to_first);
    std::copy_n(from.mirrors + first, count, to.mirrors + to_first);
    if (size_ == 0) return;
    std::byte* const target = to.values + to_first * size_;
    std::byte* const source = from.values + first * size_;
    if (!symmetric_ || type_->relocate == nullptr) {
        relocate_run(*type_, target, source, count);
        return;
    }
    for (std::uint32_t i = 0; i != count; ++i)
        if (keeps_value(owner, from.others[first + i]))
            relocate_value(*type_, target + i * size_, source + i * size_);
}

void edge_lists::reserve_rows(std::uint32_t rows) {
    if (rows <= capacity_) return;
    const std::uint32_t doubled =
        capacity_ > extent_allocator::row_limit / 2 ? extent_allocator::row_limit : capacity_ * 2;
    const columns fresh = allocate(std::max({rows, doubled, first_rows}));
    const columns old = current();
    if (size_ == 0 || type_->relocate == nullptr) { // bytes: all of it at once
        move_rows(null, capacity_, old, 0, fresh, 0);
    } else {
        for (std::uint32_t slot = 0; slot != table_.slot_count(); ++slot) {
            const family& list = table_.slots()[slot];
            move_rows(list.target, list.size, old, list.first, fresh, list.first);
        }
    }
    adopt(fresh);
}

family* edge_lists::make_room(entity owner, family* known) {
    family& list = known != nullptr ? *known : table_.insert(owner);
    grow(list);
    return &list;
}

// A list at the end of the arena grows by an eighth, in its place; others take bigger steps, as they may have to move.
void edge_lists::grow(family& list) {
    const std::uint32_t limit = extents_.max_rows();
    const auto refuse = [limit] { throw capacity_exceeded{"edges of one relation", limit}; };
    if (list.size == limit) refuse();
    const std::uint32_t needed = list.size + 1;
    extent place{list.first, list.capacity};
    const std::uint32_t wanted = extents_.at_end(place) && needed > 8
                                     ? needed + std::min(needed / 8, limit - needed)
                                     : extent_allocator::next_capacity(std::min(needed + needed / 2, limit));
    if (extents_.try_grow(place, wanted)) {
        try {
            reserve_rows(extents_.end());
        } catch (...) {
            extents_.trim(place, list.capacity);
            throw;
        }
        list.capacity = place.capacity;
        return;
    }
    extent fresh;
    try {
        fresh = extents_.allocate(wanted);
    } catch (const capacity_exceeded&) {
        refuse();
    }
    try {
        reserve_rows(extents_.end());
    } catch (...) {
        extents_.release(fresh);
        throw;
    }
    move_rows(list.target, list.size, current(), list.first, current(), fresh.first);
    if (list.capacity != 0) extents_.release(place);
    list.first = fresh.first;
    list.capacity = fresh.capacity;
}

void edge_lists::drop_if_empty(entity owner) noexcept {
    family* const list = table_.find(owner);
    if (list != nullptr && list->target && list->size == 0) drop(*list);
}

void edge_lists::drop(family& list) noexcept {
    if (list.capacity != 0) extents_.release({list.first, list.capacity});
    table_.erase(list);
}

void edge_lists::destroy_values() noexcept {
    if (size_ == 0 || type_->destroy == nullptr) return;
    for (std::uint32_t slot = 0; slot != table_.slot_count(); ++slot) {
        const family& list = table_.slots()[slot];
        if (!symmetric_) {
            if (list.size != 0) type_->destroy(value(list.first), list.size);
            continue;
        }
        for (std::uint32_t row = list.first; row != list.first + list.size; ++row)
            if (keeps_value(list.target, others_[row])) type_->destroy(value(row), 1);
    }
}

void edge_lists::clear() noexcept {
    destroy_values();
    table_.clear();
    extents_.reset();
}

void edge_lists::compact() {
    table_.shrink();
    std::uint32_t rows = 0;
    extent_allocator packed{memory_, extents_.max_rows()};
    for (std::uint32_t slot = 0; slot != table_.slot_count(); ++slot) {
        const std::uint32_t size = table_.slots()[slot].size;
        (void)packed.allocate(size); // behind the one before it
        rows += size;
    }
    if (rows == 0) {
        adopt({});
        extents_ = std::move(packed);
        return;
    }
    const columns fresh = allocate(rows);
    std::uint32_t next = 0;
    for (std::uint32_t slot = 0; slot != table_.slot_count(); ++slot) {
        family& list = table_.slots()[slot];
        if (list.size == 0) continue;
        move_rows(list.target, list.size, current(), list.first, fresh, next);
        list.first = next;
        list.capacity = list.size;
        next += list.size;
    }
    adopt(fresh);
    extents_ = std::move(packed);
}

std::size_t edge_lists::bytes() const noexcept {
    return table_.bytes() + extents_.bytes() + capacity_ * (sizeof(entity) + sizeof(std::uint32_t) + size_);
}

bool edge_lists::valid() const {
    if (!table_.valid() || !extents_.valid() || extents_.end() > capacity_) return false;
    std::uint64_t rows = extents_.free_rows();
    for (std::uint32_t slot = 0; slot != table_.slot_count(); ++slot) {
        const family& list = table_.slots()[slot];
        if (!list.target) continue;
        if (list.size == 0 || list.size > list.capacity || list.doomed != 0) return false;
        if (std::uint64_t{list.first} + list.capacity > extents_.end()) return false;
        rows += list.capacity;
    }
    return rows == extents_.end();
}

// --- both directions

namespace {

struct edge_key {
    entity source;
    entity target;
    bool operator==(const edge_key& other) const noexcept {
        return source == other.source && target == other.target;
    }
};
struct edge_hash {
    std::size_t operator()(const edge_key& key) const noexcept {
        std::uint64_t mixed = (key.source.bits() * 0x9E3779B97F4A7C15ULL) ^ key.target.bits();
        mixed = (mixed ^ mixed >> 32U) * 0xFF51AFD7ED558CCDULL;
        return mixed ^ mixed >> 32U;
    }
};

} // namespace

struct edge_index::hash_table {
    using map =
        boost::unordered_flat_map<edge_key, std::uint32_t, edge_hash, std::equal_to<>,
                                  std::pmr::polymorphic_allocator<std::pair<const edge_key, std::uint32_t>>>;

    explicit hash_table(std::pmr::memory_resource* memory) : places{map::allocator_type{memory}} {}

    map places;
};

edge_index::edge_index(component_id relation, std::pmr::memory_resource* memory, std::uint32_t max_edges)
    : relation_{relation},
      type_{type_of(relation)},
      forward_{type_.is_tag() ? nullptr : &type_, type_.rules.symmetric, memory, max_edges},
      reverse_{nullptr, false, memory, max_edges},
      memory_{memory} {}

edge_index::~edge_index() {
    if (long_ != nullptr) std::pmr::polymorphic_allocator<>{memory_}.delete_object(long_);
}

// The place of an edge in the list of its source, or `none`. `to` is the list of the target.
std::uint32_t edge_index::place_in(const family& from, const family* to, entity target) const noexcept {
    if (from.size <= short_list) return place_of(target, &forward_.other(from.first), from.size);
    if (to->size <= short_list) {
        const std::uint32_t place = place_of(from.target, &reverse().other(to->first), to->size);
        return place == none ? none : reverse().mirror(to->first + place);
    }
    const auto found = long_->places.find({from.target, target});
    return found == long_->places.end() ? none : found->second;
}

std::byte* edge_index::data_at(const family& from, std::uint32_t place) const noexcept {
    if (type_.is_tag()) return &tag_column;
    const std::uint32_t row = from.first + place;
    const entity other = forward_.other(row);
    if (forward_.keeps_value(from.target, other)) return forward_.value(row);
    return forward_.value(forward_.find(other)->first + forward_.mirror(row));
}

std::byte* edge_index::find(entity source, entity target) const noexcept {
    const family* const from = forward_.find(source);
    if (from == nullptr || from->size == 0) return nullptr;
    const family* const to = from->size <= short_list ? nullptr : reverse().find(target);
    if (from->size > short_list && (to == nullptr || to->size == 0)) return nullptr;
    const std::uint32_t place = place_in(*from, to, target);
    return place == none ? nullptr : data_at(*from, place);
}

std::byte* edge_index::at_target(entity source, std::uint32_t place) const noexcept {
    return data_at(*forward_.find(source), place);
}

std::byte* edge_index::at_source(entity target, std::uint32_t place) const noexcept {
    const std::uint32_t row = reverse().find(target)->first + place;
    return data_at(*forward_.find(reverse().other(row)), reverse().mirror(row));
}

// Takes a row that is about to be appended into the hash table, if its list is in there, or is to be from now on. If it
// throws, nothing has changed.
void edge_index::enter(family& list, entity target) {
    if (!hashed(list) && list.size < short_list) return;
    if (long_ == nullptr) long_ = std::pmr::polymorphic_allocator<>{memory_}.new_object<hash_table>(memory_);
    std::uint32_t done = hashed(list) ? list.size : 0;
    try {
        for (; done != list.size; ++done)
            long_->places.emplace(edge_key{list.target, forward_.other(list.first + done)}, done);
        long_->places.emplace(edge_key{list.target, target}, list.size);
    } catch (...) {
        if (!hashed(list))
            while (done-- != 0) long_->places.erase(edge_key{list.target, forward_.other(list.first + done)});
        throw;
    }
    list.pending = 1;
}

void edge_index::leave(family& list) noexcept {
    for (std::uint32_t row = list.first; row != list.first + list.size; ++row)
        long_->places.erase(edge_key{list.target, forward_.other(row)});
    list.pending = 0;
}

edge_index::placed edge_index::insert(entity source, entity target) {
    family* from = forward_.find(source);
    family* to = reverse().find(target);
    if (from != nullptr && to != nullptr) {
        const std::uint32_t place = place_in(*from, to, target);
        if (place != none) return {data_at(*from, place), false};
    }
    const bool loop = symmetric() && source == target; // one row, which is its own mirror
    try {
        from = forward_.reserve(source, from);
        if (symmetric()) to = forward_.find(target); // the lists may have moved
        if (!loop) to = reverse().reserve(target, to);
        if (symmetric()) from = forward_.find(source);
        enter(*from, target);
        if (symmetric() && !loop) {
            try {
                enter(*to, source);
            } catch (...) {
                if (hashed(*from)) long_->places.erase(edge_key{source, target});
                throw;
            }
        }
    } catch (...) {
        forward_.drop_if_empty(source);
        reverse().drop_if_empty(target);
        throw;
    }
    ++size_;
    if (loop) {
        const std::uint32_t place = forward_.append(*from, target, from->size);
        return {data_at(*from, place), true};
    }
    const std::uint32_t place = forward_.append(*from, target, to->size);
    (void)reverse().append(*to, source, place);
    return {data_at(*from, place), true};
}

// Fills the place with the last row of the list, whose mirror is told, and gives up that row.
void edge_index::close_gap(edge_lists& lists, edge_lists& mirrored, family& list,
                           std::uint32_t place) noexcept {
    const std::uint32_t row = list.first + place;
    const std::uint32_t end = list.first + --list.size;
    if (hashed(list)) long_->places.erase(edge_key{list.target, lists.other(row)});
    if (row != end) {
        const entity moved = lists.other(end);
        lists.other(row) = moved;
        lists.mirror(row) = lists.mirror(end);
        if (lists.keeps_value(list.target, moved)) relocate_value(type_, lists.value(row), lists.value(end));
        if (&lists == &mirrored && moved == list.target)
            lists.mirror(row) = place;
        else
            mirrored.mirror(mirrored.find(moved)->first + lists.mirror(row)) = place;
        if (hashed(list)) long_->places.find(edge_key{list.target, moved})->second = place;
    }
    if (hashed(list) && list.size <= short_again) leave(list);
    if (list.size == 0) lists.drop(list);
}

void edge_index::remove(family& from, std::uint32_t place) noexcept {
    const std::uint32_t row = from.first + place;
    const entity source = from.target;
    const entity target = forward_.other(row);
    const std::uint32_t mirror = forward_.mirror(row);
    if (type_.destroy != nullptr) type_.destroy(data_at(from, place), 1);
    --size_;
    close_gap(forward_, reverse(), from, place);
    if (symmetric() && source == target) return;
    close_gap(reverse(), forward_, *reverse().find(target), mirror);
}

bool edge_index::erase(entity source, entity target) noexcept {
    family* const from = forward_.find(source);
    if (from == nullptr || from->size == 0) return false;
    const family* const to = reverse().find(target);
    if (to == nullptr || to->size == 0) return false;
    const std::uint32_t place = place_in(*from, to, target);
    if (place == none) return false;
    remove(*from, place);
    return true;
}

void edge_index::erase_targets(entity source) noexcept {
    for (;;) {
        family* const from = forward_.find(source);
        if (from == nullptr || from->size == 0) return;
        remove(*from, from->size - 1);
    }
}

void edge_index::erase_all(entity either) noexcept {
    erase_targets(either);
    for (;;) {
        const family* const to = reverse().find(either);
        if (to == nullptr || to->size == 0) return;
        const std::uint32_t row = to->first + to->size - 1;
        remove(*forward_.find(reverse().other(row)), reverse().mirror(row));
    }
}

void edge_index::clear() noexcept {
    forward_.clear();
    reverse_.clear();
    if (long_ != nullptr) long_->places.clear();
    size_ = 0;
}

void edge_index::compact() {
    forward_.compact();
    reverse_.compact();
    if (long_ == nullptr) return;
    if (long_->places.empty())
        std::pmr::polymorphic_allocator<>{memory_}.delete_object(std::exchange(long_, nullptr));
    else
        long_->places.rehash(0);
}

std::size_t edge_index::bytes() const noexcept {
    std::size_t total = sizeof(edge_index) + forward_.bytes() + reverse_.bytes();
    if (long_ != nullptr)
        total +=
            sizeof(hash_table) + long_->places.bucket_count() * (sizeof(hash_table::map::value_type) + 1);
    return total;
}

bool edge_index::valid() const {
    if (!forward_.valid() || !reverse_.valid()) return false;
    std::size_t rows = 0;
    std::size_t loops = 0;
    std::size_t in_table = 0;
    for (std::uint32_t slot = 0; slot != forward_.table().slot_count(); ++slot) {
        const family& list = forward_.table().slots()[slot];
        if (!list.target) continue;
        if (hashed(list) ? list.size <= short_again : list.size > short_list) return false;
        if (hashed(list)) in_table += list.size;
        for (std::uint32_t place = 0; place != list.size; ++place) {
            const entity target = forward_.other(list.first + place);
            const std::uint32_t mirror = forward_.mirror(list.first + place);
            const family* const to = reverse().find(target);
            if (to == nullptr || mirror >= to->size) return false;
            if (reverse().other(to->first + mirror) != list.target) return false;
            if (reverse().mirror(to->first + mirror) != place) return false;
            if (place_in(list, to, target) != place) return false; // nor is it there twice
            if (hashed(list)) {
                const auto found = long_->places.find({list.target, target});
                if (found == long_->places.end() || found->second != place) return false;
            }
            if (target == list.target) ++loops;
            ++rows;
        }
    }
    if (in_table != (long_ == nullptr ? 0 : long_->places.size())) return false;
    if (symmetric()) return size_ == (rows + loops) / 2;
    std::size_t mirrored = 0;
    for (std::uint32_t slot = 0; slot != reverse_.table().slot_count(); ++slot) {
        if (hashed(reverse_.table().slots()[slot])) return false;
        mirrored += reverse_.table().slots()[slot].size;
    }
    return rows == size_ && mirrored == size_;
}

} // namespace pecs::detail
