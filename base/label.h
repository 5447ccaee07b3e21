// Labels that users attach to jobs and executors: "KEY=VALUE".
#pragma once

#include <string_view>

namespace dl {

// Returns true if KEY and VALUE each have 1 to limits::kMaxLabelPart letters, digits and . _ -.
bool IsLabel(std::string_view text);
inline constexpr char kLabelRule[] = "KEY=VALUE, each of 1 to 63 letters, digits and . _ -";

}  // namespace dl
