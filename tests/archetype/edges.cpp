// The edges of one relation, alone: stories, and random changes against a model that is as simple as can be. The seed of
// a failed run is printed; PECS_SEED=<seed> repeats it.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/memory.hpp"
#include "../support/seed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <new>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

import pecs.archetype;

namespace {
using pecs::detail::edge_index;
using pecs::entity;
using support::faults;
using support::Tracked;
using support::watched_memory;

struct Likes {
    static constexpr pecs::relation_rules rules{.many = true};
};
struct Knows {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
};
struct Trades {
    static constexpr pecs::relation_rules rules{.many = true};
    int volume = 0;
};
struct Owes : Tracked {
    static constexpr pecs::relation_rules rules{.many = true};
    using Tracked::Tracked;
};
struct Shares : Tracked {
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
    using Tracked::Tracked;
};

entity make(std::uint32_t index) { return {index, 1}; }

std::vector<entity> sorted(std::span<const entity> list) {
    std::vector<entity> copy{list.begin(), list.end()};
    std::ranges::sort(copy);
    return copy;
}

/// An index with the values that a program would put into it.
template <class R> class edges {
public:
    explicit edges(std::pmr::memory_resource* memory) : index_{pecs::id_of<R>(), memory} {}

    void insert(entity source, entity target, int number) {
        const auto [data, fresh] = index_.insert(source, target);
        if constexpr (!std::is_empty_v<R>) {
            if (!fresh) pecs::detail::destroy_values<R>(data, 1);
            pecs::detail::construct<R>(data, number);
        }
    }
    [[nodiscard]] int number(entity source, entity target) const {
        const std::byte* const found = index_.find(source, target);
        if (found == nullptr) return -1;
        if constexpr (std::is_base_of_v<Tracked, R>)
            return reinterpret_cast<const R*>(found)->number();
        else if constexpr (!std::is_empty_v<R>)
            return reinterpret_cast<const R*>(found)->volume;
        else
            return 0;
    }
    edge_index* operator->() { return &index_; }
    const edge_index* operator->() const { return &index_; }

private:
    edge_index index_;
};

/// The edges as a map; a symmetric relation has each edge twice.
template <class R> class model {
public:
    static constexpr bool symmetric = R::rules.symmetric;

    void insert(entity a, entity b, int number) {
        if (std::is_empty_v<R>) number = 0;
        all_[{a, b}] = number;
        if (symmetric) all_[{b, a}] = number;
    }
    bool erase(entity a, entity b) {
        const bool there = all_.erase({a, b}) != 0;
        if (symmetric) all_.erase({b, a});
        return there;
    }
    void erase_targets(entity e) {
        std::erase_if(all_, [&](const auto& edge) {
            return edge.first.first == e || (symmetric && edge.first.second == e);
        });
    }
    void erase_all(entity e) {
        std::erase_if(all_,
                      [&](const auto& edge) { return edge.first.first == e || edge.first.second == e; });
    }
    void clear() { all_.clear(); }

    /// Empty if the index has the same edges, with the same data.
    [[nodiscard]] std::string difference(const edges<R>& index, std::uint32_t entities) const {
        if (!index->valid()) return "the index is not valid";
        std::map<entity, std::vector<entity>> targets;
        std::map<entity, std::vector<entity>> sources;
        std::size_t count = 0;
        for (const auto& [ends, number] : all_) {
            targets[ends.first].push_back(ends.second);
            sources[ends.second].push_back(ends.first);
            if (index.number(ends.first, ends.second) != number) return "data differs";
            count += symmetric && ends.second < ends.first ? 0 : 1;
        }
        if (index->size() != count) return "sizes differ";
        for (std::uint32_t i = 0; i != entities; ++i) {
            const entity e = make(i);
            if (sorted(index->targets(e)) != sorted(targets[e])) return "targets differ";
            if (sorted(index->sources(e)) != sorted(sources[e])) return "sources differ";
            for (std::uint32_t place = 0; place != index->targets(e).size(); ++place)
                if (index->at_target(e, place) != index->find(e, index->targets(e)[place]))
                    return "data by target differs";
            for (std::uint32_t place = 0; place != index->sources(e).size(); ++place)
                if (index->at_source(e, place) != index->find(index->sources(e)[place], e))
                    return "data by source differs";
        }
        std::size_t visited = 0;
        bool unknown = false;
        index->each([&](entity a, entity b, const std::byte*) {
            unknown = unknown || !all_.contains({a, b});
            ++visited;
        });
        return unknown || visited != count ? "a visit of all edges differs" : "";
    }

private:
    std::map<std::pair<entity, entity>, int> all_;
};

/// Random changes; some of them fail for want of memory, and must then have changed nothing.
template <class R> void compare_with_model(bool failing) {
    using namespace boost::ut;
    const std::uint64_t first = support::first_seed();
    for (std::uint64_t run = 0; run != 12; ++run) {
        std::mt19937_64 random{first + run};
        const auto below = [&](std::size_t n) {
            return std::uniform_int_distribution<std::size_t>{0, n - 1}(random);
        };
        Tracked::forget();
        watched_memory memory;
        {
            edges<R> index{&memory};
            model<R> known;
            const auto entities = static_cast<std::uint32_t>(run % 3 == 0 ? 6 : 90);
            const auto some = [&] {
                // A few are in most of the edges, so that their lists grow long.
                return make(static_cast<std::uint32_t>(below(below(3) == 0 ? 3 : entities)));
            };
            for (int step = 0; step != 1500; ++step) {
                const entity a = some();
                const entity b = some();
                const int number = static_cast<int>(below(1000));
                const bool shrinks = step / 500 == 1;
                const std::size_t kind = below(100);
                if (failing) faults::arm(below(4), below(2) == 0);
                try {
                    if (kind < (shrinks ? 30 : 80)) {
                        index.insert(a, b, number);
                        known.insert(a, b, number);
                    } else if (kind < 95) {
                        const bool erased = index->erase(a, b);
                        faults::disarm();
                        expect(erased == known.erase(a, b));
                    } else if (kind == 95) {
                        index->erase_targets(a);
                        known.erase_targets(a);
                    } else if (kind == 96) {
                        index->erase_all(a);
                        known.erase_all(a);
                    } else if (kind == 97 && below(10) == 0) {
                        index->clear();
                        known.clear();
                    } else {
                        index->compact();
                    }
                } catch (const std::bad_alloc&) {
                }
                faults::disarm();
                if (step % 25 != 0 && step < 1400) continue;
                const std::string wrong = known.difference(index, entities);
                expect(fatal(wrong.empty())) << wrong << "in step" << step << "PECS_SEED=" << first + run;
            }
            expect(index->bytes() > 0_ul);
        }
        expect(memory.clean() and Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul)
            << "PECS_SEED=" << first + run;
    }
}

} // namespace

int main() {
    using namespace boost::ut;
    std::pmr::memory_resource* const heap = std::pmr::new_delete_resource();

    "an edge is seen from both ends"_test = [heap] {
        edges<Trades> index{heap};
        index.insert(make(1), make(2), 5);
        index.insert(make(1), make(3), 6);
        expect(index->targets(make(1)).size() == 2_ul and index->targets(make(2)).empty());
        expect(index->sources(make(2)).size() == 1_ul and index->sources(make(2))[0] == make(1));
        expect(index.number(make(1), make(3)) == 6_i and index.number(make(3), make(1)) == -1_i);
        index.insert(make(1), make(2), 7);
        expect(index->size() == 2_ul and index.number(make(1), make(2)) == 7_i);
    };

    "another generation of an index is another entity"_test = [heap] {
        edges<Likes> index{heap};
        index.insert({1, 1}, {2, 1}, 0);
        expect(index->targets({1, 2}).empty() and index->sources({2, 2}).empty());
        expect(index->find({1, 1}, {2, 2}) == nullptr and !index->erase({1, 2}, {2, 1}));
        expect(index->targets(pecs::null).empty() and !index->erase(pecs::null, pecs::null));
        index->erase_all(pecs::null);
        expect(index->size() == 1_ul);
    };

    "a symmetric edge is one edge with one value, also to oneself"_test = [heap] {
        Tracked::forget();
        {
            edges<Shares> index{heap};
            index.insert(make(4), make(2), 9);
            index.insert(make(3), make(3), 8);
            expect(index.number(make(4), make(2)) == 9_i and index.number(make(2), make(4)) == 9_i);
            expect(index->size() == 2_ul and index->targets(make(3)).size() == 1_ul);
            expect(index->find(make(2), make(4)) == index->find(make(4), make(2)));
            index.insert(make(2), make(4), 10);
            expect(index.number(make(4), make(2)) == 10_i and index->valid());
            expect(index->erase(make(2), make(4)) and index->erase(make(3), make(3)));
            expect(index->size() == 0_ul and index->valid());
        }
        expect(Tracked::log.alive() == 0_ul and Tracked::log.wrong == 0_ul);
    };

    "the edge that came last leaves no trace"_test = [heap] {
        edges<Trades> index{heap};
        for (std::uint32_t i = 0; i != 50; ++i) index.insert(make(i % 7), make(i % 11), static_cast<int>(i));
        std::vector<std::vector<entity>> before;
        const auto lists = [&] {
            std::vector<std::vector<entity>> all;
            for (std::uint32_t i = 0; i != 20; ++i)
                for (const auto list : {index->targets(make(i)), index->sources(make(i))})
                    all.emplace_back(list.begin(), list.end());
            return all;
        };
        before = lists();
        for (std::uint32_t i = 12; i != 20; ++i) index.insert(make(i), make(3), 1);
        for (std::uint32_t i = 20; i-- != 12;) index->erase(make(i), make(3));
        expect(before == lists());
    };

    "lists grow long and short again"_test = [heap] {
        edges<Knows> index{heap};
        constexpr std::uint32_t count = 200;
        for (std::uint32_t a = 0; a != count; ++a)
            for (std::uint32_t b = a; b < count; b += 3) index.insert(make(a), make(b), 0);
        expect(index->valid());
        for (std::uint32_t a = 0; a != count; ++a)
            for (std::uint32_t b = 0; b != count; ++b)
                expect((index->find(make(a), make(b)) != nullptr) == (a % 3 == b % 3)) << a << b;
        for (std::uint32_t a = 0; a != count; ++a)
            for (std::uint32_t b = a + 30; b < count; b += 3) expect(index->erase(make(b), make(a)));
        expect(index->valid());
        index->compact();
        expect(index->valid() and index->find(make(0), make(27)) != nullptr);
    };

    "random changes of tags are what a map says"_test = [] { compare_with_model<Likes>(false); };
    "random changes of plain values are what a map says"_test = [] { compare_with_model<Trades>(false); };
    "random changes of objects are what a map says"_test = [] { compare_with_model<Owes>(false); };
    "random changes of symmetric edges are what a map says"_test = [] { compare_with_model<Knows>(false); };
    "random changes of shared objects are what a map says"_test = [] { compare_with_model<Shares>(false); };
    "a failed allocation leaves everything as it was"_test = [] {
        compare_with_model<Likes>(true);
        compare_with_model<Owes>(true);
        compare_with_model<Knows>(true);
        compare_with_model<Shares>(true);
    };
}
