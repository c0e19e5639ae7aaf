// pecs_plots: reads what `pecs_bench --json` wrote, and prints a script for gnuplot that draws the figures of the
// documentation; the table of other libraries it writes itself. What the file has no rows for is left out.
#include <algorithm>
#include <cstddef>
#include <exception>
#include <format>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json.hpp"
#include "row.hpp"
#include "table.hpp"

namespace {

using bench::row;
using points = std::vector<std::pair<double, double>>;

struct line {
    std::string title;
    std::string look; // what gnuplot's `plot` takes after `with linespoints`
    points at;
};
struct panel {
    std::string title;
    std::vector<line> lines;
};
struct figure {
    std::string file;
    std::string title;
    std::string x, y;
    std::size_t columns;
    std::vector<panel> panels;
};

constexpr int panel_width = 400;
constexpr int panel_height = 310;
constexpr int head = 70;
constexpr int foot = 110; // axis, its name, the legend, the line about the machine

std::string in_quotes(std::string_view text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string{"''"} : std::string{c};
    return result + "'";
}

std::string look(std::string_view colour, int width = 2, int point = 7, std::string_view dashes = "solid") {
    return std::format("lc rgb '{}' lw {} pt {} ps 0.6 dt {}", colour, width, point, dashes);
}

// Numbers of the form 1, 2, 5 times a power of ten, from the last below all values to the first above.
std::vector<double> round_numbers(double least, double most) {
    std::vector<double> numbers;
    for (double power = 1e-3; power < 1e9; power *= 10)
        for (const double digit : {1.0, 2.0, 5.0}) {
            if (digit * power <= least) numbers.clear();
            numbers.push_back(digit * power);
            if (digit * power >= most) return numbers;
        }
    return numbers;
}

// A number as people write it: 10k, 1M.
std::string name_of(double number) {
    return number >= 1000 ? bench::short_number(static_cast<std::size_t>(number + 0.5))
                          : std::format("{:g}", number);
}

// One scale for all panels, so that they can be compared.
void print_scales(std::ostream& out, const figure& figure) {
    std::vector<double> xs;
    std::vector<double> ys;
    for (const panel& panel : figure.panels)
        for (const line& line : panel.lines)
            for (const auto& [x, y] : line.at) {
                xs.push_back(x);
                ys.push_back(y);
            }
    const std::vector<double> numbers = round_numbers(std::ranges::min(ys), std::ranges::max(ys));
    constexpr std::size_t many = 8;
    out << std::format("set xrange [{}:{}]\nset yrange [{}:{}]\nset ytics (", std::ranges::min(xs) * 0.9,
                       std::ranges::max(xs) * 1.1, numbers.front(), numbers.back());
    bool first = true;
    for (const double number : numbers) {
        const bool decade = std::format("{:g}", number).find_first_of("25") == std::string::npos;
        if (numbers.size() > many && !decade) continue;
        out << std::format("{}{} {}", first ? "" : ", ", in_quotes(name_of(number)), number);
        first = false;
    }
    out << ")\n";
}

// By hand, because gnuplot would make it as wide as one panel.
void print_legend(std::ostream& out, const panel& panel, int width, int height) {
    constexpr int mark = 30;
    constexpr int gap = 24;
    constexpr int letter = 7;
    int total = -gap;
    for (const line& line : panel.lines)
        total += mark + 8 + letter * static_cast<int>(line.title.size()) + gap;
    int x = (width - total) / 2;
    int number = 10;
    const double y = 42.0 / height;
    const auto screen = [&](double at) { return at / width; };
    for (const line& line : panel.lines) {
        const std::string stroke = line.look.substr(0, line.look.find(" pt"));
        const std::string dashes = line.look.substr(line.look.find("dt "));
        const std::string point =
            line.look.substr(line.look.find("pt "), line.look.find(" dt") - line.look.find("pt "));
        const std::string colour = line.look.substr(0, line.look.find(" lw"));
        out << std::format("set arrow {} from screen {:.4f},{:.4f} to screen {:.4f},{:.4f} nohead {} {}\n",
                           number, screen(x), y, screen(x + mark), y, stroke, dashes);
        out << std::format("set label {} '' at screen {:.4f},{:.4f} point {} {}\n", number,
                           screen(x + mark / 2.0), y, colour, point);
        out << std::format("set label {} {} at screen {:.4f},{:.4f} left noenhanced\n", number + 1,
                           in_quotes(line.title), screen(x + mark + 8), y);
        x += mark + 8 + letter * static_cast<int>(line.title.size()) + gap;
        number += 2;
    }
}

void print_panel(std::ostream& out, const figure& figure, std::size_t i) {
    const panel& panel = figure.panels[i];
    const std::size_t rows = figure.panels.size() / figure.columns;
    out << std::format("set title {} offset 0,-0.5\n", in_quotes(panel.title));
    out << std::format("set xlabel {} offset 0,0.3\n",
                       in_quotes(i / figure.columns + 1 == rows ? figure.x : ""));
    out << std::format("set ylabel {}\n", in_quotes(i % figure.columns == 0 ? figure.y : ""));
    for (std::size_t k = 0; k != panel.lines.size(); ++k) {
        out << std::format("$d{} << EOD\n", k);
        for (const auto& [x, y] : panel.lines[k].at) out << std::format("{:g} {:g}\n", x, y);
        out << "EOD\n";
    }
    for (std::size_t k = 0; k != panel.lines.size(); ++k)
        out << std::format("{} $d{} using 1:2 with linespoints {} notitle", k == 0 ? "plot" : ", \\\n    ", k,
                           panel.lines[k].look);
    out << '\n';
}

void print_figure(std::ostream& out, const figure& figure, const std::string& folder,
                  const std::string& about) {
    const auto columns = static_cast<int>(figure.columns);
    const auto rows = static_cast<int>((figure.panels.size() + figure.columns - 1) / figure.columns);
    const int width = std::max(2, columns) * panel_width;
    const int height = rows * panel_height + head + foot;
    out << std::format("reset\nset terminal svg size {},{} font 'Helvetica,13' background '#ffffff'\n", width,
                       height);
    out << std::format("set output {}\n", in_quotes(std::format("{}/{}.svg", folder, figure.file)));
    out << std::format(
        "set multiplot layout {},{} margins {:.3f},{:.3f},{:.3f},{:.3f} spacing {:.3f},{:.3f}\n", rows,
        columns, 82.0 / width, 1 - 25.0 / width, static_cast<double>(foot) / height,
        1 - static_cast<double>(head) / height, 50.0 / width, 60.0 / height);
    out << std::format("set label 1 {} at screen 0.5,{:.3f} center font 'Helvetica Bold,16'\n",
                       in_quotes(figure.title), 1 - 20.0 / height);
    out << std::format(
        "set label 2 {} at screen 0.5,{:.3f} center font 'Helvetica,10' tc rgb '#666666' noenhanced\n",
        in_quotes(about), 15.0 / height);
    out << "unset key\nset logscale xy\nset grid xtics ytics lc rgb '#dddddd' lt 1\nset border 3 lc rgb "
           "'#888888'\n"
           "set tics nomirror tc rgb '#333333'\nset format x '%.0s%c'\nset format y '%g'\n";
    print_scales(out, figure);
    print_legend(out, figure.panels[0], width, height);
    for (std::size_t i = 0; i != figure.panels.size(); ++i) {
        print_panel(out, figure, i);
        out << "unset label\nunset arrow\n";
    }
    out << "unset multiplot\nunset output\n";
}

// The rows that fit, as a line through (x, y); only the first of several at the same x.
template <typename Fits>
points through(std::span<const row> rows, Fits fits, std::optional<std::size_t> row::* x,
               std::optional<double> row::* y) {
    points found;
    for (const row& row : rows) {
        if (!fits(row) || !(row.*x) || !(row.*y)) continue;
        const auto at = static_cast<double>(*(row.*x));
        if (std::ranges::find(found, at, &points::value_type::first) == found.end())
            found.emplace_back(at, std::max(*(row.*y), 0.01)); // the scale is logarithmic
    }
    std::ranges::sort(found);
    return found;
}

void add(panel& to, line line) {
    if (!line.at.empty()) to.lines.push_back(std::move(line));
}
void add(figure& to, panel panel) {
    if (!panel.lines.empty()) to.panels.push_back(std::move(panel));
}

figure relation(std::span<const row> rows) {
    std::set<std::size_t> sizes;
    for (const row& row : rows)
        if (row.scenario == "relation" && row.n) sizes.insert(*row.n);
    figure made{"relation",
                "For every parent, the sum over its children",
                "children per parent",
                "ns per child",
                sizes.size(),
                {}};
    const std::pair<const char*, std::string> variants[]{
        {"parent_list", look("#999999", 2, 5)}, {"parent_slice", look("#56b4e9", 2, 9)},
        {"child", look("#e69f00", 2, 11)},      {"default", look("#009e73", 2, 13)},
        {"by", look("#0072b2", 2, 13)},         {"families", look("#d55e00", 3, 7)},
        {"csr", look("#000000", 2, 2, "2")}};
    for (const std::string order : {"parent", "shuffled"})
        for (const std::size_t n : sizes) {
            panel one{std::format("{} children, made {}", bench::short_number(n),
                                  order == "parent" ? "parent by parent" : "in random order"),
                      {}};
            for (const auto& [variant, style] : variants)
                add(one, {variant, style,
                          through(
                              rows,
                              [&](const row& row) {
                                  return row.scenario == "relation" && row.variant == variant && row.n == n &&
                                         row.order == order;
                              },
                              &row::fanout, &row::ns)});
            add(made, std::move(one));
        }
    return made;
}

figure memory(std::span<const row> rows) {
    figure made{"memory",
                "What a target takes beyond its children's values",
                "children per parent",
                "bytes per parent",
                1,
                {}};
    panel one{"100k children", {}};
    const std::pair<const char*, std::string> variants[]{{"parent_list", look("#999999", 2, 5)},
                                                         {"parent_slice", look("#56b4e9", 2, 9)},
                                                         {"child", look("#e69f00", 2, 11)},
                                                         {"families, as grown", look("#d55e00", 2, 6, "2")},
                                                         {"families", look("#d55e00", 3, 7)}};
    for (const auto& [variant, style] : variants)
        add(one,
            {variant, style,
             through(
                 rows, [&](const row& row) { return row.scenario == "memory" && row.variant == variant; },
                 &row::fanout, &row::bytes)});
    add(made, std::move(one));
    return made;
}

figure propagation(std::span<const row> rows) {
    figure made{"propagation", "Transforms of a scene, parents first", "nodes", "ns per node", 2, {}};
    const std::pair<const char*, std::string> states[]{{"", look("#d55e00", 3, 7)},
                                                       {", reparented", look("#e69f00", 2, 11)},
                                                       {", compacted", look("#0072b2", 2, 13)}};
    for (const auto& [depth, fanout] : {std::pair<const char*, std::size_t>{"depth 4", 10}, {"depth 8", 3}}) {
        panel one{std::format("{}, {} children per node", depth, fanout), {}};
        const auto named = [&](const std::string& variant) {
            return through(
                rows,
                [&](const row& row) {
                    return row.scenario == "propagation" && row.variant == variant && row.fanout == fanout;
                },
                &row::n, &row::ns);
        };
        add(one, {"sorted arrays", look("#000000", 2, 2, "2"), named("sorted arrays")});
        for (const auto& [state, style] : states)
            add(one, {*state == '\0' ? "PECS, as built" : std::string{"PECS"} + state, style,
                      named(std::string{depth} + state)});
        add(made, std::move(one));
    }
    made.columns = std::max<std::size_t>(1, made.panels.size());
    return made;
}

std::string content(const std::string& file) {
    std::ifstream in{file, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    if (!in.is_open() || in.bad()) throw std::runtime_error{std::format("cannot read {}", file)};
    return text;
}

// The first line of the file beside the JSON, if there is one.
std::string about(const std::string& json) {
    std::ifstream in{json + ".about"};
    std::string text;
    std::getline(in, text);
    return text;
}

// Other libraries as a page: the table of all rows, the faster ones in bold.
std::size_t write_peers(std::span<const row> rows, const std::string& folder, const std::string& about) {
    constexpr std::string_view prefix = "peers_";
    std::string table;
    for (const row& row : rows) {
        if (!row.scenario.starts_with(prefix) || !row.ns || !row.ratio) continue;
        const bool faster = *row.ratio < 1 && !row.variant.starts_with("PECS");
        const std::string mark = faster ? "**" : "";
        table += std::format("| {} | {} | {} | {} | {:.3g} | {}{:.2f}{} |\n",
                             row.scenario.substr(prefix.size()), row.n ? bench::short_number(*row.n) : "",
                             row.fanout ? bench::short_number(*row.fanout) : "", row.variant, *row.ns, mark,
                             *row.ratio, mark);
    }
    if (table.empty()) return 0;
    const std::string file = std::format("{}/peers.md", folder);
    std::ofstream out{file};
    out << "# PECS and other libraries\n\n"
        << "Drawn up by `./dev bench --plots`; [Benchmarks](../benchmarks.md#other-libraries) says how to "
           "read it. A\n"
        << "ratio above 1 says that PECS is faster, one in bold that it is not.\n\n"
        << about << "\n\n| scenario | n | fan-out | variant | ns per item | ratio to PECS |\n"
        << "|---|---|---|---|---|---|\n"
        << table;
    if (!out.flush()) throw std::runtime_error{std::format("cannot write {}", file)};
    std::cerr << std::format("    {}\n", file);
    return 1;
}

int draw(const std::string& json, const std::string& folder) {
    const std::vector<row> rows = bench::read_json(content(json));
    std::size_t drawn = write_peers(rows, folder, about(json));
    for (const figure& each : {relation(rows), memory(rows), propagation(rows)}) {
        if (each.panels.empty()) {
            std::cerr << std::format("pecs_plots: {} has no rows for {}.svg\n", json, each.file);
            continue;
        }
        print_figure(std::cout, each, folder, about(json));
        std::cerr << std::format("    {}/{}.svg\n", folder, each.file);
        ++drawn;
    }
    return drawn == 0 ? 1 : 0;
}

} // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::cerr << "usage: pecs_plots JSON FOLDER | gnuplot\n";
        return 2;
    }
    try {
        return draw(arguments[1], arguments[2]);
    } catch (const std::exception& error) {
        std::cerr << std::format("pecs_plots: {}: {}\n", arguments[1], error.what());
        return 2;
    }
}
