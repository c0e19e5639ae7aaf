// The version of the library, as a constant that a program can test. CMake reads it from here.
export module pecs.core:version;

import pecs.std;

export namespace pecs {

/// A release number, ordered as semantic versioning orders it.
struct version_number {
    int major;
    int minor;
    int patch;
    constexpr auto operator<=>(const version_number&) const noexcept = default;
};

/// The version of the PECS that this program was compiled with.
inline constexpr version_number library_version{0, 1, 0};

} // namespace pecs
