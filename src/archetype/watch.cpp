// The part of the storage that talks to observers. Nothing here runs if nobody observes.
module;
#include <boost/unordered/unordered_flat_set.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>

module pecs.archetype;

namespace pecs::detail {

observer_table& storage::observers() {
    if (observers_ == nullptr)
        observers_ = std::pmr::polymorphic_allocator<>{memory_}.new_object<observer_table>(*this);
    return *observers_;
}

void storage::tell_new(const new_rows& run, std::span<const edge_change> edges) {
    watch_->spawned({&run, 1}, edges);
}

void storage::tell_one(placement made) {
    tell_new({made.archetype, pool_[made.which].family, made.row, 1}, {});
}

void storage::announce_one(entity e, const archetype& from, std::uint32_t key, const archetype& to,
                           const family& group) {
    watch_->note({&e, 1}, from, from.at(key), &to, &group);
    watch_->announce();
}

void storage::announce_steps(std::span<const entity> list) {
    std::size_t next = 0;
    for (const batch_step& step : steps_) {
        const archetype& from = *archetypes_[step.from.archetype];
        const archetype& to = *archetypes_[step.to.archetype];
        const family& group = from.at(step.from.key);
        const std::span<const entity> who =
            list.empty() ? std::span<const entity>{from.entities() + group.first, group.size}
                         : list.subspan(next, step.count);
        next += step.count;
        if (step.moves()) watch_->note(who, from, group, &to, &to.at(step.to.key));
    }
    watch_->announce();
}

void storage::announce_end(entity e) {
    const entity_record& record = pool_[e];
    const archetype& place = *archetypes_[record.archetype];
    watch_->note({&e, 1}, place, place.at(record.family), nullptr, nullptr);
    watch_->announce();
}

void storage::announce_clear() {
    for (const std::uint32_t id : created_) {
        const archetype& place = *archetypes_[id];
        for (const family& group : place.families())
            if (group.size != 0)
                watch_->note({place.entities() + group.first, group.size}, place, group, nullptr, nullptr);
    }
    edge_relations_.each([&](component_id relation) {
        if (!watch_->observes_edges(relation)) return;
        for (std::uint32_t index = 0; index != pool_.index_count(); ++index) {
            const entity e{index, pool_.data()[index].generation};
            if (!pool_.alive(e) || !is_target(e)) continue;
            for (const entity target : edges(relation)->targets(e)) watch_->note_edge({relation, e, target});
        }
    });
    watch_->announce();
}

// An edge of a symmetric relation is told of from both of its ends, and once from each.
void storage::announce_cut(component_id relation, std::span<const entity> sources, entity target) {
    if (!watch_->observes_edges(relation)) return;
    const bool symmetric = type_of(relation).rules.symmetric;
    boost::unordered_flat_set<entity, std::hash<entity>, std::equal_to<>,
                              std::pmr::polymorphic_allocator<entity>>
        before{std::pmr::polymorphic_allocator<entity>{memory_}};
    const auto note = [&](entity source, entity other) {
        if (before.contains(other)) return;
        watch_->note_edge({relation, source, other});
        if (symmetric && source != other) watch_->note_edge({relation, other, source});
    };
    for (const entity source : sources) {
        if (target) {
            note(source, target);
            continue;
        }
        for (const entity other : edges(relation)->targets(source)) note(source, other);
        if (symmetric) before.insert(source);
    }
    watch_->announce();
}

void storage::cut_edges(component_id relation, std::span<const entity> sources, entity target) {
    if (watch_ != nullptr) [[unlikely]]
        announce_cut(relation, sources, target);
    edge_index& all = *edges_[relation.index()];
    for (const entity source : sources) {
        if (target)
            all.erase(source, target);
        else
            all.erase_targets(source);
    }
}

void storage::tell_edge(const edge_change& which, bool fresh) {
    if (fresh)
        watch_->spawned({}, {&which, 1});
    else
        watch_->edge_set(which);
}

} // namespace pecs::detail
