// How long something lasts, as people write it: "45s", "90m", "12h", "7d", "8w".
#pragma once

#include <string>

#include "base/clock.h"
#include "base/status.h"

namespace dl::cli {

// A whole number of seconds (s), minutes (m), hours (h), days (d) or weeks (w), at least one and at
// most 100 years. UsageError otherwise, about the flag `where`.
StatusOr<Duration> ParseLifetime(const std::string& text, const std::string& where);

}  // namespace dl::cli
