// Types are read without a lock: a slot of the table is written once, then published by the counter.
module;
#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

module pecs.core;

namespace pecs {
namespace {

struct registry {
    std::array<component_type, max_components> types{};
    std::atomic<std::size_t> count{0};

    std::mutex writing;
    boost::unordered_flat_map<std::string_view, component_id> by_name; // guarded by `writing`
    std::deque<std::string> names;                                     // of run-time types; addresses stay

    component_id append(const component_type& type) {
        const std::size_t index = count.load(std::memory_order_relaxed);
        if (index == max_components) throw component_limit{type.name};
        const component_id id{static_cast<std::uint16_t>(index)};
        by_name.try_emplace(type.name, id);
        types[index] = type;
        count.store(index + 1, std::memory_order_release);
        return id;
    }
};

// Never destroyed: components of static objects may outlive every other static.
registry& instance() {
    static registry& the = *new registry;
    return the;
}

void check(const component_type& type) {
    if (type.name.empty()) throw invalid_component{type.name, "it has no name"};
    if (type.rules.symmetric && !type.rules.many)
        throw invalid_component{type.name, "a symmetric relation has many targets: its rules must say so"};
    if (type.rules.symmetric && type.rules.acyclic)
        throw invalid_component{type.name, "a symmetric relation always leads back: it cannot be acyclic"};
    if (type.relation && type.is_sparse())
        throw invalid_component{type.name, "a relation cannot be sparse: its storage must be column"};
    if (type.size == 0) {
        if (type.construct || type.copy || type.relocate || type.destroy || type.map_entities)
            throw invalid_component{type.name,
                                    "its size is 0, which makes it a tag, and a tag has no functions"};
        return;
    }
    if (!std::has_single_bit(type.alignment))
        throw invalid_component{type.name, "its alignment is not a power of two"};
    if (type.size % type.alignment != 0)
        throw invalid_component{type.name, "its size is not a multiple of its alignment"};
    if (type.destroy && !type.relocate)
        throw invalid_component{type.name, "it has a destroy function but no relocate function"};
}

} // namespace

std::size_t component_count() noexcept { return instance().count.load(std::memory_order_acquire); }

const component_type& type_of(component_id id) {
    if (id.index() >= component_count()) throw unknown_component{id};
    return instance().types[id.index()];
}

std::optional<component_id> find_component(std::string_view name) noexcept {
    registry& all = instance();
    const std::scoped_lock lock{all.writing};
    const auto found = all.by_name.find(name);
    if (found == all.by_name.end()) return std::nullopt;
    return found->second;
}

component_id register_component(const component_type& type) {
    check(type);
    registry& all = instance();
    const std::scoped_lock lock{all.writing};
    if (all.by_name.contains(type.name))
        throw invalid_component{type.name, "a component of that name exists already"};
    component_type kept = type;
    kept.name = all.names.emplace_back(type.name);
    try {
        return all.append(kept);
    } catch (...) {
        all.names.pop_back();
        throw;
    }
}

namespace detail {

component_id register_static(std::atomic<std::uint16_t>& slot, const component_type& type) {
    registry& all = instance();
    const std::scoped_lock lock{all.writing};
    const std::uint16_t known = slot.load(std::memory_order_relaxed);
    if (known != no_component) return component_id{known};
    const component_id id = all.append(type);
    slot.store(id.index(), std::memory_order_release);
    return id;
}

} // namespace detail
} // namespace pecs
