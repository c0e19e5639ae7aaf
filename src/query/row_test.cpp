module;
#include <cstddef>
#include <cstdint>
#include <span>

module pecs.query;

import pecs.archetype;

namespace pecs::detail {
namespace {

/// What rows are asked, made ready for many of one archetype.
class row_questions {
public:
    row_questions(const storage& all, const filter& wanted, const archetype& place) noexcept
        : all_{all},
          beside_{all.beside()},
          wanted_{wanted},
          place_mask_{place.mask()},
          hides_{beside_.disabled_count() != 0 && !wanted.hidden_too} {
        if (hides_) {
            named_ = wanted.required;
            for (const component_id id : wanted.needed) named_.set(id);
            named_ &= beside_.disabled_types();
        }
        if (beside_.disabled_count() != 0) {
            changing_ = wanted.optional & place.mask() & beside_.disabled_types();
        }
        for (const component_mask& any : wanted.alternatives) open_ = open_ || !any.intersects(place.mask());
        if (wanted.uniform) varying_ = wanted.sparse;
        if (wanted.exact) strange_ = beside_.types() - wanted.sparse;
    }

    [[nodiscard]] bool matches(entity e) const noexcept {
        for (const component_id id : wanted_.needed)
            if (!beside_.contains(e, id)) return false;
        for (const component_id id : wanted_.banned)
            if (beside_.contains(e, id)) return false;
        if (open_ && !has_alternatives(e)) return false;
        if (has(e, strange_)) return false;
        if (!edges_fit(e)) return false;
        return !hides_ || !hidden(e);
    }
    /// Whether optional components are disabled for both, or for none.
    [[nodiscard]] bool alike(entity a, entity b) const noexcept {
        bool same = true;
        changing_.each(
            [&](component_id id) { same = same && beside_.disabled(a, id) == beside_.disabled(b, id); });
        varying_.each(
            [&](component_id id) { same = same && beside_.contains(a, id) == beside_.contains(b, id); });
        return same;
    }
    [[nodiscard]] bool always_alike() const noexcept { return changing_.empty() && varying_.empty(); }

private:
    [[nodiscard]] bool has(entity e, const component_mask& some) const noexcept {
        bool found = false;
        some.each([&](component_id id) { found = found || beside_.contains(e, id); });
        return found;
    }
    /// Only those alternatives are asked of which the archetype has none.
    [[nodiscard]] bool has_alternatives(entity e) const noexcept {
        for (const component_mask& any : wanted_.alternatives)
            if (!any.intersects(place_mask_) && !has(e, any & wanted_.sparse)) return false;
        return true;
    }
    /// Most have no targets, which is found out first. (And the span has to be named here, for GCC to emit its functions.)
    [[nodiscard]] bool edges_fit(entity e) const noexcept {
        for (const edge_condition& each : wanted_.edges) {
            const edge_index* const edges = all_.edges(each.relation);
            std::span<const entity> targets;
            if (edges != nullptr) targets = edges->targets(e);
            if (targets.empty() ? each.what != edge_condition::wanted::none : !each.holds(all_, e))
                return false;
        }
        return true;
    }
    [[nodiscard]] bool hidden(entity e) const noexcept {
        if (beside_.disabled(e)) return true;
        bool found = false;
        named_.each([&](component_id id) { found = found || beside_.disabled(e, id); });
        return found;
    }

    const storage& all_;
    const extras& beside_;
    const filter& wanted_;
    component_mask place_mask_;
    component_mask named_;    ///< required types of which components are disabled
    component_mask changing_; ///< optional ones
    component_mask varying_;  ///< sparse types in which rows visited together must be alike
    component_mask strange_;  ///< sparse types that an exact query does not name
    bool hides_;
    bool open_ = false; ///< alternatives are left to ask
};

} // namespace

bool row_matches(const storage& all, const filter& wanted, const archetype& place, entity e) noexcept {
    return row_questions{all, wanted, place}.matches(e);
}

piece next_piece(const storage& all, const filter& wanted, const archetype& place, std::uint32_t first,
                 std::uint32_t end) noexcept {
    const entity* const entities = place.entities();
    if (all.beside().disabled_count() == 0 && wanted.needed.size() + wanted.banned.size() == 1 &&
        !wanted.exact && !wanted.uniform && wanted.alternatives.empty()) { // one set decides
        const bool needed = wanted.banned.empty();
        const sparse_set* const set = all.beside().set(needed ? wanted.needed[0] : wanted.banned[0]);
        if (set == nullptr) return {needed ? end : first, end};
        while (first != end && set->contains(entities[first]) != needed) ++first;
        std::uint32_t last = first;
        while (last != end && set->contains(entities[last]) == needed) ++last;
        return {first, last};
    }
    const row_questions asked{all, wanted, place};
    while (first != end && !asked.matches(entities[first])) ++first;
    std::uint32_t stop = first;
    if (asked.always_alike())
        while (stop != end && asked.matches(entities[stop])) ++stop;
    else
        while (stop != end && asked.matches(entities[stop]) && asked.alike(entities[first], entities[stop]))
            ++stop;
    return {first, stop};
}

const sparse_set* smallest_set(const storage& all, const filter& wanted) noexcept {
    const sparse_set* smallest = nullptr;
    for (const component_id id : wanted.needed) {
        const sparse_set* const set = all.beside().set(id);
        if (set == nullptr) return nullptr;
        if (smallest == nullptr || set->size() < smallest->size()) smallest = set;
    }
    return smallest;
}

piece piece_search::advance() noexcept {
    if (next == end) return {end, end};
    const piece found = next_piece(*all, *asked, *place, next, end);
    next = found.stop;
    return found;
}

} // namespace pecs::detail
