// Every allocation fails in turn, and every constructor and callback throws in turn, in stories about trees: parents, names
// and paths, the order of siblings, copies of subtrees, prefabs, queries by depth. Whatever fails, nothing has changed.
#include <boost/ut.hpp>

#include "../support/components.hpp"
#include "../support/fault_run.hpp"
#include "../support/fault_stage.hpp"
#include "../support/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>

import pecs;

namespace {
using pecs::child_of;
using pecs::entity;
using pecs::prefab;
using pecs::to;
using support::Name;
using support::no_faults;
using support::Position;
using support::user_code;
using support::write_entities;
using support::write_entity;
using Dear = support::Touchy<20>;

struct Likes : support::Touchy<21> { // a symmetric one
    static constexpr pecs::relation_rules rules{.many = true, .symmetric = true};
    using support::Touchy<21>::Touchy;
};
struct Knows : support::Touchy<22> {
    static constexpr pecs::relation_rules rules{.many = true};
    using support::Touchy<22>::Touchy;
};
struct Lit : support::Touchy<23> {
    static constexpr auto storage = pecs::component_storage::sparse;
    using support::Touchy<23>::Touchy;
};
/// Follows copies, in user code.
struct Aims {
    entity at;
    void map_entities(const pecs::entity_map& map) {
        user_code();
        at = map(at);
    }
    [[nodiscard]] long long number() const { return at.index(); }
};

class tree_stage : public support::fault_stage<pecs::world, entity, Dear, Likes, Knows, Lit> {
public:
    using fault_stage::fault_stage;

    static constexpr bool has_twin = true;

    void step(std::uint64_t choice) {
        begin(choice);
        if (living.size() < 8) {
            (void)w.spawn_batch<Position, Dear>(10);
        } else if (living.size() > 70) {
            w.despawn_batch(some(40));
        } else {
            switch (roll(5)) {
            case 0: grow(any(), any()); break;
            case 1: reorder(any(), any()); break;
            case 2: copy(any(), any()); break;
            case 3: visit(any()); break;
            default: others(any()); break;
            }
        }
    }

    [[nodiscard]] std::string state() const {
        return support::written([&](std::string& text) {
            text = support::snapshot<Position, Dear, Aims, Lit, prefab>(w) + support::targets<child_of>(w);
            w.each_entity([&](entity e) {
                write_entities(text, w.children(e));
                write_entities(text, w.ordered_children(e));
                write_entities(text, w.targets<Knows>(e));
                write_entities(text, w.targets<Likes>(e));
                text += w.path_of(e);
            });
            support::write_families(text, w.query<entity>().parents_first<child_of>(), [&](entity e) {
                std::string family;
                support::write(family, static_cast<long long>(w.depth(e)));
                support::write_entity(family, w.parent(e));
                return family;
            });
        });
    }

private:
    [[nodiscard]] static pecs::name label(std::size_t n) {
        const no_faults quiet;
        return pecs::name{"a name that needs memory of its own " + std::to_string(n)};
    }
    void grow(entity a, entity b) {
        const int n = number();
        switch (roll(7)) {
        case 0: (void)w.spawn(Position::of(n), to<child_of>(a)); break;
        case 1: (void)w.spawn(Dear{n}, Aims{b}, to<child_of>(a), to<Likes>(b, Likes{n})); break;
        case 2: (void)w.spawn_batch(1 + roll(4), label(roll(9)), Lit{n}, to<child_of>(a)); break;
        case 3: w.reparent(a, b); break;
        case 4: w.reparent(a, pecs::null); break;
        case 5: w.set(a, label(roll(9))); break;
        default: w.relate<Knows>(a, b, Knows{n}); break;
        }
    }
    void reorder(entity a, entity b) {
        switch (roll(5)) {
        case 0: w.place_first(a); break;
        case 1: w.place_last(a); break;
        case 2: beside_sibling(a, true); break;
        case 3: beside_sibling(a, false); break;
        default: {
            const pecs::entity_list list = w.ordered_children(b);
            if (list.size() > 1) w.place_all(std::span<const entity>{list}.subspan(1));
            break;
        }
        }
    }
    void beside_sibling(entity e, bool before) {
        const pecs::entity_list list = w.ordered_children(w.parent(e));
        if (list.size() == 0) return;
        const entity other = list[roll(list.size())];
        before ? w.place_before(e, other) : w.place_after(e, other);
    }
    void copy(entity e, entity other) {
        const int n = number();
        if (w.descendants(e).size() > 20) return;
        switch (roll(7)) {
        case 0: (void)w.clone(e); break;
        case 1: (void)w.clone_subtree(e); break;
        case 2: (void)w.clone_subtree(e, other); break;
        case 3: (void)w.clone_subtree(e, std::size_t{2}); break;
        case 4: w.make_prefab(e); break;
        case 5: (void)w.spawn_from(e, Position::of(n), Dear{n}, Lit{n}, to<child_of>(other)); break;
        default: {
            const Dear dear{n};
            (void)w.spawn_from_batch(e, 3, dear, to<Likes>(other, Likes{n}), to<Knows>(other, Knows{n}));
            break;
        }
        }
    }
    /// Reading allocates as well, and may be left by an exception.
    void visit(entity e) {
        switch (roll(6)) {
        case 0:
            w.query<const Position>().parents_first<child_of>().each([](const Position&) { user_code(); });
            break;
        case 1: w.query<>().children_first<child_of>().each([](entity) { user_code(); }); break;
        case 2: w.query<>().under<child_of>(e).each([](entity) { user_code(); }); break;
        case 3: (void)w.find(w.path_of(e)); break;
        case 4: (void)w.roots().size(); break;
        default: w.query<pecs::up<child_of, const Dear>>().each([](const Dear&) { user_code(); }); break;
        }
    }
    void others(entity e) {
        switch (roll(6)) {
        case 0:
        case 1: w.despawn(e); break;
        case 2: w.shrink(); break;
        case 3: w.compact(); break;
        case 4: w.despawn_batch(w.query<>().of<child_of>(e)); break;
        default: w.relate_batch<child_of>(w.query<>().of<child_of>(e), any()); break;
        }
    }
};
} // namespace

int main() {
    using namespace boost::ut;

    "trees: what fails has changed nothing"_test = [] {
        const auto report = support::play_all<tree_stage>("trees", 500, 100);
        expect(report.bad == 0_ul) << report.first_bad;
        expect(report.memory > 2000_ul and report.user > 300_ul and report.refused > 50_ul);
    };
}
