#include "stage.hpp"

import pecs;

namespace fuzz {

stage::stage(std::span<const std::uint8_t> bytes, bool loud) : in{bytes}, loud_{loud} {
    static constexpr std::array<std::size_t, 8> numbers{1, 1, 1, 1, 1, 2, 2, 3};
    const std::size_t worlds = numbers[in.below(numbers.size())];
    for (std::size_t i = 0; i != worlds; ++i) arenas.push_back(std::make_unique<arena>());
}

entity stage::pick() {
    const unsigned chosen = in.byte();
    const model& now = here().now;
    if (chosen >= 248) return {};
    if (chosen >= 240 || now.things.empty())
        return now.gone.empty() ? entity{} : now.gone[chosen % now.gone.size()];
    if (chosen >= 236) { // of some world: it may name another entity here, or none
        const model& other = arenas[chosen % arenas.size()]->now;
        return other.things.empty() ? entity{} : other.things.rbegin()->first;
    }
    return std::next(now.things.begin(), static_cast<std::ptrdiff_t>(chosen % now.things.size()))->first;
}

// Living ones mostly, each once mostly.
entities stage::pick_some(std::size_t most_of_them) {
    entities all;
    const unsigned shape = in.byte();
    const std::size_t count = shape % (most_of_them + 1);
    if (shape >= 232) { // anything
        for (std::size_t i = 0; i != count; ++i) all.push_back(pick());
        return all;
    }
    const std::size_t step = 1 + shape % 3;
    auto at = here().now.things.find(pick());
    for (std::size_t i = 0; i != count * step && at != here().now.things.end(); ++i, ++at)
        if (i % step == 0) all.push_back(at->first);
    if (shape % 2 == 0) std::ranges::reverse(all);
    return all;
}

void stage::say(const std::string& what) {
    trace_ += what + '\n';
    if (loud_) std::fprintf(stderr, "%s\n", what.c_str());
}

problems stage::outcome(const std::function<void()>& call) {
    try {
        call();
        return fine;
    } catch (const pecs::dead_entity&) {
        return dead_entity;
    } catch (const pecs::missing_component&) {
        return missing_component;
    } catch (const pecs::duplicate_component&) {
        return duplicate_component;
    } catch (const pecs::repeated_entity&) {
        return repeated_entity;
    } catch (const pecs::dead_target&) {
        return dead_target;
    } catch (const pecs::target_in_use&) {
        return target_in_use;
    } catch (const pecs::relation_cycle&) {
        return relation_cycle;
    } catch (const pecs::world_locked&) {
        return world_locked;
    } catch (const pecs::foreign_commands&) {
        return foreign_commands;
    } catch (const pecs::no_match&) {
        return no_match;
    } catch (const pecs::unsupported_component&) {
        return unsupported;
    } catch (const pecs::unknown_component&) {
        return unknown_component;
    } catch (const pecs::not_siblings&) {
        return not_siblings;
    } catch (const pecs::missing_resource&) {
        return missing_resource;
    } catch (const pecs::error&) {
        return another;
    }
}

std::string text(entity e) { return pecs::to_string(e); }
std::string text(const entities& all) {
    std::string found = "[";
    for (const entity e : all) found += (found.size() == 1 ? "" : " ") + text(e);
    return found + "]";
}
std::string text_of_parts(unsigned which) {
    std::string found = "<";
    for (std::size_t i = 0; i != parts::size; ++i)
        if ((which >> i & 1U) != 0) found += (found.size() == 1 ? "" : ", ") + std::string{part_names[i]};
    return found + ">";
}

} // namespace fuzz
