// Sparse components in the making: what the batch verbs of a world share. Entries are made before anything else changes;
// they are the last of their set, and go again unless they are kept.
export module pecs.world:set_fill;

import pecs.std;
import pecs.archetype;

export namespace pecs::detail {

/// New entries of one component type; nothing at all for one that is kept in columns.
template <class T, bool Sparse = in_set<T>> class set_fill {
public:
    explicit set_fill(storage& /*all*/) noexcept {}
    template <class Make>
    void fill(const entity* /*list*/, std::size_t /*count*/, Make&& /*make*/) noexcept {}
    void keep() noexcept {}
};

template <class T> class set_fill<T, true> {
public:
    explicit set_fill(storage& all) noexcept : all_{all} {}
    set_fill(const set_fill&) = delete;
    set_fill& operator=(const set_fill&) = delete;
    ~set_fill() {
        sparse_set* const set = all_.beside().set(known_id<T>());
        for (; made_ != 0; --made_) set->erase(set->entities()[set->size() - 1]);
    }
    /// Gives each entity of a list a value that `make(cell)` constructs.
    template <class Make> void fill(const entity* list, std::size_t count, Make&& make) {
        const component_id id = id_of<T>();
        for (std::size_t i = 0; i != count; ++i) {
            sparse_set& set = all_.beside().reserve(id, list[i], count - i);
            if constexpr (!std::is_empty_v<T>) make(set.next_cell());
            all_.beside().insert(set, list[i]);
            ++made_;
        }
    }
    void keep() noexcept { made_ = 0; }

private:
    storage& all_;
    std::size_t made_ = 0;
};

/// One for each type of a list.
template <class... Ts> class set_fills : private set_fill<Ts>... {
public:
    explicit set_fills(storage& all) noexcept : set_fill<Ts>{all}... {}
    template <class T, class Make> void fill(const entity* list, std::size_t count, Make&& make) {
        set_fill<T>::fill(list, count, make);
    }
    void keep() noexcept { (set_fill<Ts>::keep(), ...); }
};

/// The components of a list that are kept in archetypes.
template <class Done, class... Rest> struct row_types;
template <class... Done> struct row_types<types<Done...>> {
    using list = types<Done...>;
};
template <class... Done, class First, class... Rest>
struct row_types<types<Done...>, First, Rest...>
    : row_types<
          std::conditional_t<many_targets<First> || in_set<First>, types<Done...>, types<Done..., First>>,
          Rest...> {};
template <class... Ts> using row_list = typename row_types<types<>, Ts...>::list;

} // namespace pecs::detail
