module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

module pecs.relation;

import pecs.archetype;

namespace pecs::detail {
namespace {

/// The entities on a way are shown up to this number; the middle of a longer way is left out.
constexpr int shown = 8;

[[noreturn]] void throw_cycle(const storage& all, entity e, component_id relation, entity target) {
    std::string loop = to_string(e);
    entity at = target;
    for (int steps = 0; at != e && steps != shown; at = all.target(at, relation), ++steps)
        loop += " -> " + to_string(at);
    loop += at != e ? " -> ... -> " : " -> ";
    loop += to_string(e);
    throw relation_cycle{e, relation, loop};
}

/// Goes from `target` to its own target and so on, and throws when `closes` says that the way leads back.
template <class Closes>
void walk_up(const storage& all, component_id relation, entity target, Closes closes) {
    if (!type_of(relation).rules.acyclic) return;
    for (entity at = target; at; at = all.target(at, relation))
        if (closes(at)) throw_cycle(all, at, relation, target);
}

} // namespace

void check_acyclic(const storage& all, entity e, component_id relation, entity target) {
    walk_up(all, relation, target, [e](entity at) { return at == e; });
}

// Both sort a copy first: the way may be as long as the list.
void check_acyclic(const storage& all, std::span<const entity> list, component_id relation, entity target) {
    if (!type_of(relation).rules.acyclic) return;
    std::pmr::vector<entity> sorted{list.begin(), list.end(), all.memory()};
    std::ranges::sort(sorted);
    walk_up(all, relation, target, [&](entity at) { return std::ranges::binary_search(sorted, at); });
}

void check_acyclic(const storage& all, std::span<const family_ref> families, component_id relation,
                   entity target) {
    if (!type_of(relation).rules.acyclic) return;
    const auto number = [](std::uint32_t archetype, std::uint32_t key) {
        return std::uint64_t{archetype} << 32U | key;
    };
    std::byte small[512];
    std::pmr::monotonic_buffer_resource memory{small, sizeof small, all.memory()};
    std::pmr::vector<std::uint64_t> sorted{&memory};
    sorted.reserve(families.size());
    for (const family_ref& which : families) sorted.push_back(number(which.archetype, which.key));
    std::ranges::sort(sorted);
    walk_up(all, relation, target, [&](entity at) {
        const entity_record& record = all.entities()[at];
        return std::ranges::binary_search(sorted, number(record.archetype, record.family));
    });
}

} // namespace pecs::detail
