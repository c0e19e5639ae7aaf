// One variant's work behind one interface. The call to run() is opaque to the compiler, so it can neither
// merge nor hoist runs; it costs every variant the same one or two nanoseconds.
//
//   repeatable   run()                   any number of times in a row
//   fresh        setup() -> run(state)   exactly once per setup; only run() is timed
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "checksum.hpp"

namespace bench {

class work {
public:
    virtual ~work() = default;
    [[nodiscard]] virtual bool fresh() const = 0;
    virtual void prepare() = 0;
    virtual checksum run() = 0;
    virtual void discard() = 0;
};

template <typename Run> class repeatable_work final : public work {
public:
    explicit repeatable_work(Run run) : run_{std::move(run)} {}
    [[nodiscard]] bool fresh() const override { return false; }
    void prepare() override {}
    checksum run() override { return run_(); }
    void discard() override {}

private:
    Run run_;
};

template <typename Setup, typename Run> class fresh_work final : public work {
public:
    fresh_work(Setup setup, Run run) : setup_{std::move(setup)}, run_{std::move(run)} {}
    [[nodiscard]] bool fresh() const override { return true; }
    void prepare() override { state_.emplace(setup_()); }
    checksum run() override { return run_(*state_); }
    void discard() override { state_.reset(); }

private:
    Setup setup_;
    Run run_;
    std::optional<std::invoke_result_t<Setup&>> state_;
};

template <typename Run> std::unique_ptr<work> make_work(Run run) {
    return std::make_unique<repeatable_work<Run>>(std::move(run));
}

template <typename Setup, typename Run> std::unique_ptr<work> make_work(Setup setup, Run run) {
    return std::make_unique<fresh_work<Setup, Run>>(std::move(setup), std::move(run));
}

} // namespace bench
