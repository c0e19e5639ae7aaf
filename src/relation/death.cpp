module;
#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory_resource>
#include <span>

module pecs.relation;

import pecs.archetype;

namespace pecs::detail {
namespace {

/// A family with a target that will die, and whose relation forbids it.
struct objection {
    family_ref which;
    entity target;
    component_id relation;
};

/// The same for the edges of a relation with many targets.
struct edge_objection {
    entity target;
    component_id relation;
};

/// What will happen. Doomed families are marked; the marks go when it happens, or when it does not.
class plan {
    using set = boost::unordered_flat_set<entity, std::hash<entity>, std::equal_to<>,
                                          std::pmr::polymorphic_allocator<entity>>;

public:
    plan(storage& all, std::span<const entity> list, std::pmr::memory_resource* memory)
        : all_{all},
          list_{list},
          queue_{memory},
          doomed_{memory},
          losing_{memory},
          objections_{memory},
          edge_objections_{memory},
          singles_{memory},
          following_{memory},
          to_{memory},
          followers_{set::allocator_type{memory}} {}
    plan(const plan&) = delete;
    plan& operator=(const plan&) = delete;
    ~plan() {
        for (const family_ref& which : doomed_)
            if (family* const group = all_.place(which.archetype)->find_key(which.key)) group->doomed = 0;
    }

    void add(entity e) {
        if (all_.is_target(e)) queue_.push_back(e);
    }

    void doom(family_ref which) {
        archetype& place = *all_.place(which.archetype);
        family& group = place.at(which.key);
        if (group.doomed != 0 || group.size == 0) return;
        doomed_.push_back(which);
        group.doomed = 1;
        for (std::uint32_t row = group.first; row != group.first + group.size; ++row)
            add(place.entities()[row]);
    }

    /// Follows the rules from one dying target to the next.
    void follow() {
        for (std::size_t next = 0; next != queue_.size(); ++next) {
            const entity dying = queue_[next];
            all_.relations().each([&](component_id relation) { ask(relation, dying); });
            all_.edge_relations().each([&](component_id relation) { ask_edges(relation, dying); });
        }
    }

    /// Throws if a relation forbids what would happen.
    void check_objections() {
        if (!objections_.empty() || !edge_objections_.empty() || !losing_.empty()) sort_singles();
        for (const objection& each : objections_) {
            archetype& place = *all_.place(each.which.archetype);
            const family& group = place.at(each.which.key);
            if (group.doomed != 0) continue; // dies, too
            for (std::uint32_t row = group.first; row != group.first + group.size; ++row)
                if (!single(place.entities()[row]))
                    throw target_in_use{each.target, each.relation, place.entities()[row]};
        }
        for (const edge_objection& each : edge_objections_)
            for (const entity source : all_.edges(each.relation)->sources(each.target))
                if (!dies(source)) throw target_in_use{each.target, each.relation, source};
    }

    /// Finds, and makes ready, where the families go that lose targets.
    void prepare_moves() {
        if (losing_.empty()) return;
        drop_repeated();
        component_mask last_mask;
        std::uint32_t last = none;
        std::size_t kept = 0;
        for (const family_ref& which : losing_) {
            archetype& place = *all_.place(which.archetype);
            const family& group = place.at(which.key);
            if (group.doomed != 0) continue;
            component_mask mask = place.mask();
            const relation_index& related = *place.relations();
            for (std::uint32_t i = 0; i != related.count(); ++i)
                if (dies(place.target(group, i))) mask.reset(related.ids[i]);
            if (last == none || mask != last_mask) {
                last = all_.archetype_of(mask);
                last_mask = mask;
            }
            losing_[kept++] = which;
            to_.push_back(last);
        }
        losing_.set_size(kept);
        all_.prepare_moves({losing_.data(), kept}, {to_.data(), to_.size()});
        prepared_ = true;
    }

    /// Tells observers what will happen: the entities that were named, those that follow them in the order in which they
    /// were found, then those that lose targets, then edges.
    void announce() {
        observer_table* const watch = all_.watch();
        if (watch == nullptr) return;
        try {
            sort_singles();
            each_dying([&](std::span<const entity> some) { note(*watch, some, nullptr); });
            for (std::size_t i = 0; i != losing_.size(); ++i)
                each_of(losing_[i],
                        [&](std::span<const entity> some) { note(*watch, some, all_.archetype_at(to_[i])); });
            all_.edge_relations().each([&](component_id relation) {
                if (!watch->observes_edges(relation)) return;
                each_dying([&](std::span<const entity> some) {
                    for (const entity e : some) note_edges(*watch, *all_.edges(relation), e);
                });
            });
            watch->announce();
        } catch (...) {
            if (prepared_) all_.cancel_batch();
            throw;
        }
    }

    void carry_out() noexcept {
        for (const family_ref& which : doomed_) all_.despawn_family(which);
        for (const std::span<const entity> singles : {list_, {following_.data(), following_.size()}})
            for (const entity e : singles)
                if (all_.entities().alive(e)) all_.end(e);
        if (!losing_.empty()) all_.commit_families();
    }

private:
    void ask(component_id relation, entity dying) {
        const target_death rule = type_of(relation).rules.on_target_death;
        const auto users = all_.created_with(relation);
        for (const std::uint32_t id : users) {
            archetype& place = *all_.place(id);
            place.each_with(place.relations()->position(relation), dying, [&](const family& group) {
                if (group.size == 0 || group.doomed != 0) return;
                const family_ref which{id, place.key_of(group)};
                switch (rule) {
                case target_death::cascade: doom(which); break;
                case target_death::detach: losing_.push_back(which); break;
                case target_death::forbid: objections_.push_back({which, dying, relation}); break;
                }
            });
        }
    }
    /// Edges go with either of their ends; only what the rules ask for beyond that is noted.
    void ask_edges(component_id relation, entity dying) {
        const target_death rule = type_of(relation).rules.on_target_death;
        const std::span<const entity> sources = all_.edges(relation)->sources(dying);
        if (sources.empty() || rule == target_death::detach) return;
        if (rule == target_death::forbid) {
            edge_objections_.push_back({dying, relation});
            return;
        }
        sort_singles();
        for (const entity source : sources) {
            if (dies(source)) continue;
            following_.push_back(source);
            followers_.insert(source);
            add(source);
        }
    }
    /// Calls `visit(std::span<const entity>)` for all entities that will die, each once.
    template <class Visit> void each_dying(Visit visit) const {
        for (const entity& e : list_) visit(std::span{&e, 1});
        for (const family_ref& which : doomed_) each_of(which, visit);
        for (const entity& e : following_) visit(std::span{&e, 1});
    }
    /// The same for the entities of a family that do not die for themselves.
    template <class Visit> void each_of(family_ref which, Visit visit) const {
        const archetype& place = *all_.place(which.archetype);
        const family& group = place.at(which.key);
        const entity* const rows = place.entities() + group.first;
        std::uint32_t first = 0;
        for (std::uint32_t i = 0; i <= group.size; ++i) {
            if (i != group.size && !single(rows[i])) continue;
            if (i != first) visit(std::span<const entity>{rows + first, i - first});
            first = i + 1;
        }
    }
    void note(observer_table& watch, std::span<const entity> some, const archetype* to) const {
        const entity_record& record = all_.entities()[some[0]];
        const archetype& from = *all_.archetype_at(record.archetype);
        watch.note(some, from, from.at(record.family), to, nullptr);
    }
    /// An edge between two that die is told of by its source.
    void note_edges(observer_table& watch, const edge_index& edges, entity dying) const {
        for (const entity target : edges.targets(dying)) watch.note_edge({edges.relation(), dying, target});
        for (const entity source : edges.sources(dying))
            if (!dies(source)) watch.note_edge({edges.relation(), source, dying});
    }
    void sort_singles() {
        if (sorted_) return;
        sorted_ = true;
        singles_.reserve(list_.size());
        for (const entity e : list_) singles_.append(e);
        std::ranges::sort(singles_);
    }
    [[nodiscard]] bool single(entity e) const noexcept {
        return std::ranges::binary_search(singles_, e) || (!followers_.empty() && followers_.contains(e));
    }
    [[nodiscard]] bool dies(entity e) const noexcept {
        const entity_record& record = all_.entities()[e];
        return all_.place(record.archetype)->at(record.family).doomed != 0 || single(e);
    }
    /// A family with several relations may lose several targets. (One with one relation may be listed twice as well, which
    /// only observers would notice.)
    void drop_repeated() {
        const auto several = [this](const family_ref& which) {
            return all_.place(which.archetype)->relations()->count() > 1;
        };
        if (all_.watch() == nullptr && std::ranges::none_of(losing_, several)) return;
        using allocator = std::pmr::polymorphic_allocator<std::uint64_t>;
        boost::unordered_flat_set<std::uint64_t, std::hash<std::uint64_t>, std::equal_to<>, allocator> seen{
            allocator{losing_.resource()}};
        const auto repeated = std::ranges::remove_if(losing_, [&](const family_ref& which) {
            return !seen.insert(std::uint64_t{which.archetype} << 32U | which.key).second;
        });
        losing_.set_size(losing_.size() - repeated.size());
    }

    storage& all_;
    std::span<const entity> list_; ///< the entities that were named
    buffer<entity> queue_;         ///< dying targets
    buffer<family_ref> doomed_;
    buffer<family_ref> losing_; ///< families that lose a target
    buffer<objection> objections_;
    buffer<edge_objection> edge_objections_;
    buffer<entity> singles_;   ///< the entities that were named, in order; made when needed
    bool sorted_ = false;      ///< it was made
    buffer<entity> following_; ///< entities that die through edges, one by one
    buffer<std::uint32_t> to_; ///< where the families that lose a target go
    bool prepared_ = false;    ///< they are ready to go
    set followers_;            ///< the same, to be found
};

/// The usual death, of one parent with children that are no parents themselves, needs no plan: nothing can forbid it,
/// and nothing moves. False if it is another one; then nothing has happened.
bool despawn_leaves(storage& all, entity dying) noexcept {
    struct {
        std::array<family_ref, 8> list{};
        std::size_t size = 0;
    } doomed;
    bool leaves = true;
    all.edge_relations().each([&](component_id relation) {
        leaves = leaves && (type_of(relation).rules.on_target_death == target_death::detach ||
                            all.edges(relation)->sources(dying).empty());
    });
    all.relations().each([&](component_id relation) {
        const bool cascades = type_of(relation).rules.on_target_death == target_death::cascade;
        for (const std::uint32_t id : all.created_with(relation)) {
            archetype& place = *all.place(id);
            place.each_with(place.relations()->position(relation), dying, [&](const family& group) {
                const entity* const sources = place.entities() + group.first;
                leaves = leaves && cascades && doomed.size != doomed.list.size() &&
                         std::none_of(sources, sources + group.size,
                                      [&](entity e) { return e == dying || all.is_target(e); });
                if (leaves) doomed.list[doomed.size++] = {id, place.key_of(group)};
            });
        }
    });
    if (!leaves) return false;
    for (const family_ref& which : std::span{doomed.list.data(), doomed.size}) all.despawn_family(which);
    all.end(dying);
    return true;
}

} // namespace

void despawn_with_rules(storage& all, std::span<const entity> list, std::span<const family_ref> families) {
    all.check_unlocked();
    if (list.size() == 1 && families.empty()) {
        all.check_alive(list[0]);
        if (all.watch() == nullptr && despawn_leaves(all, list[0])) return;
    } else {
        all.check_list(list);
    }
    std::byte small[1024]; // enough for the usual death
    std::pmr::monotonic_buffer_resource memory{small, sizeof small, all.memory()};
    plan what{all, list, &memory};
    for (const entity e : list) what.add(e);
    for (const family_ref& which : families) what.doom(which);
    what.follow();
    what.check_objections();
    what.prepare_moves();
    what.announce();
    what.carry_out();
}

} // namespace pecs::detail
