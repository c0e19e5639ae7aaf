// Recorded commands against the same verbs called directly: a component comes and goes or gets a value, entities come and
// go, or get another target.
#include <cstddef>
#include <vector>

#include "bench.hpp"

import pecs;

namespace {

struct Position {
    float x, y, z;
};
struct Velocity {
    float x, y, z;
};
struct Extra {
    float x, y, z;
};
struct ChildOf {
    static constexpr pecs::relation_rules rules{};
};

/// A world in which every entity may get a component, with a recorder that has its memory already.
struct field {
    explicit field(std::size_t n) {
        const auto all = world.spawn_batch(n, Position{1, 2, 3}, Velocity{4, 5, 6});
        entities.assign(all.begin(), all.end());
        for (int i = 0; i != 2; ++i) {
            record_add();
            (void)world.apply(later);
            record_remove();
            (void)world.apply(later);
        }
    }
    void record_add() {
        for (const pecs::entity e : entities) later.add(e, Extra{7, 8, 9});
    }
    void record_remove() {
        for (const pecs::entity e : entities) later.remove<Extra>(e);
    }
    void add() {
        for (const pecs::entity e : entities) world.add(e, Extra{7, 8, 9});
    }
    void remove() {
        for (const pecs::entity e : entities) world.remove<Extra>(e);
    }
    [[nodiscard]] std::size_t with() { return world.query<Extra>().count(); }

    pecs::world world;
    pecs::commands later = world.record();
    std::vector<pecs::entity> entities;
};

void add_remove(bench::context& context, std::size_t n) {
    field direct{n};
    field recorded{n};
    const auto without = [](field& f) {
        if (f.with() != 0) f.remove();
        f.later.clear();
    };
    auto group = context.group({.n = n});
    group.floor(
        "add",
        [&] {
            without(direct);
            return 0;
        },
        [&](int) {
            direct.add();
            return direct.with();
        });
    group.variant(
        "apply of add", {bench::at_most(1.5)},
        [&] {
            without(recorded);
            recorded.record_add();
            return 0;
        },
        [&](int) {
            (void)recorded.world.apply(recorded.later);
            return recorded.with();
        });
    group.variant(
        "record and apply add",
        [&] {
            without(recorded);
            return 0;
        },
        [&](int) {
            recorded.record_add();
            (void)recorded.world.apply(recorded.later);
            return recorded.with();
        });
    group.measure();

    const auto with = [](field& f) {
        f.later.clear();
        if (f.with() == 0) f.add();
    };
    auto second = context.group({.n = n});
    second.floor(
        "remove",
        [&] {
            with(direct);
            return 0;
        },
        [&](int) {
            direct.remove();
            return direct.with();
        });
    second.variant(
        "apply of remove", {bench::at_most(1.5)},
        [&] {
            with(recorded);
            recorded.record_remove();
            return 0;
        },
        [&](int) {
            (void)recorded.world.apply(recorded.later);
            return recorded.with();
        });
    second.measure();
}

/// Values that are there get others.
void set_values(bench::context& context, std::size_t n) {
    field direct{n};
    field recorded{n};
    const auto set_all = [](const field& f, auto& into, float x) {
        for (const pecs::entity e : f.entities) into.set(e, Position{x, 2, 3});
    };
    const auto seen = [](field& f) {
        return f.world.get<Position>(f.entities.front()).x + f.world.get<Position>(f.entities.back()).x;
    };
    const auto back = [&](field& f) {
        f.later.clear();
        set_all(f, f.world, 1);
    };
    auto group = context.group({.n = n});
    group.floor(
        "set",
        [&] {
            back(direct);
            return 0;
        },
        [&](int) {
            set_all(direct, direct.world, 7);
            return seen(direct);
        });
    group.variant(
        "apply of set", {bench::known_miss(bench::at_most(1.5), 2.2)},
        [&] {
            back(recorded);
            set_all(recorded, recorded.later, 7);
            return 0;
        },
        [&](int) {
            (void)recorded.world.apply(recorded.later);
            return seen(recorded);
        });
    group.variant(
        "record and apply set",
        [&] {
            back(recorded);
            return 0;
        },
        [&](int) {
            set_all(recorded, recorded.later, 7);
            (void)recorded.world.apply(recorded.later);
            return seen(recorded);
        });
    group.measure();
}

/// A field with two sets of targets, of which each has a hundred sources at most.
struct families : field {
    explicit families(std::size_t n) : field{n} {
        for (auto* const list : {&near, &far}) {
            const auto all = world.spawn_batch(n / 100 + 1);
            list->assign(all.begin(), all.end());
        }
        for (const auto* const list : {&near, &far, &near, &far}) {
            relate_all(later, *list);
            (void)world.apply(later);
        }
    }
    template <class Into> void relate_all(Into& into, const std::vector<pecs::entity>& targets) {
        for (std::size_t i = 0; i != entities.size(); ++i)
            into.template relate<ChildOf>(entities[i], targets[i / 100]);
    }
    void back() {
        later.clear();
        relate_all(world, near);
    }
    [[nodiscard]] std::size_t moved() const { return world.source_count<ChildOf>(far[0]); }

    std::vector<pecs::entity> near;
    std::vector<pecs::entity> far;
};

void other_targets(bench::context& context, std::size_t n) {
    families direct{n};
    families recorded{n};
    auto group = context.group({.n = n});
    group.floor(
        "relate",
        [&] {
            direct.back();
            return 0;
        },
        [&](int) {
            direct.relate_all(direct.world, direct.far);
            return direct.moved();
        });
    group.variant(
        "apply of relate", {bench::known_miss(bench::at_most(1.5), 1.8)},
        [&] {
            recorded.back();
            recorded.relate_all(recorded.later, recorded.far);
            return 0;
        },
        [&](int) {
            (void)recorded.world.apply(recorded.later);
            return recorded.moved();
        });
    group.variant(
        "record and apply relate",
        [&] {
            recorded.back();
            return 0;
        },
        [&](int) {
            recorded.relate_all(recorded.later, recorded.far);
            (void)recorded.world.apply(recorded.later);
            return recorded.moved();
        });
    group.measure();
}

void spawn_despawn(bench::context& context, std::size_t n) {
    pecs::world direct;
    pecs::world recorded;
    pecs::commands later = recorded.record();
    const auto spawn_all = [n](auto& into) {
        for (std::size_t i = 0; i != n; ++i) into.spawn(Position{1, 2, 3}, Velocity{4, 5, 6});
    };
    std::vector<pecs::entity> list(n);
    const auto refill = [&](pecs::world& world) {
        world.clear();
        for (pecs::entity& e : list) e = world.spawn(Position{1, 2, 3}, Velocity{4, 5, 6});
    };
    spawn_all(direct);
    for (int i = 0; i != 3; ++i) { // the recorder has its memory and its handles
        spawn_all(later);
        (void)recorded.apply(later);
        recorded.clear();
    }
    auto group = context.group({.n = n});
    group.floor(
        "spawn",
        [&] {
            direct.clear();
            return 0;
        },
        [&](int) {
            spawn_all(direct);
            return direct.size();
        });
    group.variant(
        "apply of spawn", {bench::at_most(1.5)},
        [&] {
            recorded.clear();
            later.clear();
            spawn_all(later);
            return 0;
        },
        [&](int) {
            (void)recorded.apply(later);
            return recorded.size();
        });
    group.variant(
        "record and apply spawn",
        [&] {
            recorded.clear();
            later.clear();
            return 0;
        },
        [&](int) {
            spawn_all(later);
            (void)recorded.apply(later);
            return recorded.size();
        });
    group.measure();

    auto second = context.group({.n = n});
    second.floor(
        "despawn",
        [&] {
            refill(direct);
            return 0;
        },
        [&](int) {
            for (const pecs::entity e : list) direct.despawn(e);
            return direct.size();
        });
    second.variant(
        "apply of despawn", {bench::at_most(1.5)},
        [&] {
            later.clear();
            refill(recorded);
            for (const pecs::entity e : list) later.despawn(e);
            return 0;
        },
        [&](int) {
            (void)recorded.apply(later);
            return recorded.size();
        });
    second.measure();
}

void commands(bench::context& context) {
    for (const std::size_t n : context.sizes({10'000, 100'000})) {
        add_remove(context, n);
        set_values(context, n);
        other_targets(context, n);
        spawn_despawn(context, n);
    }
}

const bench::scenario registered{"commands", "recorded changes against direct ones", commands};

} // namespace
