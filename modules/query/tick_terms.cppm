// What queries do for change ticks: note what they hand out for writing, and the term `tracked<T>`, which notes single
// values when they are written, not all when they are handed out.
export module pecs.query:tick_terms;

import pecs.std;
import pecs.archetype;
import :cache;
import :filter;
import :resource_terms;
import :set_terms;
import :static_query;
import :target_terms;
import :terms;

export namespace pecs {

/// A component that must be there, whose writes are noted one by one: the callback gets a `tracked_ref<T>`.
template <class T> struct tracked {};

/// The value of one entity, for reading; and for writing, which counts as a change of this entity. Valid as long as a
/// reference to the value.
template <class T> class tracked_ref {
public:
    tracked_ref() noexcept = default;
    tracked_ref(T* value, const detail::tick_clock* clock, detail::tick_pair* pair,
                detail::tick_pair* row) noexcept
        : value_{value}, clock_{clock}, pair_{pair}, row_{row} {}

    [[nodiscard]] const T& operator*() const noexcept { return *value_; }
    [[nodiscard]] const T* operator->() const noexcept { return value_; }
    /// The value for writing.
    [[nodiscard]] T& write() const noexcept {
        if (clock_ != nullptr) {
            const std::uint64_t now = clock_->now();
            detail::write_tick(pair_->changed, now);
            if (row_ != nullptr) detail::write_tick(row_->changed, now);
        }
        return *value_;
    }
    /// Gives it another value, if it is not equal; true if it was not.
    bool set(T value) const {
        if (*value_ == value) return false;
        write() = static_cast<T&&>(value);
        return true;
    }

private:
    T* value_ = nullptr;
    const detail::tick_clock* clock_ = nullptr; ///< null where the component is not tracked
    detail::tick_pair* pair_ = nullptr;         ///< of the family, or of the entry of a sparse component
    detail::tick_pair* row_ = nullptr;          ///< null where rows are not
};

} // namespace pecs

export namespace pecs::detail {

template <class T> struct tracked_cursor {
    T* first;
    const tick_clock* clock;
    tick_pair* family;
    tick_pair* row;

    [[nodiscard]] tracked_ref<T> operator[](std::size_t i) const noexcept {
        return {first + i, clock, family, row == nullptr ? nullptr : row + i};
    }
    [[nodiscard]] const void* address() const noexcept { return first; }
};
/// The same for a sparse component: each entity has a pair of its own.
template <class T> struct tracked_set_cursor {
    const sparse_set* set = nullptr;
    const entity* handles = nullptr;

    [[nodiscard]] tracked_ref<T> operator[](std::size_t i) const noexcept {
        const std::uint32_t place = set->place(handles[i]);
        const tick_clock* const clock = set->ticks().clock();
        return {reinterpret_cast<T*>(set->at(place)), clock,
                clock == nullptr ? nullptr : &set->ticks().of(place), nullptr};
    }
};
/// What `columns()` gives for a tracked term.
template <class T> struct tracked_span {
    tracked_cursor<T> cursor;
    std::size_t count;

    [[nodiscard]] std::size_t size() const noexcept { return count; }
    [[nodiscard]] tracked_ref<T> operator[](std::size_t i) const noexcept { return cursor[i]; }
};

/// Says in words that a value can be written, and that its writes can be noted.
template <class T> struct writable_value {
    static_assert(!std::is_const_v<T>,
                  "pecs: tracked<const T> is never written: const T says so, and costs nothing");
    static_assert(!std::is_empty_v<T>, "pecs: a tag has no value to write, so tracked<Tag> gives nothing");
};

template <class T> struct term<tracked<T>> : writable_value<T> {
    using argument = tracked_ref<T>;
    using cursor = tracked_cursor<T>;
    static constexpr bool has_data = true;
    static constexpr bool reads_only = false;
    static constexpr bool by_family = true;

    static void describe(filter& wanted) {
        require_column<T>();
        wanted.required.set(id_of<T>());
    }
    [[nodiscard]] static std::byte* const* columns(const storage& all) {
        return all.columns_of(known_id<T>());
    }
    [[nodiscard]] static cursor at(std::byte* const* columns, const spot& where) noexcept {
        T* const first = reinterpret_cast<T*>(columns[where.archetype_id]) + where.row;
        const tick_column* const ticks = where.place->find_ticks(known_id<T>());
        if (ticks == nullptr) return {first, nullptr, nullptr, nullptr};
        return {first, &ticks->clock(), &ticks->of(*where.group),
                ticks->by_rows() ? &ticks->of(where.row) : nullptr};
    }
    using question = std::byte* const*;
    [[nodiscard]] static question ask(const storage& all) { return columns(all); }
    [[nodiscard]] static bool present(question columns, const spot& where) noexcept {
        return columns[where.archetype_id] != nullptr;
    }
    [[nodiscard]] static std::byte* const* needed(const storage& all) { return columns(all); }
    using span = tracked_span<T>;
    [[nodiscard]] static span view(cursor column, std::uint32_t first, std::size_t count) noexcept {
        return {{column.first + first, column.clock, column.family,
                 column.row == nullptr ? nullptr : column.row + first},
                count};
    }
};
template <class T>
    requires in_set<std::remove_const_t<T>>
struct term<tracked<T>> : writable_value<T>, term<T> {
    using argument = tracked_ref<T>;
    using cursor = tracked_set_cursor<T>;

    [[nodiscard]] static cursor at(std::byte* const* columns, const spot& where) noexcept {
        return {set_term<T>::set_in(columns), where.place->entities() + where.row};
    }
};
template <class R> inline constexpr bool asks_for<R, tracked<R>> = true;
template <class T> inline constexpr bool asks_rows<tracked<T>> = in_set<std::remove_const_t<T>>;
template <class T> inline constexpr bool gives_sparse<tracked<T>> = in_set<std::remove_const_t<T>>;

/// What a term hands out for writing: nothing, or a component, of the entity or of a target.
template <class Term> struct term_writes {
    static constexpr bool any = !term<Term>::reads_only;

    [[nodiscard]] static bool tracked_in(const storage& all) { return all.tracks(known_id<Term>()); }
    static void mark(const spot& where, std::uint32_t count) noexcept {
        if constexpr (in_set<Term>) {
            const sparse_set* const set = where.all->beside().set(known_id<Term>());
            const entity* const handles = where.place->entities() + where.row;
            for (std::uint32_t i = 0; set != nullptr && i != count; ++i) set->mark_written(handles[i]);
        } else if (const tick_column* const ticks = where.place->find_ticks(known_id<Term>())) {
            ticks->write(*where.group, where.row, count);
        }
    }
};
struct writes_nothing {
    static constexpr bool any = false;
};
template <class T> struct term_writes<tracked<T>> : writes_nothing {};
template <class T> struct term_writes<res<T>> : writes_nothing {};
template <class T> struct term_writes<optional<res<T>>> : writes_nothing {};
template <class T> struct term_writes<const T> : writes_nothing {};
template <class T> struct term_writes<optional<const T>> : writes_nothing {};
template <class T> struct term_writes<optional<T>> : term_writes<T> {
    static constexpr bool any = !term<optional<T>>::reads_only;
};
template <class R, class Term> struct term_writes<at_target<R, Term>> : term_writes<Term> {
    static void mark(const spot& where, std::uint32_t /*count*/) noexcept {
        term_writes<Term>::mark({*where.all, where.all->entities()[target_at<R>(where)], true}, 1);
    }
};

/// Calls `visit` for all families that match, or for the pieces of them where rows are asked. Out of line, as few worlds
/// track changes.
void each_written(const storage& all, archetype_span matches, const filter* asked,
                  void (*visit)(const spot& where, std::uint32_t count) noexcept);

/// Notes what the terms of a query hand out for writing.
template <class... Terms> struct written_terms {
    static constexpr bool any = (term_writes<Terms>::any || ...);

    [[nodiscard]] static bool tracked_in(const storage& all) { return (one_tracked<Terms>(all) || ...); }
    static void mark(const spot& where, std::uint32_t count) noexcept {
        (mark_one<Terms>(where, count), ...);
    }

private:
    template <class Term> [[nodiscard]] static bool one_tracked(const storage& all) {
        if constexpr (term_writes<Term>::any)
            return term_writes<Term>::tracked_in(all);
        else
            return false;
    }
    template <class Term> static void mark_one(const spot& where, std::uint32_t count) noexcept {
        if constexpr (term_writes<Term>::any) term_writes<Term>::mark(where, count);
    }
};

} // namespace pecs::detail
