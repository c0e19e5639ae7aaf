// The ways through the rows of matching archetypes. Each goes from one run of rows to the next:
//
//   run_walk      all rows, in runs as long as they can be, wherever families end
//   family_walk   all families, one by one
//   target_walk   the families with given targets, found through the archetypes' tables
//   depth_walk    all families, in the order of their depth in a hierarchy
//   descent_walk  the families below one entity, level by level
export module pecs.query:walk;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :cache;

export namespace pecs::detail {

/// The part that all walks share: where they are.
class walk_base {
public:
    [[nodiscard]] inline const archetype& place() const noexcept { return *place_; }
    [[nodiscard]] inline std::uint32_t first() const noexcept { return first_; }
    [[nodiscard]] inline std::uint32_t size() const noexcept { return size_; }
    /// The family, or null where runs are no families.
    [[nodiscard]] inline const family* group() const noexcept { return current_; }

protected:
    inline explicit walk_base(archetype_span matches) noexcept
        : next_{matches.data()}, end_{matches.data() + matches.size()} {}

    inline bool stop_at(const family& group) noexcept {
        current_ = &group;
        first_ = group.first;
        size_ = group.size;
        return true;
    }

    const archetype* const* next_;
    const archetype* const* end_;
    const archetype* place_ = nullptr;
    const family* current_ = nullptr;
    std::uint32_t first_ = 0;
    std::uint32_t size_ = 0;
};

class run_walk : public walk_base {
public:
    inline explicit run_walk(archetype_span matches) noexcept : walk_base{matches} {}

    /// Goes to the next run; false at the end.
    inline bool advance() noexcept {
        for (;;) {
            if (used_ != nullptr) {
                first_ = used_->next(at_, 0);
                if (first_ != used_->end()) {
                    at_ = used_->next(first_, ~std::uint64_t{0});
                    size_ = at_ - first_;
                    return true;
                }
                used_ = nullptr;
            }
            if (next_ == end_) return false;
            place_ = *next_++;
            if (place_->size() == 0) continue;
            if (place_->relations() == nullptr) [[likely]] {
                first_ = 0;
                size_ = place_->size();
                return true;
            }
            used_ = &place_->relations()->used;
            at_ = 0;
        }
    }

private:
    const row_map* used_ = nullptr; ///< of an archetype with relations
    std::uint32_t at_ = 0;
};

class family_walk : public walk_base {
public:
    inline explicit family_walk(archetype_span matches) noexcept : walk_base{matches} {}

    inline bool advance() noexcept {
        for (;;) {
            while (group_ != groups_end_) {
                const family& group = *group_++;
                if (group.size != 0) return stop_at(group);
            }
            if (next_ == end_) return false;
            place_ = *next_++;
            group_ = place_->families().data();
            groups_end_ = group_ + place_->families().size();
        }
    }

private:
    const family* group_ = nullptr;
    const family* groups_end_ = nullptr;
};

/// A search for the families of a target in all archetypes. The usual case, one archetype with one relation, does without:
/// its family is looked up in place.
struct target_search {
    archetype_span matches;
    const archetype* place; ///< where the search is
    std::uint32_t next;     ///< the next archetype to look at
    std::uint32_t chain;    ///< with several relations, the next family of the archetype to look at

    [[nodiscard]] static inline target_search through(archetype_span matches) noexcept {
        return {matches, nullptr, 0, none};
    }
    /// Goes to the next family that has entities; null at the end.
    [[nodiscard]] const family* advance(component_id relation, entity target) noexcept;
};

/// Whether a family that was found by its first target has the others, too.
template <class First, class... Rs>
[[nodiscard]] inline bool has_targets(const archetype& place, const family& group,
                                      const entity* targets) noexcept {
    if constexpr (sizeof...(Rs) == 0)
        return true;
    else
        return ((place.target(group, place.relations()->position(known_id<Rs>())) == *++targets) && ...);
}

/// It has the targets in itself: the query that it comes from may be a temporary.
template <class... Rs> class target_walk;
template <class First, class... Rs> class target_walk<First, Rs...> : public walk_base {
public:
    target_walk(archetype_span matches, const entity* targets) noexcept
        : walk_base{matches}, search_{target_search::through(matches)} {
        for (std::size_t i = 0; i != 1 + sizeof...(Rs); ++i) targets_[i] = targets[i];
    }

    bool advance() noexcept {
        if (const archetype* const lone = search_.matches.lone) [[likely]] {
            if (place_ != nullptr) return false;
            place_ = lone;
            const family* const group = lone->relations()->one.find(targets_[0]);
            return group != nullptr && group->size != 0 && stop_at(*group);
        }
        while (const family* const group = search_.advance(known_id<First>(), targets_[0])) {
            if (!has_targets<First, Rs...>(*search_.place, *group, targets_)) continue;
            place_ = search_.place;
            return stop_at(*group);
        }
        return false;
    }

private:
    target_search search_;
    alignas(8) entity targets_[1 + sizeof...(Rs)];
};

/// Archetypes without the relation come first, or last if the order is turned around.
class depth_walk : public walk_base {
public:
    inline depth_walk(archetype_span matches, const depth_order& order, bool reversed) noexcept
        : walk_base{matches}, matches_{matches}, order_{&order}, reversed_{reversed} {}

    inline bool advance() noexcept {
        return reversed_ ? next_in_levels() || next_on_top() : next_on_top() || next_in_levels();
    }

private:
    inline bool next_on_top() noexcept {
        for (;;) {
            while (group_ != groups_end_) {
                const family& group = *group_++;
                if (group.size != 0) return stop_at(group);
            }
            if (next_ == end_) return false;
            if ((*next_)->mask().test(order_->relation())) {
                ++next_;
                continue;
            }
            place_ = *next_++;
            group_ = place_->families().data();
            groups_end_ = group_ + place_->families().size();
        }
    }
    inline bool next_in_levels() noexcept {
        const auto& levels = order_->levels();
        while (at_ == end_of_level_) {
            if (level_ == levels.size()) return false;
            const depth_order::level& next = levels[reversed_ ? levels.size() - 1 - level_ : level_];
            ++level_;
            if (!matching(next.place)) continue;
            place_ = next.place;
            at_ = next.begin;
            end_of_level_ = next.end;
        }
        return stop_at((*order_)[at_++]);
    }
    [[nodiscard]] inline bool matching(const archetype* place) const noexcept {
        for (std::size_t i = 0; i != matches_.size(); ++i)
            if (matches_[i] == place) return true;
        return false;
    }

    archetype_span matches_;
    const depth_order* order_;
    bool reversed_;
    const family* group_ = nullptr;
    const family* groups_end_ = nullptr;
    std::size_t level_ = 0;
    std::uint32_t at_ = 0;
    std::uint32_t end_of_level_ = 0;
};

/// Looks up the sources of each entity that it meets, if it is a target; the entities it has yet to look at are in a
/// list, which takes memory.
class descent_walk : public walk_base {
public:
    inline descent_walk(const storage& all, archetype_span matches, component_id relation, entity root)
        : walk_base{matches}, matches_{matches}, all_{&all}, relation_{relation}, targets_{all.memory()} {
        if (all.is_target(root) && all.entities().alive(root)) targets_.push_back(root);
    }

    inline bool advance() {
        for (;;) {
            const family* const group = next_family();
            if (group == nullptr) return false;
            for (std::uint32_t row = group->first; row != group->first + group->size; ++row)
                if (all_->is_target(place_->entities()[row])) targets_.push_back(place_->entities()[row]);
            for (std::size_t i = 0; i != matches_.size(); ++i)
                if (matches_[i] == place_) return stop_at(*group);
        }
    }

private:
    inline const family* next_family() noexcept {
        const auto users = all_->created_with(relation_);
        for (;;) {
            if (chain_ != none) {
                const family& group = place_->families()[chain_];
                chain_ = place_->relations()->several.next_with(position_, chain_);
                return &group;
            }
            if (done_ == targets_.size()) return nullptr;
            if (user_ == users.size()) {
                user_ = 0;
                ++done_;
                continue;
            }
            place_ = all_->archetype_at(users[user_++]);
            const relation_index& related = *place_->relations();
            if (related.count() == 1) {
                const family* const group = related.one.find(targets_[done_]);
                if (group != nullptr) return group;
            } else {
                position_ = related.position(relation_);
                chain_ = related.several.first_with(position_, targets_[done_]);
            }
        }
    }

    archetype_span matches_;
    const storage* all_;
    component_id relation_;
    buffer<entity> targets_; ///< whose sources are visited, in this order
    std::size_t done_ = 0;
    std::size_t user_ = 0; ///< the next archetype with the relation
    std::uint32_t position_ = 0;
    std::uint32_t chain_ = none;
};

/// The families of another walk that all terms of a query accept.
template <class Walk, class Accepts> class filtered_walk : public Walk {
public:
    filtered_walk(const storage& all, Walk&& walk) : Walk{std::move(walk)}, accepts_{all} {}

    bool advance() {
        while (Walk::advance())
            if (accepts_(Walk::place(), *Walk::group())) return true;
        return false;
    }

private:
    Accepts accepts_;
};

} // namespace pecs::detail
