// Names of entities and the paths they make, in the model.
#pragma once

#include "stage.hpp"

import pecs;

namespace fuzz {

/// What entities can be called. Not all of it is easy to find in a path.
inline constexpr std::array<const char*, 7> labels{
    "", "a", "b", "a/b", "c\\", "a name that is too long for a small string", "1v1"};

/// The text of an entity in a path: its name, or its handle if it has none.
[[nodiscard]] std::string part_of_path(const model& now, entity e);
[[nodiscard]] std::string path_of(const model& now, entity e);
/// Whether a path leads to an entity, or nowhere if it is null, part by part, from the children of an entity on, or from
/// those without a parent. Of several with the same name the first in storage order counts, which the model does not
/// know: it asks for the order of children; of those without a parent, any will do.
[[nodiscard]] bool leads(arena& all, const std::vector<std::string>& way, entity under, entity found);
/// The children of an entity in the order that the model knows; those that the storage decides on are as it says.
void compare_places(arena& all, entity parent);

} // namespace fuzz
