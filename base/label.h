// Labels that users attach to jobs and executors: "KEY=VALUE". A list of jobs can be limited to
// jobs with a label. A job can require labels that an executor must have to compute its units.
#pragma once

#include <string_view>

namespace dl {

// Returns true if the text is "KEY=VALUE". KEY and VALUE each have 1 to limits::kMaxLabelPart
// characters: ASCII letters, digits, '.', '_' and '-'.
bool IsLabel(std::string_view text);
// The rule of IsLabel, for messages.
inline constexpr char kLabelRule[] = "KEY=VALUE, each of 1 to 63 letters, digits and . _ -";

}  // namespace dl
