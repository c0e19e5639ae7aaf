// JSON out and in: no figure is lost, and no damage goes unnoticed.
#include <boost/ut.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "json.hpp"

namespace {

using bench::row;

// What is wrong with a text, or nothing.
std::string damage(std::string_view text) {
    try {
        static_cast<void>(bench::read_json(text));
        return "";
    } catch (const bench::json_error& error) {
        return error.what();
    }
}

bool mentions(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}

} // namespace

int main() {
    using namespace boost::ut;

    "rows survive the way through JSON"_test = [] {
        row full{
            .scenario = "a \"b\" \\ \n", .variant = "v", .n = 1'000'000, .fanout = 10, .order = "shuffled"};
        full.ns = 0.333;
        full.ratio = 1.25;
        full.limit = 1.3;
        full.met = true;
        full.bytes = 52'000'001;
        full.err = 0.015;
        full.sum = ~std::uint64_t{0};
        const row bare{.scenario = "s", .variant = "w"};
        std::ostringstream out;
        bench::write_json(out, std::vector<row>{full, bare});
        expect(mentions(out.str(), R"("checksum": 18446744073709551615)")) << out.str();
        expect(mentions(out.str(), R"({"scenario": "s", "variant": "w"})")) << out.str();
        const auto rows = bench::read_json(out.str());
        expect(fatal(rows.size() == 2_ul));
        expect(rows[0].scenario == full.scenario and rows[0].variant == full.variant);
        expect(rows[0].n == full.n and rows[0].fanout == full.fanout and rows[0].order == full.order);
        expect(rows[0].ns == full.ns and rows[0].ratio == full.ratio and rows[0].limit == full.limit);
        expect(rows[0].met == full.met and rows[0].bytes == full.bytes and rows[0].err == full.err);
        expect(not rows[1].n and not rows[1].ns and not rows[1].met and rows[1].order.empty());
    };

    "no rows are an empty array"_test = [] {
        std::ostringstream out;
        bench::write_json(out, {});
        expect(out.str() == "[]\n" and bench::read_json(out.str()).empty());
    };

    "a figure that is no number is left out of the JSON"_test = [] {
        row row{.scenario = "s", .variant = "v"};
        row.ns = std::numeric_limits<double>::infinity();
        row.sum = std::numeric_limits<double>::quiet_NaN();
        std::ostringstream out;
        bench::write_json(out, std::span{&row, 1});
        expect(out.str() == "[\n  {\"scenario\": \"s\", \"variant\": \"v\"}\n]\n") << out.str();
    };

    "the reader does not mind keys of other versions, null, or another layout"_test = [] {
        const auto rows =
            bench::read_json(" [{\"variant\":\"v\",\"new\":\"x\",\"n\":null ,\n\"scenario\":\"s\"} ] ");
        expect(rows.size() == 1_ul and rows[0].variant == std::string{"v"} and not rows[0].n);
    };

    "a damaged file is told by line and kind"_test = [] {
        constexpr std::string_view good =
            "[\n{\"scenario\": \"s\", \"variant\": \"v\", \"ratio\": 1.5, \"met\": true}\n]";
        expect(damage(good).empty());
        for (std::size_t length = 0; length != good.size(); ++length) {
            expect(mentions(damage(good.substr(0, length)), "line ")) << good.substr(0, length);
        }
        expect(mentions(damage(good.substr(0, 30)), "line 2: the file ends too early"));
        expect(mentions(damage("[] x"), "something follows"));
        expect(mentions(damage("{}"), "expected '['"));
        expect(mentions(damage(R"([{"scenario": "s"}])"), "without a scenario or a variant"));
        expect(mentions(damage(R"([{"scenario": 1}])"), "'scenario' should be a text"));
        expect(mentions(damage(R"([{"n": -1}])"), "'n' should be a whole number"));
        expect(mentions(damage(R"([{"n": 1.5}])"), "'n' should be a whole number"));
        expect(mentions(damage(R"([{"ratio": nan}])"), "expected a text, a number"));
        expect(mentions(damage(R"([{"ratio": 1e999}])"), "expected a text, a number"));
        expect(mentions(damage(R"([{"x": {}}])"), "expected a text, a number"));
        expect(mentions(damage(R"([{"scenario": "\q"}])"), "unknown escape"));
    };
}
