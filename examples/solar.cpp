// Relations: who orbits whom, what each body's moons weigh together, and what happens when a planet is gone.
#include <cstdio>

import pecs;

struct Name {
    const char* text;
};
struct Mass {
    double value;
};
/// A planet orbits a sun, a moon orbits a planet. Whoever loses the body it orbits is gone as well.
struct Orbits {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
    double days;
};

int main() {
    pecs::world world;
    const auto sun = world.spawn(Name{"sun"}, Mass{333000});
    const auto earth = world.spawn(Name{"earth"}, Mass{1}, pecs::to<Orbits>(sun, {365}));
    const auto mars = world.spawn(Name{"mars"}, Mass{0.107}, pecs::to<Orbits>(sun, {687}));
    world.spawn(Name{"moon"}, Mass{0.0123}, pecs::to<Orbits>(earth, {27.3}));
    const auto phobos = world.spawn(Name{"phobos"}, Mass{1.8e-9}, pecs::to<Orbits>(mars, {0.32}));
    world.spawn(Name{"deimos"}, Mass{2.5e-10}, pecs::to<Orbits>(mars, {1.26}));

    // Those that orbit one body.
    for (auto [name, orbit] : world.query<const Name, const Orbits>().of<Orbits>(mars))
        std::printf("%s orbits mars in %g days\n", name.text, orbit.days);

    // Every body and all that orbit it, in one pass.
    for (auto [body, moons, masses] : world.query<const Mass>().families<Orbits>()) {
        double total = 0;
        for (const Mass& mass : masses) total += mass.value;
        std::printf("%s: %zu, %g earths\n", world.get<Name>(body).text, moons.size(), total);
    }

    world.relate<Orbits>(phobos, earth); // keeps its days
    try {
        world.relate<Orbits>(sun, phobos);
    } catch (const pecs::relation_cycle&) {
        std::puts("the sun cannot orbit what orbits it");
    }
    world.despawn(earth); // and so its moons
    std::printf("%zu bodies are left\n", world.size());
}

/* Output:
phobos orbits mars in 0.32 days
deimos orbits mars in 1.26 days
sun: 2, 1.107 earths
earth: 1, 0.0123 earths
mars: 2, 2.05e-09 earths
the sun cannot orbit what orbits it
3 bodies are left
*/
