// Labels that users attach to jobs and executors: "KEY=VALUE".
#pragma once

#include <string_view>

namespace dl {

// Returns true if key and value each have 1 to limits::kMaxLabelPart letters, digits and . _ -.
bool IsLabel(std::string_view text);
inline constexpr char kLabelRule[] =
    "KEY=VALUE, both of letters, digits and . _ - (at most 63 of them)";

}  // namespace dl
