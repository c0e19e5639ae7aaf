module;
#include <cstddef>
#include <cstdint>
#include <span>

module pecs.query;

import pecs.archetype;

namespace pecs::detail {

void each_written(const storage& all, archetype_span matches, const filter* asked,
                  void (*visit)(const spot& where, std::uint32_t count) noexcept) {
    for (std::size_t i = 0; i != matches.size(); ++i) {
        const archetype& place = *matches[i];
        for (const family& group : place.families())
            each_piece(
                all, asked, place, group.first, group.size,
                [&](std::uint32_t first, std::uint32_t size) { visit({all, place, &group, first}, size); });
    }
}

} // namespace pecs::detail
