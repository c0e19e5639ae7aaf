// Edges in the making: what the verbs of a world share that add several edges, or edges together with entities.
export module pecs.world:edge_draft;

import pecs.std;
import pecs.archetype;

export namespace pecs::detail {

/// Edges that are there already, and go again unless they are kept.
class edge_draft {
public:
    inline explicit edge_draft(storage& all) noexcept : all_{all}, made_{all.memory()} {}
    edge_draft(const edge_draft&) = delete;
    edge_draft& operator=(const edge_draft&) = delete;
    /// The last one goes first: then no list keeps a trace of it.
    inline ~edge_draft() {
        for (; !kept_ && !made_.empty(); made_.pop_back()) {
            const edge_change& gone = made_.back();
            all_.edges(gone.relation)->erase(gone.source, gone.target);
        }
    }

    /// Adds an edge, unless it is there; the data of a new one is the caller's to construct, at once.
    inline edge_index::placed add(component_id relation, entity source, entity target) {
        made_.reserve(made_.size() + 1);
        const edge_index::placed place = all_.add_edge(relation, source, target);
        if (place.fresh) made_.append({relation, source, target});
        return place;
    }
    /// The same with the data given.
    template <class R> void add(entity source, entity target, R value) {
        const edge_index::placed place = add(id_of<R>(), source, target);
        if constexpr (!std::is_empty_v<R>)
            if (place.fresh) construct<R>(place.data, std::move(value));
    }
    inline void keep() noexcept { kept_ = true; }
    /// Tells observers of the edges that were kept.
    inline void settle() const {
        if (observer_table* const watch = all_.watch()) watch->spawned({}, {made_.data(), made_.size()});
    }
    /// The same after telling of the new entity, or entities, that they were made for.
    inline void settle(const placement& made) const { settle(made.which, made.archetype, made.row, 1); }
    inline void settle(std::span<const entity> made) const {
        const entity_record& first = all_.entities()[made[0]];
        settle(made[0], first.archetype, first.row, made.size());
    }

private:
    inline void settle(entity first, std::uint32_t archetype, std::uint32_t row, std::size_t count) const {
        if (all_.watch() == nullptr) return;
        all_.tell_new({archetype, all_.entities()[first].family, row, static_cast<std::uint32_t>(count)},
                      {made_.data(), made_.size()});
    }

    storage& all_;
    buffer<edge_change> made_;
    bool kept_ = false;
};

} // namespace pecs::detail
