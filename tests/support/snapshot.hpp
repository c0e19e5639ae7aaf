// What can be seen of a world, as text: its entities in order, each with its components of the types named
// and their values, or with its targets in the relations named. Two worlds with the same text hold the same. (It names
// nothing of PECS, so that it can come before the import.)
#pragma once

#include <string>
#include <type_traits>

namespace support {

template <class T, class World, class Entity> void describe(const World& world, Entity e, std::string& text) {
    if (!world.template has<T>(e)) {
        text += " -";
    } else if constexpr (std::is_empty_v<T>) {
        text += " +";
    } else {
        text += ' ' + std::to_string(world.template get<T>(e).number());
    }
}

template <class... Ts, class World> [[nodiscard]] std::string snapshot(const World& world) {
    std::string text = std::to_string(world.size()) + " entities\n";
    world.each_entity([&](auto e) {
        text += std::to_string(e.index()) + 'v' + std::to_string(e.generation());
        (describe<Ts>(world, e, text), ...);
        text += '\n';
    });
    return text;
}

template <class... Rs, class World> [[nodiscard]] std::string targets(const World& world) {
    std::string text;
    const auto describe_target = [&](auto target) {
        text += ' ';
        text += target ? std::to_string(target.index()) + 'v' + std::to_string(target.generation()) : "-";
    };
    world.each_entity([&](auto e) {
        text += std::to_string(e.index());
        (describe_target(world.template target<Rs>(e)), ...);
        text += '\n';
    });
    return text;
}

} // namespace support
