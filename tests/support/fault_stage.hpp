// What stages for `fault_run.hpp` have in common: a world, dice that fall as the choice says, and its entities to choose
// from. (It names nothing of PECS, so that it can come before the import.)
#pragma once

#include "fault_run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// `Watched` are the counted types of which no object may be left in the end.
template <class World, class Entity, class... Watched> class fault_stage {
public:
    explicit fault_stage(std::pmr::memory_resource* memory) : w{memory} {}
    static bool clean() { return ((Watched::log.alive() == 0 && Watched::log.wrong == 0) && ...); }
    static void forget() { (Watched::forget(), ...); }
    [[nodiscard]] bool valid() const {
        const no_faults quiet;
        return w.validate();
    }
    [[nodiscard]] bool carried_out() const { return false; }
    [[nodiscard]] bool partial() const { return false; }
    [[nodiscard]] std::string told() const { return {}; }
    [[nodiscard]] std::string last() const {
        std::string text = "rolls";
        for (const std::size_t each : rolls_) text += ' ' + std::to_string(each);
        return text;
    }

    World w;

protected:
    void begin(std::uint64_t choice) {
        const no_faults quiet;
        dice_.seed(choice);
        living.clear();
        rolls_.clear();
        w.each_entity([&](Entity e) { living.push_back(e); });
    }
    std::size_t roll(std::size_t sides) {
        const no_faults quiet;
        return rolls_.emplace_back(dice_() % sides);
    }
    int number() { return static_cast<int>(roll(100)); }
    Entity any() { return living[roll(living.size())]; }
    /// Up to so many entities, each once; valid until the next call.
    std::span<const Entity> some(std::size_t most) {
        const std::size_t count = std::min(living.size(), 1 + roll(most));
        for (std::size_t i = 0; i != count; ++i) std::swap(living[i], living[i + roll(living.size() - i)]);
        return {living.data(), count};
    }
    /// A value that is made without a fault, as all arguments are.
    template <class T> [[nodiscard]] T made(int n) const {
        const no_faults quiet;
        return T::of(n);
    }

    std::vector<Entity> living;

private:
    std::mt19937_64 dice_;
    std::vector<std::size_t> rolls_;
};

template <class Entity> void write_entity(std::string& text, Entity e) {
    write(text, e.index());
    write(text, e.generation());
}
template <class Range> void write_entities(std::string& text, const Range& list) {
    for (const auto e : list) write_entity(text, e);
    text += '|';
}
/// Writes the entities of a range family by family: `family(e)` is equal for those of one. How families lie to each other
/// is not told, as room that was made for a family stays with it, whatever fails then.
template <class Range, class Family>
void write_families(std::string& text, const Range& rows, Family family) {
    std::vector<std::pair<std::string, std::string>> all;
    for (auto [e] : rows) {
        all.emplace_back(family(e), std::string{});
        write_entity(all.back().second, e);
    }
    std::ranges::stable_sort(all, {}, &std::pair<std::string, std::string>::first);
    for (const auto& each : all) (text += each.second) += each.first;
}
/// Calls `use` with an empty text while nothing fails, and gives the text.
template <class Use> std::string written(Use use) {
    const no_faults quiet;
    std::string text;
    use(text);
    return text;
}

} // namespace support
