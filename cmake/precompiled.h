// The headers that nearly every source includes. They are parsed once for the product and once for
// the tests. Parsing them for each source would take a quarter of the time of a clean build.
// Folders with compile options of their own do not use this file (NO_PRECOMPILED). A source must
// still include what it uses, because builds with DL_COMPILE_TOGETHER=OFF do not use this file
// either. The presets tsan and fuzz are such builds.
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

// The literals "..."_json and "..."_json_pointer of nlohmann are not used in this project. Each
// literal is an inline function that calls the JSON parser, so every source would compile the
// parser. These macros turn the definition of a literal into a declaration, followed by a template
// that has the body and is never instantiated. A use of a literal therefore does not link.
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
