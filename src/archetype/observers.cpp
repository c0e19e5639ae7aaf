module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory_resource>
#include <span>
#include <utility>

module pecs.archetype;

namespace pecs::detail {
namespace {

constexpr std::size_t max_depth = 64; // of observers that set values, which others observe, and so on

} // namespace

/// A time in which observers are told: the structure is locked, and those that end or begin meanwhile wait.
class observer_table::phase {
public:
    phase(observer_table& table, bool before)
        : lock_{table.all_},
          table_{table},
          end_{table.list_.size()},
          base_{std::exchange(table.base_, table.transitions_.size())},
          announced_{std::exchange(table.announced_, table.transitions_.size())},
          before_{before} {
        ++table_.running_;
    }
    phase(const phase&) = delete;
    phase& operator=(const phase&) = delete;
    ~phase() {
        table_.base_ = base_;
        table_.announced_ = announced_;
        if (--table_.running_ == 0 && table_.ended_) table_.purge();
    }

    [[nodiscard]] bool before() const noexcept { return before_; }
    /// Calls `tell(subscription&)` for all observers that were there when the phase began.
    template <class Tell> void each(Tell tell) {
        for (std::size_t i = 0; i != end_; ++i)
            if (!table_.list_[i]->ended) tell(*table_.list_[i]);
    }
    /// Before a change, what an observer throws goes on; after it, it waits for the end, and others are told.
    void call(subscription& to, notice& about) {
        while (about.next != about.count && !to.ended) {
            try {
                if (table_.running_ > max_depth)
                    throw capacity_exceeded{"observers that set values inside of observers", max_depth};
                to.call(&to, about);
            } catch (...) {
                if (before_) throw;
                if (!failure_) failure_ = std::current_exception();
                if (table_.running_ > max_depth) return;
            }
        }
    }
    [[nodiscard]] std::exception_ptr failure() noexcept { return std::exchange(failure_, nullptr); }

private:
    structure_lock lock_;
    observer_table& table_;
    std::size_t end_;
    std::size_t base_;
    std::size_t announced_;
    bool before_;
    std::exception_ptr failure_;
};

observer_table::observer_table(storage& all)
    : all_{all},
      memory_{all.memory()},
      list_{memory_},
      transitions_{memory_},
      entities_{memory_},
      links_{memory_},
      edges_{memory_} {}

observer_table::~observer_table() {
    for (subscription* each : list_)
        if (each->handle != nullptr) *each->handle = nullptr;
    for (subscription* each : list_) each->destroy(each, memory_);
}

std::size_t observer_table::bytes() const noexcept {
    return sizeof(observer_table) + list_.bytes() + transitions_.bytes() + entities_.bytes() +
           links_.bytes() + edges_.bytes();
}

// --- observers

void observer_table::subscribe(subscription* fresh) {
    list_.push_back(fresh);
    fresh->table = this;
    fresh->types.each([&](component_id id) {
        if (type_of(id).is_sparse()) fresh->sparse.set(id);
    });
    count_up();
    all_.watch(true);
}

void observer_table::unsubscribe(subscription* gone) noexcept {
    gone->ended = true;
    gone->handle = nullptr;
    ended_ = true;
    count_up();
    if (running_ == 0) purge();
}

void observer_table::count_up() noexcept {
    added_ = removed_ = set_ = related_ = sparse_added_ = sparse_removed_ = {};
    spawns_ = despawns_ = false;
    for (const subscription* each : list_) {
        if (each->ended) continue;
        switch (each->what) {
        case happening::added:
            added_ |= each->types;
            sparse_added_ |= each->sparse;
            break;
        case happening::removed:
            removed_ |= each->types;
            sparse_removed_ |= each->sparse;
            break;
        case happening::set: set_ |= each->types; break;
        case happening::spawned: spawns_ = true; break;
        case happening::despawned: despawns_ = true; break;
        case happening::related: related_.set(each->relation); break;
        }
    }
}

// An observer may own the handle of another one, so each is out of the list before it ends.
void observer_table::purge() noexcept {
    while (ended_) {
        ended_ = false;
        for (std::size_t i = 0; i != list_.size(); ++i) {
            subscription* const each = list_[i];
            if (!each->ended) continue;
            std::copy(list_.begin() + i + 1, list_.end(), list_.begin() + i);
            list_.pop_back();
            ++running_; // those that end because of it wait for their turn
            each->destroy(each, memory_);
            --running_;
            ended_ = true;
            break;
        }
    }
    count_up();
    if (!list_.empty()) return;
    forget(0);
    edges_.clear();
    announced_ = 0;
    all_.watch(false);
}

// --- notes

void observer_table::forget(std::size_t transitions) noexcept {
    if (transitions < transitions_.size()) {
        entities_.set_size(transitions_[transitions].first);
        links_.set_size(transitions_[transitions].first_link);
        transitions_.set_size(transitions);
    }
}

void observer_table::forget_notes() noexcept {
    forget(announced_);
    edges_.clear();
}

void observer_table::note(std::span<const entity> who, const archetype& from, const family& group,
                          const archetype* to, const family* to_group) try {
    const component_mask& old = from.mask();
    const component_mask fresh = to == nullptr ? component_mask{} : to->mask();
    const std::size_t first_link = links_.size();
    bool sooner = to == nullptr ? despawns_ || old.intersects(removed_) : (old - fresh).intersects(removed_);
    bool later = (fresh - old).intersects(added_ | set_);
    if (changes_beside_) [[unlikely]] {
        sooner = sooner || gone_.intersects(removed_);
        later = later || came_.intersects(added_ | set_);
    }
    if (to == nullptr && sparse_removed_.intersects(all_.beside().types())) sooner = true;
    (related_ & (old | fresh)).each([&](component_id relation) {
        entity before;
        entity after;
        if (old.test(relation)) before = from.target(group, from.relations()->position(relation));
        if (to != nullptr && fresh.test(relation))
            after = to_group == nullptr ? before : to->target(*to_group, to->relations()->position(relation));
        if (before == after) return;
        links_.push_back({relation, before, after});
        (after ? later : sooner) = true;
    });
    if (who.empty() || (!sooner && !later)) {
        links_.set_size(first_link);
        return;
    }
    transitions_.reserve(transitions_.size() + 1);
    entities_.reserve(entities_.size() + who.size());
    transitions_.append({from.id(),
                         to == nullptr ? none : to->id(),
                         entities_.size(),
                         who.size(),
                         first_link,
                         links_.size() - first_link,
                         later,
                         {},
                         came_,
                         gone_});
    for (const entity e : who) entities_.append(e);
} catch (...) {
    forget_notes();
    throw;
}

void observer_table::note_edge(const edge_change& gone) try { edges_.push_back(gone); } catch (...) {
    forget_notes();
    throw;
}

void observer_table::announce() {
    if (std::exchange(changes_beside_, false)) came_ = gone_ = {};
    if (announced_ == transitions_.size() && edges_.empty()) return;
    const std::size_t first = announced_;
    const std::size_t last = transitions_.size();
    try {
        phase now{*this, true};
        now.each([&](subscription& to) {
            for (std::size_t i = first; i != last; ++i) deliver(now, to, transitions_[i]);
            if (to.what == happening::related)
                for (std::size_t i = 0; i != edges_.size(); ++i) deliver_edge(now, to, edges_[i], true);
        });
    } catch (...) {
        forget(first);
        edges_.clear();
        throw;
    }
    edges_.clear();
    if (transitions_.empty()) return; // nobody observes any more
    if (std::none_of(transitions_.begin() + first, transitions_.end(),
                     [](const transition& each) { return each.later; }))
        forget(first);
    announced_ = transitions_.size();
}

void observer_table::reserve(std::size_t count) {
    transitions_.reserve(transitions_.size() + count);
    entities_.reserve(entities_.size() + count);
}

void observer_table::note_set(entity e, const component_mask& given) noexcept {
    const bool known = transitions_.size() > base_ && transitions_.back().count == 1 && entities_.back() == e;
    if (known) {
        transitions_.back().given = given;
    } else {
        if (!set_.intersects(given) || transitions_.size() == transitions_.capacity() ||
            entities_.size() == entities_.capacity())
            return;
        const std::uint32_t at = all_.entities()[e].archetype;
        transitions_.append({at, at, entities_.size(), 1, links_.size(), 0, true, given, {}, {}});
        entities_.append(e);
        announced_ = transitions_.size();
    }
    if (transitions_.size() < base_ + 2) return;
    const transition& last = transitions_.back();
    transition& previous = transitions_[transitions_.size() - 2];
    if (last.from != previous.from || last.to != previous.to || last.links + previous.links != 0 ||
        last.given != previous.given || last.came != previous.came || last.gone != previous.gone)
        return;
    ++previous.count;
    transitions_.pop_back();
    announced_ = transitions_.size();
}

// --- telling

void observer_table::settle() {
    if (transitions_.size() == base_) return;
    const std::size_t first = base_;
    const std::size_t last = transitions_.size();
    std::exception_ptr failure;
    try {
        phase now{*this, false};
        now.each([&](subscription& to) {
            for (std::size_t i = first; i != last; ++i) deliver(now, to, transitions_[i]);
        });
        failure = now.failure();
    } catch (...) { // loops over too many worlds inside of each other
        failure = std::current_exception();
    }
    forget(first);
    announced_ = base_;
    rethrow(failure);
}

void observer_table::rethrow(const std::exception_ptr& failure) {
    if (!failure) return;
    if (deferral_ == nullptr || running_ != 0) std::rethrow_exception(failure);
    if (!deferral_->first_) deferral_->first_ = failure;
}

bool observer_table::hears(const subscription& who, const transition& of, bool before) const noexcept {
    const component_mask& old = all_.archetype_at(of.from)->mask();
    const bool had = old.contains(who.types);
    if (of.to == none) return had && before && who.what != happening::related;
    const bool has = all_.archetype_at(of.to)->mask().contains(who.types);
    switch (who.what) {
    case happening::added: return !before && has && !had;
    case happening::removed: return before && had && !has;
    case happening::set: return !before && had && has && of.given.intersects(who.types);
    default: return false;
    }
}

bool observer_table::has_sparse(const subscription& who, entity e) const noexcept {
    bool all = all_.beside().any(e);
    if (all) who.sparse.each([&](component_id id) { all = all && all_.beside().contains(e, id); });
    return all;
}

// The same for one entity, by what it has beside its archetype. Whether that has happened already makes no difference: it had
// what it loses, and has what it gets.
bool observer_table::hears(const subscription& who, const transition& of, entity e) const noexcept {
    const component_mask columns = who.types - who.sparse;
    bool had = all_.archetype_at(of.from)->mask().contains(columns);
    bool has = of.to != none && all_.archetype_at(of.to)->mask().contains(columns);
    if (!had && !has) return false;
    const extras& beside = all_.beside();
    who.sparse.each([&](component_id id) {
        const bool there = beside.contains(e, id);
        had = had && (of.gone.test(id) || (there && !of.came.test(id)));
        has = has && (of.came.test(id) || (there && !of.gone.test(id)));
    });
    switch (who.what) {
    case happening::added: return has && !had;
    case happening::removed: return had && !has;
    case happening::set: return had && has && of.given.intersects(who.types);
    case happening::despawned: return had && of.to == none;
    default: return false;
    }
}

void observer_table::deliver(phase& now, subscription& to, const transition& of) {
    const std::size_t first = of.first; // the list may move while an observer is told
    const std::size_t count = of.count;
    if (to.what == happening::related) {
        for (std::size_t i = of.first_link; i != of.first_link + of.links; ++i) {
            const target_change change = links_[i];
            if (change.relation != to.relation || bool{change.after} == now.before()) continue;
            deliver_rows(now, to, first, count, &change);
            return;
        }
        return;
    }
    if ((to.what == happening::removed || to.what == happening::despawned) != now.before()) return;
    if (!to.sparse.empty()) [[unlikely]]
        deliver_some(now, to, of);
    else if (hears(to, of, now.before()))
        deliver_rows(now, to, first, count, nullptr);
}

// Neighbours in the list that are all to be told of are told of together.
void observer_table::deliver_some(phase& now, subscription& to, const transition& of) {
    const transition known = of; // the list may move while an observer is told
    const std::size_t end = known.first + known.count;
    for (std::size_t i = known.first; i != end && !to.ended;) {
        std::size_t count = 0;
        while (i + count != end && hears(to, known, entities_[i + count])) ++count;
        if (count != 0) deliver_rows(now, to, i, count, nullptr);
        i += count == 0 ? 1 : count;
    }
}

// Entities come in the order of the list, as many at once as lie side by side.
void observer_table::deliver_rows(phase& now, subscription& to, std::size_t first, std::size_t count,
                                  const target_change* change) {
    const entity_pool& pool = all_.entities();
    for (std::size_t i = first; i != first + count && !to.ended;) {
        const entity_record& record = pool[entities_[i]];
        std::size_t rows = 1;
        while (i + rows != first + count && pool[entities_[i + rows]].archetype == record.archetype &&
               pool[entities_[i + rows]].row == record.row + rows)
            ++rows;
        notice about{.all = &all_,
                     .entities = all_.archetype_at(record.archetype)->entities() + record.row,
                     .count = rows,
                     .archetype = record.archetype,
                     .row = record.row};
        if (change != nullptr) {
            about.old_target = change->before;
            about.new_target = change->after;
        }
        now.call(to, about);
        i += rows;
    }
}

void observer_table::deliver_edge(phase& now, subscription& to, edge_change which, bool ends) {
    if (which.relation != to.relation) return;
    notice about{.all = &all_, .entities = &which.source, .count = 1};
    (ends ? about.old_target : about.new_target) = which.target;
    now.call(to, about);
}

void observer_table::spawned(std::span<const new_rows> runs, std::span<const edge_change> edges) {
    const component_mask awaited = added_ | related_;
    const bool hears_edges =
        std::ranges::any_of(edges, [&](const edge_change& each) { return related_.test(each.relation); });
    if (!spawns_ && !hears_edges && !sparse_added_.intersects(all_.beside().types()) &&
        std::ranges::none_of(runs, [&](const new_rows& run) {
            return all_.archetype_at(run.archetype)->mask().intersects(awaited);
        }))
        return;
    std::exception_ptr failure;
    {
        phase now{*this, false};
        now.each([&](subscription& to) {
            if (to.what == happening::removed || to.what == happening::despawned || to.what == happening::set)
                return;
            for (const new_rows& run : runs) {
                const archetype& place = *all_.archetype_at(run.archetype);
                if (!to.sparse.empty()) [[unlikely]] {
                    deliver_run(now, to, run);
                    continue;
                }
                if (run.count == 0 || !place.mask().contains(to.types)) continue;
                notice about{.all = &all_,
                             .entities = place.entities() + run.first,
                             .count = run.count,
                             .archetype = run.archetype,
                             .row = run.first};
                if (to.what == happening::related) {
                    if (!place.mask().test(to.relation)) continue;
                    about.new_target =
                        place.target(place.at(run.key), place.relations()->position(to.relation));
                }
                now.call(to, about);
            }
            if (to.what != happening::related || to.relation.index() == no_component) return;
            const bool symmetric = type_of(to.relation).rules.symmetric;
            for (const edge_change& each : edges) {
                deliver_edge(now, to, each, false);
                if (symmetric && each.source != each.target)
                    deliver_edge(now, to, {each.relation, each.target, each.source}, false);
            }
        });
        failure = now.failure();
    }
    rethrow(failure);
}

// Of new entities that have sparse components, as many at once as lie side by side and have them.
void observer_table::deliver_run(phase& now, subscription& to, const new_rows& run) {
    const archetype& place = *all_.archetype_at(run.archetype);
    if (!place.mask().contains(to.types - to.sparse)) return;
    const entity* const made = place.entities() + run.first;
    for (std::uint32_t i = 0; i != run.count && !to.ended;) {
        std::uint32_t count = 0;
        while (i + count != run.count && has_sparse(to, made[i + count])) ++count;
        notice about{.all = &all_,
                     .entities = made + i,
                     .count = count,
                     .archetype = run.archetype,
                     .row = run.first + i};
        now.call(to, about);
        i += count == 0 ? 1 : count;
    }
}

void observer_table::edge_set(const edge_change& which) {
    if (!set_.test(which.relation)) return;
    std::exception_ptr failure;
    {
        phase now{*this, false};
        now.each([&](subscription& to) {
            if (to.what != happening::set || to.relation != which.relation) return;
            notice about{.all = &all_, .entities = &which.source, .count = 1, .new_target = which.target};
            about.data = all_.edges(which.relation)->find(which.source, which.target);
            now.call(to, about);
        });
        failure = now.failure();
    }
    rethrow(failure);
}

// --- larger changes

beside_change::beside_change(observer_table& table, const component_mask& came,
                             const component_mask& gone) noexcept
    : table_{table},
      came_{std::exchange(table.came_, came)},
      gone_{std::exchange(table.gone_, gone)},
      outer_{std::exchange(table.changes_beside_, !came.empty() || !gone.empty())} {}

beside_change::~beside_change() {
    table_.came_ = came_;
    table_.gone_ = gone_;
    table_.changes_beside_ = outer_;
}

observer_deferral::observer_deferral(observer_table* table) : table_{table} {
    if (table_ != nullptr) table_->deferral_ = this;
}

observer_deferral::~observer_deferral() {
    if (table_ != nullptr) table_->deferral_ = nullptr;
}

void observer_deferral::end() {
    if (table_ != nullptr) table_->deferral_ = nullptr;
    table_ = nullptr;
    if (first_) std::rethrow_exception(first_);
}

} // namespace pecs::detail
