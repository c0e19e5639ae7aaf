// Several threads record at once, each with a recorder of its own, while all of them read the world. Built with the
// thread sanitizer this shows every race.
#include <boost/ut.hpp>

#include "../support/parallel.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;
using support::in_parallel;
using support::threads;

struct Value {
    long value;
};
struct Hot {};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct Label {
    std::string text;
};

/// Plays some rounds and gives the handles and values of the end.
std::vector<std::pair<entity, long>> play(int rounds) {
    using namespace boost::ut;
    world w;
    for (int i = 0; i != 200; ++i) w.spawn(Value{i});
    std::vector<pecs::commands> later;
    for (int i = 0; i != threads; ++i) later.push_back(w.record());
    for (int round = 0; round != rounds; ++round) {
        in_parallel([&](int me) {
            pecs::commands& mine = later[static_cast<std::size_t>(me)];
            const world& shared = w;
            shared.query<entity, const Value>().each([&](entity e, const Value& v) {
                if (v.value % threads != me) return;
                if (shared.has<Hot>(e))
                    mine.remove<Hot>(e);
                else
                    mine.add(e, Hot{});
                mine.set(e, Value{v.value + threads * (v.value % 3)});
                if (v.value % 7 == 0) {
                    const entity made = mine.spawn(Value{v.value + round}, pecs::to<ChildOf>(e));
                    mine.add(made, Label{"made in a round with a text that needs memory"});
                }
                if (v.value % 5 == 0) mine.despawn(e);
            });
        });
        expect(w.apply(later, pecs::on_failure::report).empty() or round != 0);
        expect(w.validate());
    }
    std::vector<std::pair<entity, long>> end;
    w.query<entity, const Value>().each([&](entity e, const Value& v) { end.emplace_back(e, v.value); });
    return end;
}
} // namespace

int main() {
    using namespace boost::ut;

    "threads record beside loops, and every run ends the same, handle for handle"_test = [] {
        const auto first = play(8);
        expect(!first.empty());
        for (int i = 0; i != 5; ++i) expect(bool{play(8) == first});
    };
}
