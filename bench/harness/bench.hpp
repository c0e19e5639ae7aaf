// What a scenario needs: one file with a build part and a run part.
//
//     static const bench::scenario registered{"name", "what it measures", [](bench::context& context) {
//         for (const std::size_t n : context.sizes({10'000, 100'000, 1'000'000})) {
//             ... build ...
//             auto group = context.group({.n = n});
//             group.floor("hand-written", [&] { ... return checksum; });
//             group.variant("get", {bench::at_most(1.3)}, [&] { ... return checksum; });
//             group.measure();
//         }
//     }};
//
// A run does the complete work and returns a checksum of its result; every variant of a group must return the
// same. Work that uses up its input has a setup before the run, which makes new state for each run and is not
// timed:
//
//     group.variant("despawn", {bench::at_most(3)}, [&] { return make_world(n); }, [&](world& w) { ... });
//
// The call of a run costs one or two nanoseconds: give it enough work, and say with `items` how much it was.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checksum.hpp"
#include "judge.hpp"
#include "row.hpp"
#include "work.hpp"

namespace bench {

[[nodiscard]] inline limit at_most(double factor, std::string than = {}) { return {factor, std::move(than)}; }
[[nodiscard]] inline limit faster_than(std::string than, double times) {
    return {1 / times, std::move(than)};
}

// A limit that is known to be missed: see docs/benchmarks.md.
[[nodiscard]] inline limit known_miss(limit missed, double allowed) {
    missed.known = allowed;
    return missed;
}

// Makes the compiler believe that `value` is used, and that memory may have changed.
template <typename T> void keep(const T& value) { asm volatile("" : : "g"(&value) : "memory"); }

// What is common to the rows of a group.
struct shape {
    std::optional<std::size_t> n = {};
    std::optional<double> items = {}; // that a run handles: `n` if it is not given, or else 1
    std::optional<std::size_t> fanout = {};
    std::string order = {}; // "parent" or "shuffled"
    bool drift = false;  // runs go on from their own results: only the checksums of first runs are compared
    bool rivals = false; // variants are named "library, way"; others than the first have no part in the score
};

// A figure that was counted, not timed. The limit is of the ratio, or of the bytes if there is no ratio.
struct figure {
    std::optional<std::size_t> n = {};
    std::optional<std::size_t> fanout = {};
    std::string order = {};
    std::optional<double> bytes = {};
    std::optional<double> ratio = {};
    std::optional<double> limit = {};
};

struct settings {
    bool quick = false;
    int retries = 0; // how often a group that misses a limit is measured again
};

class context;

class group {
public:
    // The hand-written version that the others are compared with. Takes a run, or a setup and a run.
    template <typename... Parts> entry& floor(std::string name, Parts... parts) {
        return add({.name = std::move(name), .job = make_work(std::move(parts)...), .floor = true});
    }
    template <typename... Parts> entry& variant(std::string name, Parts... parts) {
        return add({.name = std::move(name), .job = make_work(std::move(parts)...)});
    }
    template <typename... Parts> entry& variant(std::string name, std::vector<limit> limits, Parts... parts) {
        return add(
            {.name = std::move(name), .limits = std::move(limits), .job = make_work(std::move(parts)...)});
    }

    // Runs everything; what the runs refer to must still be there.
    void measure();

private:
    friend context;
    group(context& context, shape shape) : context_{&context}, shape_{std::move(shape)} {}
    entry& add(entry entry);
    [[nodiscard]] std::vector<timing> time() const;

    context* context_;
    shape shape_;
    std::vector<entry> entries_;
};

class context {
public:
    context(std::string scenario, settings settings, std::ostream& progress)
        : scenario_{std::move(scenario)}, settings_{settings}, progress_{&progress} {}

    // The sizes to measure: all of them, or with --quick all but the last.
    [[nodiscard]] std::vector<std::size_t> sizes(std::initializer_list<std::size_t> all) const;
    [[nodiscard]] bool quick() const { return settings_.quick; }

    [[nodiscard]] bench::group group(shape shape);
    void value(std::string variant, figure figure);
    void note(const std::string& text); // one line for the user, such as why something is skipped

    // The rows so far; throws if a group was made and not measured.
    [[nodiscard]] std::vector<row> take();

private:
    friend bench::group;
    std::string scenario_;
    settings settings_;
    std::ostream* progress_;
    std::vector<row> rows_;
    std::size_t unmeasured_ = 0;
};

enum class visibility { listed, hidden };

// Registers itself; a hidden one runs only when it is named.
struct scenario {
    scenario(std::string_view called, std::string_view about, std::function<void(context&)> body,
             visibility shown = visibility::listed);

    std::string name;
    std::string description;
    std::function<void(context&)> run;
    visibility visible;
};

// All scenarios, sorted by name.
[[nodiscard]] std::vector<scenario> scenarios();

} // namespace bench
