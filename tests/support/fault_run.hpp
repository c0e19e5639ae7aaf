// Plays stories on a world in which things fail: allocations, and user code (constructors and callbacks). A story is a row
// of numbers; a stage makes an operation out of each. What a stage must have:
//
//   explicit Stage(std::pmr::memory_resource*);
//   void step(std::uint64_t choice);   one operation; the same choice in the same state is the same operation
//   std::string state() const;         all that can be seen
//   bool valid() const;
//   bool carried_out() const;          the last step was carried out, though it threw
//   bool partial() const;              the last step may have been carried out in part, to be repeated for the rest
//   std::string told() const;          what the last step told observers
//   std::string last() const;          the last operation, for a report
//   static constexpr bool has_twin;    a world without faults is no different afterwards, down to orders and handles
//   static bool clean();               no counted object is left, none was used wrongly
//   static void forget();              begins to count objects anew
#pragma once

#include "memory.hpp"
#include "operator_new.hpp"
#include "seed.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace support {

/// Where two states part; to be put behind what went wrong.
inline std::string difference(std::string_view expected, std::string_view found) {
    std::size_t at = 0;
    while (at != expected.size() && at != found.size() && expected[at] == found[at]) ++at;
    const std::size_t from = at < 60 ? 0 : at - 60;
    return "\n- " + std::string{expected.substr(from, 120)} + "\n+ " + std::string{found.substr(from, 120)} +
           "\n";
}

/// What a run has seen. The first thing that went wrong is told in words.
struct fault_report {
    std::size_t memory = 0;  ///< allocations that failed
    std::size_t user = 0;    ///< constructors and callbacks that threw
    std::size_t refused = 0; ///< operations that the library refused
    std::size_t bad = 0;
    std::string first_bad;

    [[nodiscard]] std::size_t all() const { return memory + user; }
    void check(bool good, std::string_view what, std::uint64_t seed, std::size_t step) {
        if (good) return;
        if (bad++ == 0)
            first_bad =
                std::string{what} + ": seed " + std::to_string(seed) + ", step " + std::to_string(step);
    }
    void check_same(std::string_view expected, std::string_view found, std::string_view what,
                    std::uint64_t seed, std::size_t step) {
        if (expected != found) check(false, std::string{what} + difference(expected, found), seed, step);
    }
    void add(const fault_report& other) {
        memory += other.memory;
        user += other.user;
        refused += other.refused;
        if (bad == 0) first_bad = other.first_bad;
        bad += other.bad;
    }
    void print(const char* story) const {
        std::printf("%s: %zu faults injected (%zu allocations, %zu in user code), %zu survived badly\n",
                    story, all(), memory, user, bad);
    }
};

enum class outcome { done, refused, failed };

template <class Stage> outcome attempt(Stage& stage, std::uint64_t choice, fault_report& report) {
    try {
        stage.step(choice);
        return outcome::done;
    } catch (const std::bad_alloc&) {
        ++report.memory;
        return outcome::failed;
    } catch (const injected&) {
        ++report.user;
        return outcome::failed;
    } catch (const std::runtime_error&) { // an error of the library
        return outcome::refused;
    }
}

inline void arm_one(bool memory, std::size_t successes, bool lasting) {
    if (memory)
        faults::arm(successes, lasting);
    else
        user_faults::arm(successes, lasting);
}
inline void disarm_all() {
    faults::disarm();
    user_faults::disarm();
}

/// Tries every step again and again: its first allocation fails, then its second, and so on until it succeeds; in other
/// steps user code throws in the same way. A calm twin does the same without faults.
template <class Stage> fault_report play_along(std::uint64_t seed, std::size_t steps) {
    fault_report report;
    Stage::forget();
    watched_memory memory;
    watched_memory calm;
    {
        Stage stage{&memory};
        Stage twin{&calm};
        std::mt19937_64 random{seed};
        std::string before = stage.state();
        for (std::size_t step = 0; step != steps && report.bad == 0; ++step) {
            const std::uint64_t choice = random();
            const bool in_memory = random() % 4 != 0;
            const bool lasting = random() % 2 == 0;
            outcome last = outcome::failed;
            for (std::size_t i = 0; last == outcome::failed; ++i) {
                arm_one(in_memory, i, lasting);
                last = attempt(stage, choice, report);
                disarm_all();
                report.check(stage.valid(), "not valid", seed, step);
                if (last == outcome::failed && stage.carried_out()) last = outcome::done;
                if (last != outcome::done && !stage.partial())
                    report.check_same(before, stage.state(), "a failed step changed something", seed, step);
            }
            report.refused += last == outcome::refused ? 1 : 0;
            before = stage.state();
            if constexpr (Stage::has_twin) {
                fault_report none;
                report.check(attempt(twin, choice, none) == last, "the twin ended otherwise", seed, step);
                report.check_same(twin.state(), before, "the twin is different", seed, step);
                report.check_same(twin.told(), stage.told(), "the twin was told otherwise", seed, step);
            }
            if (report.bad != 0) report.first_bad += ", " + stage.last();
        }
    }
    report.check(memory.clean() && calm.clean(), "memory is left", seed, steps);
    report.check(Stage::clean(), "objects are left", seed, steps);
    return report;
}

/// Plays a story once for each allocation, or each call of user code, in it. That one fails; then the step is repeated.
template <class Stage>
fault_report play_for_each(std::uint64_t seed, std::size_t steps, bool in_memory, bool lasting) {
    fault_report report;
    std::mt19937_64 random{seed};
    std::vector<std::uint64_t> choices(steps);
    for (std::uint64_t& choice : choices) choice = random();
    std::vector<std::string> states;
    {
        watched_memory memory;
        Stage stage{&memory};
        states.push_back(stage.state());
        for (const std::uint64_t choice : choices) {
            (void)attempt(stage, choice, report);
            states.push_back(stage.state());
        }
    }
    report = {};
    for (bool happened = true; happened && report.bad == 0;) {
        happened = false;
        Stage::forget();
        const std::size_t blocks = global_blocks;
        watched_memory memory;
        {
            Stage stage{&memory};
            arm_one(in_memory, report.all(), lasting);
            for (std::size_t step = 0; step != steps && !happened; ++step) {
                fault_report seen;
                const bool failed = attempt(stage, choices[step], seen) == outcome::failed;
                happened = in_memory ? faults::happened() : user_faults::happened();
                if (!happened) continue;
                disarm_all();
                ++(in_memory ? report.memory : report.user);
                report.check(stage.valid(), "not valid", seed, step);
                if (failed && !stage.carried_out()) { // else the step was done without what failed
                    if (!stage.partial())
                        report.check_same(states[step], stage.state(), "a failed step changed something",
                                          seed, step);
                    report.check(attempt(stage, choices[step], seen) != outcome::failed, "failed again", seed,
                                 step);
                }
                report.check(stage.valid(), "not valid when repeated", seed, step);
                report.check_same(states[step + 1], stage.state(), "repeated in vain", seed, step);
                if (report.bad != 0) report.first_bad += ", " + stage.last();
            }
            disarm_all();
        }
        report.check(memory.clean() && global_blocks == blocks, "memory is left", seed, report.all());
        report.check(Stage::clean(), "objects are left", seed, report.all());
    }
    return report;
}

/// Both of them, with several seeds, and a line about it.
template <class Stage>
fault_report play_all(const char* story, std::size_t long_steps, std::size_t short_steps) {
    const std::uint64_t seed = given_seed().value_or(1);
    fault_report report;
    for (std::uint64_t run = 0; run != 4 && report.bad == 0; ++run)
        report.add(play_along<Stage>(seed + run, long_steps));
    for (std::uint64_t run = 0; run != 4 && report.bad == 0; ++run)
        report.add(play_for_each<Stage>(seed + 100 + run, short_steps, run % 4 != 3, run % 2 == 0));
    report.print(story);
    return report;
}

/// A way to write state: numbers, side by side.
inline void write(std::string& text, long long number) { (text += std::to_string(number)) += ' '; }

} // namespace support
