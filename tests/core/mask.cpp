#include <boost/ut.hpp>

#include <bitset>
#include <cstdint>
#include <random>
#include <unordered_set>
#include <vector>

import pecs;

namespace {
struct A {};
struct B {
    int value;
};

using pecs::component_id;
using pecs::component_mask;
using model = std::bitset<pecs::max_components>;

component_id id(std::size_t index) { return component_id{static_cast<std::uint16_t>(index)}; }

component_mask from(const model& bits) {
    component_mask mask;
    for (std::size_t i = 0; i != bits.size(); ++i)
        if (bits.test(i)) mask.set(id(i));
    return mask;
}
} // namespace

int main() {
    using namespace boost::ut;

    "a new mask is empty"_test = [] {
        constexpr component_mask mask;
        expect(mask.empty());
        expect(mask.count() == 0_ul);
        expect(mask.contains(component_mask{}));
    };

    "a mask remembers the types it was made of"_test = [] {
        const auto mask = component_mask::of<A, B>();
        expect(mask.test(pecs::id_of<A>()) and mask.test(pecs::id_of<B>()));
        expect(mask.count() == 2_ul);
        expect(mask == component_mask::of<B, A>());
        expect(mask == component_mask{pecs::id_of<A>(), pecs::id_of<B>()});
    };

    "bits at the edges of words are kept apart"_test = [] {
        component_mask mask;
        for (const std::size_t edge :
             {std::size_t{0}, std::size_t{63}, pecs::max_components - 64, pecs::max_components - 1})
            mask.set(id(edge));
        expect(mask.test(id(63)) and mask.test(id(pecs::max_components - 1)));
        expect(not mask.test(id(1)) and not mask.test(id(62)));
        mask.reset(id(63));
        expect(not mask.test(id(63)) and mask.test(id(0)));
    };

    "random masks agree with std::bitset"_test = [] {
        const std::uint64_t seed = std::random_device{}();
        std::mt19937_64 random{seed};
        for (int round = 0; round != 2000; ++round) {
            model a;
            model b;
            for (auto n = random() % 40; n != 0; --n) a.set(random() % pecs::max_components);
            for (auto n = random() % 12; n != 0; --n) b.set(random() % pecs::max_components);
            if (round % 3 == 0) b &= a;
            const component_mask x = from(a);
            const component_mask y = from(b);
            expect(x.count() == a.count()) << "seed" << seed;
            expect(x.empty() == a.none()) << "seed" << seed;
            expect(x.contains(y) == ((a & b) == b)) << "seed" << seed;
            expect(x.intersects(y) == (a & b).any()) << "seed" << seed;
            expect(x.excludes(y) == (a & b).none()) << "seed" << seed;
            expect((x | y) == from(a | b)) << "seed" << seed;
            expect((x & y) == from(a & b)) << "seed" << seed;
            expect((x - y) == from(a & ~b)) << "seed" << seed;
            expect((x == y) == (a == b)) << "seed" << seed;
            std::vector<std::size_t> seen;
            x.each([&](component_id found) { seen.push_back(found.index()); });
            std::vector<std::size_t> expected;
            for (std::size_t i = 0; i != a.size(); ++i)
                if (a.test(i)) expected.push_back(i);
            expect(seen == expected) << "seed" << seed;
        }
    };

    "masks of single types have different hashes"_test = [] {
        std::unordered_set<std::size_t> hashes;
        for (std::size_t i = 0; i != pecs::max_components; ++i) hashes.insert(component_mask{id(i)}.hash());
        expect(hashes.size() == pecs::max_components);
    };
}
