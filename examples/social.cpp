// A social graph: relations with many targets. People follow others, and are friends of each other since some year.
#include <cstdio>
#include <string>

import pecs;

struct Follows { // any number of targets, in one direction
    static constexpr pecs::relation_rules rules{.many = true};
};
struct Friends { // any number, in both directions, with one value for both
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
    int since = 0;
};

int main() {
    pecs::world world;
    const auto person = [&](const char* name) { return world.spawn(pecs::name{name}); };
    const auto name = [&](pecs::entity e) { return world.get<pecs::name>(e).c_str(); };
    const auto ann = person("Ann");
    const auto bob = person("Bob");
    const auto cleo = person("Cleo");
    const auto dan = person("Dan");

    world.relate<Follows>(ann, bob);
    world.relate<Follows>(ann, cleo);
    world.relate<Follows>(bob, cleo);
    world.relate<Follows>(dan, cleo);
    world.relate<Friends>(ann, bob, Friends{2011});
    world.relate<Friends>(cleo, ann, Friends{2019});

    for (const pecs::entity e : world.targets<Follows>(ann)) std::printf("Ann follows %s\n", name(e));
    std::printf("Cleo has %zu followers\n", world.sources<Follows>(cleo).size());

    world.each_target<Friends>(ann, [&](pecs::entity e, const Friends& tie) {
        std::printf("Ann and %s are friends since %d\n", name(e), tie.since);
    });
    if (world.has<Friends>(bob, ann)) std::puts("and Bob is a friend of Ann");

    // Friends of friends, who are not friends yet.
    for (const pecs::entity near : world.targets<Friends>(bob))
        for (const pecs::entity far : world.targets<Friends>(near))
            if (far != bob && !world.has<Friends>(bob, far)) std::printf("Bob may know %s\n", name(far));

    // In queries: followers of Cleo, and people nobody befriends.
    for (auto [who] : world.query<const pecs::name>().of<Follows>(cleo))
        std::printf("%s sees what Cleo writes\n", who.c_str());
    for (auto [who] : world.query<const pecs::name>().of<Friends>(pecs::none))
        std::printf("%s has no friends here\n", who.c_str());

    world.despawn(cleo); // all edges from and to her go with her
    std::printf("%zu edges are left\n", world.stats().edges);
}

/* Output:
Ann follows Bob
Ann follows Cleo
Cleo has 3 followers
Ann and Bob are friends since 2011
Ann and Cleo are friends since 2019
and Bob is a friend of Ann
Bob may know Cleo
Ann sees what Cleo writes
Bob sees what Cleo writes
Dan sees what Cleo writes
Dan has no friends here
2 edges are left
*/
