#include "questions.hpp"
#include "stage.hpp"

import pecs;

namespace fuzz {
namespace {

constexpr std::size_t all_questions = questions + 6 + more_questions;

entity some_target(const model& now, std::size_t turn) {
    if (now.things.empty()) return {};
    return std::next(now.things.begin(), static_cast<std::ptrdiff_t>(turn / 2 % now.things.size()))->first;
}

void compare_question(arena& all, std::size_t number, entity target) {
    ask(number, all.world(), all.now, target, [&](const auto& query, const auto& fits) {
        const std::string name = "query " + std::to_string(number) + " with " + text(target) + ": ";
        std::set<entity> found;
        query.each([&](entity e, const auto&...) {
            require(found.insert(e).second, name + "finds " + text(e) + " twice");
        });
        std::size_t expected = 0;
        for (const auto& [e, t] : all.now.things) {
            const bool wanted = fits(e, t);
            expected += wanted ? 1 : 0;
            require(found.contains(e) == wanted, name + (wanted ? "does not find " : "finds ") + text(e));
            require(query.contains(e) == wanted, name + "contains " + text(e));
        }
        require(found.size() == expected && query.count() == expected, name + "counts otherwise");
    });
}

template <class R> void compare_families(arena& all) {
    const std::string name = std::string{"families of "} + part_names[part<R>];
    std::map<entity, std::size_t> seen;
    std::size_t rows = 0;
    for (auto [target, some] : all.world().query<>().families<R>())
        for (const entity e : some) {
            require(all.now.alive(e) && all.now.things.at(e).targets[link<R>] == target,
                    name + ": " + text(e));
            ++seen[target];
            ++rows;
        }
    const auto by_target = all.world().query<>().by<R>();
    std::map<entity, std::size_t> expected;
    std::size_t wanted = 0;
    for (const auto& [e, t] : all.now.things)
        if (t.visible() && t.shows<R>()) ++expected[t.targets[link<R>]], ++wanted;
    require(rows == wanted && seen == expected, name + " differ");
    for (const auto& [e, t] : all.now.things) {
        require(by_target.count(e) == expected[e], name + " by target differ at " + text(e));
        std::size_t sources = 0;
        for (const auto& [other, its] : all.now.things) sources += its.targets[link<R>] == e ? 1 : 0;
        require(all.world().source_count<R>(e) == sources, name + ": sources of " + text(e));
    }
}

void compare_order(arena& all) {
    std::set<entity> seen;
    for (auto [e] : all.world().query<entity>().parents_first<Child>()) {
        const entity parent = all.now.things.at(e).targets[link<Child>];
        require(!parent || !all.now.things.at(parent).visible() || seen.contains(parent),
                "parents_first: " + text(e) + " comes before its parent");
        require(seen.insert(e).second, "parents_first: " + text(e) + " comes twice");
    }
    for (const auto& [e, t] : all.now.things)
        require(seen.contains(e) == t.visible(), "parents_first: " + text(e));
    for (auto [e] : all.world().query<entity>().children_first<Child>()) {
        seen.erase(e);
        const entity parent = all.now.things.at(e).targets[link<Child>];
        require(!parent || !all.now.things.at(parent).visible() || seen.contains(parent),
                "children_first: " + text(e) + " comes behind its parent");
    }
    require(seen.empty(), "children_first leaves some out");
}

void compare_values(arena& all) {
    all.world().query<const Position, pecs::optional<const Name>, pecs::optional<const Heat>>().each(
        [&](entity e, const Position& p, const Name* name, const Heat* heat) {
            const thing& t = all.now.things.at(e);
            require(p.number() == t.numbers[part<Position>], "each: another Position of " + text(e));
            require((name != nullptr) == t.shows<Name>() && (heat != nullptr) == t.shows<Heat>(),
                    "each: an optional value of " + text(e));
            require(name == nullptr || name->number() == t.numbers[part<Name>], "each: another Name");
            require(heat == nullptr || heat->number() == t.numbers[part<Heat>], "each: another Heat");
        });
    for (auto [some, owners] : all.world().query<const Owner>().columns())
        for (std::size_t i = 0; i != some.size(); ++i)
            require(owners[i].number() == all.now.things.at(some[i]).numbers[part<Owner>],
                    "columns: another Owner of " + text(some[i]));
    all.world().query<const Follows, pecs::at_target<Follows, const Position>>().each(
        [&](entity e, const Follows& f, const Position& p) {
            const thing& t = all.now.things.at(e);
            require(f.number() == t.numbers[part<Follows>] &&
                        p.number() == all.now.things.at(t.targets[link<Follows>]).numbers[part<Position>],
                    "each: values at the target of " + text(e));
        });
}

} // namespace

void compare_queries(arena& all, std::size_t turn) {
    const std::size_t number = turn % all_questions;
    const entity target = some_target(all.now, turn);
    switch (number) {
    case questions: return compare_families<Child>(all);
    case questions + 1: return compare_families<Owner>(all);
    case questions + 2: return compare_families<Guard>(all);
    case questions + 3: return compare_families<Follows>(all);
    case questions + 4: return compare_order(all);
    case questions + 5: return compare_values(all);
    default:
        if (number > questions + 5) return compare_more(all, number - questions - 6);
        return compare_question(all, number, target);
    }
}

void compare_all_queries(arena& all) {
    for (std::size_t turn = 0; turn != all_questions; ++turn) compare_queries(all, turn);
}

} // namespace fuzz
