module;
#include <utility>

module pecs.world;

import pecs.archetype;

namespace pecs {

observer::observer(detail::subscription* fresh) noexcept : which_{fresh} { which_->handle = &which_; }

observer::observer(observer&& other) noexcept : which_{std::exchange(other.which_, nullptr)} {
    if (which_ != nullptr) which_->handle = &which_;
}

observer& observer::operator=(observer&& other) noexcept {
    if (this != &other) {
        stop();
        which_ = std::exchange(other.which_, nullptr);
        if (which_ != nullptr) which_->handle = &which_;
    }
    return *this;
}

observer::~observer() { stop(); }

void observer::stop() noexcept {
    if (detail::subscription* const gone = std::exchange(which_, nullptr)) gone->table->unsubscribe(gone);
}

} // namespace pecs
