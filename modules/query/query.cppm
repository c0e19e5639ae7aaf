// A typed query: all entities whose archetype matches the terms, with the values the terms name.
//
// A query is a light value (two pointers); what it remembers lives with the world, once per type of query. Use it
// where you need it: `world.query<Position, const Velocity>().each(...)`, or keep it as long as the world.
//
// Order: archetypes as they were created, in each the families, in each the rows. The same operations give the same
// order on every run. While a loop runs, structural changes by the same thread throw `world_locked`; loops nest.
// Every function may run on several threads at once, as long as nobody changes the structure and no two threads
// write the same values.
export module pecs.query:query;

import pecs.std;
import pecs.archetype;
import :access;
import :cache;
import :filter;
import :range;
import :row;
import :terms;

export namespace pecs {

/// Says to `each` that the callback touches nothing but its arguments, so that rows may be handled in any order and
/// together. A callback that reads or writes other rows of a column that it also gets must not promise this.
struct independent_t {};
inline constexpr independent_t independent{};

} // namespace pecs

export namespace pecs::detail {

/// The cache of one type of query in one storage.
template <class... Terms> struct static_query {
    static inline constinit std::atomic<std::uint32_t> number{none};

    static attachment* make(const storage& all) {
        query_cache* const made = make_cache(all);
        try {
            (term<Terms>::describe(made->wanted), ...);
        } catch (...) {
            made->destroy(made, all.memory());
            throw;
        }
        return made;
    }
    [[nodiscard]] static query_cache* cache(const storage& all) {
        std::uint32_t id = number.load(std::memory_order_acquire);
        if (id == none) [[unlikely]] {
            const std::uint32_t fresh = next_attachment_number();
            id = number.compare_exchange_strong(id, fresh) ? fresh : id;
        }
        return static_cast<query_cache*>(all.attachments().get(id, &make, all));
    }
};

} // namespace pecs::detail

export namespace pecs {

/// All entities that match the terms; see `terms` for the words. Made by `world::query`, valid for the life of the
/// world, cheap to copy.
template <class... Terms> class query {
    using data = typename detail::data_terms<detail::types<>, Terms...>::list;
    using spans = typename detail::span_terms<detail::types<>, Terms...>::list;
    using access = detail::term_access<data>;

public:
    using row_type = typename access::row_type;

    explicit query(const detail::storage& all)
        : all_{&all}, cache_{detail::static_query<Terms...>::cache(all)} {}

    /// Calls `f` with the values of each entity; with the entity before them, if it takes one.
    template <class F> void each(F&& f) const {
        access::template require_callback<F>();
        walk([&](const detail::archetype& place, const detail::family& group, const auto& tables) {
            access::at(tables, place, group.first).apply([&](auto... cs) {
                access::run(f, place.entities() + group.first, group.size, cs...);
            });
        });
    }
    /// The same for a callback that touches nothing but its arguments: columns are taken not to overlap.
    template <class F> void each(independent_t /*promise*/, F&& f) const {
        access::template require_callback<F>();
        walk([&](const detail::archetype& place, const detail::family& group, const auto& tables) {
            access::at(tables, place, group.first).apply([&](auto... cs) {
                access::template run_independent<std::remove_reference_t<F>, decltype(cs)...>(
                    f, place.entities() + group.first, group.size, cs...);
            });
        });
    }
    /// Calls `f` as `each` does, in ascending order of `key(values...)`; equal keys keep the order of `each`. Keys must
    /// be trivially copyable: numbers, pointers, views. Allocates; O(n log n).
    template <class Key, class F> void each_sorted(Key&& key, F&& f) const;

    /// Rows for range-for: `for (auto [position, velocity] : query)`.
    [[nodiscard]] detail::row_iterator<data> begin() const { return {*all_, matches()}; }
    [[nodiscard]] detail::loop_end end() const noexcept { return detail::loop_end{*all_}; }
    /// Families for range-for, each as spans: `for (auto [entities, positions, velocities] : query.columns())`. The
    /// first family of an archetype begins on a cache line. An absent optional is an empty span.
    [[nodiscard]] detail::column_range<spans> columns() const { return {*all_, matches()}; }

    /// How many entities match. O(families).
    [[nodiscard]] std::size_t count() const {
        std::size_t total = 0;
        const auto found = matches();
        for (std::size_t i = 0; i != found.size(); ++i) total += found[i]->size();
        return total;
    }
    [[nodiscard]] bool empty() const { return count() == 0; }
    /// The first entity in the order of `each`, or null.
    [[nodiscard]] entity first() const {
        detail::family_walk walk{matches()};
        return walk.advance() ? walk.place().entities()[walk.group().first] : null;
    }
    /// The row of the only entity that matches; throws `not_single` if there are none or several.
    [[nodiscard]] row_type single() const {
        const std::size_t found = count();
        if (found != 1) detail::throw_not_single(found);
        detail::family_walk walk{matches()};
        (void)walk.advance();
        return row_at(walk.place(), walk.group().first);
    }
    /// True if the entity is alive and matches.
    [[nodiscard]] bool contains(entity e) const noexcept {
        return all_->entities().alive(e) && cache_->wanted.matches(archetype_of(e).mask());
    }
    /// The row of one entity; throws `dead_entity` or `no_match`. The entity need not be visited to get there.
    [[nodiscard]] row_type get(entity e) const {
        all_->check_alive(e);
        if (!cache_->wanted.matches(archetype_of(e).mask())) detail::throw_no_match(e);
        return row_at(archetype_of(e), all_->entities()[e].row);
    }

    /// The archetypes that match; for the batch verbs of a world.
    [[nodiscard]] std::span<const detail::archetype* const> matches() const { return cache_->matches(*all_); }

private:
    // By index: an importer that includes nothing has no operators for the iterators of a span.
    template <class Visit> void walk(Visit&& visit) const {
        const auto found = matches();
        const detail::structure_lock lock{*all_};
        const auto tables = access::locate(*all_);
        for (std::size_t i = 0; i != found.size(); ++i) {
            const auto groups = found[i]->families();
            for (std::size_t k = 0; k != groups.size(); ++k) visit(*found[i], groups[k], tables);
        }
    }
    [[nodiscard]] const detail::archetype& archetype_of(entity e) const noexcept {
        return *all_->archetype_at(all_->entities()[e].archetype);
    }
    [[nodiscard]] row_type row_at(const detail::archetype& place, std::uint32_t at) const {
        return access::at(access::locate(*all_), place, at).apply([](auto... cs) {
            return row_type{cs[0]...};
        });
    }

    const detail::storage* all_;
    detail::query_cache* cache_;
};

template <class... Terms>
template <class Key, class F>
void query<Terms...>::each_sorted(Key&& key, F&& f) const {
    access::template require_callback<Key>();
    access::template require_callback<F>();
    const auto call = [](auto& callee, const entity* handle, auto... cs) -> decltype(auto) {
        if constexpr (access::template takes_row<decltype(callee)>)
            return callee(cs[0]...);
        else
            return callee(*handle, cs[0]...);
    };
    const auto tables = access::locate(*all_);
    const auto call_at = [&](auto& callee, const detail::archetype& place,
                             std::uint32_t at) -> decltype(auto) {
        return access::at(tables, place, at).apply([&](auto... cs) -> decltype(auto) {
            return call(callee, place.entities() + at, cs...);
        });
    };
    using key_type = std::remove_cvref_t<decltype(call_at(key, std::declval<const detail::archetype&>(), 0))>;
    static_assert(std::is_trivially_copyable_v<key_type>,
                  "pecs: the key of each_sorted must be trivially copyable: a number, a pointer, a view");
    struct item {
        key_type key;
        std::uint32_t order; // of `each`, to keep equal keys apart
        std::uint32_t row;
        const detail::archetype* place;
    };
    const detail::structure_lock lock{*all_};
    detail::buffer<item> items{std::pmr::new_delete_resource()};
    items.reserve(count());
    for (detail::family_walk walk{matches()}; walk.advance();)
        for (std::uint32_t at = walk.group().first; at != walk.group().first + walk.group().size; ++at)
            items.append({call_at(key, walk.place(), at), static_cast<std::uint32_t>(items.size()), at,
                          &walk.place()});
    std::sort(items.begin(), items.end(), [](const item& a, const item& b) {
        if (a.key < b.key) return true;
        return !(b.key < a.key) && a.order < b.order;
    });
    for (const item& next : items) call_at(f, *next.place, next.row);
}

} // namespace pecs
