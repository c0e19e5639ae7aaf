// What the observers of a world were told, put together: it must be what the world is. Every notice has to fit what was
// told before, so nothing may be told twice, too early, or of an entity that it does not concern.
#pragma once

#include "model.hpp"
#include "prelude.hpp"
#include "types.hpp"

import pecs;

namespace fuzz {

class mirror {
public:
    /// Observes everything in a world that is as the model says.
    mirror(pecs::world& world, const model& now);
    mirror(const mirror&) = delete;
    mirror& operator=(const mirror&) = delete;

    /// Empty if all that was told leads to the model. If it is known what was before, nothing may have been told in vain,
    /// either.
    [[nodiscard]] std::string difference(const model& now, const model* before);
    /// Says that values were written through references, of which nobody is told.
    void wrote(entity e, std::size_t which, int number) { held_[which][e] = number; }

private:
    template <class T> void observe_part(pecs::world& world);
    void observe_both(pecs::world& world);
    template <class R> void observe_link(pecs::world& world);
    template <class R> void observe_edge(pecs::world& world);
    void check(bool right, const char* what, entity e) {
        ++notices_;
        if (!right && wrong_.empty()) wrong_ = std::string{what} + " of " + pecs::to_string(e);
    }

    std::set<entity> alive_;
    std::array<std::map<entity, int>, parts::size> held_;
    std::set<entity> both_; ///< have Position and Heat
    std::array<std::map<entity, entity>, links::size> targets_;
    std::array<std::set<pair_of_entities>, edges::size> edges_;
    std::size_t notices_ = 0;
    std::string wrong_;
    std::vector<pecs::observer> observers_;
};

} // namespace fuzz
