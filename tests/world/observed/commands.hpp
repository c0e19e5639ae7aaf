// What observers are told when recorded commands are applied: new entities, then one change per entity, then ends. Edges
// are told of when their turn comes; the end of a target, and edges of new entities, wait until all before them is done.
#pragma once

#include "model.hpp"

namespace observed {

class recording : public model {
protected:
    using model::model;

    /// Records some commands, says what will be told, and applies them.
    void apply() {
        edges_ = edges_of_world();
        failures_ = 0;
        const std::size_t count = 1 + below(14);
        for (std::size_t i = 0; i != count; ++i) record();
        flush();
        if (world_.apply(recorder_, pecs::on_failure::report).size() != failures_) good_ = false;
        if (edges_of_world() != edges_) good_ = false;
    }

private:
    /// An entity that commands are about: what it was, and what it will be. Nothing before it was born, nothing after it
    /// died.
    struct draft {
        entity who;
        std::optional<state> before;
        std::optional<state> after;
        unsigned given = 0;
    };
    using edge_sets = std::array<std::set<std::pair<entity, entity>>, 3>;

    // --- what will be

    [[nodiscard]] draft* find(entity e) {
        const auto found = std::ranges::find(drafts_, e, &draft::who);
        return found == drafts_.end() ? nullptr : &*found;
    }
    draft& on(entity e) {
        if (draft* const known = find(e)) return *known;
        return drafts_.emplace_back(draft{e, alive_[e], alive_[e]});
    }
    /// What an entity will be as far as it is recorded; null if it will be dead.
    [[nodiscard]] const state* will_be(entity e) {
        if (const draft* const known = find(e)) return known->after ? &*known->after : nullptr;
        const auto found = alive_.find(e);
        return found == alive_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] bool unborn(entity e) {
        const draft* const known = find(e);
        return known != nullptr && !known->before;
    }
    /// An entity that will be alive, or null.
    entity someone() {
        const entity e = !drafts_.empty() && chance(50) ? drafts_[below(drafts_.size())].who : any();
        return will_be(e) != nullptr ? e : pecs::null;
    }
    [[nodiscard]] links as_recorded() {
        return {[this](unsigned relation, entity target) {
                    std::vector<entity> list;
                    const auto look = [&](entity e) {
                        const state* const s = will_be(e);
                        if (s != nullptr && s->target(relation) == target) list.push_back(e);
                    };
                    for (const auto& [e, s] : alive_) look(e);
                    for (const draft& each : drafts_)
                        if (!each.before) look(each.who);
                    return list;
                },
                [this](edge_kind relation, entity source) {
                    std::vector<entity> list;
                    for (const auto& [from, to] : edges_[relation])
                        if (from == source) list.push_back(to);
                    return list;
                },
                [this](edge_kind relation, entity target) {
                    std::vector<entity> list;
                    for (const auto& [from, to] : edges_[relation])
                        if (to == target) list.push_back(from);
                    return list;
                }};
    }
    [[nodiscard]] edge_sets edges_of_world() {
        edge_sets all;
        for (const auto& [e, s] : alive_) {
            for (const entity to : targets_of<Knows>(e)) all[knows].emplace(e, to);
            for (const entity to : targets_of<Owned>(e)) all[owned].emplace(e, to);
            for (const entity to : targets_of<Friend>(e)) all[friends].emplace(e, to);
        }
        return all;
    }

    // --- predictions

    /// All that is recorded so far will be told: births together, the rest one by one.
    void flush() {
        std::vector<transition> births;
        for (const draft& each : drafts_)
            if (!each.before && each.after) births.push_back({each.who, std::nullopt, each.after});
        expect_changes(births);
        for (const draft& each : drafts_)
            if (each.before && each.after)
                expect_changes({{each.who, each.before, each.after, each.given & each.after->has}});
        for (const draft& each : drafts_)
            if (each.before && !each.after) expect_changes({{each.who, each.before, std::nullopt}});
        drafts_.clear();
    }
    void expect_link(edge_kind relation, entity e, entity to, std::optional<int> value) {
        if (unborn(e) || unborn(to)) flush();
        const bool there = edges_[relation].contains({e, to});
        expect_edge(relation, e, to, there);
        if (there && value) expect_value(e, to, *value);
        edges_[relation].emplace(e, to);
        if (relation == friends) edges_[relation].emplace(to, e);
    }
    void expect_cut(edge_kind relation, entity e, const std::vector<entity>& targets) {
        std::vector<edge_event> events;
        for (const entity to : targets) {
            both_ways(events, relation, e, to, pecs::null);
            edges_[relation].erase({e, to});
            if (relation == friends) edges_[relation].erase({to, e});
        }
        unordered_ = unordered_ || targets.size() > 1;
        predict({}, events, true);
    }

    // --- recording

    void record() {
        if (alive_.empty() || chance(15)) {
            record_spawn();
            return;
        }
        const entity e = someone();
        if (!e) return;
        switch (below(8)) {
        case 0:
        case 1: record_values(e); break;
        case 2: record_relate(e); break;
        case 3: record_unrelate(e); break;
        case 4: record_edge(e); break;
        case 5: record_cut(e); break;
        case 6: record_exchange(e); break;
        default: record_despawn(e);
        }
    }
    void record_spawn() {
        state s = new_state();
        const entity liked = chance(30) ? someone() : s.target(likes);
        s.relate(likes, will_be(liked) != nullptr ? liked : pecs::null);
        if (liked) marked_.insert(liked);
        const entity other = chance(20) ? someone() : pecs::null;
        const entity made = with_values(s, [&](auto... given) {
            return other ? recorder_.spawn(given..., pecs::to<Friend>(other)) : recorder_.spawn(given...);
        });
        drafts_.push_back({made, std::nullopt, s});
        if (other) expect_link(friends, made, other, std::nullopt);
    }
    void record_values(entity e) {
        const unsigned has = will_be(e)->has;
        const int value = number();
        if (chance(40)) {
            draft& of = on(e);
            recorder_.set(e, A{value}, B{value, "b"}, T{});
            of.after->has |= a | b | t;
            of.after->a_value = of.after->b_value = value;
            of.given |= a | b;
        } else if ((has & a) == 0) {
            draft& of = on(e);
            recorder_.add(e, A{value});
            of.after->has |= a;
            of.after->a_value = value;
            of.given |= a;
        } else if ((has & t) != 0 && chance(50)) {
            recorder_.remove<T>(e);
            on(e).after->has &= ~t;
        } else {
            recorder_.remove<A>(e);
            on(e).after->has &= ~a;
        }
    }
    void record_exchange(entity e) {
        const unsigned has = will_be(e)->has;
        if ((has & (a | b)) == 0) return;
        const int value = number();
        draft& of = on(e);
        if ((has & a) == 0) {
            recorder_.exchange<B>(e, A{value});
            of.after->has = (has & ~b) | a;
        } else if ((has & b) == 0) {
            recorder_.exchange<A>(e, B{value, "b"});
            of.after->has = (has & ~a) | b;
        } else { // by another of the same type: it counts as set
            recorder_.remove<A>(e);
            recorder_.add(e, A{value});
        }
        const unsigned given = (has & (a | b)) == a ? b : a;
        (given == a ? of.after->a_value : of.after->b_value) = value;
        of.given |= given;
    }
    [[nodiscard]] bool closes_circle(entity e, entity to) {
        for (entity at = to; at; at = will_be(at)->target(child))
            if (at == e) return true;
        return false;
    }
    void record_relate(entity e) {
        const entity to = someone();
        if (!to) return;
        const int value = number();
        switch (below(5)) {
        case 0:
            recorder_.relate<Likes>(e, to, Likes{value});
            related(e, likes, to);
            on(e).after->likes_value = value;
            on(e).given |= likes;
            break;
        case 1: {
            recorder_.relate<Likes>(e, to);
            const bool fresh = (will_be(e)->has & likes) == 0; // else it keeps its data
            related(e, likes, to);
            if (fresh) on(e).after->likes_value = 0;
            if (fresh) on(e).given |= likes;
            break;
        }
        case 2:
            recorder_.relate<Near>(e, to);
            related(e, near, to);
            break;
        case 3:
            if (chance(60)) return;
            recorder_.relate<Needs>(e, to);
            related(e, needs, to);
            break;
        default:
            if (closes_circle(e, to)) return;
            recorder_.relate<Child>(e, to);
            related(e, child, to);
        }
    }
    void related(entity e, unsigned relation, entity to) {
        on(e).after->relate(relation, to);
        marked_.insert(to);
    }
    void record_unrelate(entity e) {
        const unsigned has = will_be(e)->has;
        unsigned relation = 0;
        if ((has & likes) != 0)
            recorder_.unrelate<Likes>(e), relation = likes;
        else if ((has & near) != 0)
            recorder_.unrelate<Near>(e), relation = near;
        else if ((has & needs) != 0)
            recorder_.unrelate<Needs>(e), relation = needs;
        else if ((has & child) != 0)
            recorder_.unrelate<Child>(e), relation = child;
        if (relation != 0) on(e).after->relate(relation, pecs::null);
    }
    void record_edge(entity e) {
        const entity to = someone();
        if (!to) return;
        const int value = number();
        switch (below(4)) {
        case 0:
            recorder_.relate<Knows>(e, to, Knows{value});
            expect_link(knows, e, to, value);
            break;
        case 1:
            recorder_.relate<Knows>(e, to);
            expect_link(knows, e, to, std::nullopt);
            break;
        case 2:
            recorder_.relate<Owned>(e, to);
            expect_link(owned, e, to, std::nullopt);
            break;
        default: recorder_.relate<Friend>(e, to); expect_link(friends, e, to, std::nullopt);
        }
    }
    template <class R> [[nodiscard]] bool record_cut_of(edge_kind relation, entity e) {
        const std::vector<entity> targets = as_recorded().edge_targets(relation, e);
        if (targets.empty()) return false;
        if (chance(50)) {
            recorder_.unrelate<R>(e);
            expect_cut(relation, e, targets);
        } else {
            const entity to = targets[below(targets.size())];
            recorder_.unrelate<R>(e, to);
            expect_cut(relation, e, {to});
        }
        return true;
    }
    void record_cut(entity e) {
        if (chance(50) && record_cut_of<Friend>(friends, e)) return;
        if (!record_cut_of<Knows>(knows, e)) (void)record_cut_of<Owned>(owned, e);
    }
    void record_despawn(entity e) {
        const links now = as_recorded();
        bool used = false;
        for (const unsigned relation : {child, likes, near, needs})
            used = used || !now.sources(relation, e).empty();
        for (const edge_kind relation : {knows, owned, friends})
            used = used || !now.edge_targets(relation, e).empty() || !now.edge_sources(relation, e).empty();
        if (!used && marked_.contains(e)) return; // it may have been a target, and it depends on that
        recorder_.despawn(e);
        if (!used) {
            on(e).after.reset();
            return;
        }
        const fate what = fate_of({e}, now);
        flush();
        if (what.forbidden) {
            ++failures_;
            return;
        }
        const std::size_t ending = ending_edges(what.dying, now).size();
        unordered_ = unordered_ || what.dying.size() > 1 || what.losing.size() > 1 || ending > 1;
        expect_deaths(what, now);
        for (auto& list : edges_)
            std::erase_if(list, [&](const auto& edge) {
                return !alive_.contains(edge.first) || !alive_.contains(edge.second);
            });
    }

    pecs::commands recorder_ = world_.record();
    std::vector<draft> drafts_;
    edge_sets edges_;
    std::size_t failures_ = 0;
};

} // namespace observed
