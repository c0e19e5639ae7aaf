#include "model.hpp"

import pecs;

namespace fuzz {

std::string describe(problems all) {
    static constexpr std::array names{"dead_entity",       "missing_component", "duplicate_component",
                                      "repeated_entity",   "dead_target",       "target_in_use",
                                      "relation_cycle",    "world_locked",      "foreign_commands",
                                      "no_match",          "another error",     "unsupported_component",
                                      "unknown_component", "not_siblings",      "missing_resource"};
    if (all == fine) return "no error";
    std::string text;
    for (std::size_t i = 0; i != names.size(); ++i)
        if ((all >> i & 1U) != 0) text += (text.empty() ? "" : " or ") + std::string{names[i]};
    return text;
}

void thing::give(std::size_t which, int number) {
    if ((has >> which & 1U) == 0) fresh |= 1U << which;
    has |= 1U << which;
    write(which, number);
}
void thing::write(std::size_t which, int number) {
    touched |= 1U << which;
    numbers[which] = number;
}
void thing::drop(std::size_t which) {
    has &= ~(1U << which);
    off_parts &= ~(1U << which);
    touched &= ~(1U << which);
    fresh &= ~(1U << which);
    if (which >= first_link) targets[which - first_link] = {};
}
void thing::give_all(unsigned which, int number) {
    for (std::size_t i = 0; i != parts::size; ++i)
        if ((which >> i & 1U) != 0) give(i, number);
}
void thing::drop_all(unsigned which) {
    for (std::size_t i = 0; i != parts::size; ++i)
        if ((which >> i & 1U) != 0) drop(i);
}
void thing::relate(std::size_t relation, entity target, std::optional<int> data) {
    const std::size_t which = first_link + relation;
    const bool there = (has >> which & 1U) != 0;
    if (there && !data && targets[relation] == target) return; // no change
    give(which, data ? *data : there ? numbers[which] : 0);
    targets[relation] = target;
}

// --- what is wrong

problems model::with_list(const entities& all) const {
    problems found = fine;
    for (const entity e : all) found |= with(e);
    if (std::set<entity>{all.begin(), all.end()}.size() != all.size()) found |= repeated_entity;
    return found;
}
problems model::change(entity e, unsigned added, unsigned removed) const {
    if (!alive(e)) return dead_entity;
    problems found = fine;
    const unsigned has = things.at(e).has;
    if ((has & removed) != removed) found |= missing_component;
    if ((has & added) != 0) found |= duplicate_component;
    return found;
}
problems model::change_all(const entities& all, unsigned added, unsigned removed) const {
    problems found = with_list(all);
    for (const entity e : all) found |= change(e, added, removed);
    return found;
}
problems model::relate(const entities& all, std::size_t relation, entity to) const {
    problems found = with_list(all) | target(to);
    if (alive(to) && link_rules[relation].acyclic)
        for (const entity e : all)
            if (alive(e) && climbs(relation, to, e)) found |= relation_cycle;
    return found;
}
problems model::add_edges(const entities& all, std::size_t relation, entity to) const {
    problems found = with_list(all) | target(to);
    if (alive(to) && edge_rules[relation].acyclic)
        for (const entity e : all)
            if (alive(e) && leads(relation, to, e)) found |= relation_cycle;
    return found;
}
problems model::cut_edges(const entities& all, std::size_t relation, entity to) const {
    problems found = with_list(all);
    for (const entity e : all)
        if (alive(e) && !(to ? has_edge(relation, e, to) : has_edges(relation, e)))
            found |= missing_component;
    return found;
}
problems model::despawn(const entities& all) const {
    if (const problems found = with_list(all); found != fine) return found;
    const std::set<entity> dead = dying(all);
    for (const auto& [e, t] : things) {
        if (dead.contains(e)) continue;
        for (std::size_t r = 0; r != links::size; ++r)
            if (link_rules[r].on_target_death == pecs::target_death::forbid && dead.contains(t.targets[r]))
                return target_in_use;
    }
    for (std::size_t r = 0; r != edges::size; ++r)
        if (edge_rules[r].on_target_death == pecs::target_death::forbid)
            for (const auto& [ends, data] : edge_sets[r])
                if (!dead.contains(ends.first) && dead.contains(ends.second)) return target_in_use;
    return fine;
}

// --- what it does

void model::link_edge(std::size_t relation, entity a, entity b, int data, bool replace) {
    const auto put = [&](pair_of_entities ends) {
        const auto [at, fresh] = edge_sets[relation].emplace(ends, data);
        if (!fresh && replace) at->second = data;
    };
    put({a, b});
    if (edge_rules[relation].symmetric) put({b, a});
}
void model::cut_edge(std::size_t relation, entity a, entity b) {
    edge_sets[relation].erase({a, b});
    if (edge_rules[relation].symmetric) edge_sets[relation].erase({b, a});
}
void model::cut_all_edges(std::size_t relation, entity a) {
    std::erase_if(edge_sets[relation], [&](const auto& each) {
        return each.first.first == a || (edge_rules[relation].symmetric && each.first.second == a);
    });
}
void model::end(const entities& all) {
    const std::set<entity> dead = dying(all);
    for (const entity e : dead) {
        things.erase(e);
        gone.push_back(e);
    }
    for (auto& [e, t] : things)
        for (std::size_t r = 0; r != links::size; ++r)
            if (dead.contains(t.targets[r])) t.drop(first_link + r);
    for (auto& set : edge_sets)
        std::erase_if(set, [&](const auto& each) {
            return dead.contains(each.first.first) || dead.contains(each.first.second);
        });
}
void model::clear() {
    for (const auto& [e, t] : things) gone.push_back(e);
    things.clear();
    for (auto& set : edge_sets) set.clear();
}

// --- questions

bool model::has_edges(std::size_t relation, entity a) const {
    const auto at = edge_sets[relation].lower_bound({a, {}});
    return at != edge_sets[relation].end() && at->first.first == a;
}
bool model::climbs(std::size_t relation, entity from, entity to) const {
    for (entity at = from; at; at = things.at(at).targets[relation])
        if (at == to) return true;
    return false;
}
bool model::leads(std::size_t relation, entity from, entity to) const {
    std::set<entity> seen{from};
    for (entities queue{from}; !queue.empty();) {
        const entity at = queue.back();
        queue.pop_back();
        if (at == to) return true;
        for (auto next = edge_sets[relation].lower_bound({at, {}});
             next != edge_sets[relation].end() && next->first.first == at; ++next)
            if (seen.insert(next->first.second).second) queue.push_back(next->first.second);
    }
    return false;
}
entities model::tree(std::size_t relation, entity root) const {
    entities found{root};
    for (std::size_t next = 0; next != found.size(); ++next)
        for (const auto& [e, t] : things)
            if (t.targets[relation] == found[next]) found.push_back(e);
    return found;
}
entities model::children(std::size_t relation, entity parent) const {
    entities found;
    for (const auto& [e, t] : things)
        if (parent && t.targets[relation] == parent) found.push_back(e);
    return found;
}
std::set<entity> model::dying(const entities& all) const {
    std::set<entity> dead{all.begin(), all.end()};
    for (bool more = true; more;) {
        more = false;
        for (const auto& [e, t] : things)
            for (std::size_t r = 0; r != links::size; ++r)
                if (link_rules[r].on_target_death == pecs::target_death::cascade && t.targets[r] &&
                    dead.contains(t.targets[r]))
                    more = dead.insert(e).second || more;
        for (std::size_t r = 0; r != edges::size; ++r)
            if (edge_rules[r].on_target_death == pecs::target_death::cascade)
                for (const auto& [ends, data] : edge_sets[r])
                    if (dead.contains(ends.second)) more = dead.insert(ends.first).second || more;
    }
    return dead;
}

} // namespace fuzz
