// Trees of entities: parents, children, and what can be asked about them. A tree is an acyclic relation with one
// target; `child_of` is a ready-made one.
//
// Loops over children and ancestors hold the structure lock, in their end sentinel, as those over queries do. Lists of
// entities are copies: whoever goes through one may change the world.
export module pecs.relation:hierarchy;

import pecs.std;
import pecs.archetype;

export namespace pecs {

/// A relation for trees: acyclic, and children die with their parent. Who got another parent is noted entity by entity.
struct child_of {
    static constexpr relation_rules rules = hierarchy;
    static constexpr change_tracking tracking = change_tracking::rows;
};

/// Entities in an order, as a list of its own; movable. Its memory is that of the world, which must outlive it.
class entity_list {
public:
    inline explicit entity_list(detail::buffer<entity>&& list) noexcept : list_{std::move(list)} {}

    [[nodiscard]] inline const entity* begin() const noexcept { return list_.begin(); }
    [[nodiscard]] inline const entity* end() const noexcept { return list_.end(); }
    [[nodiscard]] inline std::size_t size() const noexcept { return list_.size(); }
    [[nodiscard]] inline bool empty() const noexcept { return list_.empty(); }
    [[nodiscard]] inline entity operator[](std::size_t i) const noexcept { return list_[i]; }
    /// For verbs that take a list: `world.despawn_batch(world.ordered_children(e))`. (Two, because `std::span` can be
    /// made of any range, and that must not fit better.)
    inline operator std::span<const entity>() const noexcept { return {list_.data(), list_.size()}; }
    inline operator std::span<const entity>() noexcept { return {list_.data(), list_.size()}; }

private:
    detail::buffer<entity> list_;
};

} // namespace pecs

export namespace pecs::detail {

/// Says in words why `R` makes no tree; does nothing for one that does.
template <class R> consteval void require_hierarchy() {
    require_relation<R>();
    if constexpr (relation<R>)
        static_assert(R::rules.acyclic && !R::rules.many,
                      "pecs: parents and children need an acyclic relation with one target: declare it with "
                      "static constexpr pecs::relation_rules rules = pecs::hierarchy; or {.acyclic = true}");
}

/// The end of a loop over a tree. It holds the lock.
class tree_end {
public:
    inline explicit tree_end(const storage& all) : lock_{all} {}

private:
    structure_lock lock_;
};

/// Goes through the families of one target, archetype by archetype in the order of creation.
class child_iterator {
public:
    inline child_iterator(const storage& all, component_id relation, entity parent) noexcept
        : all_{&all}, parent_{parent}, relation_{relation} {
        if (!all.is_target(parent) || !all.entities().alive(parent)) return;
        const auto users = all.created_with(relation);
        next_ = users.data();
        end_ = next_ + users.size();
        next_family();
    }
    [[nodiscard]] inline entity operator*() const noexcept { return entities_[row_]; }
    inline child_iterator& operator++() noexcept {
        if (++row_ == end_row_) next_family();
        return *this;
    }
    [[nodiscard]] inline bool operator!=(const tree_end& /*end*/) const noexcept { return row_ != end_row_; }

private:
    inline void next_family() noexcept {
        row_ = end_row_ = 0;
        while (row_ == end_row_) {
            const family* group = nullptr;
            if (chain_ != none) {
                group = &place_->families()[chain_];
                chain_ = place_->relations()->several.next_with(position_, chain_);
            } else {
                if (next_ == end_) return;
                place_ = all_->archetype_at(*next_++);
                const relation_index& related = *place_->relations();
                if (related.count() != 1) {
                    position_ = related.position(relation_);
                    chain_ = related.several.first_with(position_, parent_);
                    continue;
                }
                group = related.one.find(parent_);
                if (group == nullptr) continue;
            }
            row_ = group->first;
            end_row_ = group->first + group->size;
        }
        entities_ = place_->entities();
    }

    const entity* entities_ = nullptr;
    std::uint32_t row_ = 0;
    std::uint32_t end_row_ = 0;
    const storage* all_;
    const archetype* place_ = nullptr;
    const std::uint32_t* next_ = nullptr; ///< the archetypes with the relation that are yet to come
    const std::uint32_t* end_ = nullptr;
    entity parent_;
    component_id relation_;
    std::uint32_t position_ = 0;
    std::uint32_t chain_ = none; ///< the next family, in an archetype with several relations
};

/// Goes from an entity to its parent, to the parent of that, and so on.
class ancestor_iterator {
public:
    inline ancestor_iterator(const storage& all, component_id relation, entity e) noexcept
        : all_{&all}, relation_{relation}, at_{all.target(e, relation)} {}
    [[nodiscard]] inline entity operator*() const noexcept { return at_; }
    inline ancestor_iterator& operator++() noexcept {
        at_ = all_->target(at_, relation_);
        return *this;
    }
    [[nodiscard]] inline bool operator!=(const tree_end& /*end*/) const noexcept { return bool{at_}; }

private:
    const storage* all_;
    component_id relation_;
    entity at_;
};

/// What `children` and `ancestors` of a world give: valid for the life of the world, cheap to copy.
template <class Iterator> class tree_range {
public:
    tree_range(const storage& all, component_id relation, entity e) noexcept
        : all_{&all}, relation_{relation}, entity_{e} {}
    [[nodiscard]] Iterator begin() const noexcept { return {*all_, relation_, entity_}; }
    [[nodiscard]] tree_end end() const { return tree_end{*all_}; }
    [[nodiscard]] bool empty() const { return !(begin() != end()); }

private:
    const storage* all_;
    component_id relation_;
    entity entity_;
};
using child_range = tree_range<child_iterator>;
using ancestor_range = tree_range<ancestor_iterator>;

/// Everything below an entity, level by level. O(descendants * archetypes with the relation).
[[nodiscard]] entity_list descendants_of(const storage& all, component_id relation, entity e);
/// The entities that are targets and have no target, in ascending order of their indices. O(families).
[[nodiscard]] entity_list roots_of(const storage& all, component_id relation);
/// How many ancestors an entity has. O(depth).
[[nodiscard]] std::size_t depth_of(const storage& all, component_id relation, entity e) noexcept;
/// The last ancestor of an entity, or itself; null if it is dead. O(depth).
[[nodiscard]] entity root_above(const storage& all, component_id relation, entity e) noexcept;
[[nodiscard]] bool is_above(const storage& all, component_id relation, entity ancestor, entity e) noexcept;
/// Whether `check_target` and `check_acyclic` would let a living entity have this target.
[[nodiscard]] bool may_relate(const storage& all, component_id relation, entity e, entity target);

} // namespace pecs::detail
