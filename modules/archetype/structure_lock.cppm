// Keeps the structure of a storage as it is while user code looks at it: a callback or a loop holds a lock, and a verb
// that would move rows throws instead.
//
// Each thread knows the storage that its innermost loop looks at. A loop inside of a loop over the same storage finds it
// locked and has nothing to do: that is one load and no store, so look-ups by target in a loop stay cheap. A loop over
// another storage hides the outer one, which is noted elsewhere. No atomic operation is needed, although several
// threads may read one world, and the check before a change is one load. It guards against changes by the thread
// that iterates; changing a world while another thread reads it is a data race, here as with any container.
//
// Locks end in the order opposite to that of their beginning, as scopes do.
export module pecs.archetype:structure_lock;

export namespace pecs::detail {

class storage;

class structure_lock {
public:
    inline explicit structure_lock(const storage& all) : all_{&all}, outer_{innermost} {
        if (outer_ == &all) return;
        if (outer_ != nullptr) [[unlikely]]
            hide(*outer_);
        innermost = &all;
    }
    structure_lock(const structure_lock&) = delete;
    structure_lock& operator=(const structure_lock&) = delete;
    inline ~structure_lock() {
        if (outer_ == all_) return;
        innermost = outer_;
        if (outer_ != nullptr) [[unlikely]]
            unhide();
    }

    /// Throws `world_locked` if this thread looks at the storage.
    static void check(const storage& changing);

    static constinit thread_local const storage* innermost;

private:
    /// Notes a storage that is locked, too; throws `capacity_exceeded` if loops over different worlds nest too deeply.
    static void hide(const storage& outer);
    static void unhide() noexcept;

    const storage* all_;
    const storage* outer_; ///< the innermost one before
};

} // namespace pecs::detail
