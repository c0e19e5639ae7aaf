// How long a user's file takes to scan and to compile, against a file that only includes <vector>, in the same flow. The
// commands are those of the build itself; the library's modules are built already.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <format>
#include <stdexcept>
#include <string>

#include "bench.hpp"

namespace {

#ifdef PECS_BENCH_NINJA
constexpr const char* folder = PECS_BENCH_BUILD_FOLDER;

// The command by which the build makes `output`; nothing if the build does not know it.
std::string command_of(const std::string& output) {
    const std::string ask =
        std::format("'{}' -C '{}' -t commands -s '{}' 2>/dev/null", PECS_BENCH_NINJA, folder, output);
    std::string command;
    std::FILE* pipe = popen(ask.c_str(), "r");
    if (pipe == nullptr) return command;
    std::array<char, 4096> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) command += part.data();
    pclose(pipe);
    while (command.ends_with('\n')) command.pop_back();
    return command;
}

// Runs the commands; the result is the same for all that succeed.
int run(const std::string& commands) {
    if (std::system(std::format("cd '{}' && {} >/dev/null", folder, commands).c_str()) != 0)
        throw std::runtime_error{std::format("failed: {}", commands)};
    return 1;
}

void compile_time(bench::context& context) {
    const std::string scan = command_of(PECS_BENCH_USER_OBJECT ".ddi");
    const std::string compile = command_of(PECS_BENCH_USER_OBJECT);
    const std::string scan_vector = command_of(PECS_BENCH_VECTOR_OBJECT ".ddi");
    const std::string compile_vector = command_of(PECS_BENCH_VECTOR_OBJECT);
    if (scan.empty() || compile.empty() || scan_vector.empty() || compile_vector.empty()) {
        context.note("skipped: the build folder does not say how it compiles");
        return;
    }
    auto group = context.group({});
    group.floor("#include <vector>", [&] { return run(scan_vector + " && " + compile_vector); });
    group.variant("#include <vector>, without the scan", [&] { return run(compile_vector); });
    group.variant("import pecs", {bench::known_miss(bench::at_most(0.3), 0.6)},
                  [&] { return run(scan + " && " + compile); });
    group.variant("import pecs, without the scan", [&] { return run(compile); });
    group.measure();
}
#else
void compile_time(bench::context& context) {
    context.note("skipped: only a build by Ninja says how it compiles");
}
#endif

const bench::scenario registered{"compile_time", "a user's file, -O2", compile_time};

} // namespace
