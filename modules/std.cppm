// What the library uses of the standard library, as one module: its headers are read once, not once in every unit, and
// a user's program carries one copy of them. Not for users: it is imported, never re-exported.
//
// (The standard's own `import std` is not there yet: C++20 has none, and compilers offer it as an experiment.)
module;
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory_resource>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

export module pecs.std;

export namespace std {

using std::byte;
using std::int64_t;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

using std::conditional_t;
using std::index_sequence;
using std::index_sequence_for;
using std::invocable;
using std::is_array_v;
using std::is_const_v;
using std::is_copy_constructible_v;
using std::is_default_constructible_v;
using std::is_empty_v;
using std::is_nothrow_constructible_v;
using std::is_nothrow_destructible_v;
using std::is_nothrow_move_constructible_v;
using std::is_object_v;
using std::is_trivially_copyable_v;
using std::is_trivially_destructible_v;
using std::make_index_sequence;
using std::remove_const_t;
using std::remove_cv_t;
using std::remove_cvref_t;
using std::remove_reference_t;
using std::same_as;

using std::declval;
using std::exchange;
using std::forward;
using std::move;

using std::countr_zero;
using std::memcpy;
using std::popcount;
using std::sort;

using std::atomic;
using std::memory_order;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

using std::array;
using std::exception_ptr;
using std::hash;
using std::initializer_list;
using std::optional;
using std::runtime_error;
using std::span;
using std::string;
using std::string_view;
using std::strong_ordering;
using std::vector;
using std::operator<=>;
using std::operator==;

namespace pmr {
using std::pmr::memory_resource;
using std::pmr::monotonic_buffer_resource;
using std::pmr::new_delete_resource;
using std::pmr::vector;
} // namespace pmr

} // namespace std
