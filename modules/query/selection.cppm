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
    /// Calls `visit(place, group)` for each family; like the loops below, easier on the compiler than the walk.
    template <class Visit>
    void each_group(const storage& /*all*/, archetype_span matches, Visit&& visit) const {
        for (std::size_t i = 0; i != matches.size(); ++i) {
            const archetype& place = *matches[i];
            const family* group = place.families().data();
            for (const family* const end = group + place.families().size(); group != end; ++group)
                if (group->size != 0) visit(place, *group);
        }
    }
    /// Calls `visit(place, first, size)` for each run.
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

/// What selections by family share.
template <class Walk> struct by_family {
    using runs = Walk;
    using groups = Walk;
};

/// Those with certain targets, one in each of the relations.
template <class... Rs> struct given_targets;
template <class First, class... Rs>
struct given_targets<First, Rs...> : by_family<target_walk<First, Rs...>> {
    alignas(8) entity targets[1 + sizeof...(Rs)]; ///< aligned, so that one is stored and loaded as one word

    [[nodiscard]] target_walk<First, Rs...> walk_groups(const storage& /*all*/,
                                                        archetype_span matches) const noexcept {
        return {matches, targets};
    }
    /// There is one call of `visit`, for the compiler to put in its place.
    template <class Visit>
    void each_group(const storage& /*all*/, archetype_span matches, Visit&& visit) const {
        target_search at = first_with_target<First>(matches, targets[0]);
        while (at.group != nullptr) {
            if (at.group->size != 0 && has_targets<First, Rs...>(*at.place, *at.group, targets))
                visit(*at.place, *at.group);
            if (at.next == matches.size() && at.chain == none) [[likely]]
                break;
            at = next_with_target(matches, known_id<First>(), targets[0], at);
        }
    }
    [[nodiscard]] bool contains(const storage& all, entity e) const noexcept {
        const entity* given = targets;
        return all.target(e, known_id<First>()) == *given &&
               ((all.target(e, known_id<Rs>()) == *++given) && ...);
    }
};

template <class R>
[[nodiscard]] inline given_targets<R> with_target(const every_target& /*before*/, entity target) noexcept {
    return {{}, {target}};
}
template <class R, class... Rs>
[[nodiscard]] inline given_targets<Rs..., R> with_target(const given_targets<Rs...>& before,
                                                         entity target) noexcept {
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> given_targets<Rs..., R> {
        return {{}, {before.targets[I]..., target}};
    }(std::index_sequence_for<Rs...>{});
}

/// All of them, in the order of their depth.
struct by_depth : by_family<depth_walk> {
    depth_order* order;
    bool reversed;

    template <class Visit> void each_group(const storage& all, archetype_span matches, Visit&& visit) const {
        order->refresh(all);
        for (int part = 0; part != 2; ++part) { // so that each loop stands here once
            if ((part == 0) != reversed)
                each_on_top(matches, visit);
            else
                each_in_levels(matches, visit);
        }
    }
    [[nodiscard]] inline depth_walk walk_groups(const storage& all, archetype_span matches) const {
        order->refresh(all);
        return {matches, *order, reversed};
    }
    [[nodiscard]] inline bool contains(const storage& /*all*/, entity /*e*/) const noexcept { return true; }

private:
    template <class Visit> void each_on_top(archetype_span matches, Visit& visit) const {
        for (std::size_t i = 0; i != matches.size(); ++i) {
            const archetype& place = *matches[i];
            if (place.mask().test(order->relation())) continue;
            const family* group = place.families().data();
            for (const family* const end = group + place.families().size(); group != end; ++group)
                if (group->size != 0) visit(place, *group);
        }
    }
    template <class Visit> void each_in_levels(archetype_span matches, Visit& visit) const {
        const buffer<depth_order::level>& levels = order->levels();
        for (std::size_t k = 0; k != levels.size(); ++k) {
            const depth_order::level& level = levels[reversed ? levels.size() - 1 - k : k];
            bool matching = false;
            for (std::size_t i = 0; i != matches.size(); ++i)
                matching = matching || matches[i] == level.place;
            if (!matching) continue;
            for (std::uint32_t i = level.begin; i != level.end; ++i) visit(*level.place, (*order)[i]);
        }
    }
};

/// Those below one entity.
struct descendants : by_family<descent_walk> {
    component_id relation{0};
    entity root;

    [[nodiscard]] inline descent_walk walk_groups(const storage& all, archetype_span matches) const {
        return {all, matches, relation, root};
    }
    template <class Visit> void each_group(const storage& all, archetype_span matches, Visit&& visit) const {
        for (descent_walk at = walk_groups(all, matches); at.advance();) visit(at.place(), *at.group());
    }
    [[nodiscard]] inline bool contains(const storage& all, entity e) const noexcept {
        for (entity at = all.target(e, relation); at; at = all.target(at, relation))
            if (at == root) return true;
        return false;
    }
};

} // namespace pecs::detail
