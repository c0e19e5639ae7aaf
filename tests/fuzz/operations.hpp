// The operations, by topic. Each reads what it needs, does it to the world and to the model, and checks that the world
// throws what the model says.
#pragma once

#include "stage.hpp"

namespace fuzz {

using operation = void (*)(stage&);

// entities.cpp
void spawn(stage& on);
void spawn_batch(stage& on);
void spawn_default(stage& on);
void despawn(stage& on);
void despawn_batch(stage& on);
void despawn_query(stage& on);
void clear(stage& on);
// components.cpp
void add(stage& on);
void remove(stage& on);
void exchange(stage& on);
void set(stage& on);
void write(stage& on);
void enable(stage& on);
void enable_batch(stage& on);
void enable_parts(stage& on);
void change_batch(stage& on);
void change_query(stage& on);
// relations.cpp
void relate(stage& on);
void unrelate(stage& on);
void relate_batch(stage& on);
void relate_family(stage& on);
void relate_query(stage& on);
void relate_edge(stage& on);
void unrelate_edge(stage& on);
void edge_batch(stage& on);
// copies.cpp
void clone(stage& on);
void clone_subtree(stage& on);
void make_prefab(stage& on);
void spawn_from(stage& on);
// recording.cpp
void record(stage& on);
void apply(stage& on);
// worlds.cpp
void another_world(stage& on);
void move_world(stage& on);
void tidy(stage& on);
void observe(stage& on);
void misuse(stage& on);
// by_id.cpp
void id_spawn(stage& on);
void id_change(stage& on);
void id_write(stage& on);
void id_relate(stage& on);
void id_ask(stage& on);
// trees.cpp
void reparent(stage& on);
void place_children(stage& on);
void name_it(stage& on);
void find_path(stage& on);
// others.cpp
void resources(stage& on);
void note_tick(stage& on);
void write_many(stage& on);
void ask_by_id(stage& on);

} // namespace fuzz
