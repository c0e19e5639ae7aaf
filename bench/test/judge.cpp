// How limits are judged, and how a group refuses what makes no sense.
#include <boost/ut.hpp>

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench.hpp"

namespace {

using bench::row;

// Rounds in which every variant takes `ns`.
bench::timing steadily(double ns, bench::checksum sum = 7) { return {.rounds = {ns, ns, ns}, .sum = sum}; }

std::vector<bench::entry> floor_and(std::vector<bench::limit> limits) {
    std::vector<bench::entry> entries(3);
    entries[0].name = "hand";
    entries[0].floor = true;
    entries[1].name = "single";
    entries[2].name = "batch";
    entries[2].limits = std::move(limits);
    return entries;
}

row limited(double ratio) {
    row row{.scenario = "s", .variant = "v"};
    row.ratio = ratio;
    row.limit = 1.0;
    row.met = ratio <= 1;
    return row;
}

bool mentions(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}

} // namespace

int main() {
    using namespace boost::ut;

    "times are per item, ratios are to the floor"_test = [] {
        const std::vector<bench::timing> timings{steadily(100), steadily(400), steadily(50)};
        const auto rows = bench::judge(floor_and({}), timings, 10);
        expect(rows[0].ns == 10.0 and rows[1].ns == 40.0 and rows[2].ns == 5.0);
        expect(rows[0].ratio == 1.0 and rows[1].ratio == 4.0 and rows[2].ratio == 0.5);
        expect(rows[0].floor and not rows[1].floor);
        expect(not rows[2].limit and not rows[2].met and not bench::missed(rows[2]));
    };

    "the tightest of several limits counts, as a ratio to the floor"_test = [] {
        const std::vector<bench::timing> timings{steadily(100), steadily(400), steadily(150)};
        const auto met =
            bench::judge(floor_and({bench::at_most(2), bench::at_most(0.5, "single")}), timings, 1);
        expect(met[2].limit == 2.0 and met[2].met == true);
        const auto tight =
            bench::judge(floor_and({bench::at_most(2), bench::faster_than("single", 4)}), timings, 1);
        expect(tight[2].limit == 1.0 and tight[2].ratio == 1.5 and bench::missed(tight[2]));
        expect(tight[2].limit_note == std::string{"0.25 x single"});
    };

    "without a floor, a limit between variants is judged between them"_test = [] {
        auto entries = floor_and({bench::at_most(0.5, "single")});
        entries[0].floor = false;
        const std::vector<bench::timing> timings{steadily(100), steadily(400), steadily(150)};
        const auto rows = bench::judge(entries, timings, 1);
        expect(not rows[0].ratio and not rows[1].ratio);
        expect(rows[2].ratio == 0.375 and rows[2].limit == 0.5 and rows[2].met == true);
        expect(throws<std::invalid_argument>([&] {
            entries[1].limits = {bench::at_most(2)};
            static_cast<void>(bench::judge(entries, timings, 1));
        }));
    };

    "a limit that is known to be missed is missed, and fails only beyond what is known"_test = [] {
        const std::vector<bench::timing> timings{steadily(100), steadily(400), steadily(150)};
        const auto judged = [&](double allowed) {
            return bench::judge(floor_and({bench::known_miss(bench::at_most(1.2), allowed)}), timings, 1)[2];
        };
        expect(bench::missed(judged(1.6)) and not bench::fails(judged(1.6)));
        expect(bench::missed(judged(1.4)) and bench::fails(judged(1.4)));
        expect(judged(1.6).limit == 1.2 and judged(1.6).met == false);
    };

    "a limit that names no variant of the group is refused"_test = [] {
        const std::vector<bench::timing> timings{steadily(1), steadily(1), steadily(1)};
        expect(throws<std::invalid_argument>(
            [&] { static_cast<void>(bench::judge(floor_and({bench::at_most(1, "other")}), timings, 1)); }));
    };

    "other work is wrong, and so is work that changes from run to run"_test = [] {
        std::vector<bench::timing> timings{steadily(100), steadily(100, 8), steadily(100)};
        timings[2].steady = false;
        const auto rows = bench::judge(floor_and({bench::at_most(2)}), timings, 1);
        expect(not rows[0].wrong and rows[1].wrong and rows[2].wrong);
        expect(bench::missed(rows[2])) << "a wrong result meets no limit";
        expect(bench::fails(rows[2])) << "known or not";
    };

    "of two measurements the better one counts, row by row"_test = [] {
        const row free{.scenario = "s", .variant = "v", .n = 1};
        const row other{.scenario = "s", .variant = "v", .n = 2};
        const auto rows =
            bench::better({limited(1.2), limited(0.9), free}, {limited(0.8), limited(1.1), other});
        expect(rows[0].ratio == 0.8 and rows[0].met == true);
        expect(rows[1].ratio == 0.9 and rows[1].met == true);
        expect(rows[2].n == std::size_t{1}) << "without a limit, the first";
    };

    "times of the better measurement go with the floor of the first"_test = [] {
        row floor{.scenario = "s", .variant = "f", .ns = 10, .ratio = 1};
        floor.floor = true;
        row again = floor;
        again.ns = 30;
        const auto rows = bench::better({floor, limited(1.2)}, {again, limited(0.8)});
        expect(rows[0].ns == 10.0 and rows[1].ns == 8.0);
    };

    "a checksum that is wrong in the second measurement is wrong"_test = [] {
        row wrong = limited(1.3);
        wrong.wrong = true;
        expect(bench::better({limited(1.2)}, {wrong})[0].wrong);
    };

    "runs that drift are compared only at the very first"_test = [] {
        std::ostringstream progress;
        bench::context context{"s", {.quick = true, .retries = 2}, progress};
        int one = 0;
        int two = 0;
        auto group = context.group({.n = 1, .drift = true});
        group.floor("a", [&] { return one += 1; });
        group.variant("b", {bench::at_most(0)}, [&] { return two == 0 ? two += 1 : two += 2; });
        group.measure();
        expect(mentions(progress.str(), "measuring it again"));
        for (const row& row : context.take()) expect(not row.wrong) << row.variant;
    };

    "a quick run leaves out the largest size"_test = [] {
        std::ostringstream progress;
        const bench::context full{"s", {}, progress};
        const bench::context quick{"s", {.quick = true}, progress};
        expect(full.sizes({1, 2, 3}) == std::vector<std::size_t>{1, 2, 3});
        expect(quick.sizes({1, 2, 3}) == std::vector<std::size_t>{1, 2});
        expect(quick.sizes({1}) == std::vector<std::size_t>{1});
    };

    "a group cannot be forgotten, or have two floors or two variants of a name"_test = [] {
        std::ostringstream progress;
        bench::context context{"s", {.quick = true}, progress};
        auto group = context.group({});
        expect(throws<std::logic_error>([&] { static_cast<void>(context.take()); }));
        group.floor("a", [] { return 1; });
        expect(throws<std::invalid_argument>([&] { group.floor("b", [] { return 1; }); }));
        expect(throws<std::invalid_argument>([&] { group.variant("a", [] { return 1; }); }));
        group.measure();
        expect(context.take().size() == 1_ul);
        expect(throws<std::logic_error>([&] { group.measure(); }));
    };

    "a group that misses a limit is measured again, as often as that is wanted"_test = [] {
        for (const int retries : {0, 3}) {
            std::ostringstream progress;
            bench::context context{"s", {.quick = true, .retries = retries}, progress};
            auto group = context.group({.n = 1});
            group.floor("a", [] { return 1; });
            group.variant("b", {bench::at_most(0)}, [] { return 1; });
            group.measure();
            expect(mentions(progress.str(), "measuring it again (3 of 3)") == (retries == 3));
            expect(bench::missed(context.take()[1]));
        }
    };

    "a figure is judged by its ratio, or else by its bytes"_test = [] {
        std::ostringstream progress;
        bench::context context{"s", {}, progress};
        context.value("ratio", {.bytes = 1000, .ratio = 1.2, .limit = 1.1});
        context.value("bytes", {.bytes = 64, .limit = 64});
        context.value("free", {.bytes = 64});
        const auto rows = context.take();
        expect(rows[0].met == false and rows[1].met == true and not rows[2].met);
        expect(throws<std::invalid_argument>([&] { context.value("nothing", {.limit = 1}); }));
    };
}
