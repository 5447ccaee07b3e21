// The headers that nearly every source includes, parsed once; in a clean build they would take a
// quarter of the time. A source must still include what it uses, because sanitizer builds do not
// use this file.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

// nlohmann's literals are not used here, but they are ordinary functions, so each source would
// compile the JSON parser again for them. As templates they are compiled only if they are called.
#define _json(...)    \
  _json(__VA_ARGS__); \
  template <typename> \
  nlohmann::json UnusedLiteral(__VA_ARGS__)
#define _json_pointer(...)    \
  _json_pointer(__VA_ARGS__); \
  template <typename>         \
  nlohmann::json::json_pointer UnusedPointerLiteral(__VA_ARGS__)
#include "nlohmann/json.hpp"
#undef _json
#undef _json_pointer

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status.h"
