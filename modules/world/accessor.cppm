// Random access to the values of one component type, for loops that follow entities around: what `world.get` does,
// with everything that does not depend on the entity settled beforehand.
export module pecs.world:accessor;

import pecs.std;
import pecs.archetype;

export namespace pecs {

/// Reaches the values of one component type by entity. Made by `world::access`; stays valid for the life of the world,
/// whatever changes in it. `T` may be const.
template <class T> class accessor {
public:
    explicit accessor(const detail::storage& storage)
        : storage_{&storage}, id_{id_of<std::remove_const_t<T>>()} {
        detail::require_column<std::remove_const_t<T>>();
        static_assert(!std::is_empty_v<T>, "pecs: a tag has no value to access; ask with has()");
    }
    /// The value of an entity; throws `dead_entity` or `missing_component`.
    [[nodiscard]] T& operator[](entity e) const {
        T* const value = try_get(e);
        if (value == nullptr) [[unlikely]]
            storage_->explain_missing(e, id_);
        return *value;
    }
    /// The value of an entity, or null if it is dead or lacks the component.
    [[nodiscard]] T* try_get(entity e) const noexcept {
        if constexpr (!std::is_const_v<T>)
            if (storage_->tracking()) [[unlikely]]
                mark(storage_, id_, e);
        if constexpr (detail::in_set<std::remove_const_t<T>>)
            return reinterpret_cast<T*>(storage_->beside().find(e, id_));
        else
            return reinterpret_cast<T*>(storage_->find(e, id_, sizeof(T)));
    }

private:
    /// Notes that the value, if there is one, is about to be written.
    [[gnu::noinline, gnu::cold]] static void mark(const detail::storage* all, component_id id,
                                                  entity e) noexcept {
        if constexpr (detail::in_set<std::remove_const_t<T>>)
            all->beside().mark_written(e, id);
        else if (all->has(e, id))
            all->mark_written(e, id);
    }

    const detail::storage* storage_;
    component_id id_;
};

} // namespace pecs
