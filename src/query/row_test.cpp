module;
#include <cstddef>
#include <cstdint>

module pecs.query;

import pecs.archetype;

namespace pecs::detail {
namespace {

/// What rows are asked, made ready for many of one archetype.
class row_questions {
public:
    row_questions(const storage& all, const filter& wanted, const archetype& place) noexcept
        : beside_{all.beside()}, wanted_{wanted}, place_mask_{place.mask()} {
        hides_ = beside_.disabled_count() != 0 && !wanted.hidden_too;
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
        plain_ = !hides_ && !open_ && strange_.empty() && wanted.banned.empty() && wanted.needed.size() == 1;
        only_ = plain_ ? beside_.set(wanted.needed[0]) : nullptr;
    }

    [[nodiscard]] bool matches(entity e) const noexcept {
        if (plain_) return only_ != nullptr && only_->contains(e);
        for (const component_id id : wanted_.needed)
            if (!beside_.contains(e, id)) return false;
        for (const component_id id : wanted_.banned)
            if (beside_.contains(e, id)) return false;
        if (open_ && !has_alternatives(e)) return false;
        if (has(e, strange_)) return false;
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
    [[nodiscard]] bool hidden(entity e) const noexcept {
        if (beside_.disabled(e)) return true;
        bool found = false;
        named_.each([&](component_id id) { found = found || beside_.disabled(e, id); });
        return found;
    }

    const extras& beside_;
    const filter& wanted_;
    component_mask place_mask_;
    component_mask named_;    ///< required types of which components are disabled
    component_mask changing_; ///< optional ones
    component_mask varying_;  ///< sparse types in which rows visited together must be alike
    component_mask strange_;  ///< sparse types that an exact query does not name
    bool hides_ = false;
    bool open_ = false; ///< alternatives are left to ask
    bool plain_ = false;
    const sparse_set* only_ = nullptr; ///< all that is asked, if it is plain
};

} // namespace

bool row_matches(const storage& all, const filter& wanted, const archetype& place, entity e) noexcept {
    return row_questions{all, wanted, place}.matches(e);
}

piece next_piece(const storage& all, const filter& wanted, const archetype& place, std::uint32_t first,
                 std::uint32_t end) noexcept {
    const row_questions asked{all, wanted, place};
    const entity* const entities = place.entities();
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

} // namespace pecs::detail
