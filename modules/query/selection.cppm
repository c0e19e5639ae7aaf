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
        const archetype* place = matches.lone;
        const family* group = nullptr;
        target_search rest; // NOLINT(cppcoreguidelines-pro-type-member-init): only for the unusual case
        if (place != nullptr) [[likely]] {
            group = place->relations()->one.find(targets[0]);
        } else {
            rest = target_search::through(matches);
            group = rest.advance(known_id<First>(), targets[0]);
            place = rest.place;
        }
        while (group != nullptr) {
            if (group->size != 0 && has_targets<First, Rs...>(*place, *group, targets)) visit(*place, *group);
            if (place == matches.lone) [[likely]]
                break;
            group = rest.advance(known_id<First>(), targets[0]);
            place = rest.place;
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
        each_group(all, matches, visit, [](const archetype&, const family&) {});
    }
    /// The same; where families are scattered, `fetch(place, group)` is called for each a little earlier, to get what
    /// `visit` will need into the cache.
    template <class Visit, class Fetch>
    void each_group(const storage& all, archetype_span matches, Visit&& visit, Fetch&& fetch) const {
        order->refresh(all);
        for (int part = 0; part != 2; ++part) { // so that each loop stands here once
            if ((part == 0) != reversed)
                each_on_top(matches, visit);
            else
                each_in_levels(all, matches, visit, fetch);
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
    /// How many families ahead something is fetched: the family, the record of its target, and at last the values.
    static constexpr std::uint32_t family_ahead = 16;
    static constexpr std::uint32_t target_ahead = 11;
    static constexpr std::uint32_t values_ahead = 6;

    template <class Fetch>
    void fetch_ahead(const storage& all, const depth_order::level& level, std::uint32_t i,
                     Fetch& fetch) const {
        const depth_order& list = *order;
        if (level.end - i <= family_ahead) return;
        __builtin_prefetch(&list[i + family_ahead]);
        __builtin_prefetch(&all.entities()[list[i + target_ahead].target]);
        fetch(*level.place, list[i + values_ahead]);
    }
    template <class Visit, class Fetch>
    void each_in_levels(const storage& all, archetype_span matches, Visit& visit, Fetch& fetch) const {
        const buffer<depth_order::level>& levels = order->levels();
        for (std::size_t k = 0; k != levels.size(); ++k) {
            const depth_order::level& level = levels[reversed ? levels.size() - 1 - k : k];
            bool matching = false;
            for (std::size_t i = 0; i != matches.size(); ++i)
                matching = matching || matches[i] == level.place;
            if (!matching) continue;
            for (std::uint32_t i = level.begin; i != level.end; ++i) {
                if (level.scattered) [[unlikely]]
                    fetch_ahead(all, level, i, fetch);
                visit(*level.place, (*order)[i]);
            }
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
