// Names of entities, and the paths that they make in a tree: "solar/earth/moon".
//
// There is no index: names are ordinary components, and a step of a path looks at the names of all children. In a path,
// a backslash before '/' or '\' makes it part of a name. An entity without a name, or with an empty one, stands in its
// path with the text form of its handle ("solar/7v1"). So every entity has a path, and the path leads back to it unless
// a sibling before it has the same name.
export module pecs.relation:name;

import pecs.std;
import pecs.archetype;

export namespace pecs {

/// A component that names its entity. Any text will do; names need not be unique.
class name {
public:
    name() noexcept;
    explicit name(std::string_view text);
    explicit name(const char* text);
    name(const name& other);
    name(name&& other) noexcept;
    name& operator=(const name& other);
    name& operator=(name&& other) noexcept;
    ~name();

    [[nodiscard]] std::string_view view() const noexcept;
    /// The text with a zero behind it.
    [[nodiscard]] const char* c_str() const noexcept;
    [[nodiscard]] bool empty() const noexcept;

    [[nodiscard]] bool operator==(const name& other) const noexcept;
    [[nodiscard]] bool operator==(std::string_view other) const noexcept;
    [[nodiscard]] std::strong_ordering operator<=>(const name& other) const noexcept;

private:
    std::string text_;
};

} // namespace pecs

export namespace pecs::detail {

/// The first child with a name, in storage order, or null. An empty name is nobody's. O(children).
[[nodiscard]] entity find_child(const storage& all, component_id relation, entity parent,
                                std::string_view wanted);
/// The entity at the end of a path that begins among the children of an entity; null if a part is missing or empty.
[[nodiscard]] entity find_below(const storage& all, component_id relation, std::string_view path,
                                entity under);
/// The same for a path that begins with an entity without the relation; O(named entities without it) for the first
/// step.
[[nodiscard]] entity find_from_top(const storage& all, component_id relation, std::string_view path);
/// The path of a living entity. O(depth).
[[nodiscard]] std::string path_to(const storage& all, component_id relation, entity e);

} // namespace pecs::detail
