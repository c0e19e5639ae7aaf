// Parents and children, five ways. For every parent, the sum of a value over its children: with what programs do that have
// no relations, and with relations. 100,000 children in random order; the table says how many ns one child takes.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

import pecs;

constexpr std::uint32_t children = 100'000;
constexpr std::uint32_t fanouts[] = {1, 10, 100, 1000}; // children per parent

struct Value {
    double value;
};
struct Sum {
    double value;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules = pecs::hierarchy;
};
struct FirstChild { // a chain: the parent knows its first child, each child the next one
    pecs::entity child;
};
struct Next {
    pecs::entity child;
};
struct Children { // a list in the parent
    std::vector<pecs::entity> list;
};
struct Parent { // a handle in the child
    pecs::entity parent;
};

/// All five in one world would help or hinder each other, so each has its own.
struct family_tree {
    pecs::world world;
    std::vector<pecs::entity> parents;

    explicit family_tree(std::uint32_t fanout) {
        for (std::uint32_t i = 0; i != children / fanout; ++i) parents.push_back(world.spawn(Sum{}));
    }
    /// Calls `make(value, parent)` for all children, in an order that looks random.
    template <class Make> void plant(Make make) {
        for (std::uint64_t i = 0; i != children; ++i) {
            const auto child = static_cast<std::uint32_t>(i * 61'837 % children);
            make(Value{static_cast<double>(child % 256)}, parents[child % parents.size()]);
        }
    }
};

/// The smallest time of several runs, in ns per child; and the sums, added up, for comparison.
template <class Run> double measure(family_tree& tree, double& digest, Run run) {
    using clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int i = 0; i != 9; ++i) {
        const auto start = clock::now();
        run(tree.world);
        best = std::min(best, std::chrono::duration<double, std::nano>(clock::now() - start).count());
    }
    digest = 0;
    for (std::size_t i = 0; i != tree.parents.size(); ++i)
        digest += static_cast<double>(i + 1) * tree.world.get<Sum>(tree.parents[i]).value;
    return best / children;
}

double chain(std::uint32_t fanout, double& digest) {
    family_tree tree{fanout};
    tree.world.add_batch(tree.parents, FirstChild{});
    tree.plant([&](Value value, pecs::entity parent) {
        const auto child = tree.world.spawn(value, Next{tree.world.get<FirstChild>(parent).child});
        tree.world.get<FirstChild>(parent).child = child;
    });
    return measure(tree, digest, [](pecs::world& world) {
        const auto value = world.access<const Value>();
        const auto next = world.access<const Next>();
        world.query<Sum, const FirstChild>().each([&](Sum& sum, const FirstChild& first) {
            sum.value = 0;
            for (pecs::entity e = first.child; e; e = next[e].child) sum.value += value[e].value;
        });
    });
}

double list(std::uint32_t fanout, double& digest) {
    family_tree tree{fanout};
    tree.world.add_batch(tree.parents, Children{});
    tree.plant([&](Value value, pecs::entity parent) {
        const auto child = tree.world.spawn(value);
        tree.world.get<Children>(parent).list.push_back(child);
    });
    return measure(tree, digest, [](pecs::world& world) {
        const auto value = world.access<const Value>();
        world.query<Sum, const Children>().each([&](Sum& sum, const Children& all) {
            sum.value = 0;
            for (const pecs::entity e : all.list) sum.value += value[e].value;
        });
    });
}

double handle(std::uint32_t fanout, double& digest) {
    family_tree tree{fanout};
    tree.plant([&](Value value, pecs::entity parent) { tree.world.spawn(value, Parent{parent}); });
    return measure(tree, digest, [](pecs::world& world) {
        world.query<Sum>().each([](Sum& sum) { sum.value = 0; });
        const auto sum = world.access<Sum>();
        world.query<const Value, const Parent>().each(
            [&](const Value& value, const Parent& of) { sum[of.parent].value += value.value; });
    });
}

double by_parent(std::uint32_t fanout, double& digest) {
    family_tree tree{fanout};
    tree.plant([&](Value value, pecs::entity parent) { tree.world.spawn(value, pecs::to<ChildOf>(parent)); });
    return measure(tree, digest, [](pecs::world& world) {
        world.query<Sum>().each([&](pecs::entity parent, Sum& sum) {
            double total = 0;
            world.query<const Value>().of<ChildOf>(parent).each(
                [&](const Value& value) { total += value.value; });
            sum.value = total;
        });
    });
}

double families(std::uint32_t fanout, double& digest) {
    family_tree tree{fanout};
    tree.plant([&](Value value, pecs::entity parent) { tree.world.spawn(value, pecs::to<ChildOf>(parent)); });
    return measure(tree, digest, [](pecs::world& world) {
        const auto sum = world.access<Sum>();
        world.query<const Value>().families<ChildOf>().each(
            [&](pecs::entity parent, std::span<const pecs::entity>, std::span<const Value> values) {
                double total = 0;
                for (const Value& each : values) total += each.value;
                sum[parent].value = total;
            });
    });
}

int main() {
    struct way {
        const char* name;
        double (*run)(std::uint32_t fanout, double& digest);
    };
    constexpr way ways[] = {{"a chain of children", chain},
                            {"a list in the parent", list},
                            {"a handle in the child", handle},
                            {"a relation, parent by parent", by_parent},
                            {"a relation, all families", families}};
    double first[std::size(fanouts)] = {};
    bool same = true;
    std::printf("%-30s", "ns per child; children each:");
    for (const std::uint32_t fanout : fanouts) std::printf("%8u", fanout);
    std::puts("");
    for (const way& each : ways) {
        std::printf("%-30s", each.name);
        for (std::size_t i = 0; i != std::size(fanouts); ++i) {
            double digest = 0;
            std::printf("%8.2f", each.run(fanouts[i], digest));
            std::fflush(stdout);
            if (first[i] == 0) first[i] = digest;
            same = same && digest == first[i];
        }
        std::puts("");
    }
    std::puts(same ? "all five come to the same sums" : "the sums differ");
    return same ? 0 : 1;
}

/* Output, but for the numbers:
ns per child; children each:         1      10     100    1000
a chain of children              10.58   18.17   11.83    6.84
a list in the parent             11.81    9.27    5.07    4.38
a handle in the child             6.95    6.65    3.92    3.47
a relation, parent by parent      8.34    2.40    0.79    0.91
a relation, all families          6.98    1.49    0.97    0.94
all five come to the same sums
*/
