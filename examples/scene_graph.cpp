// A scene graph: a nested scene is read from a table, positions flow from parents to children, parts move to other
// parents, die with them, and are copied with all that is below them.
#include <cstddef>
#include <cstdio>
#include <string>

import pecs;

struct Local { // relative to the parent
    double x, y;
};
struct Global {
    double x = 0, y = 0;
};

/// The scene as a file would have it: parents before their children, named by their paths.
struct line {
    const char* parent;
    const char* name;
    Local at;
};
constexpr line scene[] = {
    {"", "harbour", {100, 0}},
    {"harbour", "crane", {5, 2}},
    {"harbour/crane", "hook", {0, -1}},
    {"harbour", "ship", {20, 0}},
    {"harbour/ship", "mast", {0, 10}},
    {"harbour/ship/mast", "flag", {0, 2}},
    {"harbour/ship/mast", "lamp", {1, 1}},
    {"harbour/crane/hook", "box", {0, -3}},
};

void load(pecs::world& world) {
    for (const line& each : scene) {
        const auto e = world.spawn(pecs::name{each.name}, each.at, Global{});
        world.reparent(e, world.find(each.parent)); // nothing has the path "": no parent
        if (world.parent(e)) world.place_last(e);
    }
}

/// Parents come before their children, so one pass is enough.
void propagate(pecs::world& world) {
    world.query<Global, const Local, pecs::without<pecs::child_of>>().each(
        [](Global& g, const Local& l) { g = {l.x, l.y}; });
    world.query<Global, const Local, pecs::up<pecs::child_of, const Global>>()
        .parents_first<pecs::child_of>()
        .each([](Global& g, const Local& l, const Global& parent) { g = {parent.x + l.x, parent.y + l.y}; });
}

/// Draws the tree below an entity. `stem` is what stands before its own lines.
void print(const pecs::world& world, pecs::entity e, const std::string& stem = {}, bool last = true) {
    const auto& at = world.get<Global>(e);
    const bool top = !world.parent(e);
    const char* const branch = last ? "`- " : "|- ";
    std::printf("%s%s%s (%g, %g)\n", stem.c_str(), top ? "" : branch, world.get<pecs::name>(e).c_str(), at.x,
                at.y);
    const auto children = world.ordered_children(e);
    for (std::size_t i = 0; i != children.size(); ++i)
        print(world, children[i], top ? stem : stem + (last ? "   " : "|  "), i + 1 == children.size());
}

int main() {
    pecs::world world;
    load(world);
    propagate(world);
    const auto harbour = world.find("harbour");
    print(world, harbour);

    const auto ship = world.find("harbour/ship");
    const auto mast = world.find("mast", ship);
    const auto box = world.find("harbour/crane/hook/box");
    world.reparent(box, ship); // the crane loads the ship
    world.place_first(box);
    world.place_before(world.find_child(mast, "lamp"), world.find_child(mast, "flag"));
    if (!world.can_relate(ship, mast)) std::puts("\na ship cannot hang on its own mast");

    const auto sister = world.clone_subtree(ship); // with mast, flag, lamp and box
    world.set(sister, pecs::name{"sister"}, Local{60, 0});
    world.despawn(world.find("harbour/crane")); // and so the hook
    propagate(world);
    std::puts("");
    print(world, harbour);
    std::printf("\n%zu entities\n", world.size());
}

/* Output:
harbour (100, 0)
|- crane (105, 2)
|  `- hook (105, 1)
|     `- box (105, -2)
`- ship (120, 0)
   `- mast (120, 10)
      |- flag (120, 12)
      `- lamp (121, 11)

a ship cannot hang on its own mast

harbour (100, 0)
|- ship (120, 0)
|  |- box (120, -3)
|  `- mast (120, 10)
|     |- lamp (121, 11)
|     `- flag (120, 12)
`- sister (160, 0)
   |- box (160, -3)
   `- mast (160, 10)
      |- lamp (161, 11)
      `- flag (160, 12)

11 entities
*/
