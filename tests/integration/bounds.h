// How long these tests wait for what is to come: bounds for a broken machine, not expectations.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace dl::test {

inline constexpr Duration kPatience = std::chrono::minutes(10);
inline constexpr Duration kLongCall =
    std::chrono::minutes(5);  // the deadline of a call that is to be answered

}  // namespace dl::test
