module;
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

module pecs.archetype;

namespace pecs::detail {

extras::extras(std::pmr::memory_resource* memory, const tick_state& ticks)
    : marked_{memory}, entities_{memory}, ticks_{&ticks}, memory_{memory} {}

extras::~extras() {
    std::pmr::polymorphic_allocator<> allocator{memory_};
    for (sparse_set* each : sets_)
        if (each != nullptr) allocator.delete_object(each);
    for (index_bits* each : components_)
        if (each != nullptr) allocator.delete_object(each);
}

sparse_set& extras::make_set(component_id id) {
    sparse_set*& slot = sets_[id.index()];
    slot = std::pmr::polymorphic_allocator<>{memory_}.new_object<sparse_set>(id, memory_);
    if (ticks_->tracks(id)) slot->track(ticks_->clock); // takes no memory, as nothing is in it
    types_.set(id);
    return *slot;
}

void extras::reserve_disabled(entity e) {
    entities_.reserve(e.index());
    marked_.reserve(e.index());
}

void extras::reserve_disabled(entity e, component_id id) {
    index_bits*& bits = components_[id.index()];
    if (bits == nullptr) bits = std::pmr::polymorphic_allocator<>{memory_}.new_object<index_bits>(memory_);
    bits->reserve(e.index());
    marked_.reserve(e.index());
}

void extras::disable(entity e) noexcept {
    disabled_ += entities_.set(e.index()) ? 1 : 0;
    marked_.set(e.index());
}

void extras::disable(entity e, component_id id) noexcept {
    disabled_ += components_[id.index()]->set(e.index()) ? 1 : 0;
    disabled_types_.set(id);
    marked_.set(e.index());
}

void extras::enable(entity e) noexcept { disabled_ -= entities_.reset(e.index()) ? 1 : 0; }

void extras::enable(entity e, component_id id) noexcept {
    index_bits* const bits = components_[id.index()];
    if (bits != nullptr) disabled_ -= bits->reset(e.index()) ? 1 : 0;
}

void extras::lose(entity e, const component_mask& lost) noexcept {
    if (!any(e)) return;
    (lost & disabled_types_).each([&](component_id id) { enable(e, id); });
}

void extras::forget_marked(entity e) noexcept {
    types_.each([&](component_id id) { sets_[id.index()]->erase(e); });
    if (disabled_ != 0) {
        enable(e);
        disabled_types_.each([&](component_id id) { enable(e, id); });
    }
    marked_.reset(e.index());
}

void extras::clear() noexcept {
    types_.each([&](component_id id) { sets_[id.index()]->clear(); });
    for (index_bits* bits : components_)
        if (bits != nullptr) bits->clear();
    entities_.clear();
    marked_.clear();
    disabled_ = 0;
}

void extras::shrink() {
    std::pmr::polymorphic_allocator<> allocator{memory_};
    for (std::uint16_t i = 0; i != max_components; ++i) {
        const component_id id{i};
        if (sets_[i] != nullptr) {
            if (sets_[i]->size() == 0) {
                allocator.delete_object(sets_[i]);
                sets_[i] = nullptr;
                types_.reset(id);
            } else {
                sets_[i]->shrink();
            }
        }
        if (components_[i] == nullptr) continue;
        if (components_[i]->count() == 0) {
            allocator.delete_object(components_[i]);
            components_[i] = nullptr;
            disabled_types_.reset(id);
        } else {
            components_[i]->shrink();
        }
    }
    entities_.shrink();
    marked_.shrink();
}

std::size_t extras::bytes() const noexcept {
    std::size_t total = marked_.bytes() + entities_.bytes();
    for (const sparse_set* each : sets_)
        if (each != nullptr) total += each->bytes();
    for (const index_bits* each : components_)
        if (each != nullptr) total += sizeof(index_bits) + each->bytes();
    return total;
}

std::size_t extras::tick_bytes() const noexcept {
    std::size_t total = 0;
    types_.each([&](component_id id) { total += sets_[id.index()]->ticks().bytes(); });
    return total;
}

bool extras::valid(const entity_pool& pool) const {
    bool fits = true;
    const auto alive = [&](std::uint32_t index) {
        return index < pool.index_count() && pool.data()[index].in_use();
    };
    const auto living = [&](const index_bits& bits) {
        std::size_t counted = 0;
        for (std::size_t w = 0; w != bits.word_count(); ++w)
            for (std::uint32_t b = 0; b != 64; ++b) {
                if ((bits.word(w) >> b & 1U) == 0) continue;
                ++counted;
                const auto index = static_cast<std::uint32_t>(w * 64 + b);
                fits = fits && alive(index) && marked_.test(index);
            }
        fits = fits && counted == bits.count();
    };
    std::size_t disabled = entities_.count();
    living(entities_); // a mark may be of one that never came to live: it costs its successor a look

    for (std::uint16_t i = 0; i != max_components; ++i) {
        const component_id id{i};
        if (types_.test(id) != (sets_[i] != nullptr)) return false;
        if (sets_[i] != nullptr) {
            if (!sets_[i]->valid() || ticks_->tracks(id) != (sets_[i]->ticks().clock() != nullptr))
                return false;
            for (std::size_t k = 0; k != sets_[i]->size(); ++k) {
                const entity e = sets_[i]->entities()[k];
                fits = fits && pool.alive(e) && any(e);
            }
        }
        if (components_[i] == nullptr) continue;
        living(*components_[i]);
        disabled += components_[i]->count();
        if (components_[i]->count() != 0 && !disabled_types_.test(id)) return false;
    }
    return fits && disabled == disabled_ && sets_[no_component] == nullptr;
}

} // namespace pecs::detail
