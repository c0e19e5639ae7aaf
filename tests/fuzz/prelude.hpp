// What the parts of the fuzzer include of the standard library. It comes first everywhere, so that nothing of it is
// included after an import.
#pragma once

#include "../support/components.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
