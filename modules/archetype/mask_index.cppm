// Finds archetypes by their component set: a hash table that only implementation units see.
export module pecs.archetype:mask_index;

import pecs.std;
import pecs.core;

export namespace pecs::detail {

class mask_index {
public:
    explicit mask_index(std::pmr::memory_resource* memory);
    mask_index(const mask_index&) = delete;
    mask_index& operator=(const mask_index&) = delete;
    ~mask_index();

    /// The archetype with exactly these components, or `none`.
    [[nodiscard]] std::uint32_t find(const component_mask& mask) const noexcept;
    /// Adds an archetype; throws without a change if there is no memory.
    void insert(const component_mask& mask, std::uint32_t archetype);
    void erase(const component_mask& mask) noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    struct table;
    std::pmr::memory_resource* memory_;
    table* table_;
};

} // namespace pecs::detail
