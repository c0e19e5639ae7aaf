// A naive model of an observed world: what every entity has, what a death takes along, and so what will be told.
#pragma once

#include "told.hpp"

namespace observed {

class model : public witness {
protected:
    explicit model(std::uint64_t seed) : random_{seed} {
        for (std::size_t i = 0; i != specs.size(); ++i)
            if (chance(80)) subscribe(i);
    }

    // --- chance

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random_); }
    bool chance(std::size_t percent) { return below(100) < percent; }
    int number() { return static_cast<int>(below(1000)); }
    entity any() {
        if (alive_.empty()) return pecs::null;
        return std::next(alive_.begin(), static_cast<std::ptrdiff_t>(below(alive_.size())))->first;
    }
    std::vector<entity> some() {
        std::vector<entity> list;
        for (const auto& [e, known] : alive_)
            if (chance(25)) list.push_back(e);
        std::ranges::shuffle(list, random_);
        return list;
    }
    /// Those of a list that have some parts and lack others.
    std::vector<entity> fitting(unsigned with, unsigned without) {
        std::vector<entity> list = some();
        std::erase_if(
            list, [&](entity e) { return (alive_[e].has & with) != with || (alive_[e].has & without) != 0; });
        return list;
    }

    // --- changes

    /// Adds what will be told of transitions, and carries them out in the model.
    void expect_changes(const std::vector<transition>& list) {
        predict(list, {}, true);
        predict(list, {}, false);
        for (const transition& each : list) {
            if (each.after)
                alive_[each.who] = *each.after;
            else
                alive_.erase(each.who);
        }
    }
    transition change(entity e, const std::function<void(state&)>& how, unsigned given = 0) {
        transition of{e, alive_[e], alive_[e], given};
        how(*of.after);
        return of;
    }

    // --- edges in the model are those of the world, which other tests look after

    template <class R> std::vector<entity> targets_of(entity e) {
        const auto list = world_.targets<R>(e);
        return {list.begin(), list.end()};
    }
    template <class R> std::vector<entity> sources_of(entity e) {
        std::vector<entity> list;
        world_.each_source<R>(e, [&](entity source) { list.push_back(source); });
        return list;
    }
    static void both_ways(std::vector<edge_event>& out, edge_kind relation, entity e, entity old,
                          entity now) {
        out.push_back({relation, e, old, now});
        const entity other = old ? old : now;
        if (relation == friends && other != e) out.push_back({relation, other, old ? e : old, now ? e : now});
    }
    void expect_edge(edge_kind relation, entity e, entity to, bool there) {
        std::vector<edge_event> edges;
        if (!there) both_ways(edges, relation, e, pecs::null, to);
        predict({}, edges, false);
        marked_.insert(e);
        marked_.insert(to);
    }

    // --- deaths

    struct fate {
        std::vector<entity> dying;
        std::vector<entity> losing;
        bool forbidden = false;
    };
    /// Who has which targets when somebody dies.
    struct links {
        std::function<std::vector<entity>(unsigned relation, entity target)> sources;
        std::function<std::vector<entity>(edge_kind, entity source)> edge_targets;
        std::function<std::vector<entity>(edge_kind, entity target)> edge_sources;
    };
    [[nodiscard]] links in_world() {
        return {[this](unsigned relation, entity e) {
                    return relation == child   ? sources_of<Child>(e)
                           : relation == likes ? sources_of<Likes>(e)
                           : relation == near  ? sources_of<Near>(e)
                                               : sources_of<Needs>(e);
                },
                [this](edge_kind relation, entity e) {
                    return relation == knows   ? targets_of<Knows>(e)
                           : relation == owned ? targets_of<Owned>(e)
                                               : targets_of<Friend>(e);
                },
                [this](edge_kind relation, entity e) {
                    return relation == knows   ? sources_of<Knows>(e)
                           : relation == owned ? sources_of<Owned>(e)
                                               : sources_of<Friend>(e);
                }};
    }
    static fate fate_of(const std::vector<entity>& named, const links& now) {
        fate result;
        std::set<entity> dead{named.begin(), named.end()};
        std::vector<entity> families;
        std::vector<entity> followers;
        std::vector<entity> losing;
        std::set<entity> lost;
        std::vector<entity> queue = named;
        for (std::size_t next = 0; next != queue.size(); ++next) {
            const entity dying = queue[next];
            std::vector<entity> fresh;
            for (const entity source : now.sources(child, dying))
                if (dead.insert(source).second) fresh.push_back(source);
            families.insert(families.end(), fresh.begin(), fresh.end());
            queue.insert(queue.end(), fresh.begin(), fresh.end());
            for (const unsigned relation : {likes, near})
                for (const entity source : now.sources(relation, dying))
                    if (lost.insert(source).second) losing.push_back(source);
            for (const entity source : now.edge_sources(owned, dying))
                if (dead.insert(source).second) {
                    followers.push_back(source);
                    queue.push_back(source);
                }
        }
        for (const entity e : dead)
            for (const entity source : now.sources(needs, e))
                if (!dead.contains(source)) result.forbidden = true;
        result.dying = named;
        result.dying.insert(result.dying.end(), families.begin(), families.end());
        result.dying.insert(result.dying.end(), followers.begin(), followers.end());
        for (const entity e : losing)
            if (!dead.contains(e)) result.losing.push_back(e);
        return result;
    }
    static std::vector<edge_event> ending_edges(const std::vector<entity>& dying, const links& now) {
        const std::set<entity> dead{dying.begin(), dying.end()};
        std::vector<edge_event> all;
        for (const edge_kind relation : {knows, owned, friends})
            for (const entity e : dying) {
                for (const entity target : now.edge_targets(relation, e))
                    all.push_back({relation, e, target, pecs::null});
                for (const entity source : now.edge_sources(relation, e))
                    if (!dead.contains(source)) all.push_back({relation, source, e, pecs::null});
            }
        return all;
    }
    void expect_deaths(const fate& what, const links& now) {
        const std::set<entity> dead{what.dying.begin(), what.dying.end()};
        std::vector<transition> list;
        for (const entity e : what.dying) list.push_back({e, alive_[e], std::nullopt});
        for (const entity e : what.losing)
            list.push_back(change(e, [&](state& s) {
                for (const unsigned relation : {likes, near})
                    if (dead.contains(s.target(relation))) s.relate(relation, pecs::null);
            }));
        predict(list, ending_edges(what.dying, now), true);
        for (const transition& each : list) {
            if (each.after)
                alive_[each.who] = *each.after;
            else
                alive_.erase(each.who);
        }
        for (const entity e : what.dying) marked_.erase(e);
    }

    // --- births

    /// Values for new entities, as many as the state says.
    template <std::size_t Step = 0, class Make, class... Vs>
    auto with_values(const state& s, const Make& make, Vs... given) {
        if constexpr (Step == 0) {
            if ((s.has & a) != 0) return with_values<1>(s, make, given..., A{s.a_value});
            return with_values<1>(s, make, given...);
        } else if constexpr (Step == 1) {
            if ((s.has & b) != 0) return with_values<2>(s, make, given..., B{s.b_value, "text"});
            return with_values<2>(s, make, given...);
        } else if constexpr (Step == 2) {
            if ((s.has & t) != 0) return with_values<3>(s, make, given..., T{});
            return with_values<3>(s, make, given...);
        } else if constexpr (Step == 3) {
            if ((s.has & likes) != 0)
                return with_values<4>(s, make, given...,
                                      pecs::to<Likes>(s.target(likes), Likes{s.likes_value}));
            return with_values<4>(s, make, given...);
        } else {
            return make(given...);
        }
    }
    state new_state() {
        state s;
        s.has = static_cast<unsigned>(below(8));
        s.a_value = number();
        s.b_value = number();
        if (!alive_.empty() && chance(50)) {
            s.relate(likes, any());
            s.likes_value = number();
            marked_.insert(s.target(likes));
        }
        return s;
    }
    void expect_births(std::span<const entity> made, const state& s, std::optional<entity> known_target) {
        std::vector<transition> list;
        std::vector<edge_event> edges;
        for (const entity e : made) list.push_back({e, std::nullopt, s});
        if (known_target)
            for (const entity e : made) {
                both_ways(edges, friends, e, pecs::null, *known_target);
                marked_.insert(e);
                marked_.insert(*known_target);
            }
        predict(list, edges, false);
        for (const entity e : made) alive_[e] = s;
    }

    std::mt19937_64 random_;
    std::map<entity, state> alive_;
    std::set<entity> marked_; ///< those that may be targets, or have edges
};

} // namespace observed
