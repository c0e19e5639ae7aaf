// Checksums, samples and what is read from them: everything but the clock.
#include <boost/ut.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "bench.hpp"
#include "estimate.hpp"
#include "input.hpp"

int main() {
    using namespace boost::ut;

    "whole checksums agree exactly, real ones to one part in 10^9"_test = [] {
        using bench::checksum;
        expect(checksum{1} == checksum{1U});
        expect(checksum{std::uint64_t{1} << 60U} != checksum{(std::uint64_t{1} << 60U) + 1});
        expect(checksum{1.0} == checksum{1.0 + 1e-12});
        expect(checksum{1.0} != checksum{1.0 + 1e-6});
        expect(checksum{3} == checksum{3.0F});
        expect(checksum{0.0} == checksum{0});
    };

    "values of any kind can be kept"_test = [] {
        bench::keep(1);
        bench::keep(std::string{"text"});
    };

    "the median of an even number of values is between the middle ones"_test = [] {
        expect(bench::median({3, 1, 2}) == 2.0_d);
        expect(bench::median({4, 1, 2, 3}) == 2.5_d);
        expect(bench::median({5}) == 5.0_d);
    };

    "rounds in which either side was disturbed do not decide the ratio"_test = [] {
        const std::vector<double> floor{10, 10, 90, 10, 10, 95, 99};
        const std::vector<double> other{20, 20, 20, 95, 20, 20, 20};
        expect(bench::quiet_median(bench::ratios(other, floor)) == 2.0_d);
    };

    "a drift that both sides share does not change the ratio"_test = [] {
        const std::vector<double> floor{10, 11, 12, 13, 14};
        const std::vector<double> other{15, 16.5, 18, 19.5, 21};
        expect(bench::quiet_median(bench::ratios(other, floor)) == 1.5_d);
        expect(bench::spread(bench::ratios(other, floor), 1.5) == 0.0_d);
    };

    "every fresh run has its own setup, and state does not outlive it"_test = [] {
        static int alive = 0;
        struct state {
            state() { ++alive; }
            state(const state&) = delete;
            state(state&&) noexcept { ++alive; }
            state& operator=(const state&) = delete;
            state& operator=(state&&) = delete;
            ~state() { --alive; }
            int runs = 0;
        };
        int setups = 0;
        int runs = 0;
        const auto work = bench::make_work(
            [&] {
                ++setups;
                return state{};
            },
            [&](state& own) {
                ++runs;
                return own.runs++ + alive;
            });
        std::vector<bench::work*> works{work.get()};
        const bench::pace pace{.fewest_rounds = 4, .most_rounds = 4, .sample = {}, .budget = {}};
        const auto timings = bench::measure(works, pace, false);
        expect(setups == 5_i and runs == 5_i) << "one to find out, then one per round";
        expect(timings[0].rounds.size() == 4_ul and timings[0].steady);
        expect(timings[0].sum == bench::checksum{1});
        expect(alive == 0_i);
    };

    "rounds are interleaved and rotate"_test = [] {
        std::string order;
        const auto a = bench::make_work([] { return 0; }, [&](int) { return order += 'a', 0; });
        const auto b = bench::make_work([] { return 0; }, [&](int) { return order += 'b', 0; });
        std::vector<bench::work*> works{a.get(), b.get()};
        const bench::pace pace{.fewest_rounds = 3, .most_rounds = 9, .sample = {}, .budget = {}};
        static_cast<void>(bench::measure(works, pace, false));
        expect(order == "ab"
                        "ab"
                        "ba"
                        "ab")
            << order;
    };

    "work that drifts is not expected to repeat itself"_test = [] {
        int runs = 0;
        const auto work = bench::make_work([&] { return ++runs; });
        std::vector<bench::work*> works{work.get()};
        const bench::pace pace{.fewest_rounds = 2, .most_rounds = 2, .sample = {}, .budget = {}};
        expect(not bench::measure(works, pace, false)[0].steady);
        runs = 0;
        const auto drifting = bench::measure(works, pace, true);
        expect(drifting[0].steady and drifting[0].sum == bench::checksum{1});
    };

    "shuffled inputs are permutations, always the same"_test = [] {
        const auto values = bench::shuffled(1000);
        expect(std::set<std::uint32_t>(values.begin(), values.end()).size() == 1000_ul);
        expect(values == bench::shuffled(1000) and values != bench::shuffled(1000, 2));
        expect(bench::random{1}.next() == 10451216379200822465ULL);
    };
}
