module;
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory_resource>
#include <span>
#include <utility>

module pecs.relation;

import pecs.archetype;

namespace pecs::detail {
namespace {

/// Copies a run of values into raw memory; may throw, and leaves nothing behind then.
void copy_run(const component_type& type, void* to, const void* from, std::size_t count) {
    if (type.copy != nullptr)
        type.copy(to, from, count);
    else
        std::memcpy(to, from, type.size * count);
}

/// Originals that lie side by side: the root alone, or a whole family.
struct chunk {
    family_ref from;
    std::uint32_t first;  ///< its place in the list of originals
    std::uint32_t count;  ///< of entities
    std::uint32_t parent; ///< the place of their parent in the list of originals
    std::uint32_t row;    ///< of the first one, once all rows are reserved
    std::uint32_t to;     ///< the archetype of their copies
};

/// A copy of one value that is on its way to its place.
class scratch {
public:
    /// `make(to)` constructs it.
    template <class Make>
    scratch(const component_type& type, std::pmr::memory_resource* memory, Make make)
        : type_{type}, memory_{memory}, data_{memory->allocate(type.size, type.alignment)} {
        try {
            make(data_);
        } catch (...) {
            memory_->deallocate(data_, type_.size, type_.alignment);
            throw;
        }
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch() {
        if (!given_) destroy_run(type_, data_, 1);
        memory_->deallocate(data_, type_.size, type_.alignment);
    }
    void give(void* to) noexcept {
        relocate_value(type_, to, data_);
        given_ = true;
    }

private:
    const component_type& type_;
    std::pmr::memory_resource* memory_;
    void* data_;
    bool given_ = false;
};

/// The copies in the making. If it ends before `commit`, nothing has happened.
///
/// Handles are numbered through: the copy number k of the original at place i is `handles_[k * originals_.size() + i]`.
/// Edges of relations with many targets are made with the values, and go again with them.
class copy_plan {
public:
    copy_plan(storage& all, component_id relation, entity root, std::pmr::memory_resource* memory)
        : all_{all},
          relation_{relation},
          root_{root},
          originals_{memory},
          chunks_{memory},
          handles_{memory},
          runs_{memory},
          edges_{memory},
          entries_{memory},
          places_{places::allocator_type{memory}} {
        const entity_record& record = all.entities()[root];
        originals_.push_back(root);
        chunks_.push_back({{record.archetype, record.family}, 0, 1, none, 0, record.archetype});
    }
    copy_plan(const copy_plan&) = delete;
    copy_plan& operator=(const copy_plan&) = delete;
    ~copy_plan() {
        if (committed_) return;
        for (; !entries_.empty(); entries_.pop_back())
            all_.beside().set(entries_.back().relation)->erase(entries_.back().source);
        for (; !edges_.empty();
             edges_.pop_back()) // the last one goes first: then no list keeps a trace of it
            all_.edges(edges_.back().relation)->erase(edges_.back().source, edges_.back().target);
        for (std::size_t run = 0; run <= made_runs_ && run != runs_.size(); ++run) {
            const auto& columns = all_.archetype_at(runs_[run].archetype)->columns();
            const std::size_t made = run == made_runs_ ? made_columns_ : columns.size();
            for (std::size_t c = 0; c != made; ++c)
                destroy_run(*columns[c].type, columns[c].at(runs_[run].first), runs_[run].count);
        }
        all_.cancel_rows({runs_.data(), runs_.size()});
    }

    /// Finds all below the root, level by level.
    void descend() {
        for (std::uint32_t next = 0; next != originals_.size(); ++next) {
            const std::size_t old = chunks_.size();
            each_family_of(all_, relation_, originals_[next],
                           [&](const archetype& place, const family& group) {
                               chunks_.push_back(
                                   {{place.id(), place.key_of(group)}, 0, group.size, next, 0, place.id()});
                           });
            turn_around(old);
            for (std::size_t i = old; i != chunks_.size(); ++i) append_originals(chunks_[i]);
        }
    }

    /// Says what the roots of the copies have for a parent; null: none.
    void set_parent(entity parent) {
        parent_ = parent;
        component_mask mask = all_.archetype_at(chunks_[0].to)->mask();
        if (mask.test(relation_) == bool{parent}) return;
        if (parent) {
            const component_type& type = type_of(relation_);
            if (!type.constructible)
                throw unsupported_component{relation_,
                                            "has no default value, which the root of the copy would "
                                            "need: relate the original first"};
            mask.set(relation_);
        } else {
            mask.reset(relation_);
        }
        chunks_[0].to = all_.archetype_of(mask);
    }
    /// Says what the roots of the copies get, and that no copy is a prefab.
    void set_given(std::span<const root_value> given) {
        given_ = given;
        const component_id hidden = id_of<prefab>();
        for (chunk& each : chunks_) {
            component_mask mask = all_.archetype_at(each.from.archetype)->mask();
            mask.reset(hidden);
            if (is_root(each)) {
                mask.reset(relation_);
                for (const root_value& value : given)
                    if (!type_of(value.id).rules.many && !type_of(value.id).is_sparse()) mask.set(value.id);
            }
            if (mask != all_.archetype_at(each.to)->mask()) each.to = all_.archetype_of(mask);
        }
    }

    /// Throws `unsupported_component` for the first component that cannot be copied.
    void check_copyable() const {
        std::uint32_t last = none;
        for (const chunk& each : chunks_) {
            if (each.from.archetype == last) continue;
            // What the root does not take from its original need not be copied; others of its archetype may.
            const bool root = is_root(each);
            last = root ? none : each.from.archetype;
            for (const column& c : all_.archetype_at(each.to)->columns())
                if (!root || find_given(c.id) == nullptr) check_copyable(c.id, *c.type);
        }
        each_edge_list(
            [](entity, const edge_index& edges) { check_copyable(edges.relation(), edges.type()); });
        each_entry([this](std::size_t i, const sparse_set& set) {
            if (i != 0 || find_given(set.id()) == nullptr) check_copyable(set.id(), set.type());
        });
    }

    void reserve(std::size_t count) {
        const std::size_t limit = std::numeric_limits<std::uint32_t>::max() - 1;
        if (count > limit / originals_.size()) throw capacity_exceeded{"entities", limit};
        note_places();
        handles_.reserve(count * originals_.size());
        all_.next_entities(handles_.data(), count * originals_.size());
        handles_.set_size(count * originals_.size());
        runs_.reserve(count * chunks_.size());
        buffer<entity> targets{handles_.resource()};
        for (std::size_t k = 0; k != count; ++k)
            for (const chunk& each : chunks_) {
                find_targets(each, *all_.archetype_at(each.to), k, targets);
                runs_.append(all_.reserve_rows(each.to, targets.data(), each.count));
            }
        all_.locate_rows({runs_.data(), runs_.size()});
        for (chunk& each : chunks_)
            each.row = is_root(each) ? all_.entities()[root_].row
                                     : all_.archetype_at(each.from.archetype)->at(each.from.key).first;
    }

    /// Makes the values of the copies.
    void fill() {
        const structure_lock lock{all_}; // user code copies
        for (; made_runs_ != runs_.size(); ++made_runs_) {
            made_columns_ = 0;
            const new_rows& run = runs_[made_runs_];
            const chunk& from = chunks_[made_runs_ % chunks_.size()];
            const view seen{this, made_runs_ / chunks_.size()};
            for (const column& c : all_.archetype_at(run.archetype)->columns()) {
                if (const root_value* const value = is_root(from) ? find_given(c.id) : nullptr) {
                    value->make(c.at(run.first), value->value);
                    ++made_columns_;
                    continue;
                }
                const std::byte* const source = all_.column_data(c.id, from.from.archetype);
                make_values(c, c.at(run.first), source, from);
                ++made_columns_;
                if (c.type->map_entities != nullptr)
                    c.type->map_entities(c.at(run.first), from.count, entity_map{&look_up, &seen});
            }
        }
        for (const root_value& value : given_) // before the others: an edge that is there is not copied
            if (type_of(value.id).rules.many)
                for (std::size_t k = 0; k != handles_.size() / originals_.size(); ++k)
                    make_edge(type_of(value.id), {value.id, root(k), value.target},
                              [&](void* to) { value.make(to, value.value); });
        fill_sets();
        buffer<entity> targets{handles_.resource()};
        each_edge_list([&](entity original, const edge_index& edges) {
            targets.clear();
            for (const entity target : edges.targets(original)) targets.push_back(target);
            const std::size_t i = place_of(original);
            for (std::size_t k = 0; k != handles_.size() / originals_.size(); ++k)
                for (std::uint32_t place = 0; place != targets.size(); ++place)
                    copy_edge(
                        edges, original, place,
                        {edges.relation(), handles_[k * originals_.size() + i], copy_of(targets[place], k)},
                        k);
        });
    }

    void commit() noexcept {
        committed_ = true;
        const entity* next = handles_.data();
        for (const new_rows& run : runs_) {
            all_.commit_rows(run, next);
            next += run.count;
        }
        each_disabled([&](std::size_t i, component_id id) {
            for (std::size_t k = 0; k != handles_.size() / originals_.size(); ++k) {
                const entity made = handles_[k * originals_.size() + i];
                if (id.index() == no_component)
                    all_.beside().disable(made);
                else if (all_.has(made, id) || all_.beside().contains(made, id))
                    all_.beside().disable(made, id);
            }
        });
    }

    /// Tells observers of what was committed.
    void settle() const {
        if (observer_table* const watch = all_.watch())
            watch->spawned({runs_.data(), runs_.size()}, {edges_.data(), edges_.size()});
    }

    [[nodiscard]] entity root(std::size_t k) const noexcept { return handles_[k * originals_.size()]; }

private:
    using places = boost::unordered_flat_map<
        std::uint32_t, std::uint32_t, std::hash<std::uint32_t>, std::equal_to<>,
        std::pmr::polymorphic_allocator<std::pair<const std::uint32_t, std::uint32_t>>>;
    /// What an `entity_map` sees: the copies of one number.
    struct view {
        const copy_plan* plan;
        std::size_t k;
    };

    static entity look_up(const void* context, entity e) noexcept {
        const view& seen = *static_cast<const view*>(context);
        return seen.plan->copy_of(e, seen.k);
    }

    [[nodiscard]] static bool is_root(const chunk& each) noexcept { return each.parent == none; }
    /// The value that the roots get for a component, or null.
    [[nodiscard]] const root_value* find_given(component_id id) const noexcept {
        for (const root_value& value : given_)
            if (value.id == id) return &value;
        return nullptr;
    }
    /// In an archetype with several relations the newest family of a parent comes first. So the last one is copied
    /// first: the copies come in the order of their originals.
    void turn_around(std::size_t from) noexcept {
        while (from != chunks_.size()) {
            std::size_t to = from;
            while (to != chunks_.size() && chunks_[to].from.archetype == chunks_[from].from.archetype) ++to;
            std::reverse(chunks_.data() + from, chunks_.data() + to);
            from = to;
        }
    }
    void append_originals(chunk& each) {
        const archetype& place = *all_.archetype_at(each.from.archetype);
        const family& group = place.at(each.from.key);
        each.first = static_cast<std::uint32_t>(originals_.size());
        originals_.reserve(originals_.size() + each.count);
        for (std::uint32_t i = 0; i != each.count; ++i) originals_.append(place.entities()[group.first + i]);
    }
    using edge = edge_change;
    static void check_copyable(component_id id, const component_type& type) {
        if (!type.copyable)
            throw unsupported_component{id, "cannot be copied: give it a copy constructor, or remove "
                                            "it from the entities that are to be cloned"};
    }
    /// Calls `visit(original, edges)` for each original and each relation with many targets in which it has some.
    template <class Visit> void each_edge_list(Visit visit) const {
        all_.edge_relations().each([&](component_id relation) {
            const edge_index& edges = *all_.edges(relation);
            for (const entity original : originals_)
                if (all_.is_target(original) && !edges.targets(original).empty()) visit(original, edges);
        });
    }
    /// Calls `visit(place, set)` for each original, by its place, and each sparse component that it has.
    template <class Visit> void each_entry(Visit visit) const {
        all_.beside().types().each([&](component_id id) {
            const sparse_set& set = *all_.beside().set(id);
            for (std::size_t i = 0; i != originals_.size(); ++i)
                if (all_.beside().any(originals_[i]) && set.contains(originals_[i])) visit(i, set);
        });
    }
    /// Calls `visit(place, component)` for what is disabled of the originals and not given anew; `no_component` stands for
    /// the entity itself.
    template <class Visit> void each_disabled(Visit visit) const {
        const extras& beside = all_.beside();
        for (std::size_t i = 0; beside.disabled_count() != 0 && i != originals_.size(); ++i) {
            if (!beside.any(originals_[i])) continue;
            if (beside.disabled(originals_[i])) visit(i, component_id{no_component});
            beside.disabled_types().each([&](component_id id) {
                if (beside.disabled(originals_[i], id) && (i != 0 || find_given(id) == nullptr)) visit(i, id);
            });
        }
    }
    /// Makes the sparse components of the copies, and room for what is disabled of them.
    void fill_sets() {
        const std::size_t count = handles_.size() / originals_.size();
        for (const root_value& value : given_) // before the others: what is there is not copied
            if (type_of(value.id).is_sparse())
                for (std::size_t k = 0; k != count; ++k)
                    (void)make_entry(value.id, root(k), [&](void* to) { value.make(to, value.value); });
        each_entry([&](std::size_t i, const sparse_set& set) {
            const component_type& type = set.type();
            for (std::size_t k = 0; k != count; ++k) {
                const entity fresh = handles_[k * originals_.size() + i];
                void* const made = make_entry(
                    set.id(), fresh, [&](void* to) { copy_run(type, to, set.find(originals_[i]), 1); });
                const view seen{this, k};
                if (made != nullptr && type.map_entities != nullptr)
                    type.map_entities(made, 1, entity_map{&look_up, &seen});
            }
        });
        each_disabled([&](std::size_t i, component_id id) {
            for (std::size_t k = 0; k != count; ++k) {
                const entity fresh = handles_[k * originals_.size() + i];
                if (id.index() == no_component)
                    all_.beside().reserve_disabled(fresh);
                else
                    all_.beside().reserve_disabled(fresh, id);
            }
        });
    }
    /// Gives a copy a sparse component whose value `make(to)` constructs; null if it is there already.
    template <class Make> void* make_entry(component_id id, entity fresh, Make make) {
        entries_.reserve(entries_.size() + 1);
        sparse_set& set = all_.beside().reserve(id, fresh);
        if (set.contains(fresh)) return nullptr;
        void* const cell = set.next_cell();
        if (!set.type().is_tag()) make(cell);
        all_.beside().insert(set, fresh);
        entries_.append({id, fresh, null});
        return set.type().is_tag() ? nullptr : cell;
    }
    [[nodiscard]] std::size_t place_of(entity original) const noexcept {
        const auto found = places_.find(original.index());
        return found == places_.end() ? 0 : found->second; // a single entity has no places
    }
    /// Makes a copy of one edge.
    void copy_edge(const edge_index& edges, entity original, std::uint32_t place, const edge& fresh,
                   std::size_t k) {
        const component_type& type = edges.type();
        void* const made = make_edge(
            type, fresh, [&](void* to) { copy_run(type, to, edges.at_target(original, place), 1); });
        const view seen{this, k};
        if (made != nullptr && type.map_entities != nullptr)
            type.map_entities(made, 1, entity_map{&look_up, &seen});
    }
    /// Makes an edge, and its data with `make(to)`, which comes first, as it may throw. Gives the data; null if there is
    /// none, or if the edge is there already.
    template <class Make> void* make_edge(const component_type& type, const edge& fresh, Make make) {
        edges_.reserve(edges_.size() + 1);
        if (type.is_tag()) {
            if (all_.add_edge(fresh.relation, fresh.source, fresh.target).fresh) edges_.append(fresh);
            return nullptr;
        }
        scratch copy{type, handles_.resource(), make};
        const edge_index::placed made = all_.add_edge(fresh.relation, fresh.source, fresh.target);
        if (!made.fresh) return nullptr;
        copy.give(made.data);
        edges_.append(fresh);
        return made.data;
    }
    /// The copy of an entity in the tree number `k`, or itself if it is not copied.
    [[nodiscard]] entity copy_of(entity e, std::size_t k) const noexcept {
        const auto found = places_.find(e.index());
        if (found == places_.end() || originals_[found->second] != e) return e;
        return handles_[k * originals_.size() + found->second];
    }
    /// Remembers the places of those originals that somebody may ask for. (A single entity is not below itself: what it
    /// points at stays.)
    void note_places() {
        if (relation_.index() == no_component) return;
        bool targets = !all_.edge_relations().empty();
        bool everybody = false;
        const auto look_at = [&](component_id id) {
            everybody = everybody || type_of(id).map_entities != nullptr;
        };
        all_.beside().types().each(look_at);
        all_.edge_relations().each(look_at);
        std::uint32_t last = none;
        for (const chunk& each : chunks_) {
            if (each.from.archetype == last) continue;
            last = each.from.archetype;
            const archetype& place = *all_.archetype_at(last);
            for (const column& c : place.columns()) everybody = everybody || c.type->map_entities != nullptr;
            const relation_index* const related = place.relations();
            targets = targets ||
                      (related != nullptr && (related->count() > 1 || related->position(relation_) == none));
        }
        if (!targets && !everybody) return;
        for (std::uint32_t i = 0; i != originals_.size(); ++i)
            if (everybody || all_.is_target(originals_[i])) places_.emplace(originals_[i].index(), i);
    }
    /// The targets that copy number `k` of a chunk has, in the order of the relations of its archetype.
    void find_targets(const chunk& each, const archetype& to, std::size_t k, buffer<entity>& targets) const {
        targets.clear();
        if (to.relations() == nullptr) return;
        const archetype& place = *all_.archetype_at(each.from.archetype);
        for (const component_id id : to.relations()->ids) {
            if (const root_value* const value = is_root(each) ? find_given(id) : nullptr) {
                targets.push_back(value->target);
                continue;
            }
            if (id == relation_) {
                targets.push_back(is_root(each) ? parent_ : handles_[k * originals_.size() + each.parent]);
                continue;
            }
            const family& group = place.at(each.from.key);
            targets.push_back(copy_of(place.target(group, place.relations()->position(id)), k));
        }
    }
    static void make_values(const column& c, std::byte* to, const std::byte* source, const chunk& from) {
        if (source == nullptr) { // the root gets the relation, which is a C++ type
            c.type->construct(to, from.count);
            return;
        }
        source += from.row * c.size;
        copy_run(*c.type, to, source, from.count);
    }

    storage& all_;
    component_id relation_;
    entity root_;
    entity parent_;
    std::span<const root_value> given_; ///< for the roots of the copies
    buffer<entity> originals_;          ///< parents before their children
    buffer<chunk> chunks_;
    buffer<entity> handles_;
    buffer<new_rows> runs_;     ///< one per copy and chunk
    buffer<edge> edges_;        ///< the copies of edges that are made
    buffer<edge> entries_;      ///< the copies of sparse components that are made
    places places_;             ///< of originals in their list, by index
    std::size_t made_runs_ = 0; ///< runs whose values are made
    std::size_t made_columns_ = 0;
    bool committed_ = false;
};

} // namespace

entity clone_one(storage& all, entity e) {
    all.check_unlocked();
    all.check_alive(e);
    std::byte small[1024];
    std::pmr::monotonic_buffer_resource memory{small, sizeof small, all.memory()};
    copy_plan plan{all, component_id{no_component}, e, &memory};
    plan.check_copyable();
    plan.reserve(1);
    plan.fill();
    plan.commit();
    plan.settle();
    return plan.root(0);
}

entity_list clone_tree(storage& all, component_id relation, entity root, entity parent, std::size_t count) {
    all.check_unlocked();
    all.check_alive(root);
    if (parent) check_target(all, relation, parent);
    std::byte small[4096]; // enough for a small tree
    std::pmr::monotonic_buffer_resource memory{small, sizeof small, all.memory()};
    copy_plan plan{all, relation, root, &memory};
    plan.descend();
    plan.check_copyable();
    plan.set_parent(parent);
    plan.reserve(count);
    buffer<entity> roots{all.memory()};
    roots.reserve(count);
    plan.fill();
    plan.commit();
    for (std::size_t k = 0; k != count; ++k) roots.append(plan.root(k));
    plan.settle();
    return entity_list{std::move(roots)};
}

entity_list spawn_tree(storage& all, component_id relation, entity root, std::span<const root_value> given,
                       std::size_t count) {
    all.check_unlocked();
    all.check_alive(root);
    for (const root_value& value : given)
        if (type_of(value.id).relation) check_target(all, value.id, value.target);
    std::byte small[4096];
    std::pmr::monotonic_buffer_resource memory{small, sizeof small, all.memory()};
    copy_plan plan{all, relation, root, &memory};
    plan.descend();
    plan.set_given(given);
    plan.check_copyable();
    plan.reserve(count);
    buffer<entity> roots{all.memory()};
    roots.reserve(count);
    plan.fill();
    plan.commit();
    for (std::size_t k = 0; k != count; ++k) roots.append(plan.root(k));
    plan.settle();
    return entity_list{std::move(roots)};
}

} // namespace pecs::detail
