// The entry for libFuzzer.
#include "program.hpp"

#include <cstddef>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool loud = std::getenv("PECS_TRACE") != nullptr;
    if (!fuzz::run({data, size}, loud ? fuzz::voice::loud : fuzz::voice::normal)) std::abort();
    return 0;
}
