// Terms about resources. They ask nothing of entities; the value is found once per loop, and handed to all rows.
//
//   term                 entities   callback gets
//   res<T>               all        T&
//   res<const T>         all        const T&
//   optional<res<T>>     all        T*, null if the world has none
export module pecs.query:resource_terms;

import pecs.std;
import pecs.archetype;
import :filter;
import :target_terms;
import :terms;

export namespace pecs {

/// The world's resource of this type, the same for every entity. A loop throws `missing_resource`, before it visits
/// anything, if there is none; `count`, `first` and `contains` do not look at it.
template <class T> struct res {};

} // namespace pecs

export namespace pecs::detail {

template <class T> struct resource_term {
    static constexpr bool has_data = true;
    static constexpr bool reads_only = std::is_const_v<T>;
    static constexpr bool by_family = false;

    static void describe(filter& /*wanted*/) noexcept { require_resource<std::remove_const_t<T>>(); }
    using question = always;
};

template <class T> struct term<res<T>> : resource_term<T> {
    using argument = T&;
    using cursor = shared_cursor<T&>;
    using span = T&;

    [[nodiscard]] static std::byte* const* columns(const storage& all) {
        return checked_resource<T>(all.resources());
    }
    [[nodiscard]] static cursor at(std::byte* const* value, const spot& /*where*/) noexcept {
        return {reinterpret_cast<T*>(*value)};
    }
    [[nodiscard]] static span view(cursor value, std::uint32_t /*first*/, std::size_t /*count*/) noexcept {
        return *value.value;
    }
};

/// Both the resource and a pointer to it may be asked for.
template <class T> struct named_by<optional<res<T>>> {
    using type = optional<res<T>>;
};

template <class T> struct term<optional<res<T>>> : resource_term<T> {
    using argument = T*;
    using cursor = shared_cursor<T*>;
    using span = T*;

    [[nodiscard]] static std::byte* const* columns(const storage& all) noexcept {
        return find_resource<T>(all.resources());
    }
    [[nodiscard]] static cursor at(std::byte* const* value, const spot& /*where*/) noexcept {
        return {value == nullptr ? nullptr : reinterpret_cast<T*>(*value)};
    }
    [[nodiscard]] static span view(cursor value, std::uint32_t /*first*/, std::size_t /*count*/) noexcept {
        return value.value;
    }
};

} // namespace pecs::detail
