// Parses durations as users write them: "45s", "90m", "12h", "7d", "8w".
#pragma once

#include <string>

#include "base/clock.h"
#include "base/status.h"

namespace dl::cli {

// Returns the duration of a whole number of seconds (s), minutes (m), hours (h), days (d) or weeks
// (w). The number is at least 1, and the duration at most 100 years of 365 days. Returns UsageError
// for other text. `where` is the flag that has the text, such as "--expires".
StatusOr<Duration> ParseLifetime(const std::string& text, const std::string& where);

}  // namespace dl::cli
