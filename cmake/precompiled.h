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

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status.h"
