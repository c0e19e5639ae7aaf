// One component type of every kind that a world must handle. Each can be made from a number, and gives the
// number back if it is still whole: `T::of(7).number() == 7`.
#pragma once

#include "memory.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace support {

inline constexpr int broken = -999;

/// Plain bytes.
struct Position {
    float x = 0, y = 0, z = 0;
    static Position of(int n) {
        return {static_cast<float>(n), static_cast<float>(n + 1), static_cast<float>(n + 2)};
    }
    [[nodiscard]] int number() const { return y - x == z - y ? static_cast<int>(x) : broken; }
};
struct Velocity {
    float x = 0, y = 0, z = 0;
    static Velocity of(int n) {
        return {static_cast<float>(n), static_cast<float>(n), static_cast<float>(n)};
    }
    [[nodiscard]] int number() const { return x == y && y == z ? static_cast<int>(x) : broken; }
};

/// Owns memory, and can be copied. The text is too long for the small buffer of a string.
struct Name {
    std::string text;
    static Name of(int n) { return {"a name that needs memory of its own, number " + std::to_string(n)}; }
    [[nodiscard]] int number() const {
        if (text.empty()) return 0;
        const int n = std::stoi(text.substr(text.rfind(' ') + 1));
        return text == of(n).text ? n : broken;
    }
};

/// Can only move.
struct Owned {
    std::unique_ptr<int> value;
    static Owned of(int n) { return {std::make_unique<int>(n)}; }
    [[nodiscard]] int number() const { return value ? *value : 0; }
};

/// As aligned as a column is anyway, and more than that.
template <std::size_t Alignment> struct alignas(Alignment) Aligned {
    std::array<int, 16> lanes{};
    static Aligned of(int n) {
        Aligned made;
        made.lanes.fill(n);
        return made;
    }
    [[nodiscard]] int number() const { return lanes.front() == lanes.back() ? lanes.front() : broken; }
};
using Wide = Aligned<64>;
using Huge = Aligned<256>;

/// Has no data.
struct Frozen {
    static Frozen of(int /*n*/) { return {}; }
};
struct alignas(32) Hidden {
    static Hidden of(int /*n*/) { return {}; }
};

/// What happened to the objects of a type.
struct lifetimes {
    std::size_t made = 0; ///< not counting copies and moves
    std::size_t copied = 0;
    std::size_t moved = 0;
    std::size_t ended = 0;
    std::size_t wrong = 0; ///< uses and ends of what was no object
    [[nodiscard]] std::size_t alive() const { return made + copied + moved - ended; }
};

/// Counts its objects, knows its own address, and throws from a constructor when it is told to.
template <int> class Counted {
public:
    static inline lifetimes log{};
    static inline int until_throw = -1; ///< constructions and copies that succeed before one throws; -1: all

    Counted() : Counted{0} {}
    explicit Counted(int n) : number_{n}, self_{(tick(), this)} { ++log.made; }
    Counted(const Counted& other) : number_{other.number()}, self_{(tick(), this)} { ++log.copied; }
    Counted(Counted&& other) noexcept : number_{other.number()}, self_{this} {
        other.number_ = broken;
        ++log.moved;
    }
    Counted& operator=(const Counted&) = delete;
    Counted& operator=(Counted&&) = delete;
    ~Counted() {
        if (self_ != this) ++log.wrong;
        self_ = nullptr;
        ++log.ended;
    }

    static Counted of(int n) { return Counted{n}; }
    [[nodiscard]] int number() const {
        if (self_ != this) ++log.wrong;
        return number_;
    }
    static void forget() {
        log = {};
        until_throw = -1;
    }

private:
    static void tick() {
        if (until_throw == 0) throw std::runtime_error{"fragile"};
        if (until_throw > 0) --until_throw;
    }

    int number_;
    Counted* volatile self_;
};
using Tracked = Counted<0>;
using Fragile = Counted<1>;

/// A counted object whose constructor from nothing and whose copies are user code that may fail.
template <int Number> class Touchy : public Counted<1000 + Number> {
    using counted = Counted<1000 + Number>;

public:
    Touchy() : counted{(user_code(), 0)} {}
    explicit Touchy(int n) : counted{n} {}
    Touchy(const Touchy& other) : counted{(user_code(), other)} {}
    Touchy(Touchy&&) noexcept = default;
    Touchy& operator=(const Touchy&) = delete;
    Touchy& operator=(Touchy&&) = delete;
    ~Touchy() = default;
    static Touchy of(int n) { return Touchy{n}; }
};

} // namespace support
