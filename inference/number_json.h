// Numbers of float32 as JSON.
#pragma once

#include "base/json_fwd.h"

namespace dl::inference {

// Returns the number with the fewest digits that give the same float32. If `origin` is not 0,
// returns the sum with it in float64. Returns null for a number that is not finite.
Json NumberJson(float value, double origin = 0);

}  // namespace dl::inference
