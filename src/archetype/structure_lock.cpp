module pecs.archetype;

namespace pecs::detail {

constinit thread_local const structure_lock* structure_lock::innermost = nullptr;

void structure_lock::check(const storage& changing) {
    for (const structure_lock* lock = innermost; lock != nullptr; lock = lock->outer_)
        if (lock->locked_ == &changing) throw_world_locked();
}

void structure_lock::unlink() noexcept {
    for (const structure_lock* inner = innermost; inner != nullptr; inner = inner->outer_) {
        if (inner->outer_ == this) {
            const_cast<structure_lock*>(inner)->outer_ = outer_;
            return;
        }
    }
}

} // namespace pecs::detail
