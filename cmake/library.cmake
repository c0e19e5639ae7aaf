# The library target. Every unit is listed by hand: the list is the table of contents.
#
# Boost appears only in implementation units, so that neither an importer nor the installed package needs it.

math(EXPR pecs_mask_rest "${PECS_MAX_COMPONENTS} % 64")
if(NOT PECS_MAX_COMPONENTS MATCHES "^[1-9][0-9]*$" OR PECS_MAX_COMPONENTS GREATER 65472 OR NOT pecs_mask_rest EQUAL 0)
    message(FATAL_ERROR "pecs: PECS_MAX_COMPONENTS is '${PECS_MAX_COMPONENTS}'; "
        "it must be a multiple of 64 from 64 to 65472")
endif()

add_library(pecs STATIC)
add_library(pecs::pecs ALIAS pecs)

target_sources(pecs
    PUBLIC
        FILE_SET CXX_MODULES
        BASE_DIRS modules
        FILES
            modules/std.cppm
            modules/span.cppm
            modules/core/version.cppm
            modules/core/entity.cppm
            modules/core/entity_map.cppm
            modules/core/rules.cppm
            modules/core/tick.cppm
            modules/core/component.cppm
            modules/core/registry.cppm
            modules/core/prefab.cppm
            modules/core/mask.cppm
            modules/core/error.cppm
            modules/core.cppm
            modules/archetype/buffer.cppm
            modules/archetype/entity_pool.cppm
            modules/archetype/extents.cppm
            modules/archetype/families.cppm
            modules/archetype/column.cppm
            modules/archetype/edges.cppm
            modules/archetype/ticks.cppm
            modules/archetype/archetype.cppm
            modules/archetype/bundle.cppm
            modules/archetype/column_tables.cppm
            modules/archetype/mask_index.cppm
            modules/archetype/structure_lock.cppm
            modules/archetype/observers.cppm
            modules/archetype/attachments.cppm
            modules/archetype/resources.cppm
            modules/archetype/set_ticks.cppm
            modules/archetype/sparse_set.cppm
            modules/archetype/index_bits.cppm
            modules/archetype/extras.cppm
            modules/archetype/storage.cppm
            modules/archetype.cppm
            modules/relation/target.cppm
            modules/relation/checks.cppm
            modules/relation/death.cppm
            modules/relation/depth_order.cppm
            modules/relation/hierarchy.cppm
            modules/relation/sibling_order.cppm
            modules/relation/name.cppm
            modules/relation/clone.cppm
            modules/relation.cppm
            modules/query/filter.cppm
            modules/query/cache.cppm
            modules/query/terms.cppm
            modules/query/target_terms.cppm
            modules/query/resource_terms.cppm
            modules/query/row.cppm
            modules/query/access.cppm
            modules/query/walk.cppm
            modules/query/row_test.cppm
            modules/query/set_terms.cppm
            modules/query/set_walk.cppm
            modules/query/selection.cppm
            modules/query/edge_walk.cppm
            modules/query/tick_terms.cppm
            modules/query/tick_walk.cppm
            modules/query/range.cppm
            modules/query/target_index.cppm
            modules/query/static_query.cppm
            modules/query/family_test.cppm
            modules/query/nested_walk.cppm
            modules/query/query.cppm
            modules/query/dynamic.cppm
            modules/query.cppm
            modules/world/stats.cppm
            modules/world/accessor.cppm
            modules/world/rows.cppm
            modules/world/state.cppm
            modules/world/edge_draft.cppm
            modules/world/set_fill.cppm
            modules/world/entity_verbs.cppm
            modules/world/component_verbs.cppm
            modules/world/batch_verbs.cppm
            modules/world/edge_verbs.cppm
            modules/world/relation_verbs.cppm
            modules/world/hierarchy_verbs.cppm
            modules/world/order_verbs.cppm
            modules/world/path_verbs.cppm
            modules/world/clone_verbs.cppm
            modules/world/prefab_verbs.cppm
            modules/world/resource_verbs.cppm
            modules/world/observer.cppm
            modules/world/by_id.cppm
            modules/world/enabling_verbs.cppm
            modules/world/observer_verbs.cppm
            modules/world/commands.cppm
            modules/world/drafts.cppm
            modules/world/world.cppm
            modules/world.cppm
            modules/pecs.cppm
    PRIVATE
        src/core/entity.cpp
        src/core/error.cpp
        src/core/registry.cpp
        src/archetype/archetype.cpp
        src/archetype/bundle.cpp
        src/archetype/column_tables.cpp
        src/archetype/edges.cpp
        src/archetype/entity_pool.cpp
        src/archetype/extents.cpp
        src/archetype/families.cpp
        src/archetype/mask_index.cpp
        src/archetype/new_rows.cpp
        src/archetype/storage.cpp
        src/archetype/batch.cpp
        src/archetype/structure_lock.cpp
        src/archetype/ticks.cpp
        src/archetype/observers.cpp
        src/archetype/watch.cpp
        src/archetype/attachments.cpp
        src/archetype/resources.cpp
        src/archetype/set_ticks.cpp
        src/archetype/sparse_set.cpp
        src/archetype/extras.cpp
        src/relation/checks.cpp
        src/relation/death.cpp
        src/relation/depth_order.cpp
        src/relation/hierarchy.cpp
        src/relation/sibling_order.cpp
        src/relation/name.cpp
        src/relation/clone.cpp
        src/query/cache.cpp
        src/query/filter.cpp
        src/query/row_test.cpp
        src/query/dynamic.cpp
        src/query/range.cpp
        src/query/target_terms.cpp
        src/query/tick_terms.cpp
        src/query/walk.cpp
        src/world/apply.cpp
        src/world/births.cpp
        src/world/carry_out.cpp
        src/world/drafts.cpp
        src/world/by_id.cpp
        src/world/commands.cpp
        src/world/observer.cpp
        src/world/enabling.cpp
        src/world/state.cpp
        src/world/world.cpp)

target_compile_features(pecs PUBLIC cxx_std_20)
# Every importer must see the same width: it is part of the binary module interface.
target_compile_definitions(pecs PUBLIC PECS_MAX_COMPONENTS=${PECS_MAX_COMPONENTS})
target_link_libraries(pecs PRIVATE $<BUILD_LOCAL_INTERFACE:Boost::headers>)
set_target_properties(pecs PROPERTIES POSITION_INDEPENDENT_CODE ON)
pecs_strict(pecs)
