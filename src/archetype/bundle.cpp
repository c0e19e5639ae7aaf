module;
#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>

module pecs.archetype;

namespace pecs::detail {
namespace {

struct bundle_hash {
    std::size_t operator()(const bundle& change) const noexcept {
        return change.added.hash() ^ (change.removed.hash() * 31 + (change.strict ? 1 : 0));
    }
};
struct bundle_equal {
    bool operator()(const bundle& a, const bundle& b) const noexcept {
        return a.added == b.added && a.removed == b.removed && a.strict == b.strict;
    }
};

struct bundle_registry {
    std::mutex lock;
    boost::unordered_flat_map<bundle, std::uint32_t, bundle_hash, bundle_equal> ids;
    std::deque<bundle> all;
};

// Never destroyed, like the registry of component types.
bundle_registry& registry_of_bundles() {
    static bundle_registry& the = *new bundle_registry;
    return the;
}

/// One memo per component type; 0 is empty, so that the array needs no initialisation.
using memo = std::array<std::atomic<std::uint32_t>, max_components>;
constinit memo adding{};
constinit memo removing{};

std::uint32_t remembered(memo& known, component_id id, const bundle& change) {
    std::atomic<std::uint32_t>& slot = known[id.index()];
    std::uint32_t value = slot.load(std::memory_order_acquire);
    if (value == 0) {
        value = bundle_id(change) + 1;
        slot.store(value, std::memory_order_release);
    }
    return value - 1;
}

} // namespace

std::uint32_t bundle_adding(component_id id) {
    return remembered(adding, id, {.added = {id}, .removed = {}});
}
std::uint32_t bundle_removing(component_id id) {
    return remembered(removing, id, {.added = {}, .removed = {id}});
}

std::uint32_t bundle_id(const bundle& change) {
    bundle_registry& known = registry_of_bundles();
    const std::scoped_lock lock{known.lock};
    if (const auto found = known.ids.find(change); found != known.ids.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(known.all.size());
    known.all.push_back(change);
    try {
        known.ids.emplace(change, id);
    } catch (...) {
        known.all.pop_back();
        throw;
    }
    return id;
}

std::uint32_t first_use(std::atomic<std::uint32_t>& slot, std::span<const component_id> added,
                        std::span<const component_id> removed, bool strict) {
    bundle change;
    change.strict = strict;
    for (const component_id id : added) change.added.set(id);
    for (const component_id id : removed) change.removed.set(id);
    const std::uint32_t id = bundle_id(change);
    slot.store(id, std::memory_order_release);
    return id;
}

bundle bundle_of(std::uint32_t id) {
    bundle_registry& known = registry_of_bundles();
    const std::scoped_lock lock{known.lock};
    return known.all[id];
}

} // namespace pecs::detail
