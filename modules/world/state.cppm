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
    /// Moves a value into its cell; tags have none.
    template <class T> void put(const placement& place, T& value) const noexcept {
        if constexpr (!std::is_empty_v<T>)
            construct<T>(cell_of<T>(place.archetype, place.row), std::move(value));
    }
    /// Notes writes to values of an entity, those that it has, where changes are tracked.
    template <class... Ts> [[gnu::noinline, gnu::cold]] void mark_written(entity e) const noexcept {
        (mark_one<Ts>(e), ...);
    }
    template <class T> void overwrite(const placement& place, T& value) const noexcept {
        destroy_data<T>(cell_of<T>(place.archetype, place.row), 1);
        put<T>(place, value);
    }

private:
    template <class T> void mark_one(entity e) const noexcept {
        if constexpr (!std::is_empty_v<T>)
            if (storage_->has(e, known_id<T>())) storage_->mark_written(e, known_id<T>());
    }

protected:
    storage* storage_;
};

} // namespace pecs::detail
