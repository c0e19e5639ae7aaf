// Which of the matching rows a query visits, and in which order. A selection makes the walk for it.
export module pecs.query:selection;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :walk;

export namespace pecs::detail {

/// All of them, as they lie.
struct every_target {
    using runs = run_walk;
    using groups = family_walk;

    [[nodiscard]] inline runs walk_runs(const storage& /*all*/, archetype_span matches) const noexcept {
        return runs{matches};
    }
    [[nodiscard]] inline groups walk_groups(const storage& /*all*/, archetype_span matches) const noexcept {
        return groups{matches};
    }
    /// Calls `visit(place, first, size)` for each run: what `run_walk` does, as a loop that is easier on the compiler.
    template <class Visit> void each_run(archetype_span matches, Visit&& visit) const {
        for (std::size_t i = 0; i != matches.size(); ++i) {
            const archetype& place = *matches[i];
            std::uint32_t first = 0;
            std::uint32_t size = place.size();
            const relation_index* const related = place.relations();
            if (related != nullptr) [[unlikely]] {
                if (size == 0) continue;
                first = related->used.next(0, 0);
                size = related->used.next(first, ~std::uint64_t{0}) - first;
            }
            for (;;) {
                visit(place, first, size);
                if (related == nullptr) [[likely]]
                    break;
                first = related->used.next(first + size, 0);
                if (first == related->used.end()) break;
                size = related->used.next(first, ~std::uint64_t{0}) - first;
            }
        }
    }
    [[nodiscard]] inline bool contains(const storage& /*all*/, entity /*e*/) const noexcept { return true; }
};

/// What all selections by family share.
template <class Walk> struct by_family {
    using runs = Walk;
    using groups = Walk;
};

/// Those with certain targets.
template <std::size_t N> struct given_targets : by_family<target_walk<N>> {
    link links[N];

    [[nodiscard]] target_walk<N> walk_groups(const storage& /*all*/, archetype_span matches) const noexcept {
        return {matches, links};
    }
    /// Calls `visit(place, group)` for each family: what `target_walk` does, as a loop that stays in registers (so there
    /// is one call of `visit`, for the compiler to put in its place).
    template <class Visit> void each_group(archetype_span matches, Visit&& visit) const {
        for (std::size_t i = 0; i != matches.size(); ++i) {
            const archetype& place = *matches[i];
            const relation_index& related = *place.relations();
            std::uint32_t position = 0;
            std::uint32_t chain = none;
            const family* group = nullptr;
            if (related.count() == 1) [[likely]] {
                group = related.one.find(links[0].target);
            } else {
                position = related.position(links[0].relation);
                chain = related.several.first_with(position, links[0].target);
                if (chain != none) group = &place.families()[chain];
            }
            while (group != nullptr) {
                if (N == 1 || fits(place, *group)) visit(place, *group);
                if (chain == none) [[likely]]
                    break;
                chain = related.several.next_with(position, chain);
                group = chain == none ? nullptr : &place.families()[chain];
            }
        }
    }
    /// Whether a family that was found by its first target has the others, too.
    [[nodiscard]] bool fits(const archetype& place, const family& group) const noexcept {
        for (std::size_t i = 1; i < N; ++i)
            if (place.target(group, place.relations()->position(links[i].relation)) != links[i].target)
                return false;
        return true;
    }
    [[nodiscard]] bool contains(const storage& all, entity e) const noexcept {
        for (const link& given : links)
            if (all.target(e, given.relation) != given.target) return false;
        return true;
    }
};

[[nodiscard]] inline given_targets<1> with_target(const every_target& /*before*/, link given) noexcept {
    return {{}, {given}};
}
template <std::size_t N>
[[nodiscard]] inline given_targets<N + 1> with_target(const given_targets<N>& before, link given) noexcept {
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> given_targets<N + 1> {
        return {{}, {before.links[I]..., given}};
    }(std::make_index_sequence<N>{});
}

/// All of them, in the order of their depth.
struct by_depth : by_family<depth_walk> {
    depth_order* order;
    bool reversed;

    [[nodiscard]] inline depth_walk walk_groups(const storage& all, archetype_span matches) const {
        order->refresh(all);
        return {matches, *order, reversed};
    }
    [[nodiscard]] inline bool contains(const storage& /*all*/, entity /*e*/) const noexcept { return true; }
};

/// Those below one entity.
struct descendants : by_family<descent_walk> {
    component_id relation{0};
    entity root;

    [[nodiscard]] inline descent_walk walk_groups(const storage& all, archetype_span matches) const {
        return {all, matches, relation, root};
    }
    [[nodiscard]] inline bool contains(const storage& all, entity e) const noexcept {
        for (entity at = all.target(e, relation); at; at = all.target(at, relation))
            if (at == root) return true;
        return false;
    }
};

} // namespace pecs::detail
