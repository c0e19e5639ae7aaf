// The verbs of a world about resources: values of which it has one per type, such as a clock, a configuration, a random
// number generator. Any object type will do, also one that cannot move.
//
// A resource keeps its address until it is removed or replaced, whatever happens to entities; `clear` and `shrink` leave it
// alone. It moves with its world, as all memory does, without a change of address. Resources end after the entities, in
// reverse order of creation; one that was replaced counts as created anew.
export module pecs.world:resource_verbs;

import pecs.std;
import pecs.archetype;
import :prefab_verbs;

export namespace pecs::detail {

class resource_verbs : public prefab_verbs {
public:
    using prefab_verbs::prefab_verbs;

    // --- for one thread at a time, while nobody reads resources; they throw `world_locked` in a loop over the world

    /// Makes the resource `T` from the arguments, in place; one that was there ends afterwards, so the arguments may refer
    /// to it. If the constructor throws, it stays.
    template <class T, class... Args> T& emplace_resource(Args&&... args) {
        storage_->check_unlocked();
        return emplace_resource_in<T>(storage_->resources(), storage_->memory(),
                                      static_cast<Args&&>(args)...);
    }
    /// Makes `value` the resource of its type; the same with a value that can move. To give a new value to a resource that
    /// keeps its address, assign: `world.resource<T>() = value`.
    template <class T> T& set_resource(T value) { return emplace_resource<T>(static_cast<T&&>(value)); }
    /// Ends the resource; throws `missing_resource`.
    template <class T> void remove_resource() {
        require_resource<T>();
        storage_->check_unlocked();
        (void)checked_resource<T>(storage_->resources());
        (void)storage_->resources().remove(resource_number<T>());
    }

    // --- for any number of threads at once; what they do with the value is up to them. O(1), without a hash

    /// The resource; throws `missing_resource`. `T` may be const.
    template <class T> [[nodiscard]] T& resource() {
        return *reinterpret_cast<T*>(*checked_resource<T>(storage_->resources()));
    }
    template <class T> [[nodiscard]] const T& resource() const {
        return *reinterpret_cast<const T*>(*checked_resource<T>(storage_->resources()));
    }
    /// The resource, or null if there is none.
    template <class T> [[nodiscard]] T* try_resource() noexcept {
        std::byte* const* const found = find_resource<T>(storage_->resources());
        return found == nullptr ? nullptr : reinterpret_cast<T*>(*found);
    }
    template <class T> [[nodiscard]] const T* try_resource() const noexcept {
        std::byte* const* const found = find_resource<T>(storage_->resources());
        return found == nullptr ? nullptr : reinterpret_cast<const T*>(*found);
    }
    template <class T> [[nodiscard]] bool has_resource() const noexcept {
        return find_resource<T>(storage_->resources()) != nullptr;
    }
};

} // namespace pecs::detail
