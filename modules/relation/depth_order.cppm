// The families of an acyclic relation in the order of their depth: those whose target has no target itself come first,
// then their sources, and so on. It is kept with the storage, one per relation, and made anew, in O(families), when it
// is used after the relation has changed.
export module pecs.relation:depth_order;

import pecs.std;
import pecs.archetype;

export namespace pecs::detail {

class depth_order : public attachment {
public:
    /// Families of one archetype and one depth: [begin, end) of the list.
    struct level {
        const archetype* place;
        std::uint32_t begin;
        std::uint32_t end;
        bool scattered; ///< a loop over the level jumps about in memory, as families have moved
    };

    depth_order(component_id relation, std::pmr::memory_resource* memory) noexcept
        : relation_{relation}, families_{memory}, levels_{memory} {}

    /// Brings the order up to date; several threads may do so at once.
    inline void refresh(const storage& all) {
        if (stamp_.load(std::memory_order_acquire) != all.relation_stamp(relation_)) [[unlikely]]
            update(all);
    }
    [[nodiscard]] inline component_id relation() const noexcept { return relation_; }
    [[nodiscard]] inline const buffer<level>& levels() const noexcept { return levels_; }
    [[nodiscard]] inline const family& operator[](std::uint32_t i) const noexcept { return *families_[i]; }

private:
    void update(const storage& all);
    [[nodiscard]] bool scattered(const level& of) const noexcept;

    static constexpr std::uint64_t never = ~std::uint64_t{0};
    component_id relation_;
    std::atomic<std::uint64_t> stamp_{never}; ///< of the relation, when this was last made
    buffer<const family*> families_;
    buffer<level> levels_;
};

/// Makes an order that lives with the storage.
[[nodiscard]] attachment* make_depth_order(const storage& all, component_id relation);

/// The order of a relation in one storage; not up to date yet.
template <class R> struct static_depth_order {
    static inline constinit std::atomic<std::uint32_t> number{none};

    static attachment* make(const storage& all) { return make_depth_order(all, id_of<R>()); }
    [[nodiscard]] static depth_order* in(const storage& all) {
        return static_cast<depth_order*>(all.attachments().get(attachment_number(number), &make, all));
    }
};

} // namespace pecs::detail
