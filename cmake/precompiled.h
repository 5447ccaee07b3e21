// What nearly every source of ours reads, parsed once: the headers that a clean build would spend a
// quarter of its time on. A source still includes what it uses: builds with a sanitizer read it
// without this.
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

// nlohmann's literals, which nobody here uses, are plain functions: each source would compile the
// JSON parser once more for their sake. As templates they wait until somebody calls them.
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
