// Numbers as people read them. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace dl::web {

std::string CountText(int64_t count);  // "12,345"
std::string BytesText(double bytes);   // "512 B", "1.2 GiB"
// "0.4 ms", "1.3 s", "3 min 12 s", "2 d 4 h"; "" for a negative number and NaN
std::string DurationText(double seconds);
std::string TimeText(int64_t unix_ms);  // UTC, "2026-11-29 20:31:05"
// Returns up to four significant digits from 0.001 to 1,000 ("0.1268"), and whole numbers above it
// ("1,235"). Below 0.001 and from 1e9 on, returns up to three significant digits with an exponent
// ("1.2e-7"). The ranges are those of the magnitude.
std::string NumberText(double value);
std::string PercentText(double share);  // "93.1 %"

}  // namespace dl::web
