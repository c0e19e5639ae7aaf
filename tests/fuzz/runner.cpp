// Runs programs without libFuzzer: those in files, or random ones.
//
//   fuzz_runner [--trace] FILE|FOLDER...      each file
//   fuzz_runner --random COUNT                so many; the first seed is PECS_SEED, or chosen
//   fuzz_runner --random --seconds COUNT      as many as there is time for
#include "program.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using bytes = std::vector<std::uint8_t>;

std::string running; // how to repeat what is running

void tell() {
    fuzz::print_trace();
    std::fprintf(stderr, "Repeat with: %s\n", running.c_str());
}
void crashed(int signal) {
    std::fprintf(stderr, "\nSignal %d\n", signal);
    tell();
    std::_Exit(1);
}

bool run_file(const std::filesystem::path& path, bool loud, const std::string& self) {
    running = self + " --trace " + path.string();
    std::ifstream file{path, std::ios::binary};
    if (!file) {
        std::fprintf(stderr, "cannot read %s\n", path.string().c_str());
        return false;
    }
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (fuzz::run(bytes{text.begin(), text.end()}, loud)) return true;
    std::fprintf(stderr, "Failed: %s\nRepeat with: %s\n", path.string().c_str(), running.c_str());
    return false;
}

int run_files(const std::vector<std::string>& paths, bool loud, const std::string& self) {
    std::vector<std::filesystem::path> files;
    for (const std::string& path : paths) {
        if (!std::filesystem::is_directory(path)) {
            files.emplace_back(path);
            continue;
        }
        for (const auto& each : std::filesystem::directory_iterator{path}) files.push_back(each.path());
    }
    std::ranges::sort(files);
    std::size_t failed = 0;
    for (const auto& file : files) failed += run_file(file, loud, self) ? 0 : 1;
    std::printf("%zu files, %zu failed\n", files.size(), failed);
    return failed == 0 && !files.empty() ? 0 : 1;
}

// Numbers are taken from the generator as they come: distributions differ from library to library.
bytes program_of(std::uint64_t seed) {
    std::mt19937_64 random{seed};
    bytes made(64 + random() % 700);
    for (auto& each : made) each = static_cast<std::uint8_t>(random() >> 32U);
    return made;
}

int run_random(std::uint64_t count, bool seconds, bool loud, const std::string& self) {
    const char* const given = std::getenv("PECS_SEED");
    const std::uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("PECS_SEED=%llu\n", static_cast<unsigned long long>(first));
    std::fflush(stdout);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{count};
    std::uint64_t done = 0;
    for (; seconds ? std::chrono::steady_clock::now() < end : done != count; ++done) {
        running = "PECS_SEED=" + std::to_string(first + done) + " " + self + " --trace --random 1";
        if (fuzz::run(program_of(first + done), loud)) continue;
        std::fprintf(stderr, "Repeat with: %s\n", running.c_str());
        return 1;
    }
    std::printf("%llu programs\n", static_cast<unsigned long long>(done));
    return 0;
}

int usage() {
    std::fputs("usage: fuzz_runner [--trace] FILE|FOLDER... | [--trace] --random [--seconds] COUNT\n",
               stderr);
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    bool loud = false;
    bool random = false;
    bool seconds = false;
    std::vector<std::string> words;
    for (int i = 1; i != argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--trace")
            loud = true;
        else if (word == "--random")
            random = true;
        else if (word == "--seconds")
            seconds = true;
        else
            words.emplace_back(word);
    }
    if (words.empty() || (random && words.size() != 1) || (seconds && !random)) return usage();
    std::signal(SIGABRT, crashed);
    std::signal(SIGSEGV, crashed);
    if (!random) return run_files(words, loud, argv[0]);
    char* rest = nullptr;
    const std::uint64_t count = std::strtoull(words[0].c_str(), &rest, 10);
    if (*rest != '\0' || count == 0) return usage();
    return run_random(count, seconds, loud, argv[0]);
}
