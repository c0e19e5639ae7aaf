// Replaces global operator new, so that nothing that is taken past a memory resource goes unnoticed, and that it fails on
// demand. For the one source file of a test program.
#pragma once

#include "memory.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace support {
inline std::size_t global_allocations = 0;
inline std::size_t global_blocks = 0; ///< taken and not given back

inline void* take_global(std::size_t bytes, std::size_t alignment) {
    ++global_allocations;
    if (faults::due()) throw std::bad_alloc{};
    void* const block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (block == nullptr) throw std::bad_alloc{};
    ++global_blocks;
    return block;
}
/// The same for those who ask for no exception.
inline void* try_global(std::size_t bytes, std::size_t alignment) noexcept {
    try {
        return take_global(bytes, alignment);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
inline void give_global(void* block) noexcept {
    if (block != nullptr) --global_blocks;
    std::free(block);
}

/// How many allocations of any kind a cycle makes when it has been through a few times.
template <class Cycle> std::size_t steady_allocations(watched_memory& memory, Cycle cycle) {
    for (int i = 0; i != 5; ++i) cycle();
    const std::size_t before = memory.allocations() + global_allocations;
    for (int i = 0; i != 50; ++i) cycle();
    return memory.allocations() + global_allocations - before;
}
} // namespace support

void* operator new(std::size_t bytes) {
    return support::take_global(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new[](std::size_t bytes) {
    return support::take_global(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return support::take_global(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return support::take_global(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
    return support::try_global(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
    return support::try_global(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t& /*tag*/) noexcept {
    return support::try_global(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t& /*tag*/) noexcept {
    return support::try_global(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { support::give_global(block); }
void operator delete[](void* block) noexcept { support::give_global(block); }
void operator delete(void* block, std::size_t) noexcept { support::give_global(block); }
void operator delete[](void* block, std::size_t) noexcept { support::give_global(block); }
void operator delete(void* block, std::align_val_t) noexcept { support::give_global(block); }
void operator delete[](void* block, std::align_val_t) noexcept { support::give_global(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { support::give_global(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { support::give_global(block); }
