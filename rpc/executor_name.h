// Rule for executor names. They appear in logs, events and tables.
#pragma once

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "base/limits.h"

namespace dl::rpc {

inline constexpr char kExecutorNameRule[] = "1 to 128 letters, digits, '.', '_' and '-'";
static_assert(limits::kMaxExecutorName == 128);

inline bool IsExecutorNameLetter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
}

inline bool IsExecutorName(std::string_view name) {
  return !name.empty() && name.size() <= limits::kMaxExecutorName &&
         std::all_of(name.begin(), name.end(), IsExecutorNameLetter);
}

}  // namespace dl::rpc
