// Runs a function on several threads that begin at once, so that they meet.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace support {

inline constexpr int threads = 4;

/// Calls `f(number of the thread)` on every thread, and waits for all of them.
template <class F> void in_parallel(F f) {
    std::atomic<int> waiting = threads;
    std::vector<std::thread> all;
    for (int i = 0; i != threads; ++i)
        all.emplace_back([&waiting, &f, i] {
            --waiting;
            while (waiting != 0) std::this_thread::yield();
            f(i);
        });
    for (std::thread& t : all) t.join();
}

} // namespace support
