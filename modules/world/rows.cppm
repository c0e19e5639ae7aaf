// Runs of rows in the making: what the batch verbs of a world share. Values of new rows are constructed before the rows
// belong to anybody, so that an exception only has to destroy them again.
export module pecs.world:rows;

import pecs.std;
import pecs.archetype;

namespace pecs::detail {

/// Says in words what is wrong with a list of components.
template <class... Ts> consteval void require_components() {
    (require_component<Ts>(), ...);
    static_assert(((times_in<Ts, Ts...> == 1) && ...),
                  "pecs: a component type is named twice; an entity has each type at most once");
}

/// Says in words that a relation needs a target.
template <class... Vs> consteval void require_targets() {
    static_assert((!relation<Vs> && ...),
                  "pecs: a relation needs a target: spawn with to<R>(target), or relate<R>(e, "
                  "target)");
}

/// Constructs the columns of a run of new rows one after another; if one throws, those before it are destroyed again.
class run_guard {
public:
    inline run_guard(storage& storage, std::uint32_t archetype, std::uint32_t row, std::size_t count) noexcept
        : storage_{storage}, archetype_{archetype}, row_{row}, count_{count} {}
    run_guard(const run_guard&) = delete;
    run_guard& operator=(const run_guard&) = delete;
    inline ~run_guard() {
        made_.each([this](component_id id) {
            const component_type& type = type_of(id);
            destroy_run(type, storage_.column_data(id, archetype_) + row_ * type.size, count_);
        });
    }
    /// Calls `make(first, count)` to fill the rows of `T`.
    template <class T, class Make> void fill(Make&& make) {
        if constexpr (!std::is_empty_v<T> && !in_set<T>) {
            const component_id id = id_of<T>();
            make(storage_.column_data(id, archetype_) + row_ * sizeof(T), count_);
            made_.set(id);
        }
    }
    inline void keep() noexcept { made_ = {}; }

private:
    storage& storage_;
    std::uint32_t archetype_;
    std::uint32_t row_;
    std::size_t count_;
    component_mask made_;
};

/// Destroys values of a type that may be a tag.
template <class T> inline void destroy_data(void* first, std::size_t count) noexcept {
    if constexpr (!std::is_empty_v<T>) destroy_values<T>(first, count);
}

/// Says in words that a type cannot be copied; does nothing for one that can.
template <class T> consteval void require_copy() {
    static_assert(std::is_copy_constructible_v<T>,
                  "pecs: each entity of a batch gets a copy, and the type has no copy constructor: use "
                  "spawn_batch<T>(count, callback), or the verb for one entity");
}

template <class T> inline void fill_values(void* to, std::size_t count, const T& value) {
    require_copy<T>();
    construct_values<T>(to, count, [&value](T* where, std::size_t) { construct<T>(where, value); });
}

/// The types of a list that have data.
template <class Done, class... Rest> struct data_types;
template <class... Done> struct data_types<types<Done...>> {
    using list = types<Done...>;
};
template <class... Done, class First, class... Rest>
struct data_types<types<Done...>, First, Rest...>
    : data_types<std::conditional_t<std::is_empty_v<First>, types<Done...>, types<Done..., First>>, Rest...> {
};

/// Calls `f` for rows that lie side by side, with the entity first if `f` takes one.
template <class F, class... Cs>
inline void call_rows(F& f, const entity* handles, std::size_t count, Cs... values) {
    constexpr bool plain = std::invocable<F&, decltype(values[0])...>;
    constexpr bool with_entity = std::invocable<F&, entity, decltype(values[0])...>;
    static_assert(
        plain || with_entity,
        "pecs: the callback must take a reference to each component that has data, in the order named, and "
        "may take a pecs::entity before them");
    for (std::size_t i = 0; i != count; ++i) {
        if constexpr (plain)
            f(values[i]...);
        else if constexpr (with_entity)
            f(handles[i], values[i]...);
    }
}

/// One column of copies of a value; for a tag the value itself.
template <class T> class value_column {
public:
    value_column(std::pmr::memory_resource* memory, std::size_t count, const T& value)
        : memory_{memory}, value_{value}, count_{count}, data_{allocate()} {
        if constexpr (!std::is_empty_v<T>) {
            try {
                fill_values<T>(data_, count_, value);
            } catch (...) {
                deallocate();
                throw;
            }
        }
    }
    value_column(const value_column&) = delete;
    value_column& operator=(const value_column&) = delete;
    ~value_column() {
        destroy_data<T>(data_, count_);
        deallocate();
    }
    /// Gives a copy away.
    [[nodiscard]] T take(std::size_t i) const noexcept {
        if constexpr (std::is_empty_v<T>)
            return value_;
        else
            return std::move(static_cast<T*>(data_)[i]);
    }

private:
    [[nodiscard]] void* allocate() const {
        if constexpr (std::is_empty_v<T>)
            return nullptr;
        else
            return count_ == 0 ? nullptr : memory_->allocate(count_ * sizeof(T), alignof(T));
    }
    void deallocate() const noexcept {
        if constexpr (!std::is_empty_v<T>)
            if (count_ != 0) memory_->deallocate(data_, count_ * sizeof(T), alignof(T));
    }

    std::pmr::memory_resource* memory_;
    const T& value_;
    std::size_t count_;
    void* data_;
};

/// `count` copies of each value.
template <class... Ts> class value_rows : private value_column<Ts>... {
public:
    value_rows([[maybe_unused]] std::pmr::memory_resource* memory, [[maybe_unused]] std::size_t count,
               const Ts&... values)
        : value_column<Ts>(memory, count, values)... {}
    template <class T> [[nodiscard]] T take(std::size_t i) const noexcept { return value_column<T>::take(i); }
};

} // namespace pecs::detail
