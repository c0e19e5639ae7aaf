// For every parent, the sum of a value over its children: relations against what programs do without them, and
// against arrays that are sorted by parent. Every rival has a world of its own, with what it needs and no more.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench.hpp"

#include "../representations.hpp"

import pecs;

namespace {

using bench::ChildOf;
using bench::Children;
using bench::FirstChild;
using bench::Linked;
using bench::Parent;
using bench::Sum;
using bench::Value;
using bench::value_of;

double total_of(std::span<const Value> values) {
    double total = 0;
    for (std::size_t i = 0; i != values.size(); ++i) total += values[i].value;
    return total;
}

// What is known to be missed, and by how much: see docs/benchmarks.md.
double known(std::string_view variant, std::size_t n, std::size_t fanout, std::string_view order) {
    if (fanout == 1)
        return variant == "by" ? 1.8 : 3.2; // a child that holds its parent touches nothing but arrays
    if (variant == "default" && n == 1'000'000 && fanout == 4 && order == "shuffled") return 1.4;
    return 0;
}

std::vector<bench::limit> limits(std::string_view variant, std::size_t n, std::size_t fanout,
                                 std::string_view order) {
    std::vector<bench::limit> all{bench::faster_than("parent_list", 1), bench::faster_than("parent_slice", 1),
                                  bench::faster_than("child", 1)};
    for (bench::limit& each : all) each = bench::known_miss(each, known(variant, n, fanout, order));
    if (variant == "families" && order == "parent") {
        if (fanout == 10) all.push_back(bench::known_miss(bench::at_most(2), 2.5));
        if (fanout >= 100) all.push_back(bench::at_most(1.25));
    }
    return all;
}

void compare(bench::context& context, std::size_t n, std::size_t fanout, const std::string& order) {
    const std::size_t parents = n / fanout;
    const std::vector<std::uint32_t> births = bench::births(n, order);
    const auto digest = [=](auto sum_of) {
        return sum_of(0) + 2 * sum_of(parents / 2) + 4 * sum_of(parents - 1);
    };
    const auto digest_tree = [=](bench::family_tree& tree) {
        return digest([&](std::size_t parent) { return tree.world.get<Sum>(tree.parents[parent]).value; });
    };
    auto group = context.group({.n = n, .fanout = fanout, .order = order});

    std::vector<Value> values(n);
    std::vector<std::uint32_t> offsets(parents + 1);
    std::vector<double> sums(parents);
    for (std::uint32_t child = 0; child != n; ++child) values[child].value = value_of(child);
    for (std::uint32_t parent = 0; parent <= parents; ++parent)
        offsets[parent] = static_cast<std::uint32_t>(parent * fanout);
    group.floor("csr", [&] {
        for (std::size_t parent = 0; parent != parents; ++parent) {
            const std::uint32_t first = offsets[parent];
            sums[parent] = total_of({&values[first], offsets[parent + 1] - first});
        }
        return digest([&](std::size_t parent) { return sums[parent]; });
    });

    bench::family_tree linked = bench::linked_tree(births, fanout);
    group.variant("parent_list", [&] {
        const auto links = linked.world.access<const Linked>();
        linked.world.query<Sum, const FirstChild>().each([&](Sum& sum, const FirstChild& first) {
            double total = 0;
            for (pecs::entity e = first.child; e;) {
                const Linked& child = links[e];
                total += child.value;
                e = child.next;
            }
            sum.value = total;
        });
        return digest_tree(linked);
    });

    bench::family_tree listed = bench::listed_tree(births, fanout);
    group.variant("parent_slice", [&] {
        const auto value = listed.world.access<const Value>();
        listed.world.query<Sum, const Children>().each([&](Sum& sum, const Children& children) {
            double total = 0;
            for (const pecs::entity e : children.list) total += value[e].value;
            sum.value = total;
        });
        return digest_tree(listed);
    });

    bench::family_tree pointing = bench::pointing_tree(births, fanout);
    group.variant("child", [&] {
        pointing.world.query<Sum>().each([](Sum& sum) { sum.value = 0; });
        const auto sum = pointing.world.access<Sum>();
        pointing.world.query<const Value, const Parent>().each(
            [&](const Value& value, const Parent& of) { sum[of.parent].value += value.value; });
        return digest_tree(pointing);
    });

    bench::family_tree related = bench::related_tree(births, fanout);
    group.variant("by", limits("by", n, fanout, order), [&] {
        const auto children = related.world.query<const Value>().by<ChildOf>();
        related.world.query<Sum>().each([&](pecs::entity parent, Sum& sum) {
            double total = 0;
            children.each(parent, [&](const Value& value) { total += value.value; });
            sum.value = total;
        });
        return digest_tree(related);
    });
    group.variant("default", limits("default", n, fanout, order), [&] {
        related.world.query<Sum>().each([&](pecs::entity parent, Sum& sum) {
            double total = 0;
            related.world.query<const Value>().of<ChildOf>(parent).each(
                [&](const Value& value) { total += value.value; });
            sum.value = total;
        });
        return digest_tree(related);
    });

    bench::family_tree grouped = bench::related_tree(births, fanout);
    group.variant("families", limits("families", n, fanout, order), [&] {
        const auto sum = grouped.world.access<Sum>();
        grouped.world.query<const Value>().families<ChildOf>().each(
            [&](pecs::entity parent, std::span<const pecs::entity>, std::span<const Value> values_of) {
                sum[parent].value = total_of(values_of);
            });
        return digest_tree(grouped);
    });
    group.variant("families, range-for", [&] {
        const auto sum = grouped.world.access<Sum>();
        for (auto [parent, entities, values_of] : grouped.world.query<const Value>().families<ChildOf>())
            sum[parent].value = total_of(values_of);
        return digest_tree(grouped);
    });
    group.measure();
}

void relation(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000, 1'000'000}))
        for (const std::size_t fanout : {1U, 4U, 10U, 100U, 1'000U, 10'000U})
            for (const char* order : {"parent", "shuffled"}) compare(context, n, fanout, order);
}

const bench::scenario registered{"relation", "for every parent, the sum over its children", relation};

} // namespace
