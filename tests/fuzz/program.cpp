#include "program.hpp"
#include "operations.hpp"
#include "stage.hpp"

import pecs;

namespace fuzz {
namespace {

constexpr std::size_t most_steps = 600;

// What comes more than once comes more often.
constexpr std::array operations{
    &spawn,
    &spawn,
    &spawn,
    &spawn_batch,
    &spawn_batch,
    &despawn,
    &despawn,
    &despawn_batch,
    &despawn_query,
    &clear,
    &add,
    &add,
    &remove,
    &remove,
    &exchange,
    &set,
    &set,
    &write,
    &enable,
    &enable,
    &enable_batch,
    &change_batch,
    &change_batch,
    &change_query,
    &change_query,
    &relate,
    &relate,
    &relate,
    &unrelate,
    &relate_batch,
    &relate_family,
    &relate_family,
    &relate_query,
    &relate_edge,
    &relate_edge,
    &unrelate_edge,
    &edge_batch,
    &clone,
    &clone_subtree,
    &make_prefab,
    &spawn_from,
    &record,
    &record,
    &record,
    &record,
    &record,
    &apply,
    &another_world,
    &move_world,
    &tidy,
    &observe,
    &misuse,
    &id_spawn,
    &id_change,
    &id_change,
    &id_write,
    &id_relate,
    &id_relate,
    &id_ask,
    &spawn_default,
    &enable_parts,
    &reparent,
    &reparent,
    &place_children,
    &place_children,
    &place_children,
    &name_it,
    &name_it,
    &find_path,
    &resources,
    &note_tick,
    &write_many,
    &write_many,
    &ask_by_id,
};

const stage* running = nullptr;

void step(stage& on, std::size_t number) {
    const operation act = operations[on.in.below(operations.size())];
    arena& before = on.here();
    const bool bare = before.now.things.size() < 4 && before.pending < 8; // little can be done with so few
    const mirror* const watching = before.told.get();
    const std::optional<model> old = watching != nullptr ? std::optional{before.now} : std::nullopt;
    on.merged = false;
    bare&& act != &another_world&& number % 4 != 0 ? spawn(on) : act(on);
    arena& now = on.here();
    compare(now, number);
    if (now.told)
        if (const std::string wrong =
                now.told->difference(now.now, now.told.get() == watching && !on.merged ? &*old : nullptr);
            !wrong.empty())
            throw mismatch{wrong};
}

void play(stage& on) {
    for (std::size_t number = 0; number != most_steps && !on.in.done(); ++number) step(on, number);
    for (const auto& each : on.arenas) {
        compare(*each, 0);
        compare_all_queries(*each);
    }
}

} // namespace

void print_trace() {
    if (running == nullptr) return;
    std::fprintf(stderr, "\nWhat was done:\n%s", running->trace().c_str());
}

bool run(std::span<const std::uint8_t> bytes, voice how) {
    Tracked::forget();
    std::string wrong;
    {
        stage on{bytes, how == voice::loud};
        running = &on;
        try {
            play(on);
        } catch (const std::exception& error) {
            wrong = error.what();
            if (how == voice::normal) print_trace();
        }
        running = nullptr;
    }
    if (wrong.empty() && (Tracked::log.alive() != 0 || Tracked::log.wrong != 0))
        wrong = "values were ended not at all, or twice, or moved as bytes";
    if (!wrong.empty() && how != voice::silent) std::fprintf(stderr, "WRONG: %s\n", wrong.c_str());
    return wrong.empty();
}

} // namespace fuzz
