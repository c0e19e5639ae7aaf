// What a world consists of, and how its verbs reach values. The parts of a world are layers on top of it, one kind of verb
// each; a program sees them as one class, `world`.
export module pecs.world:state;

import pecs.std;
import pecs.archetype;
import :rows;

export namespace pecs::detail {

/// Owns the storage. Movable; what was moved from can only be assigned to or destroyed.
class world_state {
public:
    world_state(const world_state&) = delete;
    world_state& operator=(const world_state&) = delete;

protected:
    explicit world_state(std::pmr::memory_resource* memory);
    world_state(world_state&& other) noexcept;
    world_state& operator=(world_state&& other) noexcept;
    ~world_state();

    template <class T> [[nodiscard]] T* find(entity e) const {
        require_column<T>();
        static_assert(!std::is_empty_v<T>, "pecs: a tag has no value; ask with has()");
        if constexpr (in_set<T>)
            return reinterpret_cast<T*>(storage_->beside().find(e, known_id<T>()));
        else
            return reinterpret_cast<T*>(storage_->find(e, known_id<T>(), sizeof(T)));
    }
    template <class T> [[nodiscard]] T* checked(entity e) const {
        T* const value = find<T>(e);
        if (value == nullptr) [[unlikely]]
            storage_->explain_missing(e, id_of<T>());
        return value;
    }
    /// Where the value of `T` is in a row of an archetype that has it.
    template <class T> [[nodiscard]] void* cell_of(std::uint32_t archetype, std::uint32_t row) const {
        return storage_->column_data(id_of<T>(), archetype) + row * sizeof(T);
    }
    /// Moves a value into its cell; tags have none. A sparse one goes to its set, where there is room.
    template <class T> void put(const placement& place, T& value) const noexcept {
        if constexpr (in_set<T>) {
            sparse_set& set = *storage_->beside().set(known_id<T>());
            if constexpr (!std::is_empty_v<T>) construct<T>(set.next_cell(), std::move(value));
            storage_->beside().insert(set, place.which);
        } else if constexpr (!std::is_empty_v<T>) {
            construct<T>(cell_of<T>(place.archetype, place.row), std::move(value));
        }
    }
    /// Ends the value in a cell and moves another one in; tags have none.
    template <class T> static void replace(void* cell, T& value) noexcept {
        if constexpr (!std::is_empty_v<T>) {
            destroy_values<T>(cell, 1);
            construct<T>(cell, std::move(value));
        }
    }
    /// Notes writes to values of an entity, those that it has, where changes are tracked.
    template <class... Ts> [[gnu::noinline, gnu::cold]] void mark_written(entity e) const noexcept {
        (mark_one<Ts>(e), ...);
    }
    template <class T> void overwrite(const placement& place, T& value) const noexcept {
        if constexpr (!std::is_empty_v<T>) {
            void* cell = nullptr;
            if constexpr (in_set<T>)
                cell = find<T>(place.which);
            else
                cell = cell_of<T>(place.archetype, place.row);
            replace<T>(cell, value);
        }
    }

    // --- sparse components; for others these do nothing

    template <class T> [[nodiscard]] bool in_its_set(entity e) const noexcept {
        return storage_->beside().contains(e, known_id<T>());
    }
    template <class T> void check_absent(entity e) const {
        if constexpr (in_set<T>)
            if (in_its_set<T>(e)) [[unlikely]]
                throw_duplicate_component(e, id_of<T>());
    }
    template <class T> void check_present(entity e) const {
        if constexpr (in_set<T>)
            if (!in_its_set<T>(e)) [[unlikely]]
                throw_missing_component(e, id_of<T>());
    }
    /// Room for the value of an entity, as one of `count` more.
    template <class T> void reserve_value(entity e, std::size_t count = 1) const {
        if constexpr (in_set<T>) (void)storage_->beside().reserve(id_of<T>(), e, count);
    }
    template <class T> void drop_value(entity e) const noexcept {
        if constexpr (in_set<T>) storage_->beside().erase(known_id<T>(), e);
    }
    /// Moves an entity along the bundle of those types that are kept in columns; without any, it stays.
    template <bool Strict, class... Added, class... Removed>
    placement change_columns(entity e, types<Added...> added, types<Removed...> removed) const {
        if constexpr (sizeof...(Added) + sizeof...(Removed) == 0)
            return {e, 0, 0};
        else
            return storage_->change(e, static_bundle<Strict>(added, removed));
    }

private:
    template <class T> void mark_one(entity e) const noexcept {
        if constexpr (std::is_empty_v<T>)
            return;
        else if constexpr (in_set<T>)
            storage_->beside().mark_written(e, known_id<T>());
        else if (storage_->has(e, known_id<T>()))
            storage_->mark_written(e, known_id<T>());
    }

protected:
    storage* storage_;
};

} // namespace pecs::detail
