// How new entities come to life: room for all of them first, so that what follows cannot fail; neighbours of one family are
// one run of rows. Runs are filled in parts, which stay in the cache, as each is gone through several times.
module;
#include <algorithm>
#include <cstddef>
#include <cstdint>

module pecs.world;

import pecs.archetype;
import pecs.relation;

namespace pecs::detail {
namespace {

constexpr std::uint32_t part_size = 64;

} // namespace

void draft_work::bear() {
    try {
        plan_births();
    } catch (...) {
        all_.cancel_rows({m_.runs.data(), m_.runs.size()});
        throw;
    }
    all_.locate_rows({m_.runs.data(), m_.runs.size()});
    for (std::size_t i = 0; i != m_.runs.size(); ++i) {
        const new_rows& run = m_.runs[i];
        const birth_source& from = m_.sources[i];
        for (std::uint32_t done = 0; done < run.count; done += part_size) {
            const new_rows part{run.archetype, run.key, run.first + done,
                                std::min(run.count - done, part_size)};
            if (from.plain != nullptr)
                bear_plain(part, from.plain + done);
            else
                bear_drafts(part, m_.born.data() + from.first_draft + done);
        }
    }
    if (all_.watch() != nullptr) [[unlikely]]
        all_.watch()->spawned({m_.runs.data(), m_.runs.size()});
}

// --- planning

void draft_work::plan_births() {
    m_.runs.clear();
    m_.sources.clear();
    m_.born.clear();
    m_.born.reserve(unborn_);
    for (const spawn_run& run : m_.spawns) {
        if (run.drafted == 0) {
            plan_plain(run.first, run.count, run.archetype);
            continue;
        }
        std::uint32_t plain = 0; // how many before this one have no draft
        for (std::uint32_t i = 0; i != run.count; ++i) {
            command& each = run.first[i];
            if (!each.drafted) {
                ++plain;
                continue;
            }
            plan_plain(&each - plain, plain, run.archetype);
            plain = 0;
            draft& of = *find(each.which);
            if (of.state == draft_state::unborn) plan_draft(of);
        }
        plan_plain(run.first + run.count - plain, plain, run.archetype);
    }
    reserve_rows();
}

void draft_work::plan_plain(command* first, std::uint32_t count, std::uint32_t archetype) {
    if (count == 0) return;
    reserve_rows();
    m_.sources.push_back({first, 0, archetype, count});
}

/// Joins the drafts before, if they are of the same family.
void draft_work::plan_draft(draft& each) {
    reserve_beside(each, unborn_);
    const relation_index* const related = all_.archetype_at(each.at)->relations();
    const bool joins = m_.sources.size() != m_.runs.size() && m_.sources.back().plain == nullptr &&
                       m_.sources.back().archetype == each.at &&
                       (related == nullptr || same_targets(each, *related));
    if (!joins) {
        reserve_rows();
        m_.targets.clear();
        if (related != nullptr)
            for (const component_id id : related->ids) m_.targets.push_back(target(each.which, id));
        m_.sources.push_back({nullptr, m_.born.size(), each.at, 0});
    }
    m_.born.append(&each);
    ++m_.sources.back().count;
}

bool draft_work::same_targets(const draft& of, const relation_index& related) noexcept {
    std::size_t i = 0;
    for (const component_id id : related.ids)
        if (m_.targets[i++] != target(of.which, id)) return false;
    return true;
}

/// Makes room for the source that came last, unless it has some.
void draft_work::reserve_rows() {
    if (m_.sources.size() == m_.runs.size()) return;
    const birth_source& last = m_.sources.back();
    m_.runs.reserve(m_.runs.size() + 1);
    m_.runs.append(all_.reserve_rows(last.archetype, m_.targets.data(), last.count));
}

// --- filling

/// Column by column.
void draft_work::bear_plain(const new_rows& run, command* list) noexcept {
    for (std::uint32_t v = 0; v != list->count; ++v) {
        const component_id id = list->values[v].id;
        const component_type& type = *list->values[v].type;
        std::byte* cell = all_.column_data(id, run.archetype) + run.first * type.size;
        for (std::uint32_t i = 0; i != run.count; ++i, cell += type.size) {
            const command_value& value = list[i].values[v];
            if (value.id == id) [[likely]]
                relocate_value(type, cell, value.data);
            else // the same types in another order
                put_value(value, run.archetype, run.first + i, nullptr);
        }
    }
    entity handles[part_size];
    for (std::uint32_t i = 0; i != run.count; ++i) {
        handles[i] = list[i].which;
        list[i].done = true;
    }
    all_.commit_given(run, handles);
}

void draft_work::bear_drafts(const new_rows& run, draft* const* list) noexcept {
    entity handles[part_size];
    for (std::uint32_t i = 0; i != run.count; ++i) {
        put_beside(*list[i]);
        put_values(*list[i], run.first + i, nullptr);
        handles[i] = list[i]->which;
    }
    all_.commit_given(run, handles);
}

} // namespace pecs::detail
