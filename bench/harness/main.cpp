// pecs_bench: runs scenarios and reports. Tables go to standard output as soon as their scenario is finished,
// progress and complaints to standard error.
#include <algorithm>
#include <exception>
#include <format>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "about.hpp"
#include "bench.hpp"
#include "compare.hpp"
#include "json.hpp"
#include "options.hpp"
#include "table.hpp"

namespace bench {
namespace {

// A page that is new to the process costs more than the work that goes into it, and whether memory is new
// depends on what was freed before. So the process keeps all that it ever had, and after the first rounds
// nobody pays for pages. (100,000 spawns, four runs: ratios from 2.4 to 4.0 without this, from 2.3 to 2.4 with
// it.)
void keep_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

std::vector<scenario> chosen(const options& options) {
    std::vector<scenario> all = scenarios();
    if (options.scenarios.empty()) {
        std::erase_if(all, [](const scenario& each) { return each.visible == visibility::hidden; });
        return all;
    }
    std::vector<scenario> result;
    for (const std::string& name : options.scenarios) {
        const auto add = [&, before = result.size()](auto named) {
            std::ranges::copy_if(all, std::back_inserter(result), named);
            return result.size() != before;
        };
        if (add([&](const scenario& each) { return each.name == name; })) continue;
        if (add([&](const scenario& each) { return each.name.starts_with(name + '_'); })) continue;
        throw usage_error{std::format("unknown scenario '{}'; --list shows them", name)};
    }
    return result;
}

std::vector<row> stored_rows(const std::string& file) {
    std::ifstream in{file, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    if (!in.is_open() || in.bad()) throw usage_error{std::format("cannot read {}", file)};
    try {
        return read_json(text);
    } catch (const json_error& error) {
        throw usage_error{std::format("{} is not a result of pecs_bench: {}", file, error.what())};
    }
}

// Found out before the work, not after it; what is in the file stays until there is something new.
void require_writable(const std::string& file) {
    if (!std::ofstream{file, std::ios::app}) throw usage_error{std::format("cannot write {}", file)};
}

bool store(const std::string& file, auto write) {
    std::ofstream out{file};
    write(out);
    out.close();
    if (!out) std::cerr << std::format("pecs_bench: cannot write {}\n", file);
    return !out.fail();
}

void complain_about_checksums(const std::vector<row>& rows) {
    for (const row& row : rows) {
        if (!row.wrong) continue;
        std::cerr << std::format("pecs_bench: {}: '{}' does not do the work of its group: wrong checksum\n",
                                 row.scenario, row.variant);
    }
}

// Runs one scenario; false if it failed.
bool run(const scenario& scenario, const settings& settings, std::vector<row>& rows) {
    context context{scenario.name, settings, std::cerr};
    try {
        scenario.run(context);
        const std::vector<row> own = context.take();
        std::cout << std::format("{}: {}\n", scenario.name, scenario.description);
        print_rows(std::cout, own);
        std::cout << '\n' << std::flush;
        complain_about_checksums(own);
        rows.insert(rows.end(), own.begin(), own.end());
        return true;
    } catch (const std::exception& error) {
        std::cerr << std::format("pecs_bench: {} failed: {}\n", scenario.name, error.what());
        return false;
    }
}

int run_all(const options& options) {
    const std::vector<scenario> selected = chosen(options);
    if (options.list) {
        for (const scenario& each : selected)
            std::cout << std::format("{:<20}  {}\n", each.name, each.description);
        return 0;
    }
    std::vector<row> stored;
    if (!options.baseline.empty()) stored = stored_rows(options.baseline);
    if (!options.json.empty()) require_writable(options.json);
#ifndef __OPTIMIZE__
    std::cerr << "pecs_bench: built without optimisation, the figures mean nothing\n";
#endif

    const std::string about = about_this_run();
    std::cout << about << "\n\n";
    keep_memory();
    bool good = true;
    std::vector<row> rows;
    for (std::size_t i = 0; i != selected.size(); ++i) {
        std::cerr << std::format("[{}/{}] {}\n", i + 1, selected.size(), selected[i].name);
        good &= run(selected[i], {.quick = options.quick, .retries = options.check ? 3 : 0}, rows);
    }
    print_summary(std::cout, rows);
    if (!options.baseline.empty()) {
        std::cout << '\n';
        print_changes(std::cout, compare(rows, stored), options.baseline);
    }
    std::cout << std::flush;
    if (!options.json.empty()) {
        good &= store(options.json, [&](std::ostream& out) { write_json(out, rows); });
        good &= store(options.json + ".about", [&](std::ostream& out) { out << about << '\n'; });
    }
    good &= std::ranges::none_of(rows, &row::wrong);
    if (options.check) good &= std::ranges::none_of(rows, fails);
    return good ? 0 : 1;
}

} // namespace
} // namespace bench

int main(int count, char** arguments) {
    try {
        const std::vector<std::string_view> words(arguments + (count > 0 ? 1 : 0), arguments + count);
        const bench::options options = bench::parse(words);
        if (options.help) {
            std::cout << bench::usage;
            return 0;
        }
        return bench::run_all(options);
    } catch (const bench::usage_error& error) {
        std::cerr << std::format("pecs_bench: {}\n            See pecs_bench --help.\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::cerr << std::format("pecs_bench: {}\n", error.what());
        return 1;
    }
}
