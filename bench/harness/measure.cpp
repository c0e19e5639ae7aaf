// The rounds, and the only calls of nanobench: measure.hpp has the reasons.
#include "measure.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <nanobench.h>

namespace bench {
namespace {

using namespace std::chrono_literals;
using clock = ankerl::nanobench::Clock;
using nanoseconds = std::chrono::duration<double, std::nano>;

constexpr nanoseconds shortest = 1ns; // a clock that did not move must not lead to a division by zero
constexpr nanoseconds longest_warmed = 20ms;
constexpr double most_iterations = 1e6;

class subject {
public:
    subject(work& work, const pace& pace, bool drifts) : work_{&work}, drifts_{drifts} {
        work_->prepare();
        run_time_ = time([&](const checksum& sum) { result_.sum = sum; });
        work_->discard();
        if (!work_->fresh()) find_iterations(pace.sample);
    }

    void sample() {
        work_->prepare();
        if (!work_->fresh() && run_time_ < longest_warmed) check(work_->run());
        result_.rounds.push_back(time([&](const checksum& sum) { check(sum); }).count());
        work_->discard();
    }

    [[nodiscard]] timing result() && { return std::move(result_); }

private:
    // The time of one run; `take` gets the checksum of the last.
    template <typename Take> nanoseconds time(Take take) {
        checksum last;
        ankerl::nanobench::Bench bench;
        bench.output(nullptr).epochs(1).epochIterations(iterations_).run([&] {
            last = work_->run();
            ankerl::nanobench::doNotOptimizeAway(last);
        });
        take(last);
        const double seconds = bench.results().front().minimum(ankerl::nanobench::Result::Measure::elapsed);
        return std::max(nanoseconds{seconds * 1e9}, shortest / static_cast<double>(iterations_));
    }

    // One disturbed run must not make this work look long: with fewer iterations than the others, its samples
    // would carry more of the clock's own time.
    void find_iterations(nanoseconds sample) {
        constexpr int tries = 3;
        double wanted = 1;
        do {
            iterations_ = static_cast<std::uint64_t>(wanted);
            for (int i = 0; i != tries && run_time_ < longest_warmed; ++i) {
                run_time_ = std::min(run_time_, time([&](const checksum& sum) { check(sum); }));
            }
            wanted = std::clamp(sample / run_time_, 1.0, most_iterations);
        } while (wanted > 2 * static_cast<double>(iterations_));
        iterations_ = static_cast<std::uint64_t>(wanted);
    }

    void check(const checksum& sum) {
        if (!drifts_ && sum != result_.sum) result_.steady = false;
    }

    work* work_;
    bool drifts_;
    nanoseconds run_time_{};
    std::uint64_t iterations_ = 1;
    timing result_;
};

} // namespace

std::vector<timing> measure(std::span<work* const> works, const pace& pace, bool drift) {
    std::vector<subject> subjects;
    subjects.reserve(works.size());
    for (work* each : works) subjects.emplace_back(*each, pace, drift);

    const auto end = clock::now() + pace.budget * works.size();
    for (std::size_t round = 0; round != pace.most_rounds; ++round) {
        if (round >= pace.fewest_rounds && clock::now() >= end) break;
        for (std::size_t i = 0; i != subjects.size(); ++i) subjects[(round + i) % subjects.size()].sample();
    }

    std::vector<timing> timings;
    timings.reserve(subjects.size());
    for (subject& each : subjects) timings.push_back(std::move(each).result());
    return timings;
}

} // namespace bench
