// Where the columns are: for each component type a table, by archetype, of the beginnings of its columns; null where an
// archetype lacks the type. All tables have a place for every archetype, and types that no archetype has share one
// empty table, so that a look-up needs no test of bounds.
export module pecs.archetype:column_tables;

import pecs.std;
import pecs.core;
import :buffer;

export namespace pecs::detail {

/// Stands where a column would, for a tag: not null, never read.
inline std::byte tag_column{};

class column_tables {
public:
    inline explicit column_tables(std::pmr::memory_resource* memory) noexcept : memory_{memory} {}
    column_tables(const column_tables&) = delete;
    column_tables& operator=(const column_tables&) = delete;
    ~column_tables();

    /// The column of a type in an archetype, or null; `no_component` is a type that no archetype has.
    [[nodiscard]] inline std::byte* find(component_id id, std::uint32_t archetype) const noexcept {
        return tables_[id.index()][archetype];
    }
    /// The table of a type; valid until the next archetype is made.
    [[nodiscard]] inline std::byte* const* of(component_id id) const noexcept { return tables_[id.index()]; }

    /// Makes places for the given number of archetypes, and tables for the given types. Throws without a change that
    /// can be seen.
    void reserve(std::uint32_t archetypes, const component_mask& used);
    inline void set(component_id id, std::uint32_t archetype, std::byte* column) noexcept {
        tables_[id.index()][archetype] = column;
    }
    /// Gives back the tables of types that are not used, and places beyond the number of archetypes.
    void shrink(std::uint32_t archetypes, const component_mask& used);
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    static constexpr std::size_t count = max_components + 1; ///< the last one is of `no_component`

    void resize(std::uint32_t capacity);
    [[nodiscard]] std::byte** allocate(std::uint32_t capacity) const;
    void release(std::byte** table, std::uint32_t capacity) const noexcept;

    std::array<std::byte**, count> tables_{};
    std::byte** empty_ = nullptr; ///< the table of all types without one of their own
    std::uint32_t capacity_ = 0;
    std::pmr::memory_resource* memory_;
};

} // namespace pecs::detail
