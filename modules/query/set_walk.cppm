// Goes through a query that requires sparse components by the smaller side: the rows that match otherwise, cut into pieces, or
// the entities of its smallest set, wherever they are. Entities of the set whose rows are neighbours are one run.
export module pecs.query:set_walk;

import pecs.std;
import pecs.archetype;
import :cache;
import :edge_walk;
import :filter;
import :row_test;
import :selection;
import :terms;
import :walk;

export namespace pecs::detail {

/// Whether the entities of a set may be visited instead of the rows of a selection: where the order is nobody's.
template <class Selection> inline constexpr bool takes_lists = takes_edges<Selection>;

/// How many rows a selection goes through, or more than `enough` if it is more.
[[nodiscard]] inline std::size_t row_count(const every_target& /*selection*/, const storage& /*all*/,
                                           archetype_span matches, std::size_t enough) noexcept {
    std::size_t total = 0;
    for (std::size_t i = 0; i != matches.size() && total <= enough; ++i) total += matches[i]->size();
    return total;
}
template <class... Rs>
[[nodiscard]] inline std::size_t row_count(const given_targets<Rs...>& selection, const storage& all,
                                           archetype_span matches, std::size_t /*enough*/) {
    std::size_t total = 0;
    selection.each_group(all, matches, [&](const archetype&, const family& group) { total += group.size; });
    return total;
}

/// The smallest set that a query requires; null if it requires none, or one that does not exist.
[[nodiscard]] const sparse_set* smallest_set(const storage& all, const filter& wanted) noexcept;

/// The test that all families pass.
struct every_family {
    inline explicit every_family(const storage& /*all*/) noexcept {}
};

/// `Test` says which families match, where terms ask about more than components.
template <class Walk, class Selection, class Test> class set_walk : public piece_walk<Walk> {
    static constexpr bool tested = !std::same_as<Test, every_family>;

public:
    set_walk(const storage& all, const filter* wanted, Walk&& walk, const Selection& selection,
             archetype_span matches)
        : piece_walk<Walk>{all, wanted, std::move(walk)},
          selection_{selection},
          asked_{wanted},
          simple_{!selects_rows<Selection> && wanted->needed.size() == 1 &&
                  all.beside().disabled_count() == 0 && !wanted->exact && wanted->banned.empty() &&
                  wanted->alternatives.empty()},
          fits_{all} {
        if (wanted->needed.empty()) return;
        const sparse_set* const set = smallest_set(all, *wanted);
        const std::size_t listed = set == nullptr ? 0 : set->size();
        if (row_count(selection, all, matches, listed) <= listed) return;
        by_list_ = true;
        if (set == nullptr) return; // nothing matches
        at_ = set->entities();
        last_ = at_ + set->size();
    }

    bool advance() { return by_list_ ? next_listed() : piece_walk<Walk>::advance(); }

private:
    bool next_listed() {
        const storage& all = piece_walk<Walk>::seen();
        while (at_ != last_) {
            const entity e = *at_++;
            const entity_record record = all.entities()[e];
            if (!takes(all, e, record)) continue;
            Walk::current_ = &Walk::place_->at(record.family);
            Walk::first_ = record.row;
            Walk::size_ = 1;
            while (simple_ && at_ != last_) {
                const entity_record next = all.entities()[*at_];
                if (next.row != record.row + Walk::size_ || next.archetype != record.archetype ||
                    next.family != record.family)
                    break;
                ++Walk::size_; // of the same family, so what holds for one holds for the other
                ++at_;
            }
            return true;
        }
        return false;
    }
    [[nodiscard]] bool takes(const storage& all, entity e, const entity_record& record) {
        const archetype* const place = all.archetype_at(record.archetype);
        if (place != seen_place_) {
            seen_place_ = place;
            place_fits_ = asked_->matches(place->mask());
        }
        if (!place_fits_ || !selection_.contains(all, e)) return false;
        if constexpr (tested)
            if (!fits_(*place, place->at(record.family))) return false;
        if (!simple_ && !row_matches(all, *asked_, *place, e)) return false;
        Walk::place_ = place;
        return true;
    }

    Selection selection_;
    const filter* asked_;
    bool simple_; ///< to be in the set is all that is asked of rows
    [[no_unique_address]] Test fits_;
    bool by_list_ = false;
    const entity* at_ = nullptr;
    const entity* last_ = nullptr;
    const archetype* seen_place_ = nullptr;
    bool place_fits_ = false;
};

} // namespace pecs::detail
