// Thousands of random queries on a random, changing world, against a naive model of the same world. PECS_SEED repeats
// a run.
#include <boost/ut.hpp>

#include "../support/seed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

import pecs;

namespace {
using pecs::entity;
using pecs::world;

template <int> struct Number {
    std::uint32_t value;
};
template <int> struct Mark {};
using A = Number<0>;
using B = Number<1>;
using C = Number<2>;
using D = Mark<0>;
using E = Mark<1>;

constexpr std::size_t kinds = 5;
using components = std::array<bool, kinds>;
std::array<pecs::component_id, kinds> ids() {
    return {pecs::id_of<A>(), pecs::id_of<B>(), pecs::id_of<C>(), pecs::id_of<D>(), pecs::id_of<E>()};
}

// The model: which entities there are, what they have, and one number for all their values.
struct thing {
    components has{};
    std::uint32_t value = 0;
};
using model = std::map<entity, thing>;

struct terms {
    components required{};
    components excluded{};
    components optional{};
    components any{};
    bool use_any = false;
    bool exact = false;

    [[nodiscard]] bool match(const components& has) const {
        bool some = !use_any;
        for (std::size_t i = 0; i != kinds; ++i) {
            if (required[i] && !has[i]) return false;
            if (excluded[i] && has[i]) return false;
            if (exact && has[i] && !required[i] && !optional[i] && !(use_any && any[i])) return false;
            some = some || (any[i] && has[i]);
        }
        return some;
    }
};

class run {
public:
    explicit run(std::uint64_t seed) : random_{seed} {}

    void step() {
        switch (random_() % 12) {
        case 0:
        case 1:
        case 2: spawn(); break;
        case 3: despawn(); break;
        case 4:
        case 5:
        case 6:
        case 7: toggle(); break;
        case 8:
            if (random_() % 20 == 0) w_.shrink();
            break;
        case 9:
            if (random_() % 60 == 0) {
                w_.clear();
                model_.clear();
            }
            break;
        default: break;
        }
    }

    /// The same random terms as a run-time query, several typed ones, and the model.
    [[nodiscard]] bool queries_agree() {
        terms t;
        auto dynamic = w_.by_id().query();
        for (std::size_t i = 0; i != kinds; ++i) {
            switch (random_() % 6) {
            case 0: t.required[i] = true, dynamic.with(ids()[i]); break;
            case 1: t.excluded[i] = true, dynamic.without(ids()[i]); break;
            case 2: t.optional[i] = true, dynamic.optional(ids()[i]); break;
            default: break;
            }
        }
        if (random_() % 3 == 0) {
            t.use_any = true;
            std::vector<pecs::component_id> chosen;
            for (std::size_t i = 0; i != kinds; ++i)
                if (random_() % 2 == 0) t.any[i] = true, chosen.push_back(ids()[i]);
            dynamic.any_of(chosen);
        }
        if (random_() % 4 == 0) t.exact = true, dynamic.exact();
        std::vector<entity> found;
        dynamic.each([&](const pecs::family_view& view) {
            found.insert(found.end(), view.entities().begin(), view.entities().end());
        });
        return agree(t, found) && dynamic.count() == found.size() && typed_agree();
    }

    [[nodiscard]] const world& the_world() const { return w_; }

private:
    entity any_entity() {
        auto at = model_.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(random_() % model_.size()));
        return at->first;
    }
    void spawn() {
        const auto value = static_cast<std::uint32_t>(random_());
        const entity e = w_.spawn(A{value});
        model_[e] = {{true, false, false, false, false}, value};
        for (std::size_t n = random_() % 4; n != 0; --n) toggle(e);
    }
    void despawn() {
        if (model_.empty()) return;
        const entity e = any_entity();
        w_.despawn(e);
        model_.erase(e);
    }
    void toggle() {
        if (!model_.empty()) toggle(any_entity());
    }
    template <class T> void flip(entity e, bool& has, T value) {
        if (has)
            w_.remove<T>(e);
        else
            w_.add(e, value);
        has = !has;
    }
    void toggle(entity e) {
        thing& t = model_[e];
        switch (random_() % kinds) {
        case 0: flip(e, t.has[0], A{t.value}); break;
        case 1: flip(e, t.has[1], B{t.value}); break;
        case 2: flip(e, t.has[2], C{t.value}); break;
        case 3: flip(e, t.has[3], D{}); break;
        default: flip(e, t.has[4], E{}); break;
        }
    }

    bool agree(const terms& t, std::vector<entity> found) const {
        std::sort(found.begin(), found.end());
        std::vector<entity> expected;
        for (const auto& [e, thing] : model_)
            if (t.match(thing.has)) expected.push_back(e);
        return found == expected;
    }

    template <class... Terms> bool typed(const terms& t) {
        const auto q = w_.query<Terms...>();
        std::vector<entity> found;
        q.each([&](entity e, auto&&...) { found.push_back(e); });
        std::vector<entity> again;
        for (auto [entities, rest] : w_.query<Terms..., const A, pecs::with<A>>().columns())
            again.insert(again.end(), entities.begin(), entities.end());
        std::vector<entity> with_a;
        for (const entity e : found)
            if (model_.at(e).has[0]) with_a.push_back(e);
        return agree(t, found) && with_a == again && q.count() == found.size() &&
               std::all_of(found.begin(), found.end(), [&](entity e) { return q.contains(e); });
    }

    bool typed_agree() {
        bool right =
            typed<pecs::with<B>>({.required = {false, true}}) &&
            typed<pecs::with<B, D>, pecs::without<E>>(
                {.required = {false, true, false, true}, .excluded = {false, false, false, false, true}}) &&
            typed<pecs::any_of<C, E>>({.any = {false, false, true, false, true}, .use_any = true}) &&
            typed<pecs::without<C>>({.excluded = {false, false, true}});
        // Values, through every way of reading them.
        std::size_t rows = 0;
        for (auto [e, a, b] : w_.query<entity, const A, pecs::optional<const B>>()) {
            const thing& t = model_.at(e);
            right = right && a.value == t.value && (b != nullptr) == t.has[1] &&
                    (b == nullptr || b->value == t.value);
            ++rows;
        }
        return right && rows == w_.query<A>().count();
    }

    std::mt19937_64 random_;
    world w_;
    model model_;
};

} // namespace

int main() {
    using namespace boost::ut;

    "random queries agree with a naive model"_test = [] {
        const std::uint64_t seed = support::first_seed();
        run r{seed};
        for (int i = 0; i != 3000; ++i) {
            r.step();
            if (i % 2 == 0 && !r.queries_agree()) {
                expect(false) << "step" << i << "PECS_SEED" << seed;
                return;
            }
        }
        expect(r.the_world().validate()) << "PECS_SEED" << seed;
    };

    "the same operations give the same order"_test = [] {
        const auto order = [](std::uint64_t seed, bool look) {
            run r{seed};
            for (int i = 0; i != 1500; ++i) {
                r.step();
                if (look && i % 50 == 0) (void)r.the_world().query<const A, pecs::without<E>>().count();
            }
            std::vector<std::uint64_t> all;
            r.the_world().query<const A, pecs::without<E>>().each(
                [&](entity e, const A&) { all.push_back(e.bits()); });
            return all;
        };
        const std::uint64_t seed = support::first_seed();
        const auto first = order(seed, false);
        expect(first == order(seed, false)) << "PECS_SEED" << seed;
        expect(first == order(seed, true)) << "PECS_SEED" << seed; // looking changes nothing
    };
}
