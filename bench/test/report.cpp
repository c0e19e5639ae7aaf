// What people see and type: tables, scores, comparisons, the command line.
#include <boost/ut.hpp>

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "options.hpp"
#include "table.hpp"

namespace {

using bench::row;

row timed(std::string variant, double ratio, std::size_t n = 10) {
    row row{.scenario = "s", .variant = std::move(variant), .n = n};
    row.ns = 2 * ratio;
    row.ratio = ratio;
    return row;
}

bench::options parsed(std::vector<std::string_view> words) { return bench::parse(words); }

bool mentions(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}

} // namespace

int main() {
    using namespace boost::ut;

    "a run is compared with a stored one row by row, by ratio"_test = [] {
        row floor = timed("hand", 1);
        floor.floor = true;
        const std::vector<row> now{floor, timed("a", 1.5), timed("a", 3, 20), timed("new", 1)};
        const std::vector<row> then{timed("a", 2, 20), timed("a", 1), timed("hand", 1), timed("gone", 1)};
        const auto changes = bench::compare(now, then);
        expect(fatal(changes.size() == 2_ul));
        expect(changes[0].then == 1.0 and changes[0].now == 1.5);
        expect(changes[1].then == 2.0 and changes[1].now == 3.0);
        std::ostringstream out;
        bench::print_changes(out, changes, "old.json");
        expect(mentions(out.str(), "now/then: 1.500 (geometric mean of 2)")) << out.str();
        bench::print_changes(out, {}, "old.json");
        expect(mentions(out.str(), "nothing of this run has a ratio in old.json"));
    };

    "the score is the geometric mean of timed ratios without the floors"_test = [] {
        row floor = timed("hand", 1);
        floor.floor = true;
        row counted{.scenario = "s", .variant = "memory"};
        counted.ratio = 100;
        counted.limit = 1;
        counted.met = false;
        std::ostringstream out;
        bench::print_summary(out, std::vector<row>{floor, timed("a", 1), timed("b", 4), counted});
        expect(mentions(out.str(), "score: 2.000 (geometric mean of 2 ratios to the floor)")) << out.str();
        expect(mentions(out.str(), "0 of 1 limits met")) << out.str();
    };

    "other libraries have no part in the score, but are counted where they are faster"_test = [] {
        row slower = timed("other", 2);
        row faster = timed("another", 0.5);
        slower.rival = faster.rival = true;
        slower.scored = faster.scored = false;
        std::ostringstream out;
        bench::print_summary(out, std::vector<row>{timed("a", 4), slower, faster});
        expect(mentions(out.str(), "score: 4.000 (geometric mean of 1 ratios to the floor)")) << out.str();
        expect(mentions(out.str(), "other libraries are faster than PECS in 1 of 2 rows")) << out.str();
    };

    "a table leaves out what no row has"_test = [] {
        row missed = timed("slow", 2);
        missed.limit = 1.5;
        missed.met = false;
        row wrong = timed("odd", 1);
        wrong.wrong = true;
        std::ostringstream out;
        bench::print_rows(out, std::vector<row>{missed, wrong});
        expect(out.str() == "  variant   n  ns/item  ratio  limit       met\n"
                            "  slow     10    4.000   2.00   1.50        NO\n"
                            "  odd      10    2.000   1.00         CHECKSUM\n")
            << out.str();
    };

    "numbers are short where that loses nothing"_test = [] {
        expect(bench::short_number(0) == std::string{"0"});
        expect(bench::short_number(1234) == std::string{"1234"});
        expect(bench::short_number(10'000) == std::string{"10k"});
        expect(bench::short_number(1'000'000) == std::string{"1M"});
    };

    "the command line knows its words"_test = [] {
        const auto options =
            parsed({"b", "--quick", "a", "--json", "x", "b", "--baseline", "y", "--check", "--list"});
        expect(options.scenarios == std::vector<std::string>{"b", "a"});
        expect(options.quick and options.check and options.list and not options.help);
        expect(options.json == std::string{"x"} and options.baseline == std::string{"y"});
        for (const char* word : {"--bogus", "-x", "", "--json", "--baseline"}) {
            expect(throws<bench::usage_error>([&] { static_cast<void>(parsed({word})); })) << word;
        }
        expect(throws<bench::usage_error>([] { static_cast<void>(parsed({"--json", "--quick"})); }));
    };
}
