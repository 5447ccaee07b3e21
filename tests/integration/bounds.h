// How long these tests wait: limits that only a broken machine exceeds, not expectations.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace dl::test {

inline constexpr Duration kTimeout = std::chrono::minutes(10);
inline constexpr Duration kLongCall =
    std::chrono::minutes(5);  // deadline of a call that must be answered

}  // namespace dl::test
