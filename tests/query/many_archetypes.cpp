// Worlds with a hundred thousand archetypes, and with a million that come and go.
#include <boost/ut.hpp>

#include "../support/memory.hpp"
#include "../support/operator_new.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

import pecs.archetype;
import pecs.query;
import pecs;

namespace {
using pecs::component_id;
using pecs::entity;

struct A {
    int value = 0;
};
struct B {};

constexpr std::size_t tag_count = 20;

/// Tags that exist only at run time.
const std::vector<component_id>& tags() {
    static const std::vector<component_id> all = [] {
        std::vector<component_id> made;
        for (std::size_t i = 0; i != tag_count; ++i)
            made.push_back(pecs::register_component({.name = "tag" + std::to_string(i)}));
        return made;
    }();
    return all;
}

/// An entity with the tags of the bits.
entity spawn_set(pecs::world& w, std::uint32_t bits) {
    static std::vector<component_id> chosen;
    chosen.clear();
    for (std::size_t i = 0; i != tag_count; ++i)
        if ((bits >> i & 1U) != 0) chosen.push_back(tags()[i]);
    return w.by_id().spawn(chosen);
}

class open_world : public pecs::world {
public:
    using world::world;
    [[nodiscard]] const pecs::detail::storage& all() const { return *storage_; }
};
} // namespace

int main() {
    using namespace boost::ut;

    "a hundred thousand archetypes: queries find their matches, and look at nothing twice"_test = [] {
        constexpr std::uint32_t sets = 1U << 17U;
        open_world w;
        auto* const cache = pecs::detail::make_cache(w.all());
        cache->wanted.required.set(tags()[3]);
        cache->wanted.excluded.set(tags()[5]);
        for (std::uint32_t bits = 0; bits != sets; ++bits) (void)spawn_set(w, bits);
        expect(w.stats().archetypes.size() == sets and w.size() == sets);

        auto some = w.by_id().query();
        some.with(tags()[3]).without(tags()[5]);
        expect(some.count() == sets / 4 and cache->matches(w.all()).size() == sets / 4);
        const std::uint64_t tested = cache->tested();
        expect(tested <= sets) << tested;
        const entity e = spawn_set(w, 1U << 18U | 1U << 3U); // one more archetype
        expect(some.count() == sets / 4 + 1 and some.contains(e));
        expect(cache->matches(w.all()).size() == sets / 4 + 1 and cache->tested() == tested + 1)
            << cache->tested();
        (void)cache->matches(w.all());
        expect(cache->tested() == tested + 1) << "nothing is new";

        for (std::uint32_t bits = 5; bits < sets; bits += sets / 8) w.add(spawn_set(w, bits), A{1});
        expect(w.query<const A>().count() == 8_ul and w.query<const A, pecs::without<B>>().count() == 8_ul);
        w.add(e, A{2});
        int sum = 0;
        w.query<const A>().each([&](const A& a) { sum += a.value; });
        expect(sum == 10_i);

        // After archetypes were collected it starts again, from the rarest component.
        auto* const rare = pecs::detail::make_cache(w.all());
        rare->wanted.required.set(pecs::id_of<A>());
        w.despawn(spawn_set(w, 1U << 19U));
        w.shrink();
        expect(rare->matches(w.all()).size() == 9_ul and rare->tested() == 9_ul) << rare->tested();
        expect(w.query<const A>().count() == 9_ul and some.count() == sets / 4 + 1 and w.validate());
        for (auto* each : {cache, rare}) each->destroy(each, w.all().memory());
    };

    "a million archetypes come and go in the same memory"_test = [] {
        support::watched_memory memory;
        {
            pecs::world w{&memory};
            const auto with_a = w.query<const A>();
            const entity stays = w.spawn(A{1});
            std::size_t steady = 0;
            std::size_t blocks = 0;
            std::size_t wrong = 0;
            for (std::uint32_t round = 0; round != 1024; ++round) {
                std::size_t some = 0;
                for (std::uint32_t i = 0; i != 1024; ++i) {
                    (void)spawn_set(w, round << 10U | i);
                    some += i % 2;
                }
                auto odd = w.by_id().query();
                odd.with(tags()[0]);
                wrong += odd.count() == some && with_a.count() == 1 ? 0 : 1;
                w.despawn_batch(w.query<pecs::without<A>>());
                w.shrink();
                if (round == 10) steady = memory.bytes(), blocks = support::global_blocks;
            }
            expect(wrong == 0_ul and w.size() == 1_ul and w.alive(stays) and w.validate());
            expect(memory.bytes() <= steady + steady / 8 and support::global_blocks <= blocks + 8)
                << memory.bytes() << steady << support::global_blocks << blocks;
            expect(w.stats().archetypes.size() == 2_ul);
        }
        expect(memory.clean());
    };
}
