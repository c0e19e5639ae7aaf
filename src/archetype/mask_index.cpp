module;
#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <utility>

module pecs.archetype;

namespace pecs::detail {
namespace {

struct mask_hash {
    std::size_t operator()(const component_mask& mask) const noexcept { return mask.hash(); }
};
using map = boost::unordered_flat_map<
    component_mask, std::uint32_t, mask_hash, std::equal_to<>,
    std::pmr::polymorphic_allocator<std::pair<const component_mask, std::uint32_t>>>;

} // namespace

struct mask_index::table {
    explicit table(std::pmr::memory_resource* memory) : ids{map::allocator_type{memory}} {}
    map ids;
};

mask_index::mask_index(std::pmr::memory_resource* memory)
    : memory_{memory}, table_{std::pmr::polymorphic_allocator<>{memory}.new_object<table>(memory)} {}

mask_index::~mask_index() { std::pmr::polymorphic_allocator<>{memory_}.delete_object(table_); }

std::uint32_t mask_index::find(const component_mask& mask) const noexcept {
    const auto found = table_->ids.find(mask);
    return found == table_->ids.end() ? none : found->second;
}

void mask_index::insert(const component_mask& mask, std::uint32_t archetype) {
    table_->ids.emplace(mask, archetype);
}

void mask_index::erase(const component_mask& mask) noexcept { table_->ids.erase(mask); }

std::size_t mask_index::bytes() const noexcept {
    return sizeof(table) + table_->ids.bucket_count() * (sizeof(map::value_type) + 1);
}

} // namespace pecs::detail
