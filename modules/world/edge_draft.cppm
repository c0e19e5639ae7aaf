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
        for (; !made_.empty(); made_.pop_back()) {
            const edge& gone = made_.back();
            all_.edges(gone.relation)->erase(gone.source, gone.target);
        }
    }

    /// Adds an edge with the data given, unless it is there.
    template <class R> void add(entity source, entity target, R value) {
        made_.reserve(made_.size() + 1);
        const component_id id = id_of<R>();
        const edge_index::placed place = all_.add_edge(id, source, target);
        if (!place.fresh) return;
        if constexpr (!std::is_empty_v<R>) construct<R>(place.data, std::move(value));
        made_.append({id, source, target});
    }
    inline void keep() noexcept { made_.clear(); }

private:
    struct edge {
        component_id relation{0};
        entity source;
        entity target;
    };

    storage& all_;
    buffer<edge> made_;
};

} // namespace pecs::detail
