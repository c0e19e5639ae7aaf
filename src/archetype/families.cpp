module;
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <utility>

module pecs.archetype;

namespace pecs::detail {
namespace {

constexpr std::uint32_t first_slots = 8;
/// How many slots a new family may pass, or push, before homes are mixed.
constexpr std::uint32_t longest_way = 1024;

/// A table is full at seven eighths.
constexpr bool fits(std::size_t families, std::size_t slots) noexcept { return families * 8 <= slots * 7; }

constexpr std::uint64_t mix(std::uint64_t bits) noexcept {
    bits *= 0x9E3779B97F4A7C15ULL;
    return bits ^ bits >> 32U;
}

} // namespace

// --- one relation

target_table::~target_table() { clear(); }

// The search for a target that is not at home.
family* target_table::find_behind(entity target) const noexcept {
    std::uint32_t i = home(target.index());
    for (std::uint32_t steps = 0;; ++steps, i = (i + 1) & mask_) {
        if (slots_[i].target == target) return &slots_[i];
        if (!slots_[i].target || distance(i) < steps) return nullptr;
    }
}

family& target_table::insert(entity target) {
    if (slots_ == &no_family)
        rebuild(first_slots, false);
    else if (!fits(size_ + 1, slot_count()))
        rebuild(slot_count() * 2, false);
    else if (!mixed_ && crowded())
        rebuild(slot_count(), true);
    ++size_;
    family fresh;
    fresh.target = target;
    return place(fresh);
}

bool target_table::crowded() const noexcept {
    return distance_ > 8 * std::uint64_t{size_} + 64 || longest_ > longest_way;
}

// New memory first: what follows cannot fail. Where homes turn out to be crowded, it starts again and mixes them.
void target_table::rebuild(std::uint32_t slots, bool mixed) {
    auto* const fresh = static_cast<family*>(memory_->allocate(slots * sizeof(family), cache_line));
    family* const old = std::exchange(slots_, fresh);
    const std::uint32_t old_slots = std::exchange(mask_, slots - 1) + 1;
    for (;; mixed = true) {
        std::fill_n(slots_, slots, family{});
        mixed_ = mixed;
        distance_ = 0;
        longest_ = 0;
        std::uint32_t i = 0;
        for (; i != old_slots && (mixed || !crowded()); ++i)
            if (old[i].target) (void)place(old[i]);
        if (i == old_slots) break;
    }
    if (old != &no_family) memory_->deallocate(old, old_slots * sizeof(family), cache_line);
}

// Who is farther from home goes first: families lie in the order of their homes. So a search may end before the end of
// a long row of neighbours, and so may the move that fills a hole.
family& target_table::place(const family& moved) noexcept {
    std::uint32_t i = home(moved.target.index());
    std::uint32_t steps = 0;
    for (; slots_[i].target && distance(i) >= steps; i = (i + 1) & mask_) ++steps;
    std::uint32_t end = i;
    for (; slots_[end].target; end = (end + 1) & mask_) ++steps;
    distance_ += steps;
    longest_ = std::max(longest_, steps);
    for (; end != i; end = (end - 1) & mask_) slots_[end] = slots_[(end - 1) & mask_];
    slots_[i] = moved;
    return slots_[i];
}

// Families are in the order of their homes. Those behind the hole move up, until one is at home: nothing behind it can
// have been pushed over the hole.
void target_table::erase(family& gone) noexcept {
    auto hole = static_cast<std::uint32_t>(&gone - slots_);
    distance_ -= distance(hole);
    for (std::uint32_t i = (hole + 1) & mask_; slots_[i].target && distance(i) != 0; i = (i + 1) & mask_) {
        slots_[hole] = slots_[i];
        --distance_;
        hole = i;
    }
    slots_[hole] = {};
    --size_;
}

void target_table::clear() noexcept {
    if (slots_ != &no_family) memory_->deallocate(slots_, slot_count() * sizeof(family), cache_line);
    slots_ = &no_family;
    mask_ = size_ = 0;
    mixed_ = false;
    distance_ = 0;
    longest_ = 0;
}

void target_table::shrink() {
    if (size_ == 0) {
        clear();
        return;
    }
    std::uint32_t slots = first_slots;
    while (!fits(size_, slots)) slots *= 2;
    if (slots < slot_count()) rebuild(slots, false);
}

std::size_t target_table::bytes() const noexcept {
    return slots_ == &no_family ? 0 : slot_count() * sizeof(family);
}

bool target_table::valid() const noexcept {
    std::uint32_t counted = 0;
    std::uint64_t distances = 0;
    for (std::uint32_t i = 0; i != slot_count(); ++i) {
        if (!slots_[i].target) continue;
        ++counted;
        distances += distance(i);
        if (find(slots_[i].target) != &slots_[i] || &at(slots_[i].target.index()) != &slots_[i]) return false;
    }
    return counted == size_ && distances == distance_;
}

// --- several relations

namespace {

/// A relation's place and a target.
struct end_point {
    std::uint32_t relation;
    entity target;
    bool operator==(const end_point& other) const noexcept {
        return relation == other.relation && target == other.target;
    }
};
struct end_point_hash {
    std::size_t operator()(const end_point& p) const noexcept {
        return mix(p.target.bits() + p.relation * 0xD6E8FEB86659FD93ULL);
    }
};

/// Families are hashed and compared by their targets, which lie in the table's array.
struct tuples {
    const buffer<entity>* all;
    std::uint32_t relations;

    [[nodiscard]] const entity* of(std::uint32_t id) const noexcept {
        return all->data() + std::size_t{id} * relations;
    }
    [[nodiscard]] static const entity* of(const entity* targets) noexcept { return targets; }
};
struct tuple_hash {
    using is_transparent = void;
    tuples where;
    std::size_t operator()(auto key) const noexcept {
        std::uint64_t mixed = 0;
        const entity* const targets = where.of(key);
        for (std::uint32_t i = 0; i != where.relations; ++i) mixed = mix(mixed ^ targets[i].bits());
        return mixed;
    }
};
struct tuple_equal {
    using is_transparent = void;
    tuples where;
    bool operator()(auto a, auto b) const noexcept {
        return std::equal(where.of(a), where.of(a) + where.relations, where.of(b));
    }
};

} // namespace

struct tuple_table::tables {
    using allocator = std::pmr::polymorphic_allocator<>;
    using set = boost::unordered_flat_set<std::uint32_t, tuple_hash, tuple_equal,
                                          std::pmr::polymorphic_allocator<std::uint32_t>>;
    using map =
        boost::unordered_flat_map<end_point, std::uint32_t, end_point_hash, std::equal_to<>,
                                  std::pmr::polymorphic_allocator<std::pair<const end_point, std::uint32_t>>>;

    tables(std::pmr::memory_resource* memory, tuples where)
        : by_targets{0, tuple_hash{where}, tuple_equal{where}, set::allocator_type{memory}},
          heads{map::allocator_type{memory}} {}

    set by_targets;
    map heads; ///< the first family of each target
};

tuple_table::tuple_table(std::pmr::memory_resource* memory, std::uint32_t relations)
    : relations_{relations},
      families_{memory},
      targets_{memory},
      links_{memory},
      memory_{memory},
      tables_{relations < 2
                  ? nullptr
                  : tables::allocator{memory}.new_object<tables>(memory, tuples{&targets_, relations})} {}

tuple_table::~tuple_table() {
    if (tables_ != nullptr) tables::allocator{memory_}.delete_object(tables_);
}

std::uint32_t tuple_table::find(const entity* targets) const noexcept {
    const auto found = tables_->by_targets.find(targets);
    return found == tables_->by_targets.end() ? none : *found;
}

std::uint32_t tuple_table::insert(const entity* targets) {
    const bool fresh = first_free_ == none;
    const std::uint32_t id = fresh ? slot_count() : first_free_;
    if (fresh) {
        families_.reserve(families_.size() + 1);
        targets_.reserve(targets_.size() + relations_);
        links_.reserve(links_.size() + relations_);
        families_.append({});
        for (std::uint32_t i = 0; i != relations_; ++i) {
            targets_.append({});
            links_.append({none, none});
        }
    } else {
        first_free_ = families_[id].first;
    }
    families_[id] = {};
    for (std::uint32_t i = 0; i != relations_; ++i) targets_[std::size_t{id} * relations_ + i] = targets[i];
    std::uint32_t listed = 0;
    try {
        for (; listed != relations_; ++listed) enlist(id, listed);
        tables_->by_targets.insert(id);
    } catch (...) {
        while (listed-- != 0) delist(id, listed);
        for (std::uint32_t i = 0; i != relations_; ++i) targets_[std::size_t{id} * relations_ + i] = null;
        families_[id].first = std::exchange(first_free_, id);
        throw;
    }
    ++size_;
    return id;
}

void tuple_table::erase(std::uint32_t id) noexcept {
    tables_->by_targets.erase(id);
    for (std::uint32_t i = 0; i != relations_; ++i) {
        delist(id, i);
        targets_[std::size_t{id} * relations_ + i] = null;
    }
    families_[id] = {};
    families_[id].first = std::exchange(first_free_, id);
    --size_;
}

void tuple_table::enlist(std::uint32_t id, std::uint32_t relation) {
    const std::size_t place = std::size_t{id} * relations_ + relation;
    const auto [head, made] = tables_->heads.try_emplace(end_point{relation, targets_[place]}, id);
    links_[place] = {made ? none : head->second, none};
    if (made) return;
    links_[std::size_t{head->second} * relations_ + relation].previous = id;
    head->second = id;
}

void tuple_table::delist(std::uint32_t id, std::uint32_t relation) noexcept {
    const std::size_t place = std::size_t{id} * relations_ + relation;
    const link gone = links_[place];
    if (gone.next != none) links_[std::size_t{gone.next} * relations_ + relation].previous = gone.previous;
    if (gone.previous != none)
        links_[std::size_t{gone.previous} * relations_ + relation].next = gone.next;
    else if (gone.next != none)
        tables_->heads.find(end_point{relation, targets_[place]})->second = gone.next;
    else
        tables_->heads.erase(end_point{relation, targets_[place]});
    links_[place] = {none, none};
}

std::uint32_t tuple_table::first_with(std::uint32_t relation, entity target) const noexcept {
    const auto found = tables_->heads.find(end_point{relation, target});
    return found == tables_->heads.end() ? none : found->second;
}

void tuple_table::clear() noexcept {
    if (tables_ == nullptr) return;
    tables_->by_targets.clear();
    tables_->heads.clear();
    families_.clear();
    targets_.clear();
    links_.clear();
    size_ = 0;
    first_free_ = none;
}

void tuple_table::shrink() {
    if (tables_ == nullptr) return;
    if (size_ == 0) clear();
    tables_->by_targets.rehash(0);
    tables_->heads.rehash(0);
    families_.shrink();
    targets_.shrink();
    links_.shrink();
}

std::size_t tuple_table::bytes() const noexcept {
    if (tables_ == nullptr) return 0;
    return sizeof(tables) + families_.bytes() + targets_.bytes() + links_.bytes() +
           tables_->by_targets.bucket_count() * (sizeof(std::uint32_t) + 1) +
           tables_->heads.bucket_count() * (sizeof(tables::map::value_type) + 1);
}

bool tuple_table::valid() const {
    if (tables_ == nullptr) return families_.empty();
    std::size_t linked = 0;
    for (const auto& [point, head] : tables_->heads) {
        std::uint32_t previous = none;
        for (std::uint32_t id = head; id != none; id = next_with(point.relation, id)) {
            const std::size_t place = std::size_t{id} * relations_ + point.relation;
            if (links_[place].previous != previous || targets_[place] != point.target) return false;
            if (++linked > families_.size() * relations_) return false;
            previous = id;
        }
    }
    std::size_t free = 0;
    for (std::uint32_t id = first_free_; id != none; id = families_[id].first)
        if (targets(id)[0] || ++free > families_.size()) return false;
    std::size_t named = 0;
    for (std::uint32_t id = 0; id != slot_count(); ++id)
        if (targets(id)[0]) {
            ++named;
            if (find(targets(id)) != id) return false;
        }
    return named == size_ && size_ + free == families_.size() && tables_->by_targets.size() == size_ &&
           linked == std::size_t{size_} * relations_;
}

// --- both

void row_map::shrink(std::size_t rows) noexcept {
    if (words_for(rows) > words_.size()) return;
    words_.set_size(words_for(rows));
    try {
        words_.shrink();
    } catch (...) {
        return; // it only takes more memory than it must
    }
}

relation_index::relation_index(const component_mask& mask, std::pmr::memory_resource* memory)
    : ids{memory},
      one{memory},
      several{memory,
              [&] {
                  std::uint32_t count = 0;
                  mask.each([&](component_id id) { count += type_of(id).relation ? 1 : 0; });
                  ids.reserve(count);
                  mask.each([&](component_id id) {
                      if (type_of(id).relation) ids.append(id);
                  });
                  return count;
              }()},
      used{memory} {}

std::size_t relation_index::bytes() const noexcept {
    return sizeof(relation_index) + ids.bytes() + one.bytes() + several.bytes() + used.bytes();
}

} // namespace pecs::detail
