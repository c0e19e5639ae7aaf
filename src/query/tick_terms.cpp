module;
#include <cstddef>
#include <cstdint>
#include <span>

module pecs.query;

import pecs.archetype;

namespace pecs::detail {

void each_written(const storage& all, archetype_span matches, const filter* asked,
                  void (*visit)(const spot& where, std::uint32_t count) noexcept) {
    for (piece_walk<family_walk> at{all, asked, family_walk{matches}}; at.advance();)
        visit({all, at.place(), at.group(), at.first()}, at.size());
}

} // namespace pecs::detail
