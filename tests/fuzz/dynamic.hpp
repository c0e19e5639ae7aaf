// Queries by id, which are kept while the world changes, and what they must find.
#pragma once

#include "model.hpp"
#include "prelude.hpp"
#include "types.hpp"

import pecs;

namespace fuzz {

struct dynamic {
    pecs::dynamic_query query;
    unsigned with = 0;
    unsigned without = 0;
    unsigned maybe = 0;
    std::optional<unsigned> any{};
    bool exact = false;
    bool disabled_too = false;
    std::vector<std::pair<std::size_t, entity>> of{}; ///< links with their targets

    std::vector<std::pair<std::size_t, entity>> edges_of{}; ///< one of many targets; null: any at all
    std::optional<std::size_t> edges_none{};

    [[nodiscard]] bool fits(const model& now, entity e, const thing& t) const;
    /// Components that it is about, so that sparse ones are alike in what it gives out.
    [[nodiscard]] unsigned named() const { return with | maybe | any.value_or(0); }
};

} // namespace fuzz
