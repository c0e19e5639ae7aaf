#include <boost/ut.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

import pecs;

int main() {
    using namespace boost::ut;
    using pecs::entity;

    "a default entity is the null entity"_test = [] {
        constexpr entity e;
        expect(e == pecs::null);
        expect(!e);
        expect(e.bits() == 0_ull);
        expect(static_cast<bool>(entity{0, 1}));
    };

    "an entity is its two halves"_test = [] {
        constexpr entity e{7, 2};
        expect(e.index() == 7_u and e.generation() == 2_u);
        expect(e.bits() == 0x0000'0002'0000'0007ULL);
        expect(entity::from_bits(e.bits()) == e);
        static_assert(sizeof(entity) == 8);
    };

    "entities are ordered by index, then by generation"_test = [] {
        expect(entity{1, 9} < entity{2, 1});
        expect(entity{2, 1} < entity{2, 2});
        expect(entity{2, 2} <= entity{2, 2});
        expect(entity{3, 1} > entity{2, 7});
        expect(entity{3, 1} != entity{3, 2});
    };

    "entities can be keys of a hash table"_test = [] {
        std::unordered_set<entity> set;
        for (std::uint32_t i = 0; i != 1000; ++i) set.insert(entity{i, 1});
        for (std::uint32_t i = 0; i != 1000; ++i) set.insert(entity{i, 2});
        expect(set.size() == 2000_ul);
        expect(set.contains(entity{999, 2}) and not set.contains(entity{999, 3}));
    };

    "hashes of neighbours differ in their low bits"_test = [] {
        std::unordered_set<std::size_t> low;
        for (std::uint32_t i = 0; i != 256; ++i) low.insert(std::hash<entity>{}(entity{i, 1}) & 0xFFFU);
        expect(low.size() > 200_ul);
    };

    "an entity has a text form that reads back"_test = [] {
        expect(pecs::to_string(entity{7, 2}) == std::string{"7v2"});
        expect(pecs::to_string(pecs::null) == std::string{"null"});
        expect(pecs::parse_entity("7v2") == std::optional{entity{7, 2}});
        expect(pecs::parse_entity("4294967295v4294967295") == std::optional{entity{0xFFFFFFFF, 0xFFFFFFFF}});
        expect(pecs::parse_entity("null") == std::optional{pecs::null});
    };

    "text that is no entity is refused"_test = [] {
        for (const char* text :
             {"", "7", "v2", "7v", "7v0", "7v2x", " 7v2", "-7v2", "4294967296v1", "7V2", "nul"})
            expect(not pecs::parse_entity(text).has_value()) << text;
    };
}
