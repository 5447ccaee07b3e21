// Labels, as people put them on jobs and executors: "KEY=VALUE".
#pragma once

#include <string_view>

namespace dl {

// Both of letters, digits and . _ -, of 1 to limits::kMaxLabelPart characters.
bool IsLabel(std::string_view text);
inline constexpr char kLabelRule[] =
    "KEY=VALUE, both of letters, digits and . _ - (at most 63 of them)";

}  // namespace dl
