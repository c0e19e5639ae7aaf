// Where the memory of a world goes.
export module pecs.world:stats;

import pecs.std;
import pecs.core;

export namespace pecs {

/// The figures of one archetype. Used bytes are those of rows that hold entities.
struct archetype_stats {
    component_mask components;
    std::size_t entities = 0;
    std::size_t families = 0;
    std::size_t rows = 0;          ///< of all families, with their room for growth and the gaps between them
    std::size_t rows_reserved = 0; ///< for which the columns have room
    std::size_t bytes_used = 0;
    std::size_t bytes_reserved = 0;
    std::size_t bytes_families = 0; ///< of the reserved ones, those of families and the tables that find them
    std::size_t bytes_ticks = 0;    ///< of the reserved ones, those of change ticks
};

/// The figures of a world. Reserved bytes are all that it holds: records, columns, look-up tables, resources and
/// slack.
struct world_stats {
    std::size_t entities = 0;
    std::size_t families = 0;
    std::size_t edges = 0;         ///< of relations with many targets
    std::size_t sparse_values = 0; ///< of sparse components, tags included
    std::size_t disabled = 0;      ///< entities, and components of entities
    std::size_t resources = 0;
    std::size_t bytes_used = 0;
    std::size_t bytes_reserved = 0;
    std::size_t bytes_sparse_ticks = 0; ///< of the reserved ones, those of change ticks of sparse components
    std::vector<archetype_stats> archetypes;
};

} // namespace pecs
