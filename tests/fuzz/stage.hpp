// Where a program of operations runs: a few worlds, each with its model, and the trace of what was done.
#pragma once

#include "dynamic.hpp"
#include "mirror.hpp"
#include "model.hpp"
#include "prelude.hpp"
#include "reader.hpp"
#include "types.hpp"

import pecs;

namespace fuzz {

/// World and model differ; the text says how.
class mismatch : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};
inline void require(bool right, const std::string& what) {
    if (!right) throw mismatch{what};
}

/// A recorder, and what its commands do to the model when their turn comes; they say why they fail.
struct recorder {
    pecs::commands verbs;
    std::vector<std::function<problems(model&)>> log;
};

/// One world and what is known of it.
struct arena {
    std::unique_ptr<pecs::world> owner = std::make_unique<pecs::world>();
    model now;
    std::unique_ptr<mirror> told;
    std::vector<recorder> later;
    std::size_t pending = 0;              ///< entities that are recorded
    std::optional<pecs::tick> seen;       ///< since which the model notes changes
    std::vector<dynamic> asked;           ///< queries that are kept
    std::array<const void*, 2> kept_at{}; ///< where the resources are

    arena() = default;
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena() { later.clear(); } // before the world
    [[nodiscard]] pecs::world& world() { return *owner; }
};

class stage {
public:
    static constexpr std::size_t most = 64; ///< entities of a world

    stage(std::span<const std::uint8_t> bytes, bool loud);

    reader in;
    std::vector<std::unique_ptr<arena>> arenas;
    std::size_t current = 0;
    bool merged = false; ///< the step was many verbs in one: observers may be told of what is undone

    [[nodiscard]] arena& here() { return *arenas[current]; }

    // --- choices

    /// An entity of the world: mostly a living one.
    entity pick();
    entities pick_some(std::size_t most_of_them);
    int number() { return static_cast<int>(in.byte()); }
    [[nodiscard]] bool room(std::size_t count) {
        return here().now.things.size() + here().pending + count <= most;
    }

    // --- the trace

    void say(const std::string& what);
    [[nodiscard]] const std::string& trace() const { return trace_; }

    /// Does something to a world; throws `mismatch` unless it ends as it must. True if it succeeds.
    template <class Call> bool attempt(const std::string& what, problems expected, Call&& call) {
        say(what);
        const problems got = outcome(std::forward<Call>(call));
        if (got != fine) say("    threw " + describe(got));
        if (expected == fine ? got != fine : (got & expected) == 0)
            throw mismatch{describe(got) + " where " + describe(expected) + " was right"};
        return got == fine;
    }
    [[nodiscard]] static problems outcome(const std::function<void()>& call);

private:
    bool loud_;
    std::string trace_;
};

[[nodiscard]] std::string text(entity e);
[[nodiscard]] std::string text(const entities& all);
[[nodiscard]] std::string text_of_parts(unsigned which);

/// Compares all that can be seen of a world with its model, and some queries, which depend on the turn.
void compare(arena& all, std::size_t turn);
/// All queries.
void compare_all_queries(arena& all);
/// Other questions, by number.
inline constexpr std::size_t more_questions = 9;
void compare_more(arena& all, std::size_t number);
/// The queries by id that are kept.
void compare_asked(arena& all);
/// One of them, by number.
void compare_queries(arena& all, std::size_t turn);

} // namespace fuzz
