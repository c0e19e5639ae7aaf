#include "birth.hpp"
#include "operations.hpp"

import pecs;

namespace fuzz {
namespace {

problems reason_of(pecs::command_failure why) {
    switch (why) {
    case pecs::command_failure::dead_entity: return dead_entity;
    case pecs::command_failure::dead_target: return dead_target;
    case pecs::command_failure::duplicate_component: return duplicate_component;
    case pecs::command_failure::missing_component: return missing_component;
    case pecs::command_failure::relation_cycle: return relation_cycle;
    case pecs::command_failure::target_in_use: return target_in_use;
    }
    return another;
}

/// Does something to the model if nothing is wrong with it, and says what is.
template <class Do> problems done(problems wrong, Do act) {
    if (wrong == fine) act();
    return wrong;
}

/// What led back to the same target need not count as a change: the commands on one entity become one move.
void forget_detours(const model& before, model& now) {
    for (auto& [e, t] : now.things) {
        const auto at = before.things.find(e);
        if (at == before.things.end()) continue;
        for (std::size_t r = 0; r != links::size; ++r) {
            const unsigned bit = 1U << (first_link + r);
            if (t.targets[r] != at->second.targets[r]) continue;
            t.touched = (t.touched & ~bit) | (at->second.touched & bit);
            t.fresh = (t.fresh & ~bit) | (at->second.fresh & bit);
        }
    }
}

void record_birth(stage& on, recorder& to) {
    if (!on.room(1)) return;
    const birth wanted = birth::read(on);
    entity made;
    wanted.values([&](auto... values) { made = to.verbs.spawn(std::move(values)...); });
    on.say("record spawn " + wanted.words() + ", which will be " + text(made));
    ++on.here().pending;
    on.here().now.gone.push_back(made); // dead so far; may be picked
    to.log.push_back(
        [wanted, made](model& now) { return done(wanted.links_wrong(now), [&] { wanted.put(now, made); }); });
    wanted.each_edge([&](std::size_t r, entity target, int data) {
        to.log.push_back([=](model& now) {
            return done(now.add_edges({made}, r, target),
                        [&] { now.link_edge(r, made, target, data, false); });
        });
    });
}

void record_components(stage& on, recorder& to, entity e) {
    const unsigned how = on.in.byte();
    const int n = on.number();
    with_bundle(how % bundles, [&]<class... Ts>() {
        constexpr unsigned which = mask<Ts...>;
        const std::string tail = text_of_parts(which) + " " + text(e) + " n=" + std::to_string(n);
        switch (how / bundles % 4) {
        case 0:
            on.say("record add" + tail);
            to.verbs.add(e, Ts::of(n)...);
            to.log.push_back(
                [=](model& now) { return done(now.change(e, which, 0), [&] { now.add(e, which, n); }); });
            break;
        case 1:
            on.say("record remove" + tail);
            to.verbs.remove<Ts...>(e);
            to.log.push_back([=](model& now) {
                return done(now.change(e, 0, which), [&] { now.things.at(e).drop_all(which); });
            });
            break;
        case 2:
            on.say("record exchange<Owner>" + tail);
            to.verbs.exchange<Owner>(e, Ts::of(n)...);
            to.log.push_back([=](model& now) {
                return done(now.change(e, which, mask<Owner>), [&] {
                    now.things.at(e).drop(part<Owner>);
                    now.add(e, which, n);
                });
            });
            break;
        default:
            on.say("record set" + tail);
            to.verbs.set(e, Ts::of(n)...);
            to.log.push_back([=](model& now) { return done(now.with(e), [&] { now.add(e, which, n); }); });
        }
    });
}

void record_link(stage& on, recorder& to, entity e) {
    const entity target = on.pick();
    const unsigned how = on.in.byte();
    const int n = static_cast<int>(how);
    with_type(links{}, how % links::size, [&]<class R>() {
        const std::string name = std::string{"<"} + part_names[part<R>] + "> " + text(e);
        if (how >= 192) {
            on.say("record unrelate" + name);
            to.verbs.unrelate<R>(e);
            to.log.push_back([=](model& now) {
                return done(now.change(e, 0, mask<R>), [&] { now.things.at(e).drop(part<R>); });
            });
            return;
        }
        std::optional<int> data;
        if constexpr (!std::is_empty_v<R>)
            if (how >= 96) data = n;
        on.say("record relate" + name + " to " + text(target) + (data ? " n=" + std::to_string(n) : ""));
        if (data)
            to.verbs.relate<R>(e, target, R::of(n));
        else
            to.verbs.relate<R>(e, target);
        to.log.push_back([=](model& now) {
            return done(now.relate({e}, link<R>, target),
                        [&] { now.things.at(e).relate(link<R>, target, data); });
        });
    });
}

void record_edge(stage& on, recorder& to, entity e) {
    const entity target = on.pick();
    const unsigned how = on.in.byte();
    const int n = static_cast<int>(how);
    with_type(edges{}, how % edges::size, [&]<class R>() {
        constexpr std::size_t r = edge<R>;
        const std::string name = std::string{"<"} + edge_names[r] + "> " + text(e);
        if (how >= 224) {
            on.say("record unrelate" + name);
            to.verbs.unrelate<R>(e);
            to.log.push_back([=](model& now) {
                return done(now.cut_edges({e}, r, {}), [&] { now.cut_all_edges(r, e); });
            });
        } else if (how >= 176 && target) {
            on.say("record unrelate" + name + " from " + text(target));
            to.verbs.unrelate<R>(e, target);
            to.log.push_back([=](model& now) {
                return done(now.cut_edges({e}, r, target), [&] { now.cut_edge(r, e, target); });
            });
        } else {
            const bool with_data = how >= 88 && !std::is_empty_v<R>;
            on.say("record relate" + name + " to " + text(target) +
                   (with_data ? " n=" + std::to_string(n) : ""));
            if (with_data)
                to.verbs.relate<R>(e, target, R::of(n));
            else
                to.verbs.relate<R>(e, target);
            to.log.push_back([=](model& now) {
                return done(now.add_edges({e}, r, target),
                            [&] { now.link_edge(r, e, target, with_data ? n : 0, with_data); });
            });
        }
    });
}

void record_switch(stage& on, recorder& to, entity e) {
    const unsigned how = on.in.byte();
    const bool off = how % 2 == 0;
    if (how < 64) {
        on.say((off ? "record disable " : "record enable ") + text(e));
        off ? to.verbs.disable(e) : to.verbs.enable(e);
        to.log.push_back([=](model& now) { return done(now.with(e), [&] { now.things.at(e).off = off; }); });
        return;
    }
    with_type(parts{}, how % parts::size, [&]<class T>() {
        on.say((off ? "record disable" : "record enable") + text_of_parts(mask<T>) + " " + text(e));
        off ? to.verbs.disable<T>(e) : to.verbs.enable<T>(e);
        to.log.push_back([=](model& now) {
            return done(now.change(e, 0, mask<T>), [&] {
                unsigned& parts_off = now.things.at(e).off_parts;
                parts_off = off ? parts_off | mask<T> : parts_off & ~mask<T>;
            });
        });
    });
}

} // namespace

void record(stage& on) {
    arena& all = on.here();
    const unsigned how = on.in.byte();
    if (all.later.empty() || (all.later.size() < 3 && how >= 240))
        all.later.push_back({all.world().record(), {}});
    recorder& to = all.later[how % all.later.size()];
    const entity e = on.pick();
    switch (how / 3 % 8) {
    case 0:
    case 1: return record_birth(on, to);
    case 2:
        on.say("record despawn " + text(e));
        to.verbs.despawn(e);
        return to.log.push_back([=](model& now) { return done(now.despawn({e}), [&] { now.end({e}); }); });
    case 3:
    case 4: return record_components(on, to, e);
    case 5: return record_link(on, to, e);
    case 6: return record_edge(on, to, e);
    default: return record_switch(on, to, e);
    }
}

// With `throws` the commands are applied a second time, without those that fail: what is left must be there still.
void apply(stage& on) {
    arena& all = on.here();
    if (all.later.empty()) return record(on);
    const unsigned how = on.in.byte();
    const auto policy = static_cast<pecs::on_failure>(how % 3);
    on.merged = true;
    all.pending = 0;
    if (how >= 240) {
        on.say("forget what was recorded");
        if (how >= 248) return all.later.clear();
        for (recorder& each : all.later) each.verbs.clear(), each.log.clear();
        return;
    }
    const model before = all.now;
    std::vector<problems> expected;
    for (recorder& each : all.later) {
        for (const auto& act : each.log)
            if (const problems wrong = act(all.now); wrong != fine) expected.push_back(wrong);
        each.log.clear();
    }
    forget_detours(before, all.now);
    std::erase_if(all.now.gone, [&](entity e) { return all.now.alive(e); });
    std::vector<pecs::commands> verbs;
    for (recorder& each : all.later) verbs.push_back(std::move(each.verbs));
    const auto take_back = [&] {
        for (std::size_t i = 0; i != verbs.size(); ++i) all.later[i].verbs = std::move(verbs[i]);
    };
    try {
        if (policy == pecs::on_failure::throws) {
            on.attempt("apply, on_failure::throws", expected.empty() ? problems{fine} : expected[0],
                       [&] { all.world().apply(verbs, policy); });
            if (!all.world().validate()) throw mismatch{"the world is not valid after apply threw"};
            on.attempt("apply what is left", fine, [&] { all.world().apply(verbs); });
        } else {
            std::vector<problems> got;
            on.attempt("apply", fine, [&] {
                for (const auto& failed : all.world().apply(verbs, policy))
                    got.push_back(reason_of(failed.reason));
            });
            if (policy == pecs::on_failure::report) {
                bool same = got.size() == expected.size();
                for (std::size_t i = 0; same && i != got.size(); ++i) same = (got[i] & expected[i]) != 0;
                if (!same) throw mismatch{"apply reports other failures than there are"};
            }
        }
        for (const auto& each : verbs)
            if (!each.empty()) throw mismatch{"a recorder is not empty after apply"};
    } catch (...) {
        take_back();
        throw;
    }
    take_back();
}

} // namespace fuzz
