// What becomes of the entities that recorded commands touch, while they are applied.
//
// Nothing moves while commands are read: each entity gets a draft, which says in which archetype it will be and which
// commands lead there. Then drafts are carried out: new entities first, as they may be targets, then one move per
// entity, then the dead.
//
// A new entity that no other command touches needs no draft. Neighbours that are spawned in the same way are one run:
//
//   commands   | spawn AB | spawn AB | spawn AB | spawn C | add ..
//   spawns     | first, 3, archetype AB         | first, 1, archetype C |
//
// Values go from the commands of a run to their columns, and only what a later command touches is taken out of it.
export module pecs.world:drafts;

import pecs.std;
import pecs.archetype;
import pecs.relation;
import :commands;

export namespace pecs::detail {

enum class draft_state : std::uint8_t {
    living,
    dying,  ///< alive in the world
    unborn, ///< not yet alive in the world
    never,  ///< was to be born, and died before
};

/// What will become of one entity.
struct draft {
    entity which;
    std::uint32_t from; ///< the archetype in which it is; of no meaning for an unborn one
    std::uint32_t at;   ///< the archetype in which it will be
    command* last;      ///< of the commands that lead there
    draft_state state;
    bool linked;          ///< it gets targets
    bool beside = false;  ///< it gets or loses sparse components
    bool toggled = false; ///< it, or a component of it, is disabled or enabled

    [[nodiscard]] inline bool ends() const noexcept {
        return state == draft_state::dying || state == draft_state::never;
    }
};

/// Commands that lie side by side and spawn in the same way.
struct spawn_run {
    command* first;
    std::uint32_t count;
    std::uint32_t archetype;
    std::uint32_t number;  ///< of the first, among all spawns
    std::uint32_t drafted; ///< how many of them have a draft
};

/// Where the entities of a run of new rows come from: commands that lie side by side, or drafts.
struct birth_source {
    command* plain;          ///< null for drafts
    std::size_t first_draft; ///< among those born
    std::uint32_t archetype;
    std::uint32_t count;
};

/// Memory of `apply` that is kept for the next time.
struct apply_memory {
    explicit apply_memory(std::pmr::memory_resource* memory);

    buffer<draft> drafts;
    buffer<spawn_run> spawns;
    buffer<std::uint32_t>
        places; ///< by entity index: where its draft is, or the number of its spawn, if it is there
    buffer<link> links;
    buffer<entity> targets;
    buffer<new_rows> runs;
    buffer<birth_source> sources; ///< of the runs
    buffer<draft*> born;          ///< the drafts among them
    buffer<failed_command> failures;
};

/// All drafts, found by their entities.
class draft_book {
public:
    draft_book(storage& all, apply_memory& memory);

    [[nodiscard]] inline draft* find(entity e) noexcept {
        if (e.index() >= m_.places.size()) return nullptr;
        const std::uint32_t place = m_.places[e.index()];
        return place < m_.drafts.size() && m_.drafts[place].which == e ? &m_.drafts[place] : nullptr;
    }
    /// The command that spawns an entity, as long as it has no draft.
    [[nodiscard]] inline command* find_spawn(entity e) noexcept {
        if (e.index() >= m_.places.size()) return nullptr;
        const std::uint32_t number = m_.places[e.index()] ^ spawn_mark;
        return number < spawn_count_ ? spawn_of(e, number) : nullptr;
    }
    /// The draft of an entity that will be alive; null if it will not.
    [[nodiscard, gnu::always_inline]] inline draft* living(entity e) {
        if (draft* const known = find(e)) return known->ends() ? nullptr : known;
        if (spawn_count_ != 0)
            if (command* const spawned = find_spawn(e)) return &draft_spawn(*spawned);
        if (!all_.entities().alive(e)) return nullptr;
        return &make(e, all_.entities()[e].archetype, draft_state::living);
    }
    [[nodiscard]] bool alive(entity e) noexcept;
    /// Whether an entity is still to be born.
    [[nodiscard]] bool unborn(entity e) noexcept;
    /// The target that an entity will have.
    [[nodiscard]] entity target(entity e, component_id relation) noexcept;

protected:
    /// Set in a place that is the number of a spawn.
    static constexpr std::uint32_t spawn_mark = std::uint32_t{1} << 31U;

    [[nodiscard]] inline const component_mask& mask(std::uint32_t archetype) const noexcept {
        return all_.archetype_at(archetype)->mask();
    }
    inline draft& make(entity e, std::uint32_t archetype, draft_state state) {
        const std::size_t place = m_.drafts.size();
        m_.drafts.push_back({e, archetype, archetype, nullptr, state, false, false, false});
        m_.places[e.index()] = static_cast<std::uint32_t>(place);
        return m_.drafts[place];
    }
    /// Makes the draft of an entity that has none yet but the command that spawns it.
    draft& draft_spawn(command& of);
    static inline void chain(draft& to, command& next) noexcept {
        next.previous = to.last;
        to.last = &next;
        to.beside = to.beside || next.beside;
    }
    void clear_drafts() noexcept;

    storage& all_;
    apply_memory& m_;
    std::uint32_t spawn_count_ = 0; ///< of all runs
    std::size_t unborn_ = 0;        ///< drafts of entities to be born
    std::size_t deaths_ = 0;        ///< drafts of entities that end

private:
    [[nodiscard]] spawn_run& run_of(std::uint32_t number) noexcept;
    [[nodiscard]] command* spawn_of(entity e, std::uint32_t number) noexcept;
};

/// Drafts that can be carried out.
class draft_work : public draft_book {
public:
    using draft_book::draft_book;

    /// Carries out all drafts.
    void flush();

protected:
    /// Ends the values of a command that is not carried out.
    static void drop(command& of) noexcept;
    /// The entity had the components of `had` before.
    inline void put_value(const command_value& value, std::uint32_t archetype, std::uint32_t row,
                          const component_mask* had) const noexcept {
        const component_type& type = *value.type;
        std::byte* const cell = all_.column_data(value.id, archetype) + row * type.size;
        if (had != nullptr && type.destroy != nullptr && had->test(value.id)) type.destroy(cell, 1);
        relocate_value(type, cell, value.data);
    }

private:
    void collect_links(const draft& of);
    void put_values(draft& of, std::uint32_t row, const component_mask* had) noexcept;
    void reserve_beside(const draft& of, std::size_t count);
    void put_beside(draft& of) noexcept;
    void put_sets(draft& of) noexcept;
    void toggle_all(const draft& of) noexcept;

    void move(draft& of);
    void move_plain(draft& of);
    placement move_row(const draft& of);
    placement move_watched(const draft& of, const component_mask& had);
    void compare_sets(const draft& of, component_mask& came, component_mask& gone);
    void tell_values(const draft& of);
    [[nodiscard]] component_mask given_to(const draft& of, const component_mask& had) const;
    void note_changes(const draft& of, const component_mask& had) const;
    void end(draft& of);

    void bear();
    void plan_births();
    void plan_plain(command* first, std::uint32_t count, std::uint32_t archetype);
    void plan_draft(draft& each);
    void reserve_rows();
    [[nodiscard]] bool same_targets(const draft& of, const relation_index& related) noexcept;
    void bear_plain(const new_rows& run, command* list) noexcept;
    void bear_drafts(const new_rows& run, draft* const* list) noexcept;

    component_mask given_; ///< to one entity, while somebody observes
};

} // namespace pecs::detail
