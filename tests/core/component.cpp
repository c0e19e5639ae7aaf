// The table of functions that the compiler writes for a type, used as a storage uses it: on raw memory, in runs.
#include <boost/ut.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

import pecs;

namespace {

struct Position {
    float x = 1, y = 2;
};
struct Frozen {};
struct Name {
    std::string text = "unnamed";
};
struct Handle {
    std::unique_ptr<int> owned;
};
struct NoDefault {
    explicit NoDefault(int v) : value{v} {}
    int value;
};
struct Aims {
    pecs::entity at;
    void map_entities(const pecs::entity_map& map) { at = map(at); }
};
struct alignas(64) Wide {
    double lanes[8];
};

// Counts its living objects, and throws when it is told to.
struct Fragile {
    static inline int alive = 0;
    static inline int until_throw = -1;
    static void tick() {
        if (until_throw == 0) throw std::runtime_error{"fragile"};
        --until_throw;
    }
    Fragile() { tick(), ++alive; }
    Fragile(const Fragile&) { tick(), ++alive; }
    Fragile(Fragile&&) noexcept { ++alive; }
    Fragile& operator=(const Fragile&) = default;
    ~Fragile() { --alive; }
    int value = 5;
};

template <class T> const pecs::component_type& described() { return pecs::type_of(pecs::id_of<T>()); }

template <class T, std::size_t N> struct memory {
    alignas(T) std::array<std::byte, sizeof(T) * N> bytes;
    T* values() { return reinterpret_cast<T*>(bytes.data()); }
};

struct ThrowingMove {
    ThrowingMove() = default;
    ThrowingMove(ThrowingMove&&) {}
};
struct NotMovable {
    NotMovable() = default;
    NotMovable(NotMovable&&) = delete;
};
struct GuardTag {
    ~GuardTag() {}
};

} // namespace

int main() {
    using namespace boost::ut;

    "what is a component and what is not"_test = [] {
        static_assert(pecs::component<Position> and pecs::component<Handle> and pecs::component<int>);
        static_assert(not pecs::component<const Position> and not pecs::component<Position&>);
        static_assert(not pecs::component<int[3]> and not pecs::component<void> and
                      not pecs::component<int()>);
        static_assert(not pecs::component<ThrowingMove> and not pecs::component<NotMovable>);
        static_assert(not pecs::component<pecs::entity>);
        static_assert(not pecs::component<GuardTag>);
        static_assert(pecs::tag<Frozen> and not pecs::tag<Position>);
        expect(true);
    };

    "a description says size, alignment and what values can do"_test = [] {
        expect(described<Position>().size == sizeof(Position));
        expect(described<Position>().alignment == alignof(Position));
        expect(described<Wide>().alignment == 64_ul);
        expect(described<Frozen>().is_tag() and described<Frozen>().size == 0_ul);
        expect(not described<Position>().is_tag());
        expect(described<Handle>().constructible and not described<Handle>().copyable);
        expect(not described<NoDefault>().constructible and described<NoDefault>().copyable);
    };

    "plain bytes need no functions to move and destroy"_test = [] {
        expect(described<Position>().relocate == nullptr and described<Position>().destroy == nullptr);
        expect(described<Position>().copy == nullptr and described<Position>().copyable);
        expect(described<Name>().relocate != nullptr and described<Name>().destroy != nullptr);
    };

    "names are those of the source"_test = [] {
        expect(described<Position>().name.ends_with("Position")) << described<Position>().name;
        expect(described<int>().name == std::string_view{"int"});
    };

    "values are made, copied, relocated and destroyed in runs"_test = [] {
        memory<Name, 3> first;
        memory<Name, 3> second;
        memory<Name, 3> third;
        const auto& t = described<Name>();
        t.construct(first.bytes.data(), 3);
        first.values()[1].text = "a name that is too long for the small buffer";
        t.copy(second.bytes.data(), first.bytes.data(), 3);
        expect(second.values()[0].text == std::string{"unnamed"});
        t.relocate(third.bytes.data(), second.bytes.data(), 3);
        expect(third.values()[1].text == first.values()[1].text);
        t.destroy(first.bytes.data(), 3);
        t.destroy(third.bytes.data(), 3);
    };

    "a default value is the one the type gives itself"_test = [] {
        memory<Position, 2> m;
        described<Position>().construct(m.bytes.data(), 2);
        expect(m.values()[1].x == 1.0_f and m.values()[1].y == 2.0_f);
    };

    "move-only values keep what they own"_test = [] {
        memory<Handle, 2> from;
        memory<Handle, 2> to;
        const auto& t = described<Handle>();
        t.construct(from.bytes.data(), 2);
        from.values()[0].owned = std::make_unique<int>(7);
        t.relocate(to.bytes.data(), from.bytes.data(), 2);
        expect(*to.values()[0].owned == 7_i);
        t.destroy(to.bytes.data(), 2);
    };

    "handles in values are mapped in runs, where the type says how"_test = [] {
        expect(described<Position>().map_entities == nullptr and described<Frozen>().map_entities == nullptr);
        std::array<Aims, 2> aims{Aims{pecs::entity{1, 1}}, Aims{pecs::entity{2, 1}}};
        const pecs::entity by{7, 1};
        const pecs::entity_map map{[](const void* context, pecs::entity e) noexcept {
                                       return e.index() == 2 ? *static_cast<const pecs::entity*>(context) : e;
                                   },
                                   &by};
        described<Aims>().map_entities(aims.data(), 2, map);
        expect(aims[0].at.index() == 1_u and aims[1].at.index() == 7_u);
    };

    "a constructor that throws leaves nothing behind"_test = [] {
        memory<Fragile, 4> m;
        memory<Fragile, 4> copy;
        const auto& t = described<Fragile>();
        for (int fail_at = 0; fail_at != 4; ++fail_at) {
            Fragile::until_throw = fail_at;
            expect(throws<std::runtime_error>([&] { t.construct(m.bytes.data(), 4); }));
            expect(Fragile::alive == 0_i);
        }
        Fragile::until_throw = -1;
        t.construct(m.bytes.data(), 4);
        Fragile::until_throw = 2;
        expect(throws<std::runtime_error>([&] { t.copy(copy.bytes.data(), m.bytes.data(), 4); }));
        expect(Fragile::alive == 4_i);
        Fragile::until_throw = -1;
        t.relocate(copy.bytes.data(), m.bytes.data(), 4);
        expect(Fragile::alive == 4_i);
        t.destroy(copy.bytes.data(), 4);
        expect(Fragile::alive == 0_i);
    };
}
