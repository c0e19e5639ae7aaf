// Queries whose terms are known only at run time: for scripts, editors and tools. They remember what matches as typed
// queries do, and hand out families as spans of bytes, or of values where the caller knows the type.
export module pecs.query:dynamic;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :cache;
import :filter;
import :row_test;
import :walk;

export namespace pecs {

/// The entities of one family that a run-time query matches, with their columns. Where rows are matched one by one, because
/// sparse components or relations with many targets are named, or something is disabled: those of them that lie side by
/// side and are alike. Valid during the callback.
class family_view {
public:
    [[nodiscard]] inline std::size_t size() const noexcept { return size_; }
    [[nodiscard]] inline std::span<const entity> entities() const noexcept {
        return {place_->entities() + first_, size_};
    }
    /// True if the entities have the component, tag or not; of sparse ones, only those that the query names can be asked.
    [[nodiscard]] inline bool has(component_id id) const noexcept {
        return place_->mask().test(id) || all_->beside().contains(place_->entities()[first_], id);
    }
    /// The target of the entities in a relation; null if they do not have it.
    [[nodiscard]] entity target(component_id relation) const noexcept;
    /// The values of a component as bytes, one after another, for reading and writing; empty for tags, for components that
    /// are not there, and for sparse ones, whose values are reached with `by_id().get`.
    [[nodiscard]] std::span<std::byte> bytes(component_id id) const;
    /// The same for reading alone, which counts as no change.
    [[nodiscard]] std::span<const std::byte> const_bytes(component_id id) const;
    /// The values of a component of a C++ type, which may be const; empty for tags and for components that are not there.
    template <class T> [[nodiscard]] std::span<T> values() const {
        const component_id id = id_of<std::remove_const_t<T>>();
        if constexpr (std::is_const_v<T>) {
            const std::span<const std::byte> raw = const_bytes(id);
            return {reinterpret_cast<T*>(raw.data()), raw.size() / sizeof(T)};
        } else {
            const std::span<std::byte> raw = bytes(id);
            return {reinterpret_cast<T*>(raw.data()), raw.size() / sizeof(T)};
        }
    }

private:
    friend class dynamic_query;
    family_view(const detail::storage& all, const detail::archetype& place, const detail::family& group,
                std::uint32_t first, std::uint32_t size) noexcept
        : all_{&all}, place_{&place}, group_{&group}, first_{first}, size_{size} {}

    const detail::storage* all_;
    const detail::archetype* place_;
    const detail::family* group_;
    std::uint32_t first_;
    std::uint32_t size_;
};

/// A query by component ids; made by `world.by_id().query()`, to be narrowed down with the functions below. It must
/// not outlive its world. Order, locking and threads are those of `query`.
class dynamic_query {
public:
    explicit dynamic_query(const detail::storage& all);
    dynamic_query(dynamic_query&& other) noexcept;
    dynamic_query& operator=(dynamic_query&& other) noexcept;
    dynamic_query(const dynamic_query&) = delete;
    dynamic_query& operator=(const dynamic_query&) = delete;
    ~dynamic_query();

    /// Entities with this component; like the others, throws `unknown_component` for an id that was never given.
    dynamic_query& with(component_id id);
    dynamic_query& without(component_id id);
    /// Entities with at least one of these components.
    dynamic_query& any_of(std::span<const component_id> ids);
    inline dynamic_query& any_of(std::initializer_list<component_id> ids) {
        return any_of(std::span<const component_id>{ids.begin(), ids.size()});
    }
    /// Counts as named, for `exact` and for `prefab`; whether a family has the component says `family_view::has`.
    dynamic_query& optional(component_id id);
    /// Entities with nothing but the components named.
    dynamic_query& exact() noexcept;
    /// Also what is disabled.
    dynamic_query& disabled_too() noexcept;
    /// Entities whose relation has this target; throws `unsupported_component` if it is no relation. A dead target
    /// matches nothing. If the relation has many targets, the sources come in their order.
    dynamic_query& of(component_id relation, entity target);
    /// Entities that have the relation, to whatever target.
    dynamic_query& of(component_id relation, any_target /*every*/);
    /// Entities that do not have it.
    dynamic_query& of(component_id relation, no_target /*none*/);

    /// Calls `visit(const family_view&)` for each family that has entities.
    template <class Visit> void each(Visit&& visit) const {
        static_assert(std::invocable<Visit&, const family_view&>,
                      "pecs: the callback must take a const pecs::family_view&");
        const auto found = cache_->matches(*all_);
        const detail::structure_lock lock{*all_};
        const detail::filter* const wanted = asked();
        walk(found, [&](const detail::archetype& place, const detail::family& group, detail::piece rows) {
            detail::each_piece(
                *all_, wanted, place, rows.first, rows.stop - rows.first,
                [&](std::uint32_t first, std::uint32_t size) {
                    visit(static_cast<const family_view&>(family_view{*all_, place, group, first, size}));
                });
        });
    }
    [[nodiscard]] std::size_t count() const;
    [[nodiscard]] inline bool empty() const { return count() == 0; }
    /// The first entity in the order of `each`, or null.
    [[nodiscard]] entity first() const;
    /// True if the entity is alive and matches.
    [[nodiscard]] bool contains(entity e) const noexcept;

private:
    /// What rows are asked; null if all rows of what matches are visited.
    [[nodiscard]] inline const detail::filter* asked() const noexcept {
        const detail::filter& wanted = cache_->wanted;
        return wanted.concerned(*all_) || wanted.asks_rows(*all_) ? &wanted : nullptr;
    }
    /// What is wanted, for a change: what matched before is forgotten.
    detail::filter& changing();
    /// Visits rows of the families that match: of all, of those found by the first target, or the sources of one of many
    /// targets, as many at once as lie side by side.
    template <class Visit> void walk(detail::archetype_span found, Visit&& visit) const {
        const auto whole = [&](const detail::archetype& place, const detail::family& group) {
            visit(place, group, detail::piece{group.first, group.first + group.size});
        };
        const detail::buffer<detail::link>& targets = cache_->wanted.targets;
        if (const detail::edge_condition* const given = fewest_sources()) {
            const std::span<const entity> sources = given->sources(*all_);
            for (std::size_t i = 0; i != sources.size();) {
                const detail::entity_record& record = all_->entities()[sources[i]];
                const detail::archetype& place = *all_->archetype_at(record.archetype);
                const detail::family& group = place.at(record.family);
                detail::piece rows{record.row, record.row};
                for (; i != sources.size() && rows.stop != group.first + group.size &&
                       place.entities()[rows.stop] == sources[i];
                     ++i)
                    ++rows.stop;
                if (cache_->wanted.matches(place.mask()) && has_targets(place, group))
                    visit(place, group, rows);
            }
        } else if (targets.empty()) {
            for (detail::family_walk at{found}; at.advance();) whole(at.place(), *at.group());
        } else {
            for (std::size_t i = 0; i != found.size(); ++i) {
                const detail::archetype& place = *found[i];
                place.each_with(place.relations()->position(targets[0].relation), targets[0].target,
                                [&](const detail::family& group) {
                                    if (group.size != 0 && has_targets(place, group)) whole(place, group);
                                });
            }
        }
    }
    /// The condition that names one of many targets, of several the one with the fewest sources; null if there is none.
    [[nodiscard]] const detail::edge_condition* fewest_sources() const noexcept;
    [[nodiscard]] bool has_targets(const detail::archetype& place,
                                   const detail::family& group) const noexcept;

    const detail::storage* all_;
    detail::query_cache* cache_;
};

} // namespace pecs
