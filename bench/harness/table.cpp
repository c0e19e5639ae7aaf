#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <ostream>

#include "judge.hpp"

namespace bench {
namespace {

constexpr std::size_t indent = 2;

std::string time_cell(double ns) {
    int digits = 3;
    for (double next = 10; ns >= next && digits != 0; next *= 10) --digits;
    return std::format("{:.{}f}", ns, digits);
}

std::string ratio_cell(double ratio) { return std::format("{:.{}f}", ratio, ratio < 100 ? 2 : 0); }

std::string bytes_cell(double bytes) {
    return std::format("{:.{}f}", bytes, bytes == std::floor(bytes) ? 0 : 2);
}

std::string limit_cell(const row& row) {
    if (!row.limit) return "";
    const std::string number = row.ratio ? ratio_cell(*row.limit) : bytes_cell(*row.limit);
    return row.limit_note.empty() ? number : std::format("{} ({})", number, row.limit_note);
}

std::string met_cell(const row& row) {
    if (row.wrong) return "CHECKSUM";
    if (!row.met) return "";
    if (*row.met) return "yes";
    return fails(row) ? "NO" : "NO, known";
}

template <typename T, typename Format> std::string cell(const std::optional<T>& value, Format format) {
    return value ? format(*value) : std::string{};
}

} // namespace

void table::print(std::ostream& out) const {
    std::vector<std::size_t> widths(header.size(), 0);
    for (const auto& line : lines) {
        for (std::size_t i = 0; i != widths.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    }
    const auto print_line = [&](const std::vector<std::string>& line) {
        std::string text(indent, ' ');
        for (std::size_t i = 0; i != widths.size(); ++i) {
            if (widths[i] == 0) continue;
            const std::size_t width = std::max(widths[i], header[i].size());
            if (i != 0) text += "  ";
            text += i < text_columns ? std::format("{:<{}}", line[i], width)
                                     : std::format("{:>{}}", line[i], width);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out << text << '\n';
    };
    print_line(header);
    for (const auto& line : lines) print_line(line);
}

std::string short_number(std::size_t number) {
    constexpr std::size_t thousand = 1000;
    constexpr std::size_t million = thousand * thousand;
    if (number != 0 && number % million == 0) return std::format("{}M", number / million);
    if (number != 0 && number % thousand == 0) return std::format("{}k", number / thousand);
    return std::format("{}", number);
}

void print_rows(std::ostream& out, std::span<const row> rows) {
    table table{{"variant", "n", "fan-out", "order", "bytes", "ns/item", "err", "ratio", "limit", "met"}};
    for (const row& row : rows) {
        const auto percent = [](double err) { return std::format("{:.1f}%", err * 100); };
        table.lines.push_back({row.variant, cell(row.n, short_number), cell(row.fanout, short_number),
                               row.order, cell(row.bytes, bytes_cell), cell(row.ns, time_cell),
                               cell(row.err, percent), cell(row.ratio, ratio_cell), limit_cell(row),
                               met_cell(row)});
    }
    table.print(out);
}

void print_summary(std::ostream& out, std::span<const row> rows) {
    double logarithms = 0;
    std::size_t ratios = 0;
    for (const row& row : rows) {
        if (!row.ns || !row.ratio || row.floor || !row.scored) continue;
        logarithms += std::log(*row.ratio);
        ++ratios;
    }
    if (ratios != 0) {
        const double score = std::exp(logarithms / static_cast<double>(ratios));
        out << std::format("score: {:.3f} (geometric mean of {} ratios to the floor)\n", score, ratios);
    }
    const auto limited = std::ranges::count_if(rows, [](const row& row) { return row.met.has_value(); });
    const auto misses = std::ranges::count_if(rows, missed);
    const auto failures = std::ranges::count_if(rows, fails);
    out << std::format("{} of {} limits met\n", limited - misses, limited);
    if (misses != failures)
        out << std::format("missed as known: {} (docs/benchmarks.md says why)\n", misses - failures);
    const auto rivals = std::ranges::count(rows, true, &row::rival);
    const auto faster =
        std::ranges::count_if(rows, [](const row& row) { return row.rival && row.ratio.value_or(1) < 1; });
    if (rivals != 0)
        out << std::format("other libraries are faster than PECS in {} of {} rows\n", faster, rivals);
    const auto wrong = std::ranges::count(rows, true, &row::wrong);
    if (wrong != 0) out << std::format("wrong checksums: {}\n", wrong);
}

} // namespace bench
