// What a query asks of an archetype, as masks: a few word operations decide. Prefabs match only if they are named. What it
// asks of sparse components is noted beside that, as it has to be asked of each row.
export module pecs.query:filter;

import pecs.std;
import pecs.archetype;

export namespace pecs::detail {

/// What an entity's edges of one relation must be like.
struct edge_condition {
    enum class wanted : std::uint8_t { target, any, none };

    component_id relation{0};
    wanted what = wanted::any;
    alignas(8) entity target;

    [[nodiscard]] inline bool holds(const storage& all, entity e) const noexcept {
        const edge_index* const edges = all.edges(relation);
        if (what == wanted::target) return edges != nullptr && edges->find(e, target) != nullptr;
        return (edges != nullptr && !edges->targets(e).empty()) == (what == wanted::any);
    }
    [[nodiscard]] inline std::span<const entity> sources(const storage& all) const noexcept {
        const edge_index* const edges = all.edges(relation);
        if (edges == nullptr) return {};
        return edges->sources(target);
    }
};

struct filter {
    inline explicit filter(std::pmr::memory_resource* memory) noexcept
        : alternatives{memory}, targets{memory}, edges{memory}, needed{memory}, banned{memory} {}

    component_mask required;
    component_mask excluded;
    component_mask optional;
    buffer<component_mask> alternatives; ///< at least one type of each of these
    buffer<link> targets;                ///< of run-time queries: what the families must relate to
    buffer<edge_condition> edges;        ///< and what the edges of rows must be like
    bool exact = false;                  ///< nothing but what is named
    bool hidden_too = false;             ///< also what is disabled
    bool uniform =
        false; ///< of run-time queries: rows are only visited together if they are alike in sparse types

    component_mask sparse;       ///< all sparse types that are named
    buffer<component_id> needed; ///< sparse types that a row must have
    buffer<component_id> banned; ///< and that it must not have

    // Sparse types are told from others here.

    void require(component_id id);
    void require(const component_mask& ids);
    void exclude(const component_mask& ids);
    void offer(const component_mask& ids); ///< at least one of them
    void allow(component_id id);

    /// Whether rows have to be asked, even if nothing is disabled.
    [[nodiscard]] inline bool asks_rows(const storage& all) const noexcept {
        return !sparse.empty() || !edges.empty() || (exact && !all.beside().types().empty());
    }

    /// Whether anything that is disabled may make a difference.
    [[nodiscard]] bool concerned(const storage& all) const noexcept;

    [[nodiscard]] inline bool matches(const component_mask& mask) const noexcept {
        if (!mask.contains(required) || mask.intersects(excluded)) return false;
        component_mask named = required | optional;
        for (const component_mask& any : alternatives) {
            if (!mask.intersects(any) && !any.intersects(sparse)) return false;
            named |= any;
        }
        const component_id hidden = known_id<prefab>();
        if (hidden.index() != no_component && mask.test(hidden) && !named.test(hidden)) return false;
        return !exact || named.contains(mask);
    }
};

} // namespace pecs::detail
