// Runs programs without libFuzzer: those in files, or random ones.
//
//   fuzz_runner [--trace] FILE|FOLDER...      each file
//   fuzz_runner --random COUNT                so many; the first seed is PECS_SEED, or chosen
//   fuzz_runner --random --seconds COUNT      as many as there is time for
//
// A random program that fails is made smaller, and kept in a file: PECS_FAILURE, or fuzz-failure. One that crashes cannot
// be made smaller here; it is kept as it is.
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
#include <utility>
#include <vector>

namespace {

using bytes = std::vector<std::uint8_t>;

std::string running;                   // how to repeat what is running
const bytes* random_program = nullptr; // the random one that is running
constexpr std::chrono::seconds shrinking_time{30};

std::string failure_file() {
    const char* const given = std::getenv("PECS_FAILURE");
    return given != nullptr && *given != '\0' ? given : "fuzz-failure";
}
void keep(const bytes& program) {
    const std::string path = failure_file();
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    const bool kept =
        file != nullptr && std::fwrite(program.data(), 1, program.size(), file) == program.size();
    if (file == nullptr || std::fclose(file) != 0 || !kept)
        std::fprintf(stderr, "cannot write %s\n", path.c_str());
    else
        std::fprintf(stderr, "Kept in %s, %zu bytes\n", path.c_str(), program.size());
}

void tell() {
    fuzz::print_trace();
    std::fprintf(stderr, "Repeat with: %s\n", running.c_str());
}
void crashed(int signal) {
    std::fprintf(stderr, "\nSignal %d\n", signal);
    tell();
    if (random_program != nullptr) keep(*random_program);
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
    if (fuzz::run(bytes{text.begin(), text.end()}, loud ? fuzz::voice::loud : fuzz::voice::normal))
        return true;
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

// Leaves out what is not needed for a failure: chunks, large ones first, then makes bytes zero. What fails in another way
// counts as well.
bytes smaller(bytes program) {
    const auto end = std::chrono::steady_clock::now() + shrinking_time;
    const auto fails = [&](const bytes& some) {
        random_program = &some; // what may crash now
        const bool wrong = !fuzz::run(some, fuzz::voice::silent);
        random_program = &program;
        return wrong;
    };
    const auto time_left = [&] { return std::chrono::steady_clock::now() < end; };
    for (bool again = true; again && time_left();) {
        again = false;
        for (std::size_t size = program.size() / 2; size != 0; size /= 2)
            for (std::size_t at = 0; at + size <= program.size() && time_left();) {
                bytes less = program;
                const auto first = less.begin() + static_cast<std::ptrdiff_t>(at);
                less.erase(first, first + static_cast<std::ptrdiff_t>(size));
                if (fails(less)) {
                    program = std::move(less);
                    again = true;
                } else {
                    at += size;
                }
            }
    }
    for (std::size_t at = 0; at != program.size() && time_left(); ++at) {
        bytes simple = program;
        if (std::exchange(simple[at], std::uint8_t{0}) != 0 && fails(simple)) program = std::move(simple);
    }
    return program;
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
        const bytes program = program_of(first + done);
        random_program = &program;
        const bool right = fuzz::run(program, loud ? fuzz::voice::loud : fuzz::voice::silent);
        random_program = nullptr;
        if (right) continue;
        std::fprintf(stderr, "PECS_SEED=%llu fails; making it smaller\n",
                     static_cast<unsigned long long>(first + done));
        const bytes least = smaller(program);
        random_program = nullptr;
        keep(least);
        if (fuzz::run(least, fuzz::voice::normal))
            std::fputs("The smaller program does not fail again.\n", stderr);
        std::fprintf(stderr, "Repeat with: %s --trace %s\nThe whole program: %s\n", self.c_str(),
                     failure_file().c_str(), running.c_str());
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
