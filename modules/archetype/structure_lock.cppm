// Keeps the structure of a storage as it is while user code looks at it: a callback or a loop holds a lock, and a verb
// that would move rows throws instead.
//
// The locks of a thread form a chain. That costs two plain stores per loop (none, where the compiler sees the whole
// loop), needs no atomic operation although several threads may read one world, and the check before a change is one
// load. It guards against changes by the thread that iterates; changing a world while another thread reads it is a data
// race, here as with any container.
export module pecs.archetype:structure_lock;

export namespace pecs::detail {

class storage;

class structure_lock {
public:
    inline explicit structure_lock(const storage& locked) noexcept : locked_{&locked}, outer_{innermost} {
        innermost = this;
    }
    structure_lock(const structure_lock&) = delete;
    structure_lock& operator=(const structure_lock&) = delete;
    inline ~structure_lock() {
        if (innermost == this) [[likely]]
            innermost = outer_;
        else
            unlink();
    }

    /// Throws `world_locked` if this thread looks at the storage.
    static void check(const storage& changing);

    static constinit thread_local const structure_lock* innermost;

private:
    void unlink() noexcept; ///< for loops that do not end in the order they began

    const storage* locked_;
    const structure_lock* outer_;
};

} // namespace pecs::detail
