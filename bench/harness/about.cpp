#include "about.hpp"

#include <array>
#include <ctime>
#include <format>
#include <fstream>
#include <string_view>
#include <thread>

namespace bench {
namespace {

std::string processor() {
    std::ifstream in{"/proc/cpuinfo"};
    for (std::string line; std::getline(in, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "an unknown processor";
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::array<char, 16> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d", std::gmtime(&now));
    return {text.data(), length};
}

} // namespace

std::string about_this_run() {
    return std::format("{}, {} threads; {}; {}; {}", processor(), std::thread::hardware_concurrency(),
                       PECS_BENCH_COMPILER, PECS_BENCH_FLAGS, today());
}

} // namespace bench
