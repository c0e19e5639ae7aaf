module;
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>
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
    if (list.size() == 1) {
        check_acyclic(all, list[0], relation, target);
        return;
    }
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

// Breadth first, so that the loop in the message is a shortest one. What was reached remembers from where.
void check_acyclic_edges(const storage& all, std::span<const entity> list, component_id relation,
                         entity target) {
    if (!type_of(relation).rules.acyclic) return;
    const edge_index* const edges = all.edges(relation);
    const auto reachable = [&](entity e) {
        return e == target || (edges != nullptr && !edges->sources(e).empty());
    };
    if (std::ranges::none_of(list, reachable)) return;
    std::pmr::vector<entity> sorted{list.begin(), list.end(), all.memory()};
    std::ranges::sort(sorted);
    using allocator = std::pmr::polymorphic_allocator<std::pair<const entity, entity>>;
    boost::unordered_flat_map<entity, entity, std::hash<entity>, std::equal_to<>, allocator> reached{
        allocator{all.memory()}};
    std::pmr::vector<entity> queue{{target}, all.memory()};
    reached.emplace(target, null);
    for (std::size_t next = 0; next != queue.size(); ++next) {
        const entity at = queue[next];
        if (std::ranges::binary_search(sorted, at)) {
            std::pmr::vector<entity> way{all.memory()}; // from the entity back to the target
            for (entity step = at; step; step = reached.at(step)) way.push_back(step);
            std::string loop = to_string(at);
            for (std::size_t i = way.size(); i-- != 0;) {
                if (way.size() - i == shown && i > 1) {
                    loop += " -> ...";
                    i = 1;
                    continue;
                }
                loop += " -> " + to_string(way[i]);
            }
            throw relation_cycle{at, relation, loop};
        }
        if (edges == nullptr) continue;
        for (const entity further : edges->targets(at))
            if (reached.emplace(further, at).second) queue.push_back(further);
    }
}

} // namespace pecs::detail
