// The harness measured by itself: hidden scenarios whose results are known beforehand. They need no PECS.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "bench.hpp"
#include "input.hpp"

namespace {

constexpr std::size_t size = 10'000;
constexpr double never = 0;
constexpr double always = 1000;

std::uint64_t sum(const std::vector<std::uint32_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

std::uint64_t drain(std::vector<std::uint32_t>& values) {
    std::uint64_t total = 0;
    for (; !values.empty(); values.pop_back()) total += values.back();
    return total;
}

void identical(bench::context& context) {
    for (const std::size_t n : context.sizes({size / 10, size, size * 100})) {
        const std::vector<std::uint32_t> values = bench::shuffled(n);
        auto group = context.group({.n = n, .order = "shuffled"});
        group.floor("hand-written", [&] { return sum(values); });
        group.variant("same", {bench::at_most(always)}, [&] { return sum(values); });
        group.variant("twice", {bench::at_most(always, "same")},
                      [&] { return (sum(values) + sum(values)) / 2; });
        group.measure();
    }
    auto group = context.group({.n = size});
    const auto setup = [] { return bench::shuffled(size); };
    group.floor("drained", setup, drain);
    group.variant("drained again", setup, drain).bytes(size * sizeof(std::uint32_t));
    group.measure();
    context.value("counted", {.n = size, .bytes = size * sizeof(std::uint32_t), .ratio = 1.08, .limit = 1.1});
}

void wrong_checksum(bench::context& context) {
    auto group = context.group({.n = size});
    const std::vector<std::uint32_t> values = bench::shuffled(size);
    group.floor("hand-written", [&] { return sum(values); });
    group.variant("off by one", {bench::at_most(always)}, [&] { return sum(values) + 1; });
    group.measure();
}

void missed_limits(bench::context& context) {
    auto group = context.group({.n = size});
    const std::vector<std::uint32_t> values = bench::shuffled(size);
    group.floor("hand-written", [&] { return sum(values); });
    group.variant("too slow", {bench::at_most(never)}, [&] { return sum(values); });
    group.measure();
    context.value("too large", {.bytes = 65, .limit = 64});
}

void failing(bench::context&) { throw std::runtime_error{"on purpose"}; }

const bench::scenario registered[]{
    {"selftest", "identical loops, with ratios of about 1", identical, bench::visibility::hidden},
    {"selftest_checksum", "a variant that does other work", wrong_checksum, bench::visibility::hidden},
    {"selftest_limit", "limits that cannot be met", missed_limits, bench::visibility::hidden},
    {"selftest_failure", "an exception", failing, bench::visibility::hidden},
};

} // namespace
