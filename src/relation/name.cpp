module;
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module pecs.relation;

import pecs.archetype;

namespace pecs {

// Out of line, so that a file that includes nothing needs no code of `std::string`.
name::name() noexcept = default;
name::name(std::string_view text) : text_{text} {}
name::name(const char* text) : text_{text} {}
name::name(const name& other) = default;
name::name(name&& other) noexcept = default;
name& name::operator=(const name& other) = default;
name& name::operator=(name&& other) noexcept = default;
name::~name() = default;

std::string_view name::view() const noexcept { return text_; }
const char* name::c_str() const noexcept { return text_.c_str(); }
bool name::empty() const noexcept { return text_.empty(); }

bool name::operator==(const name& other) const noexcept { return text_ == other.text_; }
bool name::operator==(std::string_view other) const noexcept { return text_ == other; }
std::strong_ordering name::operator<=>(const name& other) const noexcept {
    return text_.compare(other.text_) <=> 0;
}

namespace detail {
namespace {

constexpr char divider = '/';
constexpr char escape = '\\';

/// The first row in [first, first + count) of an archetype with this name, or null.
entity named_row(const archetype& place, const name* names, std::uint32_t first, std::uint32_t count,
                 std::string_view wanted) {
    for (std::uint32_t row = first; row != first + count; ++row)
        if (names[row] == wanted) return place.entities()[row];
    return null;
}

const name* names_in(const storage& all, const archetype& place) {
    return reinterpret_cast<const name*>(all.column_data(id_of<name>(), place.id()));
}

std::string_view name_of_entity(const storage& all, entity e) {
    const std::byte* const found = all.find(e, id_of<name>(), sizeof(name));
    return found == nullptr ? std::string_view{} : reinterpret_cast<const name*>(found)->view();
}

entity find_top(const storage& all, component_id relation, std::string_view wanted) {
    if (wanted.empty()) return null;
    for (const std::uint32_t id : all.created_with(id_of<name>())) {
        const archetype& place = *all.archetype_at(id);
        if (place.mask().test(relation)) continue;
        for (const family& group : place.families())
            if (const entity found = named_row(place, names_in(all, place), group.first, group.size, wanted))
                return found;
    }
    return null;
}

/// An entity without a name that a part of a path names by its handle.
entity find_handle(const storage& all, component_id relation, std::string_view part, entity parent) {
    const std::optional<entity> e = parse_entity(part);
    if (!e || !all.entities().alive(*e) || all.target(*e, relation) != parent) return null;
    return name_of_entity(all, *e).empty() ? *e : null;
}

/// Takes the first part off a path; false if the path had no more parts.
class path_parts {
public:
    explicit path_parts(std::string_view path) : rest_{path} {}

    bool next() {
        if (done_) return false;
        part_.clear();
        std::size_t i = 0;
        for (; i != rest_.size() && rest_[i] != divider; ++i) {
            if (rest_[i] == escape && i + 1 != rest_.size()) ++i;
            part_ += rest_[i];
        }
        done_ = i == rest_.size();
        if (!done_) rest_.remove_prefix(i + 1);
        return true;
    }
    [[nodiscard]] std::string_view part() const { return part_; }

private:
    std::string_view rest_;
    std::string part_;
    bool done_ = false;
};

entity find_rest(const storage& all, component_id relation, path_parts& parts, entity at) {
    while (at && parts.next()) {
        const entity found = find_child(all, relation, at, parts.part());
        at = found ? found : find_handle(all, relation, parts.part(), at);
    }
    return at;
}

} // namespace

entity find_child(const storage& all, component_id relation, entity parent, std::string_view wanted) {
    entity found;
    if (wanted.empty()) return found;
    const component_id names = id_of<name>();
    each_family_of(all, relation, parent, [&](const archetype& place, const family& group) {
        if (found || !place.mask().test(names)) return;
        found = named_row(place, names_in(all, place), group.first, group.size, wanted);
    });
    return found;
}

entity find_below(const storage& all, component_id relation, std::string_view path, entity under) {
    if (!all.entities().alive(under)) return null;
    path_parts parts{path};
    return find_rest(all, relation, parts, under);
}

entity find_from_top(const storage& all, component_id relation, std::string_view path) {
    path_parts parts{path};
    (void)parts.next();
    entity top = find_top(all, relation, parts.part());
    if (!top) top = find_handle(all, relation, parts.part(), null);
    return find_rest(all, relation, parts, top);
}

std::string path_to(const storage& all, component_id relation, entity e) {
    std::pmr::vector<entity> way{all.memory()};
    for (entity at = e; at; at = all.target(at, relation)) way.push_back(at);
    std::string path;
    for (std::size_t i = way.size(); i-- != 0;) {
        const std::string_view text = name_of_entity(all, way[i]);
        if (text.empty()) path += to_string(way[i]);
        for (const char c : text) {
            if (c == divider || c == escape) path += escape;
            path += c;
        }
        if (i != 0) path += divider;
    }
    return path;
}

} // namespace detail
} // namespace pecs
